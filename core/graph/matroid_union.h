#ifndef SCCL_CORE_GRAPH_MATROID_UNION_H
#define SCCL_CORE_GRAPH_MATROID_UNION_H

/*
 * Edge-disjoint spanning trees in a graph that may have parallel edges: matroid union (Edmonds 1965), by shortest
 * sequences of exchanges (augmenting paths).
 */

#include <stdbool.h>

struct graph_edge {
	int a, b;
	int tree; /* the tree that contains it, -1: none */
};

/*
 * Assigns N edges to TREES (at least 1) edge-disjoint spanning trees of NODES nodes. Edges may have a tree initially,
 * if those of each tree form no cycle; they may be moved to another tree. PARENTS [tree * NODES + node], unless NULL,
 * gets each tree as rooted at node 0: -1 there. False: there are not that many trees.
 */
bool tree_union(int nodes, struct graph_edge *edges, int n, int trees, int *parents);

#endif
