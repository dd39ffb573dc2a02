#ifndef SCCL_SYNTH_TREES_STRENGTH_H
#define SCCL_SYNTH_TREES_STRENGTH_H

/*
 * The strength of a graph: the least quotient, over all partitions of its nodes, of what joins different parts and the number of
 * parts less one. Spanning trees can have so much weight together and no more (Tutte 1961, Nash-Williams 1961).
 */

#include "core/base/rational.h"

#include <stddef.h>
#include <stdint.h>

struct network;

/* What a pair carries both ways at once. */
struct joint {
	int a, b; /* a < b */
	int64_t width;
};

/* By (a, b); *n of them. The caller frees. */
struct joint *joints_of(const struct network *w, size_t *n);

/*
 * In whole numbers: 0 where they do not join all nodes. PART [node] gets the number of its part in a partition that shows it, and
 * *PARTS how many there are. At least 2 nodes.
 */
struct rational strength(int nodes, const struct joint *joints, size_t n, int *part, int *parts);

#endif
