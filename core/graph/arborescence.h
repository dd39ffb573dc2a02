#ifndef SCCL_CORE_GRAPH_ARBORESCENCE_H
#define SCCL_CORE_GRAPH_ARBORESCENCE_H

/*
 * Spanning trees of minimum total length. PARENT [node] gets each node's parent, -1 at the root; its contents are
 * meaningless if the functions return false. Ties are broken deterministically.
 */

#include <stdbool.h>
#include <stddef.h>

struct arc {
	int from, to;
	double length;
};

/* Directed away from ROOT (Chu and Liu 1965, Edmonds 1967). O(n log n) for N arcs. False: some node is unreachable. */
bool minimum_arborescence(int nodes, int root, const struct arc *arcs, size_t n, int *parent);

/*
 * Undirected, rooted at node 0 (Prim 1957): arcs can be used in either direction. False: the graph is not connected.
 */
bool minimum_spanning_tree(int nodes, const struct arc *arcs, size_t n, int *parent);

#endif
