#ifndef SCCL_CORE_SYMMETRY_TRANSITIVE_SMALL_H
#define SCCL_CORE_SYMMETRY_TRANSITIVE_SMALL_H

/*
 * Automorphisms of small machines by exhaustive search: each automorphism without a fixed point is tried as a further
 * generator, so that only the identity of the resulting group fixes a node. On dgx1 this gives four elements, which are
 * not translations of an abelian group.
 */

#include "core/schedule/symmetry.h"

struct network;

/*
 * Adds generators to *Y (with a single part; it may have none yet) and sets *GROUP, which the caller frees. False: none
 * was found, or the machine has more than TRANSITIVE_SMALL_NODES nodes, and *GROUP is empty.
 */
bool transitive_group_search_small(const struct network *w, struct symmetry *y, struct elements *group);

/* The largest machine that is searched. */
enum { TRANSITIVE_SMALL_NODES = 16 };

#endif
