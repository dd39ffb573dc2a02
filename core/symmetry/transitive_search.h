#ifndef SCCL_CORE_SYMMETRY_TRANSITIVE_SEARCH_H
#define SCCL_CORE_SYMMETRY_TRANSITIVE_SEARCH_H

/*
 * Translations of a machine, whatever its nodes' numbers: relabellings that carry links to links of the same bandwidth, every
 * node to a neighbour over such a link as joins node 0 to its own image, and that commute with those that are known. On
 * machines of a commutative group (tori, hypercubes, boxes) these are what the group is made of. docs/concepts/symmetry.md.
 */

#include "core/schedule/symmetry.h"

struct network;

/*
 * Those that carry node 0 to its neighbour TO are given to TAKE, until it says that one will do. False: none did, or the
 * search was cut off: it tries no more than some hundred images a node, and looks at links no more than *LOOKS times, which goes down.
 */
bool transitive_group_search(const struct network *w, const struct symmetry *known, int to, bool (*take)(void *context, const int *image),
		    void *context, int64_t *looks);

#endif
