#ifndef SCCL_CORE_BOUNDS_WHOLE_ROUNDS_H
#define SCCL_CORE_BOUNDS_WHOLE_ROUNDS_H

/*
 * What R rounds carry in S steps, where every step has a whole number of them. A timed bound (core/bounds/timed_cuts.h) is a rule: what its
 * cuts demand times C is at most the sum of r_s times what a round of step s carries. One rule for any way to share the rounds also
 * counts shares that no step can have. So for each way that the rules so far leave the most chunks, one is looked for of that way,
 * until it leaves them too. Cuts and prices are meant for the mean over all swaps of alike nodes (struct swaps), so that those of one
 * receiver do for all. And a node that holds nothing sends nothing, be it a part of a chunk that it holds (struct growth).
 */

#include "core/bounds/timed_cuts.h"

struct swaps;

struct whole_rule {
	struct timed_bound bound; /* its rounds are of no meaning here */
	int64_t demand, *room;    /* [step - 1]; owned */
};

struct whole {
	const struct topology *t; /* borrowed, as the instance */
	const struct instance *i;
	enum timed_effort effort;
	int steps;
	size_t n, capacity;
	struct whole_rule *rules;
	int left; /* so many more are looked for */
	struct swaps *alike;
};

/* As bounds_timed has them: an instance that is not combining, of the fewest chunks; its R is not looked at. */
struct whole whole_new(const struct topology *t, const struct instance *i, enum timed_effort effort);
void whole_free(struct whole *w);

/* At most so many times the instance's chunks go with R rounds; -1: nothing is known. Rules that it finds stay. */
int64_t whole_most(struct whole *w, int rounds);

#endif
