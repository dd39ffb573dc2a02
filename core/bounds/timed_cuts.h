#ifndef SCCL_CORE_BOUNDS_TIMED_CUTS_H
#define SCCL_CORE_BOUNDS_TIMED_CUTS_H

/*
 * A lower bound on the rounds of an algorithm with S steps, however the rounds are distributed over the steps. A *timed
 * cut* states for each node up to the end of which step it is on the receiving side (inside): `until`, -1 never, 0
 * before the first step only. Every chunk that begins outside and is wanted at a node that is inside at the end must be
 * sent, in some step s, from a node that is outside before it (until < s - 1) to one that is inside after it (until >=
 * s). So a cut requires demand <= sum of r_s times what can cross in a round of step s; weighted cuts add up, and R is
 * at least the sum of demands over the largest sum for a step. The best weights come from a linear program (the dual of
 * flows over expanded time, one to each receiver, which have only the rounds in common).
 */

#include "core/base/rational.h"

#include <stddef.h>

struct instance;
struct network;
struct topology;

/* One timed cut and its weight in the sum. */
struct timed_cut {
	int64_t weight;
	int *until; /* [node]; owned */
};

/*
 * Price of a limit of the network that binds several edges: what one more chunk through it in a round of a step would
 * be worth, in units of the weights. Crossings of an edge that the prices of its limits do not cover count with the
 * edge's own bandwidth.
 */
struct timed_price {
	int step, limit; /* from 1; an index into the network's limits */
	int64_t price;
};

/* A bound and its witness; released by timed_bound_free. */
struct timed_bound {
	int steps, nodes;
	struct rational rounds; /* R is at least this for the instance's C; 0: nothing is known */
	size_t n_cuts;
	struct timed_cut *cuts;
	size_t n_prices;
	struct timed_price *prices; /* by step, then limit */
	size_t n_symmetries;
	int *symmetries;            /* of an allreduce: [k * nodes + node], automorphisms over which cuts and prices are averaged; owned */
};

/*
 * Bounds the rounds of a noncombining instance of C chunks (use the smallest C: the bound grows with it) and S
 * steps; its R is ignored. T is the topology of its network. *OUT has rounds 0 for combining collectives, for machines
 * too large to try, and for those whose switches copy or add: a chunk may cross several cuts by sends that count once.
 */
enum timed_effort {
	TIMED_QUICK, /* a few tenths of a second */
	TIMED_FULL,  /* a few seconds, where links share limits */
};
void bounds_timed(const struct topology *t, const struct instance *i, enum timed_effort effort, struct timed_bound *out);
/*
 * The same for an allreduce on the network W, of any C: there a send counts for all cuts that it crosses, and each cut must
 * be crossed by every chunk (core/bounds/allreduce_cuts.c). Takes a few seconds at most.
 */
void bounds_allreduce_in(const struct network *w, int steps, struct timed_bound *out);
void timed_bound_free(struct timed_bound *b);

#endif
