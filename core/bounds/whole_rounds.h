#ifndef SCCL_CORE_BOUNDS_WHOLE_ROUNDS_H
#define SCCL_CORE_BOUNDS_WHOLE_ROUNDS_H

/*
 * How many chunks R rounds carry in S steps, where every step has an integral number of rounds. A timed bound
 * (core/bounds/timed_cuts.h) serves as a rule: the demand of its cuts times C is at most the sum of r_s times the
 * capacity of a round of step s. A single rule for all distributions of the rounds also covers fractional ones, which
 * no algorithm can have. Therefore, for the distribution that the current rules allow the most chunks, a rule made for
 * that distribution is added, until it allows as many. Cuts and prices refer to the average over all swaps of
 * equivalent nodes (struct swaps), so those of one receiver hold for all. In addition, a node that holds nothing cannot
 * send anything, not even part of a chunk (struct growth).
 */

#include "core/bounds/timed_cuts.h"

struct swaps;

/* A rule: demand times C is at most the sum of room[s] times the rounds of step s + 1. */
struct whole_rule {
	struct timed_bound bound; /* its rounds are not used here */
	int64_t demand, *room;    /* [step - 1]; owned */
};

/* The rules of one instance; released by whole_free. */
struct whole {
	const struct topology *t; /* borrowed, as is the instance */
	const struct instance *i;
	enum timed_effort effort;
	int steps;
	size_t n, capacity;
	struct whole_rule *rules;
	int left; /* budget for further rules */
	struct swaps *swaps;
};

/* Requirements as for bounds_timed: a noncombining instance with the smallest C; its R is ignored. */
struct whole whole_new(const struct topology *t, const struct instance *i, enum timed_effort effort);
void whole_free(struct whole *w);

/*
 * The most that R rounds carry, in multiples of the instance's chunks; -1: nothing is known. Rules that it finds are
 * kept in *w.
 */
int64_t whole_most(struct whole *w, int rounds);

#endif
