#ifndef SCCL_LOWER_PROGRAM_VECTOR_CLOCK_H
#define SCCL_LOWER_PROGRAM_VECTOR_CLOCK_H

/*
 * Vector clocks (Fidge 1988, Mattern 1989): what a rank knows about the progress of the others from the waits that the
 * data flow needs anyway. They show whether a peer has surely read a place that is to be overwritten. The moves of each
 * rank are numbered from 1; 0 is before the first.
 */

#include <stdbool.h>

struct error;
struct pushes;

struct vector_clocks;

/* Clocks for RANKS ranks that send signals as PUSHES require. The caller releases them with vector_clocks_free. NULL
 * with *e set: more than VECTOR_CLOCKS_MAX entries. */
struct vector_clocks *vector_clocks_new(int ranks, const struct pushes *pushes, struct error *e);
void vector_clocks_free(struct vector_clocks *k); /* NULL is fine */

/* RANK has waited for the signal with which FROM ends STEP. */
void vector_clocks_wait(struct vector_clocks *k, int rank, int from, int step);
/* RANK executes its move NUMBER. */
void vector_clocks_move(struct vector_clocks *k, int rank, int number);
/* The current move of RANK writes into TO, which learns RANK's clock from the signal that ends STEP. */
void vector_clocks_write(struct vector_clocks *k, int rank, int to, int step);

/* Does RANK know that OWNER has executed its move NUMBER? */
bool vector_clocks_know(const struct vector_clocks *k, int rank, int owner, int number);

/* The largest number of entries (4 bytes each) of all ranks' clocks, and of the clocks that signals carry. */
enum { VECTOR_CLOCKS_MAX = 1 << 28 };

#endif
