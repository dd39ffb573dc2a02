/* What others do between two system calls of the runtime: functions of the C library that it calls are ours here, and do it
 * just then. */

#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS, AT_EMPTY_PATH */
#include "tests/runtime/spy.h"

#include "runtime/device.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(races, .description = "what happens between a check and what it is for", .timeout = 60);

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

static void nothing(const char *path, int file)
{
	(void)path, (void)file;
}

/* Called before the function of that name does what it is for. */
static void (*before_open)(const char *path, int flags) = nothing;
static void (*before_seal)(const char *unused, int file) = nothing;

int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	before_open(path, flags);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fcntl(int file, int command, ...)
{
	va_list ap;
	va_start(ap, command);
	long argument = va_arg(ap, long);
	va_end(ap);
	if (command == F_ADD_SEALS)
		before_seal(NULL, file);
	return (int)syscall(SYS_fcntl, file, command, argument);
}

/* WORK in a process of its own; its exit status, or -1 where a signal ended it. */
static int apart(int (*work)(void))
{
	int status;
	fflush(NULL);
	pid_t child = fork();

	if (child == 0)
		_exit(work());
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- shared memory ---- */

static int victim = -1;

/* What the other rank offers is all that it should be, but not sealed yet. */
static void offer_unsealed(void *context, unsigned char *blob, size_t bytes, bool own)
{
	union piece_handle h;
	struct stat st;
	char name[32];

	(void)context;
	if (own || bytes != sizeof h)
		return;
	memcpy(&h, blob, sizeof h);
	if (fstat((int)h.shared.file, &st) != 0)
		_exit(3);
	snprintf(name, sizeof name, "sccl-%016llx", (unsigned long long)h.shared.key);
	victim = memfd_create(name, MFD_ALLOW_SEALING);
	if (ftruncate(victim, st.st_size) != 0 || fstat(victim, &st) != 0)
		_exit(3);
	h.shared.owner.nonce++;
	h.shared.file = victim;
	h.shared.inode = (uint64_t)st.st_ino;
	memcpy(blob, &h, sizeof h);
}

static void shorten_and_seal(const char *path, int flags)
{
	if (victim < 0 || (flags & O_ACCMODE) != O_RDWR || strncmp(path, "/proc/self/fd/", 14) != 0)
		return;
	if (ftruncate(victim, 0) != 0 || syscall(SYS_fcntl, victim, F_ADD_SEALS, SEALS) != 0)
		_exit(4);
}

static int meet_with_short_memory(void)
{
	struct forger f = {.rank = 1, .ranks = 2, .forge = offer_unsealed};
	sccl_bootstrap_t b = forger_bootstrap(&f);
	sccl_comm_t *comm = NULL;

	before_open = shorten_and_seal;
	sccl_status_t status = sccl_comm_create(&comm, 1, 2, &b, NULL);
	return status == SCCL_OK || victim < 0;
}

Test(races, memory_that_is_shortened_once_it_was_looked_at_is_refused)
{
	cr_expect(eq(int, apart(meet_with_short_memory), 0));
}

static void shorten(const char *unused, int file)
{
	(void)unused;
	if (ftruncate(file, 0) != 0)
		_exit(4);
}

static void forge_nothing(void *context, unsigned char *blob, size_t bytes, bool own)
{
	(void)context, (void)blob, (void)bytes, (void)own;
}

static int make_memory_that_others_shorten(void)
{
	struct forger f = {.rank = 0, .ranks = 1, .forge = forge_nothing};
	sccl_bootstrap_t b = forger_bootstrap(&f);
	sccl_comm_t *comm = NULL;

	before_seal = shorten;
	sccl_status_t status = sccl_comm_create(&comm, 0, 1, &b, NULL);
	return status == SCCL_OK || !strstr(sccl_error_text(), "has changed the size");
}

Test(races, memory_that_is_shortened_before_it_is_sealed_is_not_used)
{
	cr_expect(eq(int, apart(make_memory_that_others_shorten), 0));
}
