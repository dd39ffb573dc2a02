#ifndef SCCL_SYNTH_TREES_HALVING_TREES_H
#define SCCL_SYNTH_TREES_HALVING_TREES_H

/*
 * Balanced binary trees as MXNet has them: a root, half of its cluster with it, and the root of the other half, which it has a link
 * to; and so on in both halves, so that a tree of P nodes takes as many levels as P has bits. WEIGHTS [a * nodes + b] are symmetric; 0:
 * no link. PARENT [node] gets -1 at the root.
 */

#include <stdbool.h>

/* Halves by Kernighan and Lin (1970): so that little weight is between them. The link to the other half's root is the
 * heaviest. Where none is there it tries other halves, a few times. False: it got stuck. */
bool halving_by_clusters(int nodes, int root, const double *weights, int *parent);

/* The heaviest of all such trees, halves being of any size that leaves the tree its depth. False: there is none, or there are more
 * than HALVING_SEARCH_MAX nodes. */
bool halving_by_search(int nodes, int root, const double *weights, int *parent);

enum { HALVING_SEARCH_MAX = 16 };

#endif
