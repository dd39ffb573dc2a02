/*
 * Shared memory as sealed memfds. Ranks of the same process find a mapping in a table by its key; other processes open
 * the owner's file descriptor through /proc and verify what they got before they map it.
 */
#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS, O_PATH, statx */
#include "runtime/host/shared.h"

#include "runtime/core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Seals that fix the file's size, so that accessing a mapping can never fault for lack of pages. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* The kernel's internal file system for memfd_create, which cannot be a mounted one. 0: unknown, and not the device of
 * any file. */
static dev_t memory_device;
static pthread_once_t memory_device_once = PTHREAD_ONCE_INIT;

/* One mapping, and the number of ranks of this process that use it. */
struct shared {
	void *base;
	size_t bytes;
	int file;  /* -1 once settled, or if another process created it */
	bool lent; /* caller-owned memory, which must not be unmapped */
	unsigned users;
	uint64_t key;
	int64_t owner; /* the process whose table it is in, since a forked child inherits the table */
	struct shared *next;
};

/* What this process offers: created here and not settled yet. The lock also protects `users` and `file` of every
 * mapping. */
static struct shared *offered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct shared *record(void *base, size_t bytes)
{
	struct shared *s = calloc(1, sizeof *s);

	if (!s)
		sccli_fail(SCCL_NO_MEMORY, "no memory for a mapping's record");
	else
		*s = (struct shared){.base = base, .bytes = bytes, .file = -1, .users = 1};
	return s;
}

static struct shared *map_file(int file, size_t bytes)
{
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (base == MAP_FAILED) {
		sccli_fail(SCCL_NO_MEMORY, "cannot map %zu bytes of shared memory: %s", bytes, strerror(errno));
		return NULL;
	}
	(void)madvise(base, bytes, MADV_HUGEPAGE); /* only a hint; small pages work too */
	struct shared *s = record(base, bytes);
	if (!s)
		munmap(base, bytes);
	return s;
}

/* From now on, ranks of this process find S by HANDLE. */
static void offer(struct shared *s, struct shared_handle *handle)
{
	s->key = handle->key;
	s->owner = handle->owner.pid;
	pthread_mutex_lock(&lock);
	s->next = offered;
	offered = s;
	pthread_mutex_unlock(&lock);
}

static sccl_status_t begin_handle(struct shared_handle *handle)
{
	memset(handle, 0, sizeof *handle);
	handle->file = -1;
	return sccli_process_self(&handle->owner) && sccli_process_random(&handle->key) ? SCCL_OK : SCCL_SYSTEM;
}

/* The file's name contains the key under which it may be opened. */
static void file_name(uint64_t key, char name[32])
{
	snprintf(name, 32, "sccl-%016llx", (unsigned long long)key);
}

static void find_memory_device(void)
{
	struct stat st;
	int file = memfd_create("sccl", MFD_CLOEXEC);

	if (file < 0)
		return;
	if (fstat(file, &st) == 0)
		memory_device = st.st_dev;
	close(file);
}

/* Whether FILE permanently has this size. The size is reliable only once it is sealed; until then the owner can change
 * it. */
static bool is_fixed(int file, size_t bytes, struct stat *st)
{
	int seals = fcntl(file, F_GET_SEALS);
	return seals >= 0 && (seals & SEALS) == SEALS && fstat(file, st) == 0 && (uint64_t)st->st_size == bytes;
}

static int make_file(size_t bytes, struct shared_handle *handle)
{
	struct stat st;
	char name[32];

	file_name(handle->key, name);
	int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file < 0) {
		sccli_fail(SCCL_SYSTEM, "cannot create shared memory: %s", strerror(errno));
		return -1;
	}
	if (bytes > (size_t)INT64_MAX || ftruncate(file, (off_t)bytes) != 0) {
		sccli_fail(SCCL_NO_MEMORY, "cannot allocate %zu bytes of shared memory: %s", bytes, strerror(errno));
	} else if (fcntl(file, F_ADD_SEALS, SEALS) != 0) {
		sccli_fail(SCCL_SYSTEM, "cannot seal the size of shared memory: %s", strerror(errno));
	} else if (!is_fixed(file, bytes, &st)) { /* a process of the same user may have opened and resized it before it
	                                           * was sealed */
		sccli_fail(SCCL_SYSTEM, "another process has changed the size of shared memory");
	} else {
		handle->file = file;
		handle->inode = (uint64_t)st.st_ino;
		return file;
	}
	close(file);
	return -1;
}

sccl_status_t sccli_shared_create(struct shared **s, size_t bytes, struct shared_handle *handle)
{
	*s = NULL;
	if (begin_handle(handle) != SCCL_OK)
		return SCCL_SYSTEM;
	int file = make_file(bytes, handle);
	if (file < 0)
		return SCCL_NO_MEMORY;
	*s = map_file(file, bytes);
	if (!*s) {
		close(file);
		return SCCL_NO_MEMORY;
	}
	(*s)->file = file;
	offer(*s, handle);
	return SCCL_OK;
}

