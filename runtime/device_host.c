/* Processors of one machine: ranks are processes or threads that share memory. A call runs in the caller's thread, its
 * blocks one after another. */

#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/device.h"

#include <sched.h>
#include <string.h>

static sccl_status_t create(int device, size_t bytes, struct piece *piece, union piece_handle *handle)
{
	struct shared *s;
	sccl_status_t status = sccli_shared_create(&s, bytes, &handle->shared);

	(void)device;
	if (status == SCCL_OK)
		*piece = (struct piece){sccli_shared_base(s), s};
	return status;
}

static sccl_status_t open_piece(int device, const union piece_handle *handle, struct piece *piece)
{
	struct shared *s;
	sccl_status_t status = sccli_shared_open(&s, &handle->shared);

	(void)device;
	if (status == SCCL_OK)
		*piece = (struct piece){sccli_shared_base(s), s};
	return status;
}

static void settle(struct piece *piece)
{
	sccli_shared_settle(piece->own);
}

static void close_piece(struct piece *piece)
{
	sccli_shared_close(piece->own);
	*piece = (struct piece){NULL, NULL};
}

/* Where every rank has a processor of its own, spinning is fastest; where not, it takes the time of the one waited for. */
static uint32_t spin(uint32_t ranks)
{
	enum { SPIN = 2000 };
	cpu_set_t usable;

	if (sched_getaffinity(0, sizeof usable, &usable) != 0)
		return 0;
	return ranks <= (uint32_t)CPU_COUNT(&usable) ? SPIN : 0;
}

static sccl_status_t launch(sccl_kernel_t kernel, const sccl_launch_t *l, uint32_t blocks, sccl_stream_t stream)
{
	(void)stream;
	for (uint32_t b = 0; b < blocks && !__atomic_load_n(l->env->abort_word, __ATOMIC_ACQUIRE); b++)
		kernel(l, b, blocks);
	return SCCL_OK;
}

static sccl_status_t copy(void *to, const void *from, size_t bytes, sccl_stream_t stream)
{
	(void)stream;
	if (bytes > 0)
		memcpy(to, from, bytes);
	return SCCL_OK;
}

extern const struct device sccli_device_host;
const struct device sccli_device_host = {
	.target = "host",
	.create = create,
	.open = open_piece,
	.settle = settle,
	.close = close_piece,
	.spin = spin,
	.blocks = 1,
	.launch = launch,
	.copy = copy,
};
