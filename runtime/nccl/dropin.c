/*
 * libsccl-nccl.so, loaded with LD_PRELOAD: intercepts NCCL and serves the collective calls for which the catalog has a
 * program; all other calls reach the real library unchanged (Blink, MLSys 2020, section 3). docs/howto/replace-nccl.md.
 */

#include "runtime/nccl/real.h"
#include "runtime/nccl/shadow.h"
#include "runtime/nccl/turns.h"

#include "runtime/nccl/catalog.h"
#include "runtime/nccl/factors.h"

#include "runtime/gpu/gpu_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the prototypes are NCCL's */

/* A communicator whose creation is complete only at the end of the thread's group. */
struct pending_join {
	ncclComm_t *where;
	struct joining joining;
};

static _Thread_local int depth;
static _Thread_local int inside; /* nesting depth inside the real ncclCommInitAll, whose own calls to the functions
                                  * below create no shadows */
static _Thread_local struct nccl_call *queue;
static _Thread_local size_t queued, queue_room;
static _Thread_local struct pending_join *joins;
static _Thread_local size_t n_joins, joins_room;

/* A window whose registration is complete only at the end of the thread's group. */
struct pending_window {
	ncclWindow_t *where;
	struct registering registering;
};
static _Thread_local struct pending_window *windows;
static _Thread_local size_t n_windows, windows_room;

static void *room_for(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 16;
	return must_have(realloc(array, *room * size));
}

/* Processes the queued calls; those without a program go to the real library, whose group is still open. */
static ncclResult_t flush_calls(void)
{
	ncclResult_t result = ncclSuccess;
	bool *ours = calloc(queued ? queued : 1, sizeof *ours);

	if (!ours)
		return ncclSystemError;
	if (queued > 0)
		result = shadows_serve(queue, queued, ours);
	for (size_t i = 0; i < queued; i++) {
		ncclResult_t other = ours[i] ? ncclSuccess : call_real(&queue[i]);
		result = result == ncclSuccess ? other : result;
	}
	free(ours);
	queued = 0;
	return result;
}

static void flush_joins(void)
{
	struct joining *all = calloc(n_joins ? n_joins : 1, sizeof *all);
	size_t n = 0;

	for (size_t i = 0; all && i < n_joins; i++) {
		all[n] = joins[i].joining;
		all[n].real = *joins[i].where;
		n += all[n].real != NULL || all[n].parent != NULL; /* a rank without a color takes part in the split */
	}
	if (all)
		shadows_join(all, n);
	free(all);
}

static void forget_joins(void)
{
	for (size_t i = 0; i < n_joins; i++)
		free((void *)(uintptr_t)joins[i].joining.without);
	n_joins = 0;
}

static void flush_windows(void)
{
	struct registering *all = calloc(n_windows ? n_windows : 1, sizeof *all);
	size_t n = 0;

	for (size_t i = 0; all && i < n_windows; i++) {
		all[n] = windows[i].registering;
		all[n].window = *windows[i].where;
		n += all[n].window != NULL; /* NULL: NCCL has no use for it either */
	}
	if (all)
		shadows_register(all, n);
	free(all);
	n_windows = 0;
}

static ncclResult_t call_nothing(const char *name)
{
	real_t f = real_function(name);
	return f ? ((ncclResult_t (*)(void))f)() : ncclSystemError;
}

API ncclResult_t ncclGroupStart(void)
{
	ncclResult_t result = call_nothing("ncclGroupStart");
	depth += result == ncclSuccess;
	return result;
}

API ncclResult_t ncclGroupEnd(void)
{
	ncclResult_t first = depth == 1 ? flush_calls() : ncclSuccess;
	ncclResult_t result = call_nothing("ncclGroupEnd");

	if (depth > 0 && --depth == 0) {
		if (result == ncclSuccess) {
			flush_joins();
			flush_windows();
		}
		forget_joins();
		n_windows = 0;
	}
	return first != ncclSuccess ? first : result;
}

/* Ends the group without executing it. */
API ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *info)
{
	real_t f = real_function("ncclGroupSimulateEnd");

	if (depth > 0 && --depth == 0) {
		forget_joins();
		queued = n_windows = 0;
	}
	return f ? ((ncclResult_t (*)(ncclSimInfo_t *))f)(info) : ncclSystemError;
}

