#ifndef SCCL_LOWER_PROGRAM_VECTOR_CLOCK_H
#define SCCL_LOWER_PROGRAM_VECTOR_CLOCK_H

/*
 * What a rank knows of how far the others are, from the waits that data flow asks for anyway: whether a peer has
 * surely read a place that is to be written again. Each rank's moves are numbered from 1; 0 is before all.
 */

#include <stdbool.h>

struct error;
struct pushes;

struct vector_clocks;

/* Room for what PUSHES will tell. NULL with *e set: more than VECTOR_CLOCKS_MAX. */
struct vector_clocks *vector_clocks_new(int ranks, const struct pushes *pushes, struct error *e);
void vector_clocks_free(struct vector_clocks *k); /* NULL is fine */

/* RANK has waited for the signal of FROM that ends STEP. */
void vector_clocks_wait(struct vector_clocks *k, int rank, int from, int step);
/* RANK does its move NUMBER. */
void vector_clocks_move(struct vector_clocks *k, int rank, int number);
/* The move that RANK is at writes into TO: TO will learn of it with the signal that ends STEP. */
void vector_clocks_write(struct vector_clocks *k, int rank, int to, int step);

/* Does RANK know that OWNER has done its move NUMBER? */
bool vector_clocks_know(const struct vector_clocks *k, int rank, int owner, int number);

enum { VECTOR_CLOCKS_MAX = 1 << 28 };

#endif
