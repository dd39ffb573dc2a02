#ifndef SCCL_RUNTIME_RUNNER_TIMING_H
#define SCCL_RUNTIME_RUNNER_TIMING_H

struct timing_row;
struct session;

#include <sccl/sccl.h>

/* A call, or its replay; it goes on when this returns where the machine is a GPU. */
sccl_status_t call_start(struct session *x, uint64_t count);

/* Collective. How long a call takes, in several batches of calls in a row; the slowest rank counts. */
sccl_status_t time_calls(struct session *x, struct timing_row *row);

#endif
