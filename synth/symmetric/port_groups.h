#ifndef SCCL_SYNTH_SYMMETRIC_PORT_GROUPS_H
#define SCCL_SYNTH_SYMMETRIC_PORT_GROUPS_H

/*
 * What bounds the directions of a sketch: each is a gate of its own, but those that share a limit (a node's port to a
 * switch) are one. Limits that overlap in part are left out: the rounds are counted by all of them in the end
 * (symmetric_schedule_fit).
 */

#include "synth/symmetric/symmetric_schedule.h"

struct port_groups {
	int n;
	int *of;        /* [way] */
	int *bandwidth; /* [gate]: chunks a round */
	int64_t wide;   /* of all together */
};

struct port_groups port_groups_new(const struct symmetric_schedule *d);
void port_groups_free(struct port_groups *g);

#endif
