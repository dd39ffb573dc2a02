#ifndef SCCL_PROVE_DEMAND_COST_H
#define SCCL_PROVE_DEMAND_COST_H

/* What the chunks of a demand must pay, with results shared between equal tables and equal sources. */

#include "prove/tree_table.h"

struct known_tree;

/* Least costs of paths from the nodes that have the chunks. */
struct known_paths {
	const uint8_t *role; /* [node]: a demand's; NULL: none yet */
	int64_t *least;      /* [node] */
};

enum { PATHS_KEPT = 1024 };

/* Zeroed except for the first two; released by demand_costs_free. */
struct demand_costs {
	const struct step_costs *costs; /* borrowed */
	bool alone;                     /* there is one demand in all, so that much work may be spent on it */
	size_t n_known, capacity;
	struct known_tree *known;
	struct known_paths paths[PATHS_KEPT]; /* by a hash of the nodes that have the chunks */
	const struct demand *bounded;         /* the last one that was too large; NULL: none yet */
	int64_t bound;                        /* then: what it pays at least (prove/tree_ascent.h) */
};

/*
 * The least that a chunk pays, at most CAP (up to COST_MAX). Where the tables for that are too large, *EXACT is false, and
 * the result is a lower bound on it. -1: no budget is left.
 */
int64_t demand_least(struct demand_costs *d, const struct demand *of, int64_t cap, bool *exact);
void demand_costs_free(struct demand_costs *d);

#endif
