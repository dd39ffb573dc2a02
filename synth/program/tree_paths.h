#ifndef SCCL_SYNTH_PROGRAM_TREE_PATHS_H
#define SCCL_SYNTH_PROGRAM_TREE_PATHS_H

/* A timed tree of shortest paths, over the sends that a bound leaves no price. */

#include "synth/program/timed_tree.h"

/*
 * A tree of commodity K of N steps over the sends with LEFT [step * n_edges + edge] = 0 (synth/program/tree_bound.h),
 * cheap at PRICES, but not the cheapest. The caller frees out->of. False: these do not reach all nodes that want it.
 */
bool timed_tree_of_paths(const struct network *w, const struct commodity *k, int steps, const double *prices,
			 const double *left, struct timed_tree *out);

#endif
