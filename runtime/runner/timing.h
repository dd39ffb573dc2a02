#ifndef SCCL_RUNTIME_RUNNER_TIMING_H
#define SCCL_RUNTIME_RUNNER_TIMING_H

struct timing_row;
struct session;

#include <sccl/sccl.h>

/* Starts a call or its replay. On a GPU it still runs when this returns. */
sccl_status_t call_start(struct session *x, uint64_t count);

/* Collective. Measures the time per call in several batches of consecutive calls; the slowest rank counts. */
sccl_status_t time_calls(struct session *x, struct timing_row *row);

#endif
