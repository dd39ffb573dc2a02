#ifndef SCCL_SYNTH_TREES_FOREST_SPREAD_H
#define SCCL_SYNTH_TREES_FOREST_SPREAD_H

/*
 * Which edges through a switch to join, so that each node gets edges to as many others as possible. For
 * synth/trees/forest_split.c.
 */

#include "synth/trees/forest_graph.h"

/* COUNT units of from → switch → to that become from → to. */
struct forest_split_way {
	int from, to;
	int64_t count;
};

/*
 * A plan for everything that passes W. APART: between vertices that only W joins, evenly over the components that
 * remain without it; otherwise between any two, evenly over these. Empty (n = 0) where such a plan cannot take
 * everything. The caller frees it.
 */
struct forest_split_way *forest_spread(const struct forest_graph *g, int w, bool apart, size_t *n);

#endif
