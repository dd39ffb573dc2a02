#ifndef SCCL_TESTS_RUNTIME_STAND_IN_H
#define SCCL_TESTS_RUNTIME_STAND_IN_H

/* What tests need of the driver that stands in for CUDA's (stand_in_gpu.c), and of programs compiled for it. */

#include "runtime/gpu/gpu_driver.h"

#include <sccl/sccl.h>

/* The program whose path is in the environment's VARIABLE, and whose name is in the file beside it. */
const sccl_program_t *stand_in_program(const char *variable);

/* Stops the kernels of this process that wait, as if its GPUs ran other work, until it is called with 0. */
void standInFreeze(int freezes);

/* Copies the parameters of the last kernel that the stream has run, at most ROOM bytes; returns how many bytes they are. */
size_t standInParameters(sccl_stream_t stream, void *to, size_t room);

/* Memory of a pool, as from cudaMallocAsync, which has no IPC handles. Returns 0. */
int standInMallocPooled(void **at, size_t bytes);

/* How many IPC handles this process has asked for. If STAND_IN_NO_IPC is in the environment, it gets none. */
unsigned standInExports(void);

/* How many loads and stores of this process went through multicast addresses. */
unsigned standInMulticasts(void);

#endif
