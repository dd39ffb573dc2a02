/*
 * Stands in for libnccl.so.2: makes communicators that do nothing, and appends a line for each call to the file that
 * STAND_IN_NCCL_LOG names. What must never reach it can so be told from what must.
 */

#include "runtime/nccl/abi.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the prototypes are NCCL's */
#define API __attribute__((visibility("default")))

struct ncclComm {
	int ranks, rank;
};

static _Thread_local int depth;

/* One write a line, so that the lines of many processes do not mix. */
static ncclResult_t record(const char *format, ...) __attribute__((format(printf, 1, 2)));
static ncclResult_t record(const char *format, ...)
{
	const char *path = getenv("STAND_IN_NCCL_LOG");
	int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	char line[256];
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	if (file < 0 || write(file, line, (size_t)n) != n)
		return ncclSystemError;
	close(file);
	return ncclSuccess;
}

API ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	static int made;

	memset(id, 0, sizeof *id);
	snprintf(id->internal, sizeof id->internal, "%d %d", (int)getpid(), made++);
	return ncclSuccess;
}

API ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
	(void)id;
	*comm = malloc(sizeof **comm);
	if (!*comm)
		return ncclSystemError;
	**comm = (struct ncclComm){ranks, rank};
	return record("CommInitRank %d of %d\n", rank, ranks);
}

API ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config)
{
	(void)config;
	return ncclCommInitRank(comm, ranks, id, rank);
}

API ncclResult_t ncclCommInitAll(ncclComm_t *comms, int n, const int *devices)
{
	ncclUniqueId id = {{0}};
	ncclResult_t result = ncclSuccess;

	(void)devices;
	for (int i = 0; i < n && result == ncclSuccess; i++)
		result = ncclCommInitRank(&comms[i], n, id, i);
	return result;
}

/* All ranks are in one part, in the opposite order. */
API ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *part, ncclConfig_t *config)
{
	(void)config;
	*part = color < 0 ? NULL : malloc(sizeof **part);
	if (*part)
		**part = (struct ncclComm){comm->ranks, comm->ranks - 1 - comm->rank};
	return record("CommSplit %d: color %d, key %d\n", comm->rank, color, key);
}

API ncclResult_t ncclCommShrink(ncclComm_t comm, int *without, int n, ncclComm_t *rest, ncclConfig_t *config, int flags)
{
	int before = 0;

	(void)config;
	for (int i = 0; i < n; i++)
		before += without[i] < comm->rank;
	*rest = malloc(sizeof **rest);
	if (!*rest)
		return ncclSystemError;
	**rest = (struct ncclComm){comm->ranks - n, comm->rank - before};
	return record("CommShrink %d: without %d, flags %d\n", comm->rank, n, flags);
}

API ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes, ncclWindow_t *window, int flags)
{
	memcpy(window, &buffer, sizeof buffer);
	return record("CommWindowRegister %d: %zu, flags %d\n", comm->rank, bytes, flags);
}

API ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window)
{
	(void)window;
	return record("CommWindowDeregister %d\n", comm->rank);
}

API ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	free(comm);
	return record("CommDestroy\n");
}
API ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	free(comm);
	return record("CommAbort\n");
}
API ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	(void)comm;
	*error = ncclSuccess;
	return ncclSuccess;
}
API ncclResult_t ncclCommCount(const struct ncclComm *comm, int *count)
{
	*count = comm->ranks;
	return ncclSuccess;
}
API ncclResult_t ncclGroupStart(void)
{
	depth++;
	return ncclSuccess;
}
API ncclResult_t ncclGroupEnd(void)
{
	return depth-- > 0 ? ncclSuccess : ncclInvalidUsage;
}

API ncclResult_t ncclAllReduce(const void *in, void *out, size_t n, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, ncclStream_t s)
{
	(void)in, (void)out, (void)s;
	return record("AllReduce %d: %zu, type %d, op %d, of %d%s\n", comm->rank, n, type, op, comm->ranks, depth ? ", in a group" : "");
}
API ncclResult_t ncclAllGather(const void *in, void *out, size_t n, ncclDataType_t type, ncclComm_t comm, ncclStream_t s)
{
	(void)in, (void)out, (void)s;
	return record("AllGather %d: %zu, type %d\n", comm->rank, n, type);
}
API ncclResult_t ncclReduceScatter(const void *in, void *out, size_t n, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, ncclStream_t s)
{
	(void)in, (void)out, (void)s;
	return record("ReduceScatter %d: %zu, type %d, op %d\n", comm->rank, n, type, op);
}
API ncclResult_t ncclBroadcast(const void *in, void *out, size_t n, ncclDataType_t type, int root, ncclComm_t comm, ncclStream_t s)
{
	(void)in, (void)out, (void)s;
	return record("Broadcast %d: %zu, type %d, root %d\n", comm->rank, n, type, root);
}
API ncclResult_t ncclReduce(const void *in, void *out, size_t n, ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm, ncclStream_t s)
{
	(void)in, (void)out, (void)s;
	return record("Reduce %d: %zu, type %d, op %d, root %d\n", comm->rank, n, type, op, root);
}
API ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type, ncclScalarResidence_t residence, ncclComm_t comm)
{
	(void)scalar;
	*op = (ncclRedOp_t)(NCCL_OPS + 1);
	return record("CommRedOp %d: type %d, residence %d\n", comm->rank, type, residence);
}
API ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
	return record("CommRedOp %d: destroyed %d\n", comm->rank, op);
}
API ncclResult_t ncclSend(const void *in, size_t n, ncclDataType_t type, int peer, ncclComm_t comm, ncclStream_t s)
{
	(void)in, (void)type, (void)s;
	return record("Send %d: %zu to %d\n", comm->rank, n, peer);
}
