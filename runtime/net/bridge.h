#ifndef SCCL_RUNTIME_NET_BRIDGE_H
#define SCCL_RUNTIME_NET_BRIDGE_H

/*
 * To ranks on other servers. Programs know nothing of it: what they write for such a rank goes into a shadow of its memory,
 * and its flags into a shadow of its flags (symmetric.h). A thread of each rank looks at those flags. Where one has moved,
 * it sends what was written before, and the rank over there has a thread that puts it into the memory it is meant for and
 * moves the flag. So kernels serve a server, and an existing engine (sccl_carrier_t) serves what is between.
 */

#include "runtime/core/plan.h"

/* Starts it where some rank is on another server. Not collective. */
sccl_status_t sccli_bridge_open(struct sccl_comm *c);
/* When all that was begun has been carried, or the communicator has ended. NULL bridge: nothing. */
void sccli_bridge_close(struct sccl_comm *c);

/* A call of PLAN begins: LAUNCH as processors read it, WINDOW what its outputs lie in. */
sccl_status_t sccli_bridge_begin(struct sccl_plan *plan, const sccl_launch_t *launch, const struct symmetric *window,
				 const struct order *order);

/* Waits until nothing more is to be carried for calls that were begun: then their memory may go. */
void sccli_bridge_settle(struct sccl_comm *c);

#endif
