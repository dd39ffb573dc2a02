#ifndef SCCL_CORE_SCHEDULE_RELABEL_H
#define SCCL_CORE_SCHEDULE_RELABEL_H

/* Transfers an algorithm from one machine to an isomorphic one. */

#include "core/schedule/algorithm.h"

/*
 * Relabels A for the topology T: node n of A's machine is node TO [n] of T, a permutation. Chunks are renumbered along
 * with the nodes in their numbers. The result has the same form (full or compact) as A, but no bounds or claims of
 * optimality, and is not verified. K is the same collective on T, with A's root relabelled; it must not be custom.
 * Owned by the caller.
 */
struct algorithm *algorithm_relabelled(const struct algorithm *a, const struct topology *t, const struct collective *k,
				       const int *to);

#endif
