#ifndef SCCL_CORE_GRAPH_MATROID_UNION_H
#define SCCL_CORE_GRAPH_MATROID_UNION_H

/* Spanning trees that share no edge, in a graph with parallel edges: matroid union (Edmonds 1965), by shortest exchanges. */

#include <stdbool.h>

struct graph_edge {
	int a, b;
	int tree; /* the tree that has it, -1: none */
};

/* N edges into TREES spanning trees of NODES nodes, TREES at least 1. Those that have a tree already must be no cycle in it; they may change it.
 * False: there are not so many. */
bool tree_union(int nodes, struct graph_edge *edges, int n, int trees);

#endif
