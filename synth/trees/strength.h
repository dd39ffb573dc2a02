#ifndef SCCL_SYNTH_TREES_STRENGTH_H
#define SCCL_SYNTH_TREES_STRENGTH_H

/*
 * The strength of a graph: over all partitions of its nodes, the least quotient of the capacity between different parts
 * and the number of parts less one. It is the most weight that spanning trees can have together (Tutte 1961,
 * Nash-Williams 1961).
 */

#include "core/base/rational.h"

#include <stddef.h>
#include <stdint.h>

struct network;

/* What a pair carries in both directions at once: the width of the narrower one. */
struct joint {
	int a, b; /* a < b */
	int64_t width;
};

/* The same of an edge and its reverse; 0 without one. */
int64_t joint_width(const struct network *w, size_t edge);
/* Sorted by (a, b); *n of them. The caller frees them. */
struct joint *joints_of(const struct network *w, size_t *n);

/*
 * Exact; 0 where the graph is not connected. PART [node] gets its part's number in a partition that attains it, *PARTS
 * their number. At least 2 nodes.
 */
struct rational strength(int nodes, const struct joint *joints, size_t n, int *part, int *parts);

#endif
