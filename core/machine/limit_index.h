#ifndef SCCL_CORE_MACHINE_LIMIT_INDEX_H
#define SCCL_CORE_MACHINE_LIMIT_INDEX_H

/* The index from an edge of a network to the limits that it is subject to. */

#include "core/base/csr.h"

#include <stdbool.h>

struct network;

/*
 * Row e: the numbers of the capacities that a chunk sent over edge e uses, each as often as it counts. First the edge's
 * own bandwidth, numbered EDGE_NUMBER[e] (omitted if that is -1 or EDGE_NUMBER is NULL), then each limit l, numbered
 * FIRST_LIMIT + l, in ascending order. The caller frees it.
 */
struct csr limit_index(const struct network *w, const int *edge_number, int first_limit);

/*
 * [edge]: is some limit on it at most as wide as the edge itself, so that the edge's own bandwidth is redundant? The
 * caller frees it.
 */
bool *limit_covered_edges(const struct network *w);

#endif
