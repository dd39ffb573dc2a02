#ifndef SCCL_CORE_BOUNDS_SWITCH_STEPS_H
#define SCCL_CORE_BOUNDS_SWITCH_STEPS_H

/*
 * What an allreduce needs in a number of steps where all nodes are on switches that copy and add. The proof is in
 * docs/concepts/bounds.md, "Switches that copy and add".
 */

#include "core/base/rational.h"

struct network;

/*
 * R/C is at least this for any allreduce of STEPS >= 1 steps that keeps one value of each chunk at each node:
 * (n S - 1) / ((n (S - 1) + 1) b), with n nodes each of which sends, and receives, over a port of at most b units. It falls
 * with every further step. 0: the machine is not of this kind.
 */
struct rational switch_allreduce_bound(const struct network *w, int steps);

#endif
