#ifndef SCCL_RUNTIME_GPU_GPU_MEMORY_INSIDE_H
#define SCCL_RUNTIME_GPU_GPU_MEMORY_INSIDE_H

/* What gpu_memory.c (allocating, keeping and freeing) and gpu_export.c (how others open it) know of a piece. */

#include "runtime/core/device.h"
#include "runtime/gpu/gpu_driver.h"
#include "runtime/gpu/gpu_virtual.h"
#include "runtime/host/files.h"
#include "runtime/host/shared.h"

#include <stdatomic.h>
#include <stdbool.h>

/* How memory leaves its process. */
enum gpu_way { WAY_IPC, WAY_FILE, WAY_FABRIC, WAY_HOST };

/*
 * A driver may free exported memory only after all importers have closed it, but ranks close their pieces at any time.
 * Therefore the number of users of a piece is kept in CPU memory that they share, and the owner keeps memory that it
 * cannot free yet.
 *
 * Freeing, closing and unmapping also wait for all kernels of the GPU and of those that can reach it, and one of them may be
 * waiting for a rank whose call is to come from this very thread. So memory is kept for the next piece of its size, and
 * freed when the last call of every communicator of this process is done, or this process has no piece left.
 */
struct gpu_memory {
	struct unit unit;
	void *base;  /* of the allocation, or of the opened handle */
	uint8_t *at; /* of the piece */
	size_t bytes, whole; /* of the piece; of an own allocation */
	/* HOSTED: memory of the host in place of the GPU's, behind the count of users; IMPORTED: another process's; MAPPED: no
	 * piece, but memory of the host that kernels see; TEAM: a multicast object (gpu_multicast.c). */
	enum { OWN, ADOPTED, HOSTED, OPENED, IMPORTED, SEEN, MAPPED, TEAM } how;
	enum gpu_way way;            /* of what is OPENED */
	struct gpu_virtual mapping;  /* of memory that cuMemCreate made; bytes 0: by other means */
	struct file_ticket ticket;   /* of memory that is offered as a file; 0: it is not */
	bool bound;                  /* to a multicast object; of that itself: memory is bound to it */
	struct shared *users; /* NULL: no other rank can have opened it */
	struct gpu_memory *next, *next_offered;
};

/* What is sent to the other ranks. Within the owner's process, the piece is identified as the offered one with these
 * users. */
struct gpu_handle {
	struct shared_handle users;
	union {
		struct gpu_ipc ipc;        /* or a fabric handle, of the same size */
		struct file_ticket ticket;
	} to;
	uint64_t offset; /* of the piece within its allocation */
	uint64_t whole;  /* of that, in bytes, as files and fabric handles need it */
	uint64_t way;    /* WAY_HOST: the memory is the host's, and lies behind the users */
};

enum { HOSTED_AT = 4096 }; /* offset behind the count of users */
enum { GPU_WHOLE = 2 << 20 }; /* mapping granularity of drivers: smaller pieces could share a mapping with other data, which
                               * would be exported with them */

static inline atomic_uint *gpu_users(const struct gpu_memory *m)
{
	return sccli_shared_base(m->users);
}

/* Is this way allowed? SCCL_GPU_EXPORT in the environment (ipc, file, fabric, host) allows only one. */
bool sccli_gpu_may_leave(enum gpu_way way);
/* Fills in what other ranks need to open a piece, and offers it. */
sccl_status_t sccli_gpu_export(const struct gpu_driver *d, struct gpu_memory *m, enum piece_reach reach, struct gpu_handle *h);
/* Where the driver exports no memory (in some containers and virtual machines), other processes share the host's. */
sccl_status_t sccli_gpu_export_host(const struct gpu_driver *d, struct gpu_memory *m, struct gpu_handle *h);
/* Other ranks can open it no longer; one that is not offered is allowed. */
void sccli_gpu_withdraw(struct gpu_memory *m);
/* The same for a handle of cuMemCreate or cuMulticastCreate, as a file or a fabric handle. False: not so. */
bool sccli_gpu_export_virtual(const struct gpu_driver *d, struct gpu_memory *m, unsigned long long handle, struct gpu_handle *h);
/* Takes such a handle into M's mapping, which is not mapped yet. */
sccl_status_t sccli_gpu_import_virtual(const struct gpu_driver *d, const struct gpu_handle *h, struct gpu_memory *m);
/* Releases M when no call is on its way (sweep). */
void sccli_gpu_free_later(struct gpu_memory *m);
/* Opens what H offers as M, whose unit is given. */
sccl_status_t sccli_gpu_import(const struct gpu_driver *d, const struct gpu_handle *h, size_t bytes, struct gpu_memory *m,
                               struct piece *piece);

#endif
