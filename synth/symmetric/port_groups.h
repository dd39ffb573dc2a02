#ifndef SCCL_SYNTH_SYMMETRIC_PORT_GROUPS_H
#define SCCL_SYNTH_SYMMETRIC_PORT_GROUPS_H

/*
 * The capacities that directions share in a symmetric schedule: each direction is a port group of its own, except that
 * directions that share a limit (a node's port to a switch) form one group. Limits that overlap a group only in part
 * are left out here; the final count of rounds respects all limits (symmetric_schedule_fit).
 */

#include "synth/symmetric/symmetric_schedule.h"

struct port_groups {
	int n;
	int *of;        /* [way]: the port group of each direction; owned */
	int64_t *bandwidth; /* [port group]: chunks in `rounds` rounds; owned */
	int64_t wide;   /* sum of all bandwidths */
	int rounds;     /* more than 1: nodes share a limit, so that one of them has a fraction of its bandwidth */
};

/* How many chunks a port group carries in so many rounds. */
static inline int64_t port_group_holds(const struct port_groups *g, int group, int64_t rounds)
{
	return rounds * g->bandwidth[group] / g->rounds;
}

/* D is needed during the call only. */
struct port_groups port_groups_new(const struct symmetric_schedule *d);
void port_groups_free(struct port_groups *g);

#endif
