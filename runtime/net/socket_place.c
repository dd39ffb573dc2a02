/*
 * Listening and connecting at a path, safely with respect to other processes. A listener binds to a random temporary
 * name, fixes the mode, starts to listen, and only then links the socket to its path, so the path never refers to a
 * socket that is not ready.
 */
#define _GNU_SOURCE /* struct ucred, O_PATH, renameat2 */
#include "runtime/net/socket_place.h"

#include "runtime/core/clock.h"
#include "runtime/core/process.h"
#include "runtime/core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_in_files(const struct socket_place *p)
{
	return p->path[0] != '@';
}

bool sccli_place_read(struct socket_place *p, const char *path)
{
	size_t n = strlen(path);

	*p = (struct socket_place){.path = path, .folder = -1};
	p->address.sun_family = AF_UNIX;
	if (n == 0 || n >= sizeof p->address.sun_path) {
		sccli_fail(SCCL_INVALID, "a socket's name has 1 to %zu bytes, not %zu", sizeof p->address.sun_path - 1, n);
		return false;
	}
	memcpy(p->address.sun_path, path, n);
	if (!is_in_files(p))
		p->address.sun_path[0] = 0;
	p->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	return true;
}

static bool refuse(const struct socket_place *p, const char *why)
{
	sccli_fail(SCCL_SYSTEM, "cannot listen at %s: %s", p->path, why);
	return false;
}

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool sccli_place_is_ours(int file)
{
	struct ucred other;
	socklen_t n = sizeof other;

	if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &other, &n) != 0 || n != sizeof other) {
		sccli_fail(SCCL_SYSTEM, "cannot query the peer of a socket: %s", strerror(errno));
		return false;
	}
	if (other.uid == geteuid())
		return true;
	sccli_fail(SCCL_SYSTEM, "the peer belongs to user %u, this process to user %u", (unsigned)other.uid, (unsigned)geteuid());
	return false;
}

/* ---- a listener's file ---- */

static const char *base_of(const struct socket_place *p)
{
	const char *slash = strrchr(p->path, '/');
	return slash ? slash + 1 : p->path;
}

/* A random name, for a file that no other process should find. */
static bool random_name(char name[32])
{
	uint64_t random;

	if (!sccli_process_random(&random))
		return false;
	snprintf(name, 32, ".sccl-%016llx", (unsigned long long)random);
	return true;
}

static bool open_folder(struct socket_place *p)
{
	char folder[sizeof p->address.sun_path + 1];
	size_t n = (size_t)(base_of(p) - p->path);

	snprintf(folder, sizeof folder, "%.*s", n ? (int)n : 1, n ? p->path : ".");
	p->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return p->folder >= 0 || refuse(p, strerror(errno));
}

/* Sets the mode to 0600, in case the umask removed more bits, and records the file's identity. Links are not followed,
 * and the name is resolved only once. */
