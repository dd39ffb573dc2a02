#ifndef SCCL_SYNTH_TREES_FOREST_SPREAD_H
#define SCCL_SYNTH_TREES_FOREST_SPREAD_H

/* Which edges through a switch to join, so that each node has edges to as many others as can be. For synth/trees/forest_split.c. */

#include "synth/trees/forest_graph.h"

/* COUNT units of from → switch → to become from → to. */
struct forest_split_way {
	int from, to;
	int64_t count;
};

/*
 * A plan for all that goes through W. APART: between vertices that W alone joins, evenly over the parts that are left without
 * it; else between any two, evenly over them. None (n = 0) where such a plan does not take all. The caller frees.
 */
struct forest_split_way *forest_spread(const struct forest_graph *g, int w, bool apart, size_t *n);

#endif
