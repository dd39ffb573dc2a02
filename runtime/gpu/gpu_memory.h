#ifndef SCCL_RUNTIME_GPU_GPU_MEMORY_H
#define SCCL_RUNTIME_GPU_GPU_MEMORY_H

/* GPU memory that other ranks open: threads of this process by its address, other processes through IPC handles, or, where
 * there are none, memory of the host in its place. */

#include "runtime/core/device.h"

/* The functions of struct device (device.h). */
sccl_status_t sccli_gpu_create(const struct unit *unit, size_t bytes, enum piece_reach reach, struct piece *piece,
                               union piece_handle *handle);
sccl_status_t sccli_gpu_adopt(const struct unit *unit, void *buffer, size_t bytes, enum piece_reach reach, struct piece *piece,
                              union piece_handle *handle);
const char *sccli_gpu_route(const struct piece *piece);
sccl_status_t sccli_gpu_open(const struct unit *unit, const union piece_handle *handle, size_t bytes, struct piece *piece);
void sccli_gpu_settle(struct piece *piece);
void sccli_gpu_close(struct piece *piece);
sccl_status_t sccli_gpu_share(const struct unit *unit, const struct piece *memory, size_t bytes, void **seen);
void sccli_gpu_unshare(const struct unit *unit, const struct piece *memory);
sccl_status_t sccli_gpu_place(const struct unit *unit, const void *data, size_t bytes, struct piece *piece);

/* The functions of struct device for multicast objects. */
sccl_status_t sccli_gpu_team_create(const struct unit *unit, size_t bytes, uint32_t ranks, void **team, union piece_handle *handle);
sccl_status_t sccli_gpu_team_open(const struct unit *unit, const union piece_handle *handle, size_t bytes, void **team);
sccl_status_t sccli_gpu_team_bind(void *team, const struct piece *own, uint8_t **all);
void sccli_gpu_team_close(void *team);

#endif
