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

/* A tree that brings commodity K to each node as early as can be. False: STEPS are too few. */
bool timed_tree_earliest(const struct network *w, const struct commodity *k, int steps, struct timed_tree *out);

/* What is known of the trees of a commodity that cost less than a limit. */
struct priced_tree {
	bool found;             /* one does */
	struct timed_tree tree; /* then: it; the caller frees tree.of */
	double cost;            /* then: its cost */
	double at_least;        /* no tree of the commodity costs less; never above the limit */
};

/*
 * Prices the trees of commodity K of N steps that cost less than LIMIT at PRICES [step * n_edges + edge] (none is
 * negative). First, unless there are few sets of nodes, a cheap tree is looked for with some EFFORT, from 1, and a bound;
 * KNOWN is any tree of the commodity, to begin from. If none costs less than the limit and the bound leaves room for one,
 * the cheapest is found by dynamic programming over the sets of nodes that have the commodity; nodes with equal prices in
 * every respect are interchangeable, so that of each class of them only a count matters. Where there are more than
 * TREE_PAIRS_MAX pairs of sets, or after the deadline (core/base/stop.h), at_least is the bound.
 */
void timed_tree_price(const struct network *w, const struct commodity *k, int steps, const double *prices, double limit,
		      const struct timed_tree *known, int effort, struct priced_tree *out);

enum { TREE_PAIRS_MAX = 20000000 }; /* as many as 16 nodes without any symmetry have */

#endif
