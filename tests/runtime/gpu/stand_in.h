#ifndef SCCL_TESTS_RUNTIME_STAND_IN_H
#define SCCL_TESTS_RUNTIME_STAND_IN_H

/* What tests need of the driver that stands in for CUDA's (stand_in_gpu.c), and of programs compiled for it. */

#include "runtime/gpu/gpu_driver.h"

#include <sccl/sccl.h>

/* The program whose path is in the environment's VARIABLE, and whose name is in the file beside it. */
const sccl_program_t *stand_in_program(const char *variable);

/* Stops the kernels of this process that wait, as if its GPUs ran other work, until it is called with 0. */
void standInFreeze(int freezes);

#endif
