#ifndef SCCL_SYNTH_SYMMETRIC_SYMMETRIC_CONSTRUCTION_H
#define SCCL_SYNTH_SYMMETRIC_SYMMETRIC_CONSTRUCTION_H

/*
 * Schedules for machines that look the same from every node (regular.h), at any size: every chunk takes shortest paths, each
 * hop as early as it can be, so S is the diameter; what is chosen is by which links, so that all carry the same.
 */

#include "synth/problem/problem.h"

/* An algorithm for the candidate, or one of fewer rounds, padded: compact, judged. NULL without an error: this way has none. */
struct algorithm *symmetric_construct(const struct problem *p, struct candidate c, struct error *e);

/* One that meets both bounds, which makes it the whole frontier. NULL without an error: this way has none. */
struct algorithm *symmetric_construct_best(const struct problem *p, struct error *e);

#endif
