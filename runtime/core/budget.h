#ifndef SCCL_RUNTIME_CORE_BUDGET_H
#define SCCL_RUNTIME_CORE_BUDGET_H

/*
 * The blocks of all communicators that may run on a device at the same time fit on it together. A block that waits for
 * another rank keeps its place, so if two communicators need more places than there are, two devices can begin their
 * calls in opposite order and wait forever.
 */

#include <sccl/sccl.h>

struct sccl_plan;

/*
 * Collective. Sets PLAN->resident, the number of blocks of a call that run at once, equal on all ranks, and takes that share
 * of the device until sccli_budget_free. A communicator takes at most half of what the others have left, and needs its
 * largest plan's share only, since its calls run one after another.
 */
sccl_status_t sccli_budget_take(struct sccl_plan *plan);
void sccli_budget_free(struct sccl_plan *plan); /* local; allowed if nothing was taken */

#endif
