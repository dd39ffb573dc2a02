/*
 * Streams, events and stream memory operations of the GPU driver, as a device's lanes and marks.
 */
#include "runtime/gpu/gpu_lane.h"

#include "runtime/gpu/gpu_calls.h"
#include "runtime/gpu/gpu_range.h"
#include "runtime/core/status.h"

/* Returns the result of a driver call, made with the unit's GPU as the thread's current one. */
#define ON_GPU(unit, what, call)                                                          \
	do {                                                                              \
		const struct gpu_driver *d;                                               \
		int before;                                                               \
		sccl_status_t status = sccli_gpu_enter(unit, &d, &before);                \
		if (status != SCCL_OK)                                                    \
			return status;                                                    \
		status = sccli_gpu_failed(d, call, what);                                 \
		sccli_gpu_leave(d, before);                                               \
		return status;                                                            \
	} while (0)

sccl_status_t sccli_gpu_lanes_signal(const struct unit *unit)
{
	const struct gpu_driver *d;
	sccl_status_t status = sccli_gpu_driver(unit->device->target, &d);

	if (status == SCCL_OK && (!d->write_value || !d->wait_value))
		status = sccli_fail(SCCL_UNSUPPORTED, "streams cannot signal each other through %s here: use kernels", unit->device->target);
	return status;
}

/* A driver without this query has no stream capture. */
int sccli_gpu_captures(const struct unit *unit, sccl_stream_t stream)
{
	const struct gpu_driver *d;
	int captures = 0;

	if (sccli_gpu_driver(unit->device->target, &d) != SCCL_OK || !d->is_capturing || d->is_capturing(stream, &captures) != 0)
		return 0;
	if (captures)
		sccli_gpu_captured();
	return captures;
}

/* The handle of a stream that was destroyed may be another's now, so it identifies none. */
uint64_t sccli_gpu_stream_id(const struct unit *unit, sccl_stream_t stream)
{
	const struct gpu_driver *d;
	unsigned long long id = 0;
	int before;

	if (sccli_gpu_driver(unit->device->target, &d) != SCCL_OK || !d->stream_id || sccli_gpu_enter(unit, &d, &before) != SCCL_OK)
		return 0;
	int error = d->stream_id(stream, &id);
	if (error != 0)
		(void)d->last_error();
	sccli_gpu_leave(d, before);
	return error == 0 ? (uint64_t)id + 1 : 0;
}

static int mark(const struct gpu_driver *d, void **event, sccl_stream_t stream)
{
	int error = *event ? 0 : sccli_gpu_mark_create(d, event);
	return error ? error : d->event_record(*event, stream);
}

sccl_status_t sccli_gpu_mark(const struct unit *unit, void **event, sccl_stream_t stream)
{
	ON_GPU(unit, "cannot order streams", mark(d, event, stream));
}

sccl_status_t sccli_gpu_after_mark(const struct unit *unit, void *event, sccl_stream_t stream)
{
	ON_GPU(unit, "cannot order streams", d->stream_after(stream, event, 0));
}

void sccli_gpu_unmark(const struct unit *unit, void *event)
{
	const struct gpu_driver *d;
	int before;

	sccli_gpu_mark_forget(event);
	if (sccli_gpu_enter(unit, &d, &before) != SCCL_OK)
		return;
	d->event_destroy(event);
	sccli_gpu_leave(d, before);
}

sccl_status_t sccli_gpu_lane_create(const struct unit *unit, void **lane)
{
	ON_GPU(unit, "cannot make a stream", d->stream_create(lane, GPU_STREAM_APART));
}

void sccli_gpu_lane_destroy(const struct unit *unit, void *lane)
{
	const struct gpu_driver *d;
	int before;

	if (sccli_gpu_enter(unit, &d, &before) != SCCL_OK)
		return;
	d->stream_destroy(lane);
	sccli_gpu_leave(d, before);
}

static int after(const struct gpu_driver *d, sccl_stream_t stream, sccl_stream_t other)
{
	void *event;
	int error = d->event_create(&event, GPU_EVENT_NO_TIMING);

	if (error != 0)
		return error;
	error = d->event_record(event, other);
	if (error == 0)
		error = d->stream_after(stream, event, 0);
	d->event_destroy(event); /* the driver keeps it as long as a stream waits for it */
	return error;
}

sccl_status_t sccli_gpu_lane_after(const struct unit *unit, sccl_stream_t stream, sccl_stream_t other)
{
	ON_GPU(unit, "cannot order streams", after(d, stream, other));
}

sccl_status_t sccli_gpu_post(const struct unit *unit, uint64_t *flag, uint64_t value, sccl_stream_t stream)
{
	ON_GPU(unit, "cannot signal from a stream", d->write_value(stream, flag, value, 0));
}

/* The wait is reported before it begins, because the guard cannot look into a stream. */
static int notified_wait(const struct gpu_driver *d, const sccl_block_t *x, uint64_t word, uint64_t *flag, uint64_t value,
                     sccl_stream_t stream)
{
	enum { AT_LEAST = 0 }; /* compared as a signed difference */
	int error = d->write_value(stream, &x->env->progress[x->block], word, 0);
	return error ? error : d->wait_value(stream, flag, value, AT_LEAST, UINT64_MAX);
}

sccl_status_t sccli_gpu_await(const struct unit *unit, sccl_block_t *x, uint32_t state, uint32_t peer, uint64_t *flag,
                              uint64_t value, sccl_stream_t stream)
{
	uint64_t word = SCCL_PROGRESS(state, x->step, (uint32_t)x->turn << 16 | peer);
	ON_GPU(unit, "cannot wait in a stream", notified_wait(d, x, word, flag, value, stream));
}

sccl_status_t sccli_gpu_wait(const struct unit *unit, sccl_stream_t stream)
{
	ON_GPU(unit, "a call on the GPU failed", d->stream_wait(stream));
}

sccl_status_t sccli_gpu_idle(const struct unit *unit, const sccl_block_t *x, sccl_stream_t stream)
{
	uint64_t word = SCCL_PROGRESS(SCCL_IDLE, 0, (uint32_t)(x->turn + 1) << 16);
	ON_GPU(unit, "cannot signal from a stream", d->write_value(stream, &x->env->progress[x->block], word, 0));
}
