#define _GNU_SOURCE /* memfd_create */
#include "runtime/shared.h"

#include "runtime/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One mapping, and how many ranks of this process use it. */
struct shared {
	void *base;
	size_t bytes;
	int file; /* -1 once settled, or where another process made it */
	bool lent; /* the caller's memory: not ours to unmap */
	atomic_uint users;
};

static struct shared *map_file(int file, size_t bytes)
{
	struct shared *s = calloc(1, sizeof *s);
	if (!s) {
		sccli_fail(SCCL_NO_MEMORY, "no memory for a mapping's record");
		return NULL;
	}
	*s = (struct shared){.bytes = bytes, .file = -1};
	atomic_init(&s->users, 1);
	s->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (s->base == MAP_FAILED) {
		sccli_fail(SCCL_NO_MEMORY, "cannot map %zu bytes of shared memory: %s", bytes, strerror(errno));
		free(s);
		return NULL;
	}
	(void)madvise(s->base, bytes, MADV_HUGEPAGE); /* a wish; small pages do too */
	return s;
}

sccl_status_t sccli_shared_create(struct shared **s, size_t bytes, struct shared_handle *handle)
{
	struct stat st;

	*s = NULL;
	memset(handle, 0, sizeof *handle);
	if (!sccli_process_self(&handle->owner))
		return SCCL_SYSTEM;
	int file = memfd_create("sccl", MFD_CLOEXEC);
	if (file < 0)
		return sccli_fail(SCCL_SYSTEM, "cannot make shared memory: %s", strerror(errno));
	if (bytes > (size_t)INT64_MAX || ftruncate(file, (off_t)bytes) != 0 || fstat(file, &st) != 0) {
		int why = errno;
		close(file);
		return sccli_fail(SCCL_NO_MEMORY, "cannot make %zu bytes of shared memory: %s", bytes, strerror(why));
	}
	*s = map_file(file, bytes);
	if (!*s) {
		close(file);
		return SCCL_NO_MEMORY;
	}
	(*s)->file = file;
	handle->shared = *s;
	handle->file = file;
	handle->bytes = bytes;
	handle->device = (uint64_t)st.st_dev;
	handle->inode = (uint64_t)st.st_ino;
	return SCCL_OK;
}

sccl_status_t sccli_shared_adopt(struct shared **s, void *memory, size_t bytes, struct shared_handle *handle)
{
	*s = NULL;
	memset(handle, 0, sizeof *handle);
	if (!sccli_process_self(&handle->owner))
		return SCCL_SYSTEM;
	struct shared *made = calloc(1, sizeof *made);
	if (!made)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for a mapping's record");
	*made = (struct shared){.base = memory, .bytes = bytes, .file = -1, .lent = true};
	atomic_init(&made->users, 1);
	handle->shared = made;
	handle->file = -1;
	*s = made;
	return SCCL_OK;
}

/* The number of a process may mean another one here, in another namespace: what was opened must be the very file. */
static bool is_the_file(int file, const struct shared_handle *h)
{
	struct stat st;
	return fstat(file, &st) == 0 && (uint64_t)st.st_dev == h->device && (uint64_t)st.st_ino == h->inode &&
	       (uint64_t)st.st_size == h->bytes;
}

sccl_status_t sccli_shared_open(struct shared **s, const struct shared_handle *h)
{
	struct process self;
	char path[64];

	*s = NULL;
	if (!sccli_process_self(&self))
		return SCCL_SYSTEM;
	if (sccli_process_same(&self, &h->owner)) {
		*s = h->shared;
		atomic_fetch_add(&(*s)->users, 1);
		return SCCL_OK;
	}
	if (h->file < 0)
		return sccli_fail(SCCL_UNSUPPORTED, "memory of process %lld cannot be opened by another process: let the runtime "
				  "make it (sccl_memory_create)", (long long)h->owner.pid);
	snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)h->owner.pid, (int)h->file);
	int file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return sccli_fail(SCCL_SYSTEM, "cannot open the shared memory of process %lld: %s", (long long)h->owner.pid,
		                  strerror(errno));
	if (is_the_file(file, h))
		*s = map_file(file, h->bytes);
	else
		sccli_fail(SCCL_SYSTEM, "process %lld, seen from here, is not the one that made the shared memory: ranks "
		           "must see each other's processes", (long long)h->owner.pid);
	close(file);
	return *s ? SCCL_OK : SCCL_SYSTEM;
}

void sccli_shared_settle(struct shared *s)
{
	if (s->file >= 0)
		close(s->file);
	s->file = -1;
}

void sccli_shared_close(struct shared *s)
{
	if (!s || atomic_fetch_sub(&s->users, 1) != 1)
		return;
	sccli_shared_settle(s);
	if (!s->lent)
		munmap(s->base, s->bytes);
	free(s);
}

void *sccli_shared_base(const struct shared *s)
{
	return s->base;
}