static bool settle_mode(struct socket_place *p, const char *name)
{
	char path[64];
	struct stat st;
	int node = openat(p->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	snprintf(path, sizeof path, "/proc/self/fd/%d", node);
	bool good = node >= 0 && fstat(node, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid() && chmod(path, 0600) == 0;
	int why = errno;
	if (node >= 0)
		close(node);
	if (!good)
		return refuse(p, strerror(why));
	p->device = st.st_dev;
	p->inode = st.st_ino;
	return true;
}

/* Binds to a temporary name, through the folder's descriptor, because the path with a longer name may exceed the size
 * of an address. */
static bool bind_apart(struct socket_place *p, int file, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", p->folder, name);
	/* The file's mode is the socket's minus the umask, so it is never more than 0600. */
	if (fchmod(file, 0600) != 0 || bind(file, (const struct sockaddr *)&address, sizeof address) != 0)
		return refuse(p, strerror(errno));
	if (settle_mode(p, name) && (listen(file, SOMAXCONN) == 0 || refuse(p, strerror(errno))))
		return true;
	unlinkat(p->folder, name, 0);
	return false;
}

/*
 * Connects to the socket of NODE, an O_PATH descriptor, so the file cannot be replaced in the meantime and no link is
 * followed. Returns 0 or an errno.
 */
static int connect_to(int file, int node)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat st;

	if (fstat(node, &st) != 0)
		return errno;
	if (!S_ISSOCK(st.st_mode))
		return ENOTSOCK;
	snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", node);
	return connect(file, (const struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
}

/* Whether NODE may be replaced: only a socket of this user on which no process listens, left over by a process that was
 * killed. */
static bool is_left_over(const struct socket_place *p, int node)
{
	struct stat st;

	if (fstat(node, &st) != 0)
		return refuse(p, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return refuse(p, "a file that is not a socket is there");
	if (st.st_uid != geteuid())
		return refuse(p, "a socket of another user is there");
	int file = new_socket(), why = file < 0 ? errno : connect_to(file, node);
	if (file >= 0)
		close(file);
	return why == ECONNREFUSED || refuse(p, "another rendezvous is in progress there");
}

static bool is_named(const struct socket_place *p, const char *name, int node)
{
	struct stat a, b;
	return fstatat(p->folder, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstat(node, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/*
 * Removes the dead socket NODE from the folder. By path alone it could not be distinguished from a socket that another
 * rank 0 has put there in the meantime, so the file is first renamed to a random name and then checked.
 */
static bool clear(const struct socket_place *p, int node)
{
	char aside[32];

	if (!random_name(aside))
		return false;
	if (renameat(p->folder, base_of(p), p->folder, aside) != 0)
		return errno == ENOENT || refuse(p, strerror(errno));
	bool good = is_named(p, aside, node);
	if (!good) /* restore it; ranks that looked for it in the meantime retry */
		(void)!linkat(p->folder, aside, p->folder, base_of(p), 0);
	unlinkat(p->folder, aside, 0);
	return good || refuse(p, "another rendezvous is in progress there");
}

static bool replace(const struct socket_place *p)
{
	int node = openat(p->folder, base_of(p), O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (node < 0)
		return errno == ENOENT || refuse(p, strerror(errno));
	bool good = is_left_over(p, node) && clear(p, node);
	close(node);
	return good;
}

/* Makes NAME available under the path, without replacing an existing file. Returns 0 or an errno. */
static int rename_to_path(const struct socket_place *p, const char *name)
{
	if (linkat(p->folder, name, p->folder, base_of(p), 0) == 0) {
		unlinkat(p->folder, name, 0);
		return 0;
	}
	if (errno == EEXIST) /* otherwise the file system has no hard links */
		return EEXIST;
	return renameat2(p->folder, name, p->folder, base_of(p), RENAME_NOREPLACE) == 0 ? 0 : errno;
}

/* Moves the socket at NAME to its path atomically: ranks that look for it find either nothing or a listening socket. */
static bool publish(const struct socket_place *p, const char *name)
{
	int why = rename_to_path(p, name);
	bool good = why != EEXIST || replace(p);

	if (good && why == EEXIST)
		why = rename_to_path(p, name);
	if (good && why)
		good = refuse(p, why == EEXIST ? "another rendezvous is in progress there" : strerror(why));
	if (!good)
		unlinkat(p->folder, name, 0);
	return good;
}

static bool listen_in_files(struct socket_place *p, int file)
{
	char name[32];

	if (!*base_of(p))
		return refuse(p, "is a folder");
	if (!random_name(name) || !open_folder(p))
		return false;
	bool good = bind_apart(p, file, name) && publish(p, name);
	if (!good) {
		close(p->folder);
		p->folder = -1;
	}
	return good;
}

static bool listen_apart(const struct socket_place *p, int file)
{
	return (bind(file, (const struct sockaddr *)&p->address, p->length) == 0 && listen(file, SOMAXCONN) == 0) ||
	       refuse(p, strerror(errno));
}

int sccli_place_listen(struct socket_place *p)
{
	int file = new_socket();

	if (file < 0) {
		refuse(p, strerror(errno));
		return -1;
	}
	if (is_in_files(p) ? listen_in_files(p, file) : listen_apart(p, file))
		return file;
	close(file);
	return -1;
}

void sccli_place_leave(struct socket_place *p)
{
	struct stat st;

	if (p->folder < 0)
		return;
	if (fstatat(p->folder, base_of(p), &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == p->device && st.st_ino == p->inode)
		unlinkat(p->folder, base_of(p), 0);
	close(p->folder);
	p->folder = -1;
}

/* ---- the connecting ranks ---- */

/* Either nobody listens yet, or the backlog is full (EAGAIN); the socket is non-blocking, because a connect that waits
 * for the backlog would ignore the deadline. */
static bool may_come_later(int why)
{
	return why == ENOENT || why == ECONNREFUSED || why == EINTR || why == EAGAIN;
}

/* Returns 0 or an errno. */
static int connect_once(const struct socket_place *p, int file)
{
	if (!is_in_files(p))
		return connect(file, (const struct sockaddr *)&p->address, p->length) == 0 ? 0 : errno;
	int node = open(p->path, O_PATH | O_NOFOLLOW | O_CLOEXEC), why = node < 0 ? errno : connect_to(file, node);
	if (node >= 0)
		close(node);
	return why;
}

int sccli_place_connect(const struct socket_place *p, double end)
{

	for (;;) {
		int file = new_socket(), why = file < 0 ? errno : connect_once(p, file);
		if (why == 0) {
			if (sccli_place_is_ours(file))
				return file;
			close(file);
			return -1;
		}
		bool again = file >= 0 && may_come_later(why);
		if (file >= 0)
			close(file);
		if (!again || clock_seconds() > end) {
			sccli_fail(SCCL_SYSTEM, "cannot reach rank 0 at %s: %s", p->path, strerror(why));
			return -1;
		}
		clock_sleep(5000);
	}
}
