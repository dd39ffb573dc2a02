#ifndef SCCL_RUNTIME_HOST_SHARED_H
#define SCCL_RUNTIME_HOST_SHARED_H

/* Memory of a rank that other processes of this machine can open. It has no name in any file system: nothing is left
 * behind, however a process ends. */

#include "runtime/core/process.h"

#include <sccl/sccl.h>

struct shared;

/*
 * What another rank needs to open it: sent as it is. It holds no address and no size: in the owner's process the memory is
 * looked up by its key, elsewhere the file must be one that the runtime made under that key, and how many bytes there must
 * be is for the one who opens it to know.
 */
struct shared_handle {
	struct process owner;
	uint64_t key; /* random */
	uint64_t inode;
	int64_t file; /* -1: only the owner's process can open it */
};

/* Zeroed and page-aligned. The handle can be opened until sccli_shared_settle. */
sccl_status_t sccli_shared_create(struct shared **s, size_t bytes, struct shared_handle *handle);
/* Memory that stays the caller's, which only threads of this process can open. */
sccl_status_t sccli_shared_adopt(struct shared **s, void *memory, size_t bytes, struct shared_handle *handle);
/*
 * In the owner's own process this is the same mapping once more, elsewhere a mapping of its own. HANDLE may hold anything:
 * what does not name BYTES of shared memory, made by a process of the same user and not yet settled, is an error.
 */
sccl_status_t sccli_shared_open(struct shared **s, size_t bytes, const struct shared_handle *handle);
/* All have opened it: no one can from now on. */
void sccli_shared_settle(struct shared *s);
/* The last of a process that uses it unmaps it. NULL is fine. */
void sccli_shared_close(struct shared *s);
void *sccli_shared_base(const struct shared *s);

#endif
