#ifndef SCCL_SYNTH_SYMMETRIC_SYMMETRIC_CONSTRUCTION_H
#define SCCL_SYNTH_SYMMETRIC_SYMMETRIC_CONSTRUCTION_H

/*
 * Schedules without a search for machines that look the same from every node (core/symmetry/transitive_group.h), at any
 * size. S is the diameter if every hop along shortest paths is made as early as possible, or more if chunks may wait;
 * the links are chosen so that all of them carry equal loads.
 */

#include "synth/problem/problem.h"

/* An algorithm for the candidate, with one send per orbit, verified; a schedule of fewer steps or rounds is padded.
 * NULL without an error: no construction succeeded. */
struct algorithm *symmetric_construct(const struct problem *p, struct candidate c, struct error *e);

/* An algorithm that meets the bandwidth bound in STEPS steps, of at most MAX_CHUNKS chunks (0: any number). NULL without
 * an error: no construction succeeded. */
struct algorithm *symmetric_construct_in(const struct problem *p, int steps, int max_chunks, struct error *e);

/*
 * Algorithms whose R/C is above the bandwidth bound by at most three times as much, as much, a half, a quarter, and so on
 * down to 1/256, each with few steps: where a machine has slow links, as between boxes, the bound itself takes many.
 * RANDOM: also by the ways that make random choices, which take longer, and often fewer steps. TAKE owns each algorithm.
 * Ends early for the deadline of core/base/stop.h. *E: a fault or a limit; none otherwise, even if nothing was found.
 */
void symmetric_construct_near(const struct problem *p, bool random, int max_steps, int max_chunks,
			      void (*take)(void *context, struct algorithm *a), void *context, struct error *e);

/* An algorithm that meets both bounds and so is the whole frontier. NULL without an error: no construction succeeded, or
 * only with more sends than can be listed. */
struct algorithm *symmetric_construct_best(const struct problem *p, struct error *e);

#endif
