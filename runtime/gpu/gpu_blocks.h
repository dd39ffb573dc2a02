#ifndef SCCL_RUNTIME_GPU_GPU_BLOCKS_H
#define SCCL_RUNTIME_GPU_GPU_BLOCKS_H

#include "runtime/core/device.h"

/* Default number of blocks of a call on this GPU (struct device). */
uint32_t sccli_gpu_blocks(const struct unit *unit);

#endif
