#ifndef SCCL_RUNTIME_GPU_GPU_LANE_H
#define SCCL_RUNTIME_GPU_GPU_LANE_H

/* Streams and signals of the copy engines, and marks: the functions of struct device (device.h). */

#include "runtime/core/device.h"

sccl_status_t sccli_gpu_lane_create(const struct unit *unit, void **lane);
void sccli_gpu_lane_destroy(const struct unit *unit, void *lane);
sccl_status_t sccli_gpu_lanes_signal(const struct unit *unit);
int sccli_gpu_captures(const struct unit *unit, sccl_stream_t stream);
uint64_t sccli_gpu_stream_id(const struct unit *unit, sccl_stream_t stream);
sccl_status_t sccli_gpu_mark(const struct unit *unit, void **mark, sccl_stream_t stream);
sccl_status_t sccli_gpu_after_mark(const struct unit *unit, void *mark, sccl_stream_t stream);
void sccli_gpu_unmark(const struct unit *unit, void *mark);
sccl_status_t sccli_gpu_lane_after(const struct unit *unit, sccl_stream_t stream, sccl_stream_t other);
sccl_status_t sccli_gpu_post(const struct unit *unit, uint64_t *flag, uint64_t value, sccl_stream_t stream);
sccl_status_t sccli_gpu_await(const struct unit *unit, sccl_block_t *x, uint32_t state, uint32_t peer, uint64_t *flag,
                              uint64_t value, sccl_stream_t stream);
sccl_status_t sccli_gpu_wait(const struct unit *unit, sccl_stream_t stream);
sccl_status_t sccli_gpu_idle(const struct unit *unit, const sccl_block_t *x, sccl_stream_t stream);

#endif
