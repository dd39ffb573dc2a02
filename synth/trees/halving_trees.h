#ifndef SCCL_SYNTH_TREES_HALVING_TREES_H
#define SCCL_SYNTH_TREES_HALVING_TREES_H

/*
 * Balanced binary trees as in MXNet: a root keeps half of its cluster and is joined by a link to the root of the other
 * half; both halves recurse, so that a tree of P nodes has ⌈log2 P⌉ levels. WEIGHTS [a * nodes + b] are symmetric; 0:
 * no link. PARENT [node] gets -1 at the root.
 */

#include <stdbool.h>

/*
 * Halves by Kernighan and Lin (1970), with little weight between them; the link to the other half's root is the
 * heaviest. Where there is none other halves are tried, a limited number of times. False: none was found.
 */
bool halving_by_clusters(int nodes, int root, const double *weights, int *parent);

/*
 * The heaviest of all such trees, with halves of any size that keeps the depth. False: there is none, or there are more
 * than HALVING_SEARCH_MAX nodes.
 */
bool halving_by_search(int nodes, int root, const double *weights, int *parent);

enum { HALVING_SEARCH_MAX = 16 };

#endif
