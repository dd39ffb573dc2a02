#ifndef SCCL_RUNTIME_RUNNER_TIMING_H
#define SCCL_RUNTIME_RUNNER_TIMING_H

struct placed_calls;
struct session;

#include <sccl/sccl.h>

/* Starts a call or its replay. On a GPU it still runs when this returns. */
sccl_status_t call_start(struct session *x, uint64_t count);

/* Collective. Measures the time per call of COUNT in several batches of consecutive calls, after some that do not count; of
 * each batch the slowest rank counts. */
sccl_status_t time_calls(struct session *x, uint64_t count, struct placed_calls *at);

#endif
