#ifndef SCCL_SYNTH_FRONTIER_DIRECT_ALLREDUCE_H
#define SCCL_SYNTH_FRONTIER_DIRECT_ALLREDUCE_H

/* Algorithms for an allreduce that is solved directly, made without a solver. */

#include "core/base/rational.h"

struct algorithm;
struct problem;

/*
 * One step, in which every node sends its whole input to all others: the fewest chunks for which R is whole with R/C = VALUE,
 * at most MOST, with at most SENDS sends. The caller's; NULL: some pair of nodes is not joined, or it takes more.
 */
struct algorithm *direct_exchange(const struct problem *p, struct rational value, int most, size_t sends);

/* Patterns around hubs (synth/program/hub_program.h). The caller's; NULL: there are none, or they take too long. */
struct algorithm *direct_hubs(const struct problem *p, int steps, int most);

#endif
