#ifndef SCCL_SYNTH_PROGRAM_REALIZE_H
#define SCCL_SYNTH_PROGRAM_REALIZE_H

/* From a solved program to a schedule: every tree, in all its images, carries a whole number of chunks. */

#include "synth/program/timed_program.h"

struct step;

/*
 * The least C for which the solution of Q is a schedule as it is: every image of every tree carries a whole number of
 * chunks, and every step has a whole number of rounds. 0: Q is not exact, its group is too large, C is above MOST, or the
 * solution leaves a step idle, so that fewer steps are as good: then no C attains its value, as every step has a round.
 */
int timed_program_chunks(const struct timed_program *q, int most);

/* Are its images few enough for whole numbers of chunks by linear programs (synth/program/whole_shares.h)? */
bool timed_program_packs_well(const struct timed_program *q);

/*
 * A schedule of at most MOST chunks, or with EXACTLY, of MOST, which must then be a multiple of the C of the instance. It
 * is the solution itself where timed_program_chunks allows it. Otherwise the solution is packed into several R
 * (synth/program/chunk_packing.h), and the best R/C is taken; after the deadline (core/base/stop.h) the first. The caller frees
 * the q->steps steps; *CHUNKS is their C. NULL with *e set: MOST chunks are too few.
 */
struct step *timed_program_steps(const struct timed_program *q, int most, bool exactly, int *chunks, struct error *e);

#endif