sccl_status_t sccli_shared_adopt(struct shared **s, void *memory, size_t bytes, struct shared_handle *handle)
{
	*s = NULL;
	if (begin_handle(handle) != SCCL_OK)
		return SCCL_SYSTEM;
	*s = record(memory, bytes);
	if (!*s)
		return SCCL_NO_MEMORY;
	(*s)->lent = true;
	offer(*s, handle);
	return SCCL_OK;
}

static struct shared *find_offered(uint64_t key, int64_t owner, size_t bytes)
{
	struct shared *s = offered;

	while (s && (s->key != key || s->owner != owner || s->bytes != bytes))
		s = s->next;
	return s;
}

static sccl_status_t open_here(struct shared **s, size_t bytes, const struct shared_handle *h)
{
	pthread_mutex_lock(&lock);
	*s = find_offered(h->key, h->owner.pid, bytes);
	if (*s)
		(*s)->users++;
	pthread_mutex_unlock(&lock);
	return *s ? SCCL_OK : sccli_fail(SCCL_SYSTEM, "a rank offers %zu bytes of memory that this process does not have", bytes);
}

/*
 * Reopens FOUND, an O_PATH descriptor, for reading and writing; this is the first open with side effects. Returns -1 on
 * failure, with errno EPERM if the file's size is not fixed.
 */
static bool is_the_memory(int found, const struct shared_handle *h)
{
	struct statx st;
	char name[32], path[64], wanted[64], link[64];

	pthread_once(&memory_device_once, find_memory_device);
	file_name(h->key, name);
	snprintf(path, sizeof path, "/proc/self/fd/%d", found);
	snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", name);
	ssize_t n = readlink(path, link, sizeof link);
	return n == (ssize_t)strlen(wanted) && memcmp(link, wanted, (size_t)n) == 0 &&
	       statx(found, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &st) == 0 && S_ISREG(st.stx_mode) &&
	       st.stx_uid == geteuid() && memory_device != 0 && makedev(st.stx_dev_major, st.stx_dev_minor) == memory_device &&
	       st.stx_ino == h->inode;
}

/* Reopens FOUND, an O_PATH descriptor, for reading and writing; this is the first open with side effects. Returns -1 on
 * failure, or with EPERM if the file's size is not fixed. */
static int open_memory(int found, size_t bytes)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", found);
	int file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0 || is_fixed(file, bytes, &st))
		return file;
	close(file);
	errno = EPERM;
	return -1;
}

static sccl_status_t open_elsewhere(struct shared **s, size_t bytes, const struct shared_handle *h)
{
	long long pid = (long long)h->owner.pid, number = (long long)h->file;
	char path[64];
	int file = -1;

	if (number < 0)
		return sccli_fail(SCCL_UNSUPPORTED, "memory of process %lld cannot be opened by another process: let the runtime "
				  "allocate it (sccl_memory_create)", pid);
	snprintf(path, sizeof path, "/proc/%lld/fd/%lld", pid, number);
	int found = open(path, O_PATH | O_CLOEXEC);
	if (found >= 0 && !is_the_memory(found, h)) {
		close(found);
		return sccli_fail(SCCL_SYSTEM, "process %lld, seen from here, does not have the %zu bytes of shared memory that it "
				  "offers: ranks must see each other's processes", pid, bytes);
	}
	if (found >= 0)
		file = open_memory(found, bytes);
	int why = errno;
	if (found >= 0)
		close(found);
	if (file < 0)
		return sccli_fail(SCCL_SYSTEM, "cannot open the shared memory of process %lld: %s", pid, strerror(why));
	*s = map_file(file, bytes);
	close(file);
	return *s ? SCCL_OK : SCCL_SYSTEM;
}

sccl_status_t sccli_shared_open(struct shared **s, size_t bytes, const struct shared_handle *h)
{
	struct process self;

	*s = NULL;
	if (!sccli_process_self(&self))
		return SCCL_SYSTEM;
	return sccli_process_same(&self, &h->owner) ? open_here(s, bytes, h) : open_elsewhere(s, bytes, h);
}

/* Requires the lock. */
static void settle(struct shared *s)
{
	struct shared **at = &offered;

	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	if (s->file >= 0)
		close(s->file);
	s->file = -1;
}

void sccli_shared_settle(struct shared *s)
{
	pthread_mutex_lock(&lock);
	settle(s);
	pthread_mutex_unlock(&lock);
}

void sccli_shared_keep(struct shared *s)
{
	pthread_mutex_lock(&lock);
	s->users++;
	pthread_mutex_unlock(&lock);
}

void sccli_shared_close(struct shared *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&lock);
	bool last = --s->users == 0;
	if (last)
		settle(s);
	pthread_mutex_unlock(&lock);
	if (!last)
		return;
	if (!s->lent)
		munmap(s->base, s->bytes);
	free(s);
}

void *sccli_shared_base(const struct shared *s)
{
	return s->base;
}
