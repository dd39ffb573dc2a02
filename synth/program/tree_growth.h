#ifndef SCCL_SYNTH_PROGRAM_TREE_GROWTH_H
#define SCCL_SYNTH_PROGRAM_TREE_GROWTH_H

/* The cheapest timed tree, by dynamic programming over the sets of nodes that have the commodity. */

#include "synth/program/timed_tree.h"

/* What is asked: a tree of N steps that costs less than the limit. */
struct tree_question {
	const struct network *w;
	const struct commodity *k;
	int steps;
	const double *prices; /* [step * n_edges + edge] */
	double limit;
	/*
	 * What dual ascent left of the prices, and the bound that it found (synth/program/tree_bound.h): a tree costs at least the
	 * bound and what is left of the prices of its sends. NULL: not known.
	 */
	const double *left;
	double bound;
};

/* Classes of interchangeable nodes, and the price of an edge from class to class, in each step. */
struct tree_classes {
	int n, nodes, steps;
	int *of;        /* [node] */
	int *size, *first; /* [class]: members; the least of them */
	uint8_t *role;  /* [class] */
	double *unit;   /* [(step * n + from) * n + to]; INFINITY: no edge */
	double *left;   /* the same: the least that is left of it; all 0 if that is not known */
};

void tree_classes_new(const struct tree_question *q, struct tree_classes *c);
/* Fills left from that of the question. */
void tree_classes_left(const struct tree_question *q, struct tree_classes *c);
void tree_classes_free(struct tree_classes *c);
/* How many pairs there are of a set and one that it grows to; some number above TREE_PAIRS_MAX where they are more. */
double tree_classes_pairs(const struct tree_classes *c);

/* Answers the question, adding to what *OUT says. After the deadline (core/base/stop.h) only at_least grows. */
void tree_growth_cheapest(const struct tree_question *q, const struct tree_classes *c, struct priced_tree *out);

#endif
