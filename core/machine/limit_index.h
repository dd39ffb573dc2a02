#ifndef SCCL_CORE_MACHINE_LIMIT_INDEX_H
#define SCCL_CORE_MACHINE_LIMIT_INDEX_H

/* From an edge of a network to the limits that count it: the one build of that index. */

#include "core/base/csr.h"

#include <stdbool.h>

struct network;

/*
 * Row e: the numbers of what a chunk over edge e loads, one as often as it counts. First the edge's own bandwidth, whose number is
 * EDGE_NUMBER[e] (-1, or EDGE_NUMBER NULL: it has none), then limit l as FIRST_LIMIT + l, ascending. The caller frees it.
 */
struct csr limit_index(const struct network *w, const int *edge_number, int first_limit);

/* [edge]: a limit over it is as narrow as the edge, whose own bandwidth then never binds alone. The caller frees it. */
bool *limit_covered_edges(const struct network *w);

#endif
