/* CPUs of one machine: ranks are processes or threads that share memory. A call runs in the caller's thread, one block
 * after another. */

#include "runtime/core/device.h"
#include "runtime/host/rest.h"

#include <string.h>

static sccl_status_t check(const struct unit *unit)
{
	(void)unit;
	return SCCL_OK;
}

static sccl_status_t create(const struct unit *unit, size_t bytes, enum piece_reach reach, struct piece *piece,
                            union piece_handle *handle)
{
	struct shared *s;
	sccl_status_t status = sccli_shared_create(&s, bytes, &handle->shared);

	(void)unit;
	(void)reach;
	if (status == SCCL_OK)
		*piece = (struct piece){sccli_shared_base(s), s};
	return status;
}

static sccl_status_t open_piece(const struct unit *unit, const union piece_handle *handle, size_t bytes, struct piece *piece)
{
	struct shared *s;
	sccl_status_t status = sccli_shared_open(&s, bytes, &handle->shared);

	(void)unit;
	if (status == SCCL_OK)
		*piece = (struct piece){sccli_shared_base(s), s};
	return status;
}

/* Only threads of this process can access the caller's memory. */
static sccl_status_t adopt(const struct unit *unit, void *buffer, size_t bytes, enum piece_reach reach, struct piece *piece,
                           union piece_handle *handle)
{
	struct shared *s;
	sccl_status_t status = sccli_shared_adopt(&s, buffer, bytes, &handle->shared);

	(void)unit;
	(void)reach;
	if (status == SCCL_OK)
		*piece = (struct piece){buffer, s};
	return status;
}

static void settle(struct piece *piece)
{
	sccli_shared_settle(piece->own);
}

static void close_piece(struct piece *piece)
{
	if (piece->own)
		sccli_shared_close(piece->own);
	*piece = (struct piece){NULL, NULL};
}

static const char *route(const struct piece *piece)
{
	(void)piece;
	return "through shared memory";
}

static sccl_status_t place(const struct unit *unit, const void *data, size_t bytes, struct piece *piece)
{
	(void)unit;
	(void)bytes;
	*piece = (struct piece){(uint8_t *)(uintptr_t)data, NULL};
	return SCCL_OK;
}

static sccl_status_t share(const struct unit *unit, const struct piece *memory, size_t bytes, void **seen)
{
	(void)unit;
	(void)bytes;
	*seen = memory->base;
	return SCCL_OK;
}

static void share_no_more(const struct unit *unit, const struct piece *memory)
{
	(void)unit;
	(void)memory;
}

static uint32_t blocks(const struct unit *unit)
{
	(void)unit;
	return 1;
}

static sccl_status_t resident(const struct unit *unit, sccl_kernel_t kernel, uint32_t *n)
{
	(void)unit;
	(void)kernel;
	*n = 1;
	return SCCL_OK;
}

static sccl_status_t launch(const struct unit *unit, sccl_kernel_t kernel, const sccl_launch_t *l, sccl_stream_t stream)
{
	(void)unit;
	kernel(l, stream);
	return SCCL_OK;
}

static sccl_status_t copy(const struct unit *unit, void *to, const void *from, size_t bytes, sccl_stream_t stream)
{
	(void)unit;
	(void)stream;
	if (bytes > 0)
		memcpy(to, from, bytes);
	return SCCL_OK;
}

static sccl_status_t lanes_signal(const struct unit *unit)
{
	(void)unit;
	return SCCL_OK;
}

/* There are no streams: all work is done immediately. */
static sccl_status_t lane_create(const struct unit *unit, void **lane)
{
	(void)unit;
	*lane = NULL;
	return SCCL_OK;
}

static void lane_destroy(const struct unit *unit, void *lane)
{
	(void)unit;
	(void)lane;
}

static sccl_status_t lane_after(const struct unit *unit, sccl_stream_t stream, sccl_stream_t other)
{
	(void)unit;
	(void)stream;
	(void)other;
	return SCCL_OK;
}

static sccl_status_t post(const struct unit *unit, uint64_t *flag, uint64_t value, sccl_stream_t stream)
{
	(void)unit;
	(void)stream;
	sccl_raise_flag(&(const sccl_env_t){.wake = sccli_rest_wake}, flag, value);
	return SCCL_OK;
}

static sccl_status_t await(const struct unit *unit, sccl_block_t *x, uint32_t state, uint32_t peer, uint64_t *flag,
                           uint64_t value, sccl_stream_t stream)
{
	(void)unit;
	(void)stream;
	sccl_await(x, state, peer, flag, value);
	return x->gave_up ? SCCL_ABORTED : SCCL_OK;
}

static sccl_status_t wait_for(const struct unit *unit, sccl_stream_t stream)
{
	(void)unit;
	(void)stream;
	return SCCL_OK;
}

static sccl_status_t idle(const struct unit *unit, const sccl_block_t *x, sccl_stream_t stream)
{
	(void)unit;
	(void)stream;
	sccl_finish(x);
	return SCCL_OK;
}

/* Ranks on CPUs share no resource that could run out. */
static sccl_status_t identity(const struct unit *unit, uint64_t *number)
{
	(void)unit;
	*number = 0;
	return SCCL_OK;
}

extern const struct device sccli_device_host;
const struct device sccli_device_host = {
	.target = "host",
	.check = check,
	.create = create,
	.open = open_piece,
	.adopt = adopt,
	.settle = settle,
	.close = close_piece,
	.route = route,
	.place = place,
	.share = share,
	.unshare = share_no_more,
	.spin = sccli_rest_spin,
	.blocks = blocks,
	.most_blocks = 32,
	.resident = resident,
	.launch = launch,
	.copy = copy,
	.lanes_signal = lanes_signal,
	.lane_create = lane_create,
	.lane_destroy = lane_destroy,
	.lane_after = lane_after,
	.post = post,
	.await = await,
	.wait = wait_for,
	.idle = idle,
	.synchronous = 1,
	.identity = identity,
};
