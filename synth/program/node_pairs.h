#ifndef SCCL_SYNTH_PROGRAM_NODE_PAIRS_H
#define SCCL_SYNTH_PROGRAM_NODE_PAIRS_H

/*
 * Nodes that are interchangeable together with a partner: exchanging two such pairs changes no price. A node without a partner
 * is a pair of one. The state of a pair is its form: which of its nodes have the commodity. Of pairs of one kind only the
 * numbers of each form matter.
 */

#include "synth/program/tree_growth.h"

enum { FORMS = 4 /* of a pair: none, the first, the second, both of its nodes have the commodity */ };

/* Changes of so many pairs of a form to another; see synth/program/block_growth.c. */
struct pair_change;

/* Pairs that can be exchanged with each other. */
struct exchanged_pairs {
	int size, n;
	int (*pair)[2];
	size_t states, place; /* a state of all kinds: the sum of number * place */
	int (*count)[FORMS];  /* [number] */
	size_t *number;       /* of the counts of forms 1, 2, 3 */
	size_t n_changes;
	struct pair_change *changes; /* owned; here none are made */
	size_t *listed;         /* [number]: among the changes, + 1; 0: it is not */
};

/* Prices by the ends of edges, and the kinds of pairs; released by pair_table_free. */
struct pair_table {
	const struct tree_question *q;
	int nodes, n;
	double *price, *left_of; /* [(step * nodes + from) * nodes + to]; INFINITY: no edge */
	struct exchanged_pairs *kinds;
	size_t states;
};

static inline size_t pair_cell(const struct pair_table *g, int step, int from, int to)
{
	return ((size_t)step * (size_t)g->nodes + (size_t)from) * (size_t)g->nodes + (size_t)to;
}

static inline size_t *pair_number(const struct exchanged_pairs *k, const int *count)
{
	size_t side = (size_t)k->n + 1;

	return &k->number[((size_t)count[1] * side + (size_t)count[2]) * side + (size_t)count[3]];
}

static inline size_t pair_number_of(const struct exchanged_pairs *k, size_t state)
{
	return state / k->place % k->states;
}

/* Fills all but changes and listed. False: there are too many states. */
bool pair_table_new(const struct tree_question *q, struct pair_table *out);
void pair_table_free(struct pair_table *g);

#endif
