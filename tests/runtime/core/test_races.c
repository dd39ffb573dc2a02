/* What others do between two system calls of the runtime: functions of the C library that it calls are ours here, and do it
 * just then. */

#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS, AT_EMPTY_PATH */
#include "tests/runtime/spy.h"

#include "runtime/core/device.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
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
static void (*before_unlink)(const char *name, int folder) = nothing;
static void (*before_rename)(const char *name, int folder) = nothing;

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

int unlinkat(int folder, const char *name, int flags)
{
	before_unlink(name, folder);
	return (int)syscall(SYS_unlinkat, folder, name, flags);
}

int renameat(int from, const char *old, int to, const char *new)
{
	before_rename(old, from);
	return (int)syscall(SYS_renameat2, from, old, to, new, 0);
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

/* ---- the socket's file ---- */

static char path[64];
static int other = -1; /* who listens in between */
static int seen;

static struct sockaddr_un address(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	memcpy(a.sun_path, path, strlen(path));
	return a;
}

static bool is_listened_at(void)
{
	struct sockaddr_un a = address();
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = connect(file, (const struct sockaddr *)&a, sizeof a) == 0;
	close(file);
	return yes;
}

static int listen_at_path(void)
{
	struct sockaddr_un a = address();
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bind(file, (const struct sockaddr *)&a, sizeof a) != 0 || listen(file, 4) != 0)
		abort();
	return file;
}

static void look_who_listens(const char *name, int folder)
{
	(void)folder;
	if (strcmp(name, "socket") == 0)
		seen = is_listened_at() ? 1 : 2;
}

Test(races, a_name_is_given_up_before_its_socket)
{
	char folder[] = "/tmp/sccl-races-XXXXXX";
	sccl_bootstrap_t b;

	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/socket", folder);
	before_unlink = look_who_listens;
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 1, 5), SCCL_OK), "%s", sccl_error_text());
	sccl_socket_close(&b);
	cr_expect(eq(int, seen, 1), "while nobody listens another rank 0 may have put its own socket there");
	cr_expect(eq(int, rmdir(folder), 0));
}

static void another_is_faster(const char *name, int folder)
{
	(void)name, (void)folder;
	before_rename = nothing;
	unlink(path);
	other = listen_at_path();
}

Test(races, of_two_who_replace_a_dead_socket_one_is_refused)
{
	char folder[] = "/tmp/sccl-races-XXXXXX";
	sccl_bootstrap_t b;

	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/socket", folder);
	close(listen_at_path());
	before_rename = another_is_faster;
	cr_expect(eq(int, sccl_socket_open(&b, path, 0, 1, 5), SCCL_BOOTSTRAP));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "another rendezvous"), NULL), "%s", sccl_error_text());
	cr_expect(is_listened_at());
	int guest = accept(other, NULL, NULL);
	cr_expect(ge(int, guest, 0), "the name leads elsewhere: %s", strerror(errno));
	close(guest);
	close(other);
	unlink(path);
	cr_expect(eq(int, rmdir(folder), 0));
}
