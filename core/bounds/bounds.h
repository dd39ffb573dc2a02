#ifndef SCCL_CORE_BOUNDS_BOUNDS_H
#define SCCL_CORE_BOUNDS_BOUNDS_H

/*
 * Lower bounds that no algorithm can beat, each with what shows it. Steps: the farthest that a chunk must go. Bandwidth:
 * rounds per chunk (R/C), from cuts: what must enter a set of nodes over what can enter it in a round, exact through
 * max-flow on the physical graph; partitions for allreduce. docs/concepts/bounds.md has the theory.
 */

#include "core/schedule/collective.h"
#include "core/base/rational.h"

struct topology;
struct error;
struct price;

struct bounds {
	int steps;                 /* S is at least this */
	int far_chunk, far_from, far_to; /* the pair that shows it */
	struct rational bandwidth; /* R/C is at least this */
	/* The cut that shows it: chunks cross from outside the set to inside (or out of it). For allreduce a partition. */
	int *part;                 /* [node]: 1 in the set and 0 outside; for a partition the part's number. Owned. */
	int nodes;                 /* the length of part */
	int parts;                 /* 2 for a cut; more for a partition; 0: all links together (the hops of an alltoall), or prices */
	struct rational demand;    /* chunks that must cross, per C of one; demand / capacity is the bound */
	int64_t capacity;          /* that can cross in a round, by links and limits */
	bool inward;               /* the cut counts what enters the set; false: what leaves it */
	double begun;              /* steps of work (core/base/work.h) counted before it */
	/* Prices that chunks pay for what they cross, on the shortest ways: demand is what all pay, capacity what a round can. */
	size_t n_prices;           /* 0: there are none, and what shows the bound is a cut */
	struct price *prices;      /* core/machine/prices.h: edges before limits. Owned. */
};

/* False with *e set (ERROR_INPUT) where some chunk cannot reach its post: no algorithm of any cost exists. */
bool bounds_compute(const struct topology *t, const struct collective *k, struct bounds *out, struct error *e);

/* The same where the network of T is there already, and so are prices that may show more: none are looked for. */
struct network;
struct stated_prices {
	const struct price *list; /* borrowed */
	size_t n;
};
bool bounds_compute_on(const struct topology *t, const struct network *w, const struct collective *k,
		       struct stated_prices stated, struct bounds *out, struct error *e);

/* For allreduce: the bounds of a reducescatter followed by an allgather, the sums of both halves' in the C of the
 * allreduce. The cut is the allgather's. */
bool bounds_composition(const struct topology *t, const struct collective *k, struct bounds *out, struct error *e);

struct bounds bounds_copy(const struct bounds *b);
void bounds_free(struct bounds *b);

#endif
