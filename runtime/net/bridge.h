#ifndef SCCL_RUNTIME_NET_BRIDGE_H
#define SCCL_RUNTIME_NET_BRIDGE_H

/*
 * Communication with ranks on other servers, transparent to programs. What a program writes for such a rank goes into a
 * local shadow of its memory, and its flags into a shadow of its flags (symmetric.h). Each rank has a thread that polls
 * those flags. When one advances, the thread sends the data written before it; the corresponding thread of the
 * destination rank stores the data in its proper place and then advances the flag. Thus kernels handle communication
 * within a server, and an existing transport (sccl_carrier_t) handles communication between servers.
 */

#include "runtime/core/plan.h"

/* Starts the bridge if any rank is on another server. Not collective. */
sccl_status_t sccli_bridge_open(struct sccl_comm *c);
/* Waits until all calls that were begun have been transferred or the communicator has ended, then stops the bridge.
 * Does nothing if there is no bridge. */
void sccli_bridge_close(struct sccl_comm *c);

/* Begins a call of PLAN. LAUNCH must have tables that the CPU can read; WINDOW is the memory that contains the
 * outputs. */
sccl_status_t sccli_bridge_begin(struct sccl_plan *plan, const sccl_launch_t *launch, const struct symmetric *window,
				 const struct order *order);

/* Waits until nothing remains to be transferred for calls that were begun; after that their memory may be freed. */
void sccli_bridge_settle(struct sccl_comm *c);

#endif
