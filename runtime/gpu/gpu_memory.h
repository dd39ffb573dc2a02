#ifndef SCCL_RUNTIME_GPU_GPU_MEMORY_H
#define SCCL_RUNTIME_GPU_GPU_MEMORY_H

/* GPU memory that other ranks open: threads of this process by its address, other processes through IPC handles. */

#include "runtime/core/device.h"
#include "runtime/gpu/gpu_driver.h"

/* Makes UNIT's GPU current for this thread; sccli_gpu_leave restores the previous one. */
sccl_status_t sccli_gpu_enter(const struct unit *unit, const struct gpu_driver **driver, int *before);
void sccli_gpu_leave(const struct gpu_driver *driver, int before);

/* Returns SCCL_OK if ERROR is 0; otherwise SCCL_SYSTEM, with WHAT and the driver's message as the error text. */
sccl_status_t sccli_gpu_failed(const struct gpu_driver *driver, int error, const char *what);

/* The functions of struct device (device.h). */
sccl_status_t sccli_gpu_create(const struct unit *unit, size_t bytes, struct piece *piece, union piece_handle *handle);
sccl_status_t sccli_gpu_adopt(const struct unit *unit, void *buffer, size_t bytes, struct piece *piece,
                              union piece_handle *handle);
sccl_status_t sccli_gpu_open(const struct unit *unit, const union piece_handle *handle, size_t bytes, struct piece *piece);
void sccli_gpu_settle(struct piece *piece);
void sccli_gpu_close(struct piece *piece);
sccl_status_t sccli_gpu_place(const struct unit *unit, const void *data, size_t bytes, struct piece *piece);

#endif