/* A call without elements is NCCL's, which checks its arguments and drops it: the ranks may give it buffers from which they
 * would choose different plans. */
static ncclResult_t serve(struct nccl_call call)
{
	if (call.count == 0 || !catalog_open() || !shadow_is(call.comm))
		return call_real(&call);
	factors_find(&call);
	queue = room_for(queue, queued, &queue_room, sizeof *queue);
	queue[queued++] = call;
	return depth > 0 ? ncclSuccess : flush_calls();
}

API ncclResult_t ncclAllReduce(const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
			       ncclStream_t stream)
{
	return serve((struct nccl_call){ALL_REDUCE, in, out, count, type, op, -1, comm, stream, false, 0});
}

API ncclResult_t ncclAllGather(const void *in, void *out, size_t count, ncclDataType_t type, ncclComm_t comm, ncclStream_t stream)
{
	return serve((struct nccl_call){ALL_GATHER, in, out, count, type, ncclSum, -1, comm, stream, false, 0});
}

API ncclResult_t ncclReduceScatter(const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
				   ncclStream_t stream)
{
	return serve((struct nccl_call){REDUCE_SCATTER, in, out, count, type, op, -1, comm, stream, false, 0});
}

API ncclResult_t ncclBroadcast(const void *in, void *out, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
			       ncclStream_t stream)
{
	return serve((struct nccl_call){BROADCAST, in, out, count, type, ncclSum, root, comm, stream, false, 0});
}

API ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm, ncclStream_t stream)
{
	return serve((struct nccl_call){BROADCAST, buffer, buffer, count, type, ncclSum, root, comm, stream, false, 0});
}

API ncclResult_t ncclReduce(const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm,
			    ncclStream_t stream)
{
	return serve((struct nccl_call){REDUCE, in, out, count, type, op, root, comm, stream, false, 0});
}

/* A factor in memory of the device is read when a call runs, which our kernels do not: NCCL serves those calls. */
API ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type, ncclScalarResidence_t residence,
					  ncclComm_t comm)
{
	real_t f = real_function("ncclRedOpCreatePreMulSum");
	ncclResult_t result = f ? ((ncclResult_t (*)(ncclRedOp_t *, void *, ncclDataType_t, ncclScalarResidence_t, ncclComm_t))f)(
					  op, scalar, type, residence, comm)
				: ncclSystemError;

	if (result == ncclSuccess && residence == ncclScalarHostImmediate)
		factors_keep(comm, *op, type, scalar);
	return result;
}

API ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
	real_t f = real_function("ncclRedOpDestroy");

	factors_forget(comm, op);
	return f ? ((ncclResult_t (*)(ncclRedOp_t, ncclComm_t))f)(op, comm) : ncclSystemError;
}

/* The GPU that is current for this thread, which is also the one NCCL uses. */
static int device_of_thread(void)
{
	const struct catalog *c = catalog_open();
	const struct gpu_driver *d;
	int device = 0;

	if (c && strcmp(c->target, "host") != 0 && sccli_gpu_driver(c->target, &d) == SCCL_OK)
		d->get_device(&device);
	return device;
}

static void add_join(struct pending_join p)
{
	joins = room_for(joins, n_joins, &joins_room, sizeof *joins);
	joins[n_joins++] = p;
	if (depth > 0)
		return;
	flush_joins();
	forget_joins();
}

static ncclResult_t joined(ncclResult_t result, ncclComm_t *comm, int ranks, const ncclUniqueId *id, int rank)
{
	if (result != ncclSuccess || inside || !catalog_open() || ranks < 1)
		return result;
	struct pending_join p = {comm, {.ranks = ranks, .rank = rank, .device = device_of_thread(), .id = *id}};
	add_join(p);
	return result;
}

API ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
	real_t f = real_function("ncclCommInitRank");
	if (!f)
		return ncclSystemError;
	return joined(((ncclResult_t (*)(ncclComm_t *, int, ncclUniqueId, int))f)(comm, ranks, id, rank), comm, ranks, &id, rank);
}

/* A communicator that is created asynchronously is not ready at this point, so NCCL serves it. */
API ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config)
{
	real_t f = real_function("ncclCommInitRankConfig");
	if (!f)
		return ncclSystemError;
	return joined(((ncclResult_t (*)(ncclComm_t *, int, ncclUniqueId, int, ncclConfig_t *))f)(comm, ranks, id, rank, config), comm,
		      ranks, &id, rank);
}

