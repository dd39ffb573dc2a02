#ifndef SCCL_CORE_BOUNDS_TIMED_CUTS_H
#define SCCL_CORE_BOUNDS_TIMED_CUTS_H

/*
 * How many rounds an algorithm of S steps needs, however they are shared among the steps. A *timed cut* says of each node up to
 * the end of which step it is on the receiving side: `until`, -1 never, 0 before the first step alone. Every chunk that begins
 * outside and is wanted at a node that is inside at the end must be sent, in some step s, from a node that is outside before
 * (until < s - 1) to one that is inside after it (until >= s). So a cut needs demand <= sum of r_s times what can cross in a
 * round of step s; cuts with weights add up, and R is at least the sum of demands over the largest sum of a step. The best weights
 * are a linear program's (the dual of flows over expanded time, one to each receiver, that share the rounds alone).
 */

#include "core/base/rational.h"

#include <stddef.h>

struct instance;
struct topology;

struct timed_cut {
	int64_t weight;
	int *until; /* [node]; owned */
};

/* Where a limit of the network binds several edges: what one more chunk a round through it would be worth in a step, in the
 * weights' own measure. An edge's crossings that prices of its limits do not cover count with its own bandwidth. */
struct timed_price {
	int step, limit; /* from 1; an index into the network's limits */
	int64_t price;
};

struct timed_bound {
	int steps, nodes;
	struct rational rounds; /* R is at least this for the instance's C; 0: nothing is known */
	size_t n_cuts;
	struct timed_cut *cuts;
	size_t n_prices;
	struct timed_price *prices; /* by step, then limit */
};

/*
 * For an instance that is not combining, of C chunks (the fewest: the bound grows with them) and S steps; R is not looked at. T is
 * the topology of its network. Nothing is known of machines too large to try.
 */
enum timed_effort {
	TIMED_QUICK, /* within some tenths of a second */
	TIMED_FULL,  /* some seconds, where links share limits */
};
void bounds_timed(const struct topology *t, const struct instance *i, enum timed_effort effort, struct timed_bound *out);
void timed_bound_free(struct timed_bound *b);

#endif
