#ifndef SCCL_SYNTH_PROGRAM_TREE_DESCENT_H
#define SCCL_SYNTH_PROGRAM_TREE_DESCENT_H

/* A cheap timed tree, where there are too many sets of nodes to find the cheapest. */

#include "synth/program/timed_tree.h"

/*
 * A tree of commodity K of N steps that costs no more at PRICES [step * n_edges + edge] than the tree FROM, and *COST:
 * the best that local search finds, in time proportional to EFFORT, from 1. Deterministic, but for the deadline
 * (core/base/stop.h), after which it ends. The caller frees out->of.
 */
void timed_tree_descend(const struct network *w, const struct commodity *k, int steps, const double *prices,
			const struct timed_tree *from, int effort, struct timed_tree *out, double *cost);

#endif
