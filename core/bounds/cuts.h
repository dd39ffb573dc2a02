#ifndef SCCL_CORE_BOUNDS_CUTS_H
#define SCCL_CORE_BOUNDS_CUTS_H

/*
 * What can cross between sets of nodes in one round: the right-hand side of every bandwidth bound. For core/bounds/ and
 * prove/.
 */

#include "core/machine/network.h"

/*
 * An upper bound on the chunks that cross from any part to another in a round (part[node] is its number): the
 * bandwidths of the crossing edges, minus what limits save. Limits are chosen greedily for disjoint sets of edges, over
 * all edges or one node at a time, whichever saves more, so the result is never less than what can really cross.
 */
int64_t cut_capacity(const struct network *w, const int *part);

/* The same counting only what leaves the set part[node] == 1, or only what enters it. */
int64_t cut_capacity_out(const struct network *w, const int *part);
int64_t cut_capacity_in(const struct network *w, const int *part);

#endif
