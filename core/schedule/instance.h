#ifndef SCCL_CORE_SCHEDULE_INSTANCE_H
#define SCCL_CORE_SCHEDULE_INSTANCE_H

/*
 * An instance of SYNCOLL (SCCL, section 3.3): is there an algorithm with S steps and R rounds for C chunks? encode/
 * answers that.
 */

#include "core/schedule/collective.h"
#include "core/schedule/constraints.h"

struct network;
struct error;

struct instance {
	const struct network *network; /* borrowed */
	/*
	 * Non-combining (core/schedule/transform.h derives the others), or allreduce or scan. Its pointers are
	 * borrowed.
	 */
	struct collective collective;
	int chunks, global_chunks;     /* C, G */
	int steps, rounds;             /* S, R */
	struct schedule_constraints constraints; /* none, unless the caller sets them after instance_new */
};

/*
 * Fills *OUT. False with *e set if C < 1, S < 1 or R < S, if S or R is too large, the root is out of range, or C is not
 * a multiple of P where necessary; if the collective is one that is solved as an inverse, or a custom one not scaled to
 * C.
 */
bool instance_new(const struct network *w, const struct collective *k, int chunks, int steps, int rounds,
		  struct instance *out, struct error *e);
bool instance_pre(const struct instance *i, int chunk, int node);
bool instance_post(const struct instance *i, int chunk, int node);
/* The node that has the chunk initially; -1: several do. */
int instance_holder(const struct instance *i, int chunk);

/*
 * [chunk * nodes + node]: hops from the nearest node that has the chunk initially, and hops to the nearest node that
 * must get it (in post but not in pre); UNREACHABLE if there is none. The caller frees both.
 */
unsigned short *instance_distance_from_pre(const struct instance *i);
unsigned short *instance_distance_to_post(const struct instance *i);

#endif
