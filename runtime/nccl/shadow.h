#ifndef SCCL_NCCL_SHADOW_H
#define SCCL_NCCL_SHADOW_H

/* What stands beside a communicator of NCCL's: one of ours, of the same ranks, and the selectors made so far. */

#include "runtime/nccl/call.h"

/* A communicator that NCCL has just made. Not in COMMON: ranks of this process only, and the id is nobody's. */
struct joining {
	ncclComm_t real;
	int ranks, rank, device;
	bool local; /* all ranks are this process's, in the same order */
	ncclUniqueId id;
};

/* Collective over the ranks of each; the N of one thread at once. Where it cannot be made there is none, and NCCL serves. */
void shadows_join(const struct joining *joining, size_t n);

bool shadow_is(ncclComm_t comm); /* is there one beside COMM? */
void shadow_leave(ncclComm_t comm, bool aborts);
ncclResult_t shadow_error(ncclComm_t comm); /* ncclSuccess: none, as far as this side knows */

/*
 * Calls of one thread that have no order among themselves, each of another communicator: makes what they need, says in
 * OURS which have a program here, and runs those. The others are for the real library.
 */
void shadows_decide(const struct nccl_call *calls, size_t n, bool *ours);
ncclResult_t shadows_run(const struct nccl_call *calls, size_t n, const bool *ours);

#endif
