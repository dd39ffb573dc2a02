#ifndef SCCL_SYNTH_REPLICATE_REPEAT_H
#define SCCL_SYNTH_REPLICATE_REPEAT_H

/*
 * Several overlapping runs of an algorithm as one: the input is cut into as many parts, one for each run, and a run
 * starts before the previous one has ended. Overlapping runs share the links, so that a step takes as many rounds as
 * its most loaded link needs.
 */

#include "core/schedule/algorithm.h"

struct error;

/*
 * A must be verified and expanded: (C, S, R). RUNS runs of it, started EVERY steps apart, make an algorithm of RUNS C
 * chunks and S + (RUNS - 1) EVERY steps. EVERY 0: A's pipeline interval, or 1 if it has none. In the middle of many
 * runs, links carry in EVERY steps what one run sends over them in all, so that no wider spacing takes fewer rounds
 * than 1; with A's pipeline interval a run adds at most its stated rounds. The result is the caller's, verified and
 * classified, or NULL with *e set.
 */
struct algorithm *repeated(const struct algorithm *a, int runs, int every, struct error *e);

#endif
