/* The device of GPUs from both vendors. The differences between them are in gpu_driver.c and in the headers that
 * kernels are compiled with. */

#include "runtime/gpu/gpu_blocks.h"
#include "runtime/gpu/gpu_calls.h"
#include "runtime/gpu/gpu_lane.h"
#include "runtime/gpu/gpu_memory.h"
#include "runtime/gpu/gpu_range.h"
#include "runtime/core/status.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static sccl_status_t check(const struct unit *unit)
{
	const struct gpu_driver *d;
	int n = 0;
	sccl_status_t status = sccli_gpu_driver(unit->device->target, &d);

	if (status == SCCL_OK)
		status = sccli_gpu_failed(d, d->device_count(&n), "cannot count the GPUs") == SCCL_OK ? SCCL_OK : SCCL_UNSUPPORTED;
	if (status == SCCL_OK && (unit->number < 0 || unit->number >= n))
		status = sccli_fail(SCCL_INVALID, "there is no GPU %d: this process sees %d", unit->number, n);
	return status;
}

static uint32_t spin(uint32_t ranks, uint32_t cpus)
{
	(void)cpus;
	(void)ranks;
	return 0; /* kernels poll without limit */
}

static sccl_status_t resident(const struct unit *unit, sccl_kernel_t kernel, uint32_t *blocks)
{
	const struct gpu_driver *d;
	int before, n;
	sccl_status_t status = sccli_gpu_enter(unit, &d, &before);

	if (status != SCCL_OK)
		return status;
	n = kernel(NULL, NULL);
	sccli_gpu_leave(d, before);
	if (n < 0)
		return sccli_gpu_failed(d, -n, "cannot load the kernel");
	*blocks = (uint32_t)n;
	return n > 0 ? SCCL_OK : sccli_fail(SCCL_UNSUPPORTED, "GPU %d holds no block of the kernel", unit->number);
}

static sccl_status_t launch(const struct unit *unit, sccl_kernel_t kernel, const sccl_launch_t *l, sccl_stream_t stream)
{
	const struct gpu_driver *d;
	int before;
	sccl_status_t status = sccli_gpu_enter(unit, &d, &before);

	if (status != SCCL_OK)
		return status;
	status = sccli_gpu_failed(d, kernel(l, stream), "cannot launch the kernel");
	sccli_gpu_leave(d, before);
	return status;
}

static sccl_status_t copy(const struct unit *unit, void *to, const void *from, size_t bytes, sccl_stream_t stream)
{
	const struct gpu_driver *d;
	int before;
	sccl_status_t status = bytes > 0 ? sccli_gpu_enter(unit, &d, &before) : SCCL_OK;

	if (status != SCCL_OK || bytes == 0)
		return status;
	status = sccli_gpu_failed(d, d->copy(to, from, bytes, GPU_COPY_ANY, stream), "cannot copy on the GPU");
	sccli_gpu_leave(d, before);
	return status;
}

/* A hash of the machine's boot ID and the GPU's PCI address. */
static sccl_status_t identity(const struct unit *unit, uint64_t *number)
{
	const struct gpu_driver *d;
	char text[128] = "";
	sccl_status_t status = sccli_gpu_driver(unit->device->target, &d);
	int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = file >= 0 ? read(file, text, 40) : 0;

	if (file >= 0)
		close(file);
	n = n > 0 ? n : 0;
	if (status == SCCL_OK)
		status = sccli_gpu_failed(d, d->pci_id(text + n, (int)sizeof text - (int)n, unit->number), "cannot identify the GPUs");
	*number = 0xcbf29ce484222325u;
	for (size_t i = 0; i < sizeof text; i++)
		*number = (*number ^ (unsigned char)text[i]) * 0x100000001b3u;
	return status;
}

#define GPU_ROW(name, lines)                                                                        \
	{                                                                                           \
		.target = (name), .check = check, .create = sccli_gpu_create,                       \
		.open = sccli_gpu_open,                                                             \
		.adopt = sccli_gpu_adopt, .settle = sccli_gpu_settle, .close = sccli_gpu_close,     \
		.route = sccli_gpu_route, .call_begins = sccli_gpu_call_begins,                     \
		.call_ends = sccli_gpu_call_ends,                                                   \
		.place = sccli_gpu_place, .share = sccli_gpu_share,                                 \
		.unshare = sccli_gpu_unshare, .keeps_lines = (lines), .spin = spin,                 \
		.team_create = sccli_gpu_team_create, .team_open = sccli_gpu_team_open,             \
		.team_bind = sccli_gpu_team_bind, .team_close = sccli_gpu_team_close,               \
		.blocks = sccli_gpu_blocks, .most_blocks = 64,                                      \
		.resident = resident, .launch = launch, .copy = copy,                 \
		.lanes_signal = sccli_gpu_lanes_signal, .captures = sccli_gpu_captures,             \
		.stream_id = sccli_gpu_stream_id,                                                   \
		.mark = sccli_gpu_mark, .after_mark = sccli_gpu_after_mark,                         \
		.unmark = sccli_gpu_unmark,                                                         \
		.lane_create = sccli_gpu_lane_create, .lane_destroy = sccli_gpu_lane_destroy,       \
		.lane_after = sccli_gpu_lane_after, .post = sccli_gpu_post,                         \
		.await = sccli_gpu_await, .wait = sccli_gpu_wait, .idle = sccli_gpu_idle,           \
		.synchronous = 0, .identity = identity,                                             \
	}

extern const struct device sccli_device_cuda, sccli_device_hip;
const struct device sccli_device_cuda = GPU_ROW("cuda", sccli_gpu_keeps_lines), sccli_device_hip = GPU_ROW("hip", NULL);
