#ifndef SCCL_LOWER_PROGRAM_SYNC_H
#define SCCL_LOWER_PROGRAM_SYNC_H

/*
 * A block of a GPU is many threads, and one of them waits and signals for all. Where the others must meet it, a program
 * says so: between a wait and the next move, between a move and the next signal or offer, and between two moves of
 * which one writes what the other reads or writes. With packets a thread only ever reads what it wrote itself, so moves
 * need no order. What program_sync puts in, sync_check judges.
 */

#include <stdbool.h>

struct error;
struct program;

void program_sync(struct program *p);

/* Refuses, with the place, a program with flags or packets whose threads do not meet where they must. Peers and places
 * must be there (program_check, packets_check). */
bool sync_check(const struct program *p, struct error *e);

#endif
