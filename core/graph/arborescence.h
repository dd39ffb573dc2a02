#ifndef SCCL_CORE_GRAPH_ARBORESCENCE_H
#define SCCL_CORE_GRAPH_ARBORESCENCE_H

/* Trees of least length. PARENT [node] gets -1 at the root. */

#include <stdbool.h>
#include <stddef.h>

struct arc {
	int from, to;
	double length;
};

/* Out of ROOT (Chu and Liu 1965, Edmonds 1967). False: some node is not reached. */
bool minimum_arborescence(int nodes, int root, const struct arc *arcs, size_t n, int *parent);

/* Undirected, hanging from node 0 (Prim 1957); either way along an arc. */
bool minimum_spanning_tree(int nodes, const struct arc *arcs, size_t n, int *parent);

#endif
