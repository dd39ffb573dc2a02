#ifndef SCCL_NCCL_SHADOW_H
#define SCCL_NCCL_SHADOW_H

/* The counterpart of an NCCL communicator: a communicator of ours with the same ranks, and the selectors created so
 * far. */

#include "runtime/nccl/call.h"

/* A communicator that NCCL has just created. If `local` is set the id is unused, and if it is made from another one only
 * `real` and the fields from `parent` on are used. */
struct joining {
	ncclComm_t real; /* NULL: this rank is in no part */
	int ranks, rank, device;
	bool local; /* all ranks are in this process, in the same order */
	ncclUniqueId id;
	ncclComm_t parent; /* that it was split or shrunk from; NULL: none */
	int color, key;
	bool shrinks;
	const uint32_t *without; /* [n_without]: the ranks that a shrunk one lacks */
	size_t n_without;
};

/* A symmetric window that NCCL has just registered. */
struct registering {
	ncclComm_t comm;
	void *buffer;
	size_t bytes;
	ncclWindow_t window;
};

/* Collective over the ranks of each communicator; all N of one thread must be passed at once. If a shadow cannot be
 * created there is none, and NCCL serves the communicator. */
void shadows_join(const struct joining *joining, size_t n);

bool shadow_is(ncclComm_t comm); /* does COMM have a shadow? */
/* Drops the shadow of COMM, if there is one; it is freed when its last user is done. ABORTS: ends its calls first. */
void shadow_leave(ncclComm_t comm, bool aborts);
void shadow_abort(ncclComm_t comm); /* ends the calls of its shadow, if there is one */

/* Whether SCCL_NCCL_WINDOWS allows for windows in this process, and whether COMM uses them. */
bool windows_are_used(void);
bool shadow_uses_windows(ncclComm_t comm);

/* Collective like shadows_join. A window that cannot be registered here is not used. */
void shadows_register(const struct registering *all, size_t n);
void shadow_deregister(ncclComm_t comm, ncclWindow_t window); /* if it was registered; local */
ncclResult_t shadow_error(ncclComm_t comm); /* ncclSuccess: no error known on this side */

/*
 * Runs the calls of a group of one thread, of which those of one communicator are in order, or enqueues them. Creates what they
 * need, and sets OURS[i] to whether call i has a program here; the others must go to the real library. There must be a catalog.
 */
ncclResult_t shadows_serve(const struct nccl_call *calls, size_t n, bool *ours);

#endif