API ncclResult_t ncclCommInitAll(ncclComm_t *comms, int n, const int *devices)
{
	real_t f = real_function("ncclCommInitAll");

	inside++;
	ncclResult_t result = f ? ((ncclResult_t (*)(ncclComm_t *, int, const int *))f)(comms, n, devices) : ncclSystemError;
	inside--;
	if (result != ncclSuccess || !catalog_open() || n < 1)
		return result;
	struct joining *all = calloc((size_t)n, sizeof *all);
	for (int i = 0; all && i < n; i++)
		all[i] = (struct joining){.real = comms[i], .ranks = n, .rank = i, .device = devices ? devices[i] : i, .local = true};
	if (all)
		shadows_join(all, (size_t)n);
	free(all);
	return result;
}

API ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *part, ncclConfig_t *config)
{
	real_t f = real_function("ncclCommSplit");
	ncclResult_t result =
		f ? ((ncclResult_t (*)(ncclComm_t, int, int, ncclComm_t *, ncclConfig_t *))f)(comm, color, key, part, config) : ncclSystemError;

	if (result != ncclSuccess || inside || !catalog_open() || !shadow_is(comm))
		return result;
	add_join((struct pending_join){part, {.parent = comm, .color = color, .key = key}});
	return result;
}

/* The ranks that are left make the new one; those that are not may be gone. */
API ncclResult_t ncclCommShrink(ncclComm_t comm, int *without, int n, ncclComm_t *rest, ncclConfig_t *config, int flags)
{
	real_t f = real_function("ncclCommShrink");

	/* The real one may wait behind a kernel of ours that waits for a rank. */
	if (flags & NCCL_SHRINK_ABORT && !inside && catalog_open())
		shadow_abort(comm);
	inside++;
	ncclResult_t result = f ? ((ncclResult_t (*)(ncclComm_t, int *, int, ncclComm_t *, ncclConfig_t *, int))f)(comm, without, n, rest, config, flags)
				: ncclSystemError;
	inside--;
	if (result != ncclSuccess || inside || !catalog_open() || !shadow_is(comm) || n < 0)
		return result;
	uint32_t *list = must_have(calloc(n ? (size_t)n : 1, sizeof *list));
	for (int i = 0; i < n; i++)
		list[i] = (uint32_t)without[i];
	add_join((struct pending_join){rest, {.parent = comm, .shrinks = true, .without = list, .n_without = (size_t)n}});
	return result;
}

API ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes, ncclWindow_t *window, int flags)
{
	real_t f = real_function("ncclCommWindowRegister");
	ncclResult_t result =
		f ? ((ncclResult_t (*)(ncclComm_t, void *, size_t, ncclWindow_t *, int))f)(comm, buffer, bytes, window, flags) : ncclSystemError;

	if (result != ncclSuccess || !(flags & NCCL_WIN_COLL_SYMMETRIC) || !catalog_open() || !shadow_uses_windows(comm))
		return result;
	windows = room_for(windows, n_windows, &windows_room, sizeof *windows);
	windows[n_windows++] = (struct pending_window){window, {.comm = comm, .buffer = buffer, .bytes = bytes}};
	if (depth == 0)
		flush_windows();
	return result;
}

API ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window)
{
	real_t f = real_function("ncclCommWindowDeregister");

	shadow_deregister(comm, window);
	return f ? ((ncclResult_t (*)(ncclComm_t, ncclWindow_t))f)(comm, window) : ncclSystemError;
}

static ncclResult_t left(const char *name, ncclComm_t comm, bool aborts)
{
	real_t f = real_function(name);

	factors_forget(comm, NCCL_OPS);
	shadow_leave(comm, aborts);
	return f ? ((ncclResult_t (*)(ncclComm_t))f)(comm) : ncclSystemError;
}

API ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	return left("ncclCommDestroy", comm, false);
}

API ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	return left("ncclCommAbort", comm, true);
}

API ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	real_t f = real_function("ncclCommGetAsyncError");
	ncclResult_t result = f ? ((ncclResult_t (*)(ncclComm_t, ncclResult_t *))f)(comm, error) : ncclSystemError;

	if (result == ncclSuccess && *error == ncclSuccess)
		*error = shadow_error(comm);
	return result;
}
