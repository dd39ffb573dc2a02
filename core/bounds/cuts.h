#ifndef SCCL_CORE_BOUNDS_CUTS_H
#define SCCL_CORE_BOUNDS_CUTS_H

/* What can cross between sets of nodes in one round: the right side of every bandwidth bound. For core/bounds/. */

#include "core/machine/network.h"

/*
 * At most so many chunks cross from one part to another in a round (part[node] is its number): the bandwidths of the
 * crossing edges, less what limits take off. Limits are taken greedily over disjoint sets of edges, on all of them or a node's at
 * a time, whichever takes off more; so this is never less than what really can cross.
 */
int64_t cut_capacity(const struct network *w, const int *part);

/* The same for what leaves the set part[node] == 1 alone, and for what enters it. */
int64_t cut_capacity_out(const struct network *w, const int *part);
int64_t cut_capacity_in(const struct network *w, const int *part);

#endif
