#ifndef SCCL_PROVE_TREE_TABLE_H
#define SCCL_PROVE_TREE_TABLE_H

/*
 * All that the least cost of a timed tree depends on. Nodes that have the commodity become one source. Two other nodes
 * are interchangeable if they have the same role and exchanging them changes no price in any step; interchangeable
 * nodes form a class, of which only the number of informed nodes matters. Tables are compared byte by byte: demands
 * with equal tables have the same least cost.
 */

#include "prove/demand.h"

/* Costs of sending: numbers up to COST_MAX are exact; COST_NONE stands for all greater ones and for "cannot send". */
#define COST_MAX ((int64_t)1 << 60)
#define COST_NONE ((int64_t)1 << 61)

/* What a chunk pays from node to node in each step. */
struct step_costs {
	int steps, nodes;
	int64_t *of; /* [(step * nodes + from) * nodes + to], steps from 0; owned by its creator */
};

/* Class 0 is the source. Released by tree_table_free. */
struct tree_table {
	int steps, classes;
	size_t n;
	int64_t *words; /* steps, classes; of each class the size and whether it wants the chunks; costs by step, from, to */
};

enum { TREE_CLASSES_MAX = 24 };

/* False: there are more than TREE_CLASSES_MAX classes, or the budget is exhausted. */
bool tree_table_new(const struct step_costs *c, const struct demand *d, struct tree_table *out);
void tree_table_free(struct tree_table *t);

static inline int tree_table_size(const struct tree_table *t, int class)
{
	return (int)t->words[2 + 2 * class];
}

static inline bool tree_table_wants(const struct tree_table *t, int class)
{
	return t->words[3 + 2 * class] != 0;
}

/* The cost of sending from any node of a class to any other of a class. */
static inline int64_t tree_table_cost(const struct tree_table *t, int step, int from, int to)
{
	return t->words[2 + 2 * t->classes + (step * t->classes + from) * t->classes + to];
}

static inline int64_t cost_sum(int64_t a, int64_t b)
{
	return a + b > COST_MAX ? COST_NONE : a + b;
}

#endif
