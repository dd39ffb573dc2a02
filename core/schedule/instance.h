#ifndef SCCL_CORE_SCHEDULE_INSTANCE_H
#define SCCL_CORE_SCHEDULE_INSTANCE_H

/* SYNCOLL (SCCL, section 3.3): is there an algorithm of S steps and R rounds for C chunks? What encode/ answers. */

#include "core/schedule/collective.h"
#include "core/schedule/constraints.h"

struct network;
struct error;

struct instance {
	const struct network *network; /* borrowed */
	struct collective collective;  /* not combining (core/schedule/transform.h makes the others), or an allreduce or a scan; borrowed parts */
	int chunks, global_chunks;     /* C, G */
	int steps, rounds;             /* S, R */
	struct schedule_constraints constraints;            /* to be kept to; nothing, unless the caller says so after instance_new */
};

/* Fills *out. Refuses C < 1, S < 1, R < S, a root out of range, C that is not a multiple of P where it must be. */
bool instance_new(const struct network *w, const struct collective *k, int chunks, int steps, int rounds,
		  struct instance *out, struct error *e);
bool instance_pre(const struct instance *i, int chunk, int node);
bool instance_post(const struct instance *i, int chunk, int node);
/* The node that has the chunk before, -1: several have it. */
int instance_holder(const struct instance *i, int chunk);

/* Hops from where the chunk is before to node, and from node to where it must still go (the farthest it serves does not
 * matter: the nearest does). [chunk * nodes + node], UNREACHABLE where none. The caller frees. */
unsigned short *instance_distance_from_pre(const struct instance *i);
unsigned short *instance_distance_to_post(const struct instance *i); /* 0 only at a post node that is not in pre */

#endif
