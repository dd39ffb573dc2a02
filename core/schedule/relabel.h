#ifndef SCCL_CORE_SCHEDULE_RELABEL_H
#define SCCL_CORE_SCHEDULE_RELABEL_H

/* An algorithm of one machine for another that is the same but for the numbers of its nodes. */

#include "core/schedule/algorithm.h"

/*
 * Node n of A's machine is to[n] of T's, a permutation; chunks follow the nodes that they are numbered by. In full or compact as
 * A is; without bounds or claims, and not verified. K is the same collective on T, with A's root carried along; not a
 * custom one. Owned by the caller.
 */
struct algorithm *algorithm_relabelled(const struct algorithm *a, const struct topology *t, const struct collective *k,
				       const int *to);

#endif
