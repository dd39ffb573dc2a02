#ifndef SCCL_RUNTIME_GPU_ENGINES_H
#define SCCL_RUNTIME_GPU_ENGINES_H

/*
 * A program without kernels: its words are walked by the caller's thread, copies go to the device's copy engines, and
 * ranks signal each other by words that streams write and wait for. A stream a link, reused by all that goes over it, so
 * that trees share a link in turns (Blink, MLSys 2020, section 4.2.2). Nothing can be reduced so. On the host the copies
 * are made at once.
 */

#include "runtime/core/plan.h"

/* Collective. */
sccl_status_t sccli_engines_create(struct sccl_plan *plan);
void sccli_engines_free(struct sccl_plan *plan);

/* L: as a kernel of one block would be given it, but with tables that processors read. */
sccl_status_t sccli_engines_run(struct sccl_plan *plan, const sccl_launch_t *l, sccl_stream_t stream);

/* The communicator has ended: whatever streams of this rank wait for has come. */
void sccli_engines_release(struct sccl_comm *c);

#endif
