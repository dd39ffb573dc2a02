#ifndef SCCL_LOWER_PROGRAM_PACKETS_H
#define SCCL_LOWER_PROGRAM_PACKETS_H

/*
 * The same program with packets instead of flags, for small messages: what a rank pushes into another's memory goes
 * into a packet slot there, which is written once a call, and whoever reads the slot waits for it. Waits and signals are
 * gone, and with them the round trip of offers: packets of two calls take turns, and a rank says at the end of a call
 * that it has read its own.
 */

#include <stdbool.h>

struct error;
struct program;

/* P must be a scheduled one with flags (build.h), before program_sync. */
struct program *program_packets(const struct program *p);

/* Refuses, with the place: a packet slot written by none, two or a stranger, or read by one whom it is not for; memory
 * of others that is written but for packets; packets sent without credit, or read after their slot was offered again.
 * What is moved in which order program_interpret judges. */
bool packets_check(const struct program *p, struct error *e);

#endif
