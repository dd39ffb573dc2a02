#ifndef SCCL_CORE_BOUNDS_BOUNDS_H
#define SCCL_CORE_BOUNDS_BOUNDS_H

/*
 * Lower bounds that no algorithm can beat, each with a witness. Steps: the longest distance that a chunk must travel.
 * Bandwidth: rounds per chunk (R/C), from cuts: what must enter a set of nodes over what can enter it in a round, exact
 * for gathering and broadcasting through max-flow on the physical graph; partitions for allreduce; link prices where
 * demands are between pairs of nodes. The theory is in docs/concepts/bounds.md. Where switches copy or add, only bounds
 * that count each chunk once are used: sends of different chunks never count as one.
 */

#include "core/schedule/collective.h"
#include "core/base/rational.h"

struct topology;
struct error;
struct price;

/* Which crossings of a cut its bound counts: those out of the set, those into it, or both together. */
enum cut_crossing {
	CROSSING_OUT,
	CROSSING_IN,
	CROSSING_BOTH
};

/* The bounds of one collective on one topology; released by bounds_free. */
struct bounds {
	int steps;                 /* S is at least this */
	int far_chunk, far_from, far_to; /* the witness: a chunk and a pair of nodes it must travel between */
	struct rational bandwidth; /* R/C is at least this */
	/*
	 * The witness: a cut, with chunks crossing from outside the set to inside (or the reverse); for allreduce a
	 * partition, with chunks crossing in any direction.
	 */
	int *part;                 /* [node]: 1 inside the set, 0 outside; or the number of its part. Owned. */
	int nodes;                 /* length of part */
	int parts;                 /* 2: a cut, or two parts; more: a partition; 0: hops over all links, or prices */
	struct rational demand;    /* chunks that must cross, for C of one; demand / capacity is the bound */
	int64_t capacity;          /* chunks that can cross in a round, by links and limits */
	enum cut_crossing crossing; /* CROSSING_BOTH for partitions and hops */
	double begun;              /* work spent (core/base/work.h) before the computation began */
	/*
	 * Prices that chunks pay for what they cross on their shortest paths: demand is the total that all must pay,
	 * capacity the total of a round.
	 */
	size_t n_prices;           /* 0: there are none, and the witness is a cut or hops */
	struct price *prices;      /* core/machine/prices.h: edges before limits. Owned. */
};

/* The first step count of a search: the bound, and at least 1. */
static inline int bounds_first_steps(const struct bounds *b)
{
	return b->steps > 1 ? b->steps : 1;
}

/*
 * Computes the bounds; the caller frees *OUT. False with *e set (ERROR_INPUT) if some chunk cannot reach a node that
 * wants it: then there is no algorithm at any cost.
 */
bool bounds_compute(const struct topology *t, const struct collective *k, struct bounds *out, struct error *e);

/*
 * The same given the network W of T and prices that may prove more. No prices are searched for; with n 0 there is no
 * bound by prices.
 */
struct network;
struct stated_prices {
	const struct price *list; /* borrowed */
	size_t n;
};
bool bounds_compute_on(const struct topology *t, const struct network *w, const struct collective *k,
		       struct stated_prices stated, struct bounds *out, struct error *e);

/*
 * For allreduce: the bounds of a reducescatter followed by an allgather, that is, the sums of the bounds of both halves
 * in terms of the C of the allreduce. The cut is the allgather's.
 */
bool bounds_composition(const struct topology *t, const struct collective *k, struct bounds *out, struct error *e);

/* The copy owns its part and prices; bounds_free releases those of *b. */
struct bounds bounds_copy(const struct bounds *b);
void bounds_free(struct bounds *b);

#endif
