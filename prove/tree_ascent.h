#ifndef SCCL_PROVE_TREE_ASCENT_H
#define SCCL_PROVE_TREE_ASCENT_H

/* A lower bound on the least cost of a timed tree, where there are too many sets of nodes to find it (prove/tree_cost.h). */

#include "prove/tree_table.h"

/*
 * No timed tree of demand D costs less; COST_NONE: there is no tree. Often, but not always, one costs that much.
 * Meaningless once the budget is exhausted.
 */
int64_t tree_ascent(const struct step_costs *c, const struct demand *d);

#endif
