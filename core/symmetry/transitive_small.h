#ifndef SCCL_CORE_SYMMETRY_TRANSITIVE_SMALL_H
#define SCCL_CORE_SYMMETRY_TRANSITIVE_SMALL_H

/*
 * Relabellings of small machines, one by one: all that keep links, bandwidths and limits and leave no node where it is are tried
 * as one more generator, so that no element of the group but the identity leaves one. On dgx1 four elements, which are no
 * translations of a commutative machine.
 */

#include "core/schedule/symmetry.h"

struct network;

/* Adds generators to *Y (of one part, perhaps none yet), and gives the group. False: none was found; nothing is given. */
bool transitive_group_search_small(const struct network *w, struct symmetry *y, struct elements *group);

enum { TRANSITIVE_SMALL_NODES = 16 };

#endif
