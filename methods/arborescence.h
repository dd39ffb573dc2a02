#ifndef SCCL_METHODS_ARBORESCENCE_H
#define SCCL_METHODS_ARBORESCENCE_H

/* Trees of least length. LENGTHS [from * nodes + to], INFINITY: no edge. PARENT [node] gets -1 at the root. */

#include <stdbool.h>

/* Out of ROOT (Chu and Liu 1965, Edmonds 1967). False: some node is not reached. */
bool least_arborescence(int nodes, int root, const double *lengths, int *parent);

/* Undirected, hanging from node 0 (Prim). LENGTHS are symmetric. */
bool least_tree(int nodes, const double *lengths, int *parent);

#endif
