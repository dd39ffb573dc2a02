#ifndef SCCL_RUNTIME_GPU_ENGINES_H
#define SCCL_RUNTIME_GPU_ENGINES_H

/*
 * A program whose kernels wait for nobody: the caller's thread interprets its words, the device's copy engines do the
 * copies, and ranks signal each other through memory that streams write and wait for. There is one stream per link, reused by
 * everything that goes over it, so that trees take turns on a shared link (Blink, MLSys 2020, section 4.2.2); if there are
 * more links than hardware queues, several share one (engine_lanes.h). Reductions are kernels in memory of their rank
 * (engine_sums.h). On the host all is done immediately.
 */

#include "runtime/core/plan.h"

/* Collective. Sets PLAN->engines, which sccli_engines_free releases, also after a failure. */
sccl_status_t sccli_engines_create(struct sccl_plan *plan);
/* Local. Frees the streams and flags; allowed if PLAN uses kernels. */
void sccli_engines_free(struct sccl_plan *plan);

/*
 * L: as for a kernel, but with tables that the CPU can read; its blocks are the pieces that each chunk is split into, at most
 * the plan's number; one if the program reduces. KERNEL: as for a kernel, for reductions.
 */
sccl_status_t sccli_engines_run(struct sccl_plan *plan, const sccl_launch_t *l, const sccl_launch_t *kernel, sccl_stream_t stream);

/* The communicator has ended: releases all streams of this rank from their waits. */
void sccli_engines_release(struct sccl_comm *c);

#endif
