#ifndef SCCL_PROVE_TREE_COST_H
#define SCCL_PROVE_TREE_COST_H

/* The least cost of a timed tree, by dynamic programming. */

#include "prove/tree_table.h"

/*
 * The least cost of a timed tree that informs all nodes that want the chunks, or CAP (up to COST_MAX) where it is not
 * less. -1: there are too many states. Meaningless once the budget is exhausted.
 */
int64_t tree_least(const struct tree_table *t, int64_t cap);

/* The same for each node alone, from any node whose ROLE is ROLE_HAS: LEAST [node]; COST_NONE: there is none. */
void path_least(const struct step_costs *c, const uint8_t *role, int64_t *least);

#endif
