#ifndef SCCL_SYNTH_TREES_WEIGHTED_TREES_H
#define SCCL_SYNTH_TREES_WEIGHTED_TREES_H

/* Weighted spanning trees, and pipelined schedules in which each carries a proportional part of the chunks. */

#include "core/base/rational.h"
#include "synth/builder/method.h"

struct packing;

struct weighted_tree {
	int root, depth;
	int64_t weight;
	int *parent; /* [node], -1 at the root; owned */
};

struct trees {
	int nodes;
	size_t n, capacity;
	struct weighted_tree *of;
};

void trees_free(struct trees *s);
void trees_add(struct trees *s, const int *parent, int64_t weight); /* copies PARENT */
int64_t trees_weight(const struct trees *s);
void trees_turn(struct weighted_tree *t, int nodes, int root); /* re-roots the tree; same edges */
int trees_centre(const struct weighted_tree *t, int nodes);    /* a root that makes it shallowest */

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

/*
 * Chunks per round: the sum of weights over the rounds that their loads need. BOTH_WAYS: a reduce up and a broadcast
 * down.
 */
struct rational trees_rate(const struct trees *s, const struct network *w, bool both_ways);

/*
 * A broadcast from the trees' common root, a gather to it, or an allreduce up and down them. Chunks are divided among
 * trees by weight and pipelined in waves, or sent as early as links are free, whichever needs fewer rounds. Without -C
 * as few waves as come within a sixteenth of the trees' rate. NAME is the method's, for errors.
 */
bool trees_draw(const struct method_request *r, const struct trees *s, const char *name, struct drawing *out, struct error *e);

/* A line per tree: its weight and depth, and its edges unless there are thousands. */
void trees_report(const struct trees *s, struct text *into);

#endif
