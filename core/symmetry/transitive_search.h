#ifndef SCCL_CORE_SYMMETRY_TRANSITIVE_SEARCH_H
#define SCCL_CORE_SYMMETRY_TRANSITIVE_SEARCH_H

/*
 * Translations of a machine, independent of how its nodes are numbered: automorphisms that map every node to a
 * neighbour, over an edge of the same bandwidth as the one from node 0 to its image, and that commute with all
 * automorphisms known so far. On machines that are Cayley graphs of an abelian group (tori, hypercubes, boxes) these
 * generate the group. See docs/concepts/symmetry.md.
 */

#include "core/schedule/symmetry.h"

struct network;

/*
 * Calls TAKE with each translation found that maps node 0 to its neighbour TO, until TAKE returns true. Limits are
 * compared by their number per edge only, so TAKE must check the whole automorphism. False: none was taken, or the
 * search was cut short: after some hundred assignments per node, or after examining *LOOKS edges, a count that is
 * decremented here.
 */
bool transitive_group_search(const struct network *w, const struct symmetry *known, int to, bool (*take)(void *context, const int *image),
		    void *context, int64_t *looks);

#endif
