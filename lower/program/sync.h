#ifndef SCCL_LOWER_PROGRAM_SYNC_H
#define SCCL_LOWER_PROGRAM_SYNC_H

/*
 * A block of a GPU has many threads, some of which signal for all. A program therefore contains explicit barriers: between
 * a move and the next signal or offer, and between two moves one of which writes what the other reads or writes. Every
 * warp waits for itself, so there is none between a wait and a move. With packets, a thread only ever reads what it wrote
 * itself, so moves need no barriers between them. What a block keeps of the moves between two barriers is limited
 * (SYNC_MOVES_MOST moves with SYNC_PLACES_MOST places, but for a single move). program_sync inserts the barriers, and
 * sync_check judges them.
 */

#include <stdbool.h>

struct error;
struct program;

/* SCCL_MOVES_MOST and SCCL_PLACES_MOST of sccl/device.h. */
enum { SYNC_MOVES_MOST = 64, SYNC_PLACES_MOST = 512 };

/* Inserts the barriers into P, which must not have any yet. Its peers and places must exist. */
void program_sync(struct program *p);

/* Rejects a program, with flags or packets, that lacks a barrier where one is needed. False with *e set to the place
 * and the reason. Peers and places must exist (program_check, packets_check). */
bool sync_check(const struct program *p, struct error *e);

#endif
