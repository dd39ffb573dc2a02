#ifndef SCCL_RUNTIME_HOST_SHARED_H
#define SCCL_RUNTIME_HOST_SHARED_H

/* Memory of a rank that other processes of this machine can open. It has no name in any file system, so nothing is left
 * behind, however a process ends. */

#include "runtime/core/process.h"

#include <sccl/sccl.h>

struct shared;

/*
 * What another rank needs to open the memory, sent as is. It contains no address and no size. In the owner's process
 * the memory is looked up by its key; in other processes the file must be one that the runtime created under that key.
 * The process that opens it must know the number of bytes.
 */
struct shared_handle {
	struct process owner;
	uint64_t key; /* random */
	uint64_t inode;
	int64_t file; /* -1: only the owner's process can open it */
};

/* Allocates zeroed, page-aligned memory. The handle can be opened until sccli_shared_settle. */
sccl_status_t sccli_shared_create(struct shared **s, size_t bytes, struct shared_handle *handle);
/* Wraps caller-owned memory, which only threads of this process can open. */
sccl_status_t sccli_shared_adopt(struct shared **s, void *memory, size_t bytes, struct shared_handle *handle);
/*
 * In the owner's process this returns the same mapping with one more user; elsewhere it creates a new mapping. HANDLE
 * may contain anything: unless it names BYTES of shared memory, created by a process of the same user and not yet
 * settled, the result is an error.
 */
sccl_status_t sccli_shared_open(struct shared **s, size_t bytes, const struct shared_handle *handle);
/* Call once all ranks have opened it: the handle can no longer be opened. */
void sccli_shared_settle(struct shared *s);
/* One more user, who closes it too. */
void sccli_shared_keep(struct shared *s);
/* The last user in a process unmaps the memory. NULL is allowed. */
void sccli_shared_close(struct shared *s);
/* Address of the memory in this process. */
void *sccli_shared_base(const struct shared *s);

#endif
