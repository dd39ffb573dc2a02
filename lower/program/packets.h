#ifndef SCCL_LOWER_PROGRAM_PACKETS_H
#define SCCL_LOWER_PROGRAM_PACKETS_H

/*
 * Rewrites a program to use packets instead of flags, for small messages: a rank pushes data into a packet slot of the
 * receiver, which is written once per call, and reading the slot includes waiting for it. There are no waits and
 * signals, and no round trip for offers either: consecutive calls alternate between two sets of slots, and at the end
 * of a call, a rank offers the slots that it has read to their senders again, as the credit for a later call.
 */

#include <stdbool.h>

struct error;
struct program;

/* Returns the rewritten program. P must be a scheduled program with flags (program_build), before program_sync. The
 * caller releases the result with program_free. */
struct program *program_packets(const struct program *p);

/* Marks the credits of P, a program with packets, that data imply, and their offers, as rare. A sender needs no credit from a
 * reader of its packets if in each call it gets a packet that the reader, or somebody who has one of the reader's, has sent:
 * the previous call's says that the reader has ended the call before that. (As in NCCL's and MSCCL++'s one-shot allreduce.) */
void program_imply_credits(struct program *p);

/* Rejects, reporting the place: a packet slot that is never written, written twice, or written by a rank other than its
 * sender; a read of another rank's memory; a write to another rank's memory except to packet slots; a write to an
 * input; a packet sent without credit, read after its slot was offered again, or never offered again; a credit
 * called rare that data do not imply, or whose offer is not rare. False with *e
 * set. Whether the right data is moved in the right order is for program_interpret to judge. */
bool packets_check(const struct program *p, struct error *e);

#endif
