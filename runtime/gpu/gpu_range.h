#ifndef SCCL_RUNTIME_GPU_GPU_RANGE_H
#define SCCL_RUNTIME_GPU_GPU_RANGE_H

/* What memory a GPU can reach. */

#include "runtime/core/device.h"
#include "runtime/gpu/gpu_driver.h"

#include <stdbool.h>

/* Makes UNIT's GPU current for this thread; sccli_gpu_leave restores the previous one. */
sccl_status_t sccli_gpu_enter(const struct unit *unit, const struct gpu_driver **driver, int *before);
void sccli_gpu_leave(const struct gpu_driver *driver, int before);

/* Returns SCCL_OK if ERROR is 0; otherwise SCCL_SYSTEM, with WHAT and the driver's message as the error text. */
sccl_status_t sccli_gpu_failed(const struct gpu_driver *driver, int error, const char *what);

/* A thread of this process owns memory of DEVICE, so its address can be used if this GPU can access that one. */
sccl_status_t sccli_gpu_see(const struct gpu_driver *d, const struct unit *unit, int device);
/* SCCL_OK if NVLink joins the unit with every GPU that it can reach, so that 128 bytes that a warp stores at once arrive at once. */
sccl_status_t sccli_gpu_keeps_lines(const struct unit *unit);
/* Whether BYTES at OFFSET lie within what was opened. If the driver cannot tell, accesses outside fault on the GPU. */
bool sccli_gpu_is_inside(const struct gpu_driver *d, void *opened, uint64_t offset, size_t bytes);

#endif
