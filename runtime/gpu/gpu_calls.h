#ifndef SCCL_RUNTIME_GPU_GPU_CALLS_H
#define SCCL_RUNTIME_GPU_GPU_CALLS_H

/* Which calls of this process may still run on GPUs: each communicator has a mark, recorded after its last call. */

#include "runtime/gpu/gpu_driver.h"

#include <stdbool.h>

/* All that a call enqueues, with its mark, lies between these. */
void sccli_gpu_call_begins(void);
void sccli_gpu_call_ends(void);
/* A call was captured in a graph, whose replays nobody sees. */
void sccli_gpu_captured(void);

/* Creates an event that is a mark. Returns 0 or the driver's error. */
int sccli_gpu_mark_create(const struct gpu_driver *d, void **event);
void sccli_gpu_mark_forget(const void *event); /* before it is destroyed */

/* Between these no call begins. False at once, and nothing to go on with, while some thread is in a call: a full stream can
 * keep it there until the rank of this very thread makes its call. */
bool sccli_gpu_calls_stop(void);
void sccli_gpu_calls_go_on(void);
/* Whether all calls of this process are known to be done. */
bool sccli_gpu_calls_done(void);

#endif
