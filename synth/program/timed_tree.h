#ifndef SCCL_SYNTH_PROGRAM_TIMED_TREE_H
#define SCCL_SYNTH_PROGRAM_TIMED_TREE_H

/*
 * Timed trees: for one commodity, which edge brings it to which node in which step; and the cheapest one at given
 * prices of the edges in each step.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct commodity;
struct network;

/* One edge of a tree; STEP is from 0. */
struct timed_edge {
	int step, edge;
};

/* A tree, by ascending step. The caller frees of. */
struct timed_tree {
	int n;
	struct timed_edge *of;
};

/*
 * Finds a tree for commodity K of N steps that costs less than LIMIT at PRICES [step * n_edges + edge] (none is
 * negative), and the cheapest of these. Exact: by dynamic programming over the sets of nodes that have the commodity.
 * Nodes with equal prices in every respect are interchangeable, so that of each class of them only a count matters.
 */
enum tree_answer { TREE_FOUND, TREE_NONE, TREE_TOO_LARGE /* more pairs of sets than TREE_PAIRS_MAX */ };
enum tree_answer timed_tree_cheapest(const struct network *w, const struct commodity *k, int steps, const double *prices,
				     double limit, struct timed_tree *out, double *cost);

enum { TREE_PAIRS_MAX = 20000000 }; /* as many as 16 nodes without any symmetry have */

#endif
