#ifndef SCCL_LOWER_PROGRAM_SYNC_H
#define SCCL_LOWER_PROGRAM_SYNC_H

/*
 * A block of a GPU has many threads, one of which waits and signals for all. A program therefore contains explicit
 * barriers: between a wait or credit and the next move, between a move and the next signal or offer, and between two
 * moves one of which writes what the other reads or writes. With packets, a thread only ever reads what it wrote
 * itself, so moves need no barriers between them. program_sync inserts the barriers, and sync_check judges them.
 */

#include <stdbool.h>

struct error;
struct program;

/* Inserts the barriers into P, which must not have any yet. Its peers and places must exist. */
void program_sync(struct program *p);

/* Rejects a program, with flags or packets, that lacks a barrier where one is needed. False with *e set to the place
 * and the reason. Peers and places must exist (program_check, packets_check). */
bool sync_check(const struct program *p, struct error *e);

#endif
