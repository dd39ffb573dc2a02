#ifndef SCCL_PROVE_TREE_BLOCKS_H
#define SCCL_PROVE_TREE_BLOCKS_H

/* The least cost of a timed tree where nodes are interchangeable in pairs only (prove/tree_table.h: one by one). */

#include "prove/tree_table.h"

/*
 * The least cost of a timed tree of demand D, or CAP (up to COST_MAX) where it is not less. -1: there are too many
 * states. Meaningless once the budget is exhausted.
 */
int64_t tree_blocks_least(const struct step_costs *c, const struct demand *d, int64_t cap);

#endif
