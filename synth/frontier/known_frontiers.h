#ifndef SCCL_SYNTH_FRONTIER_KNOWN_FRONTIERS_H
#define SCCL_SYNTH_FRONTIER_KNOWN_FRONTIERS_H

/*
 * Frontiers without k that were searched before, for searches that ask the same: a reducescatter is an allgather run
 * backwards, a reduce a broadcast, and an allreduce has both as halves. Most machines equal their own reverse.
 */

#include "synth/frontier/frontier.h"

struct known_frontier;

/* Zero: none. */
struct known_frontiers {
	size_t n, capacity;
	struct known_frontier *of; /* owned */
};

/* What a search would find: in steps up to LAST, with at most MOST chunks of the asked collective. */
struct known_extent {
	int last, most;
};

/*
 * The frontier F of FROM as one of TO, which asks the same collective of the same network, perhaps run backwards: points,
 * values with their prices, and open candidates. Points are neither verified nor classified again. The caller's; NULL with
 * *e set: the problems differ, or TO is solved forwards and FROM backwards.
 */
struct frontier *frontier_transferred(const struct frontier *f, const struct problem *from, const struct problem *to, struct error *e);

/* Keeps a copy of the frontier, unless its time ended it, or one that answers the same is there. */
void known_frontiers_add(struct known_frontiers *l, const struct problem *p, const struct frontier *f, struct known_extent x);
/*
 * The frontier of P from those known; the caller's. NULL: none is. *AFRESH: it is of another collective, whose program has
 * its rows in another order, so that P's own may give other trees.
 */
struct frontier *known_frontiers_find(const struct known_frontiers *l, const struct problem *p, struct known_extent x, bool *afresh);
void known_frontiers_free(struct known_frontiers *l);

#endif
