/*
 * The average number of sends that an allreduce's chunks can have: the capacity of all rounds divided by the number of
 * chunks. Some chunk has no more than that, and one chunk alone cannot do with fewer than some number in S steps.
 */

#include "encode/cnf/direct.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

/*
 * An upper bound on the sends of one round: the bandwidths of limits that are pairwise disjoint (chosen greedily) and
 * of the links under none of those, or of all links if that is less.
 */
static int64_t round_capacity(const struct network *w)
{
	bool *under = new_array(bool, w->n_edges);
	int64_t sum = 0, links = 0;

	for (size_t l = 0; l < w->n_limits; l++) {
		const struct network_limit *limit = &w->limits[l];
		bool apart = true;
		for (size_t k = 0; k < limit->n_edges; k++)
			apart = apart && !under[limit->edges[k]];
		for (size_t k = 0; k < limit->n_edges && apart; k++)
			under[limit->edges[k]] = true;
		sum += apart ? limit->bandwidth : 0;
	}
	for (size_t e = 0; e < w->n_edges; e++) {
		sum += under[e] ? 0 : w->edges[e].bandwidth;
		links += w->edges[e].bandwidth;
	}
	free(under);
	return sum < links ? sum : links;
}

int direct_share(const struct plan *p)
{
	enum { CELLS_MAX = 1 << 24 };
	int64_t all = (int64_t)p->edges * p->steps;

	if (!p->direct || p->chunks < 2)
		return 0;
	int64_t share = round_capacity(p->network) * p->instance->rounds / p->chunks;
	return share > 0 && share < all && share < CELLS_MAX / all ? (int)share : 0;
}
