#ifndef SCCL_SYNTH_TREES_WEIGHTED_TREES_H
#define SCCL_SYNTH_TREES_WEIGHTED_TREES_H

/* Weighted spanning trees: the trees of all methods. synth/trees/tree_schedule.h makes schedules of them. */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>

struct network;
struct packing;
struct text;

/* WEIGHT equal trees. */
struct tree {
	int root, depth;
	int64_t weight;
	int *parent; /* [node], -1 at the root; owned */
};

struct trees {
	int nodes;
	size_t n, capacity;
	struct tree *of;
};

void trees_free(struct trees *s);
void trees_add(struct trees *s, const int *parent, int64_t weight); /* copies PARENT */
int64_t trees_weight(const struct trees *s); /* the sum of weights */
int trees_depth(const struct trees *s);      /* of the deepest; 0 without trees */
void trees_turn(struct tree *t, int nodes, int root); /* re-roots the tree; same edges */
int trees_centre(const struct tree *t, int nodes);    /* a root that makes it shallowest */
void trees_turn_to_centres(struct trees *s);                   /* roots undirected trees there */

/*
 * The weights of the packing as the smallest integers in the same proportion. False: they are not ratios of small
 * integers.
 */
bool trees_of_packing(const struct packing *p, struct trees *out);

/* The fraction of small denominator that X must stand for. Not rational_ok: none is near enough. */
struct rational rate_near(double x);

/*
 * The fewest trees of that rate, from the candidates and better ones. Where their weights are not small integers, and
 * ONE BY ONE finds more trees of smaller weight, those. False: neither was found, and *out is empty.
 */
bool trees_fewest(struct packing *p, double rate, bool one_by_one, struct trees *out);
/* Where limits bind and no exact answer was found: trees near that rate, by rounding the optimum's weights. */
bool trees_near(struct packing *p, double rate, struct trees *out);
/* The same with the weights that the candidates have. */
bool trees_rounded(const struct packing *p, double rate, struct trees *out);

/* The sum of weights on each (L, b): edges of W, then limits. UP: a reduce to the root too. The caller frees it. */
int64_t *trees_loads(const struct trees *s, const struct network *w, bool up);
/* Chunks per round: the sum of weights over the rounds that these loads need. */
struct rational trees_rate(const struct trees *s, const struct network *w, bool up);

/* A line per tree: its weight and depth, and its edges unless there are thousands. */
void trees_report(const struct trees *s, struct text *into);

#endif
