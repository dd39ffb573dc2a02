#ifndef SCCL_SYNTH_TREES_WEIGHTED_TREES_H
#define SCCL_SYNTH_TREES_WEIGHTED_TREES_H

/* Weighted spanning trees, and the pipelined schedules that send a share of the chunks over each. */

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
void trees_turn(struct weighted_tree *t, int nodes, int root); /* the same edges, hanging from another node */
int trees_centre(const struct weighted_tree *t, int nodes);    /* a root from which it is least deep */

/* The weights of the packing in whole numbers, as small as they are. False: they are no ratios of small numbers. */
bool trees_of_packing(const struct packing *p, struct trees *out);

/* The ratio of small numbers that is so near to X that it must be meant. Not a number: there is none. */
struct rational rate_near(double x);

/* The fewest trees of that rate, out of candidates there are and better ones; where their weights are no small whole numbers, or ONE
 * BY ONE gives much smaller ones, those, of which there are more. False: neither are found, and *out is empty. */
bool trees_fewest(struct packing *p, double rate, bool one_by_one, struct trees *out);
/* Where limits bind there may be none that are found: trees near that rate then, by rounding. */
bool trees_near(struct packing *p, double rate, struct trees *out);
/* The same of the weights that candidates have. */
bool trees_rounded(const struct packing *p, double rate, struct trees *out);

/* Chunks a round: all weights over the rounds that their loads need. BOTH_WAYS: a reduce up and a broadcast down. */
struct rational trees_rate(const struct trees *s, const struct network *w, bool both_ways);

/*
 * A broadcast from the trees' one root, a gather to it, or an allreduce up and down them. Chunks are shared out by weight, and
 * go down in waves, or as early as links are free, whichever needs fewer rounds. Without -C as many waves as come within a
 * sixteenth of the trees' rate. NAME is of the method, for errors.
 */
bool trees_draw(const struct method_request *r, const struct trees *s, const char *name, struct drawing *out, struct error *e);

/* A line a tree: its weight and depth, and its edges unless these are thousands. */
void trees_report(const struct trees *s, struct text *into);

#endif
