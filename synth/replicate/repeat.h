#ifndef SCCL_SYNTH_REPLICATE_REPEAT_H
#define SCCL_SYNTH_REPLICATE_REPEAT_H

/*
 * Several runs of an algorithm as one: the input is cut in as many parts, one for each run, and a run begins before the one before has
 * ended. What overlaps shares links, so that a step takes the rounds that its fullest link needs.
 */

#include "core/schedule/algorithm.h"

struct error;

/*
 * A, verified and in full: (C, S, R). RUNS of it, one every EVERY steps, are an algorithm of RUNS C chunks and S + (RUNS - 1) EVERY steps.
 * EVERY 0: each step, or as A's pipeline has it. In the middle of many runs links carry in EVERY steps what one run sends over
 * them in all, so that nothing less than every step takes fewer rounds; with a pipeline a run has its stated rounds or fewer.
 * Verified and classified, or NULL with *e set.
 */
struct algorithm *repeated(const struct algorithm *a, int runs, int every, struct error *e);

#endif
