#ifndef SCCL_PROVE_TIME_COUNT_H
#define SCCL_PROVE_TIME_COUNT_H

/* What the lines of a certificate of bounds on time count. */

#include "prove/time_model.h"

struct time_checking {
	const struct time_proof *proof;
	struct time_model model;
	struct collective collective; /* scaled to `chunks` */
	int chunks, global_chunks;
	bool combines;
	bool shares; /* may several sends of a chunk count once (core/machine/network.h)? */
};

/* The times at which nodes can have, and can still pass on, what a line counts. */
struct reach {
	struct rational *from, *to; /* [node]: the least from where it begins, and to where it is wanted; den 0: never. NULL: 0. Owned. */
};

/*
 * May several crossings between the parts of C count once? Where switches copy or add they may, but not the two between two
 * parts, one each way.
 */
bool time_counts_once(const struct time_checking *k, const struct time_claim *c);
/*
 * The shares of L that a line counts. REACH is filled in for a line by into; by direct, it says which nodes are far, and must be
 * filled in before: `to` for what is sent to them, `from` for what they send.
 */
struct rational time_count(struct time_checking *k, const struct time_claim *c, struct reach *reach);

#endif
