/*
 * The bootstrap of unrelated processes: a star of Unix sockets. Rank 0 listens and gathers, the others send what is
 * theirs and hear what is everyone's. A socket that closes is a rank that has gone.
 */

#define _GNU_SOURCE /* accept4 */
#include "runtime/bootstrap_socket.h"
#include "runtime/status.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { STAR_RANKS_MAX = 4096 };

struct star {
	uint32_t rank, ranks;
	double timeout;
	bool broken; /* a meeting has failed: what lies in the sockets belongs to no other */
	int files[]; /* rank 0: one a rank, its own -1; the others: files[0] alone */
};

/* The first thing that a rank says. */
struct hello {
	char magic[8];
	uint32_t rank, ranks;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* When a wait that begins now must have ended; never where the timeout is 0. */
static double deadline(double timeout)
{
	return timeout > 0 ? now() + timeout : 1e300;
}

static bool await(int file, short events, double end)
{
	struct pollfd p = {.fd = file, .events = events};
	for (;;) {
		double left = end - now();
		int n = poll(&p, 1, left > 1000 ? 1000000 : left > 0 ? (int)(left * 1000) + 1 : 0);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR) {
			sccli_fail(SCCL_SYSTEM, "cannot wait for a socket: %s", strerror(errno));
			return false;
		}
		if (left <= 0) {
			sccli_fail(SCCL_TIMEOUT, "the other ranks did not come in time");
			return false;
		}
	}
}

static bool gone(uint32_t rank, ssize_t n)
{
	if (n < 0)
		sccli_fail(SCCL_SYSTEM, "the socket of rank %u fails: %s", rank, strerror(errno));
	else
		sccli_fail(SCCL_DEAD_RANK, "rank %u has gone", rank);
	return false;
}

static bool send_all(int file, uint32_t rank, const void *data, size_t bytes, double end)
{
	const char *at = data;
	while (bytes > 0) {
		ssize_t n = await(file, POLLOUT, end) ? send(file, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) : -2;
		if (n == -2)
			return false;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return gone(rank, n);
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool receive_all(int file, uint32_t rank, void *data, size_t bytes, double end)
{
	char *at = data;
	while (bytes > 0) {
		ssize_t n = await(file, POLLIN, end) ? recv(file, at, bytes, MSG_DONTWAIT) : -2;
		if (n == -2)
			return false;
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return gone(rank, n);
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool gather(const struct star *s, const void *mine, char *all, size_t bytes, double end)
{
	memcpy(all, mine, bytes);
	for (uint32_t r = 1; r < s->ranks; r++)
		if (!receive_all(s->files[r], r, all + r * bytes, bytes, end))
			return false;
	for (uint32_t r = 1; r < s->ranks; r++)
		if (!send_all(s->files[r], r, all, s->ranks * bytes, end))
			return false;
	return true;
}

/* The others then see that this one has gone, at once. */
static void leave(struct star *s)
{
	for (uint32_t i = 0; i < s->ranks; i++) {
		if (s->files[i] >= 0)
			close(s->files[i]);
		s->files[i] = -1;
	}
	s->broken = true;
}

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
	struct star *s = context;
	double end = deadline(s->timeout);
	bool met;

	if (s->broken) {
		sccli_fail(SCCL_BOOTSTRAP, "a meeting of these ranks has failed before");
		return -1;
	}
	if (s->rank == 0)
		met = gather(s, mine, all, bytes, end);
	else
		met = send_all(s->files[0], 0, mine, bytes, end) && receive_all(s->files[0], 0, all, s->ranks * bytes, end);
	if (!met)
		leave(s);
	return met ? 0 : -1;
}

static int barrier(void *context)
{
	struct star *s = context;
	char mine = 0, *all = malloc(s->ranks);
	int status = all ? allgather(context, &mine, all, 1) : -1;
	free(all);
	return status;
}

/* A name that begins with @ is in no file system. */
static bool make_address(const char *path, struct sockaddr_un *address, socklen_t *length)
{
	size_t n = strlen(path);

	memset(address, 0, sizeof *address);
	address->sun_family = AF_UNIX;
	if (n == 0 || n >= sizeof address->sun_path) {
		sccli_fail(SCCL_INVALID, "a socket's name has 1 to %zu bytes, not %zu", sizeof address->sun_path - 1, n);
		return false;
	}
	memcpy(address->sun_path, path, n);
	if (path[0] == '@')
		address->sun_path[0] = 0;
	*length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	return true;
}

static bool accept_one(struct star *s, int listener, double end)
{
	static const struct hello expected = {"sccl-1", 0, 0};
	struct hello hello;

	if (!await(listener, POLLIN, end))
		return false;
	int file = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (file < 0) {
		sccli_fail(SCCL_SYSTEM, "cannot accept a rank: %s", strerror(errno));
		return false;
	}
	bool good = receive_all(file, 0, &hello, sizeof hello, end);
	if (good && (memcmp(hello.magic, expected.magic, sizeof hello.magic) != 0 || hello.ranks != s->ranks ||
	             hello.rank == 0 || hello.rank >= s->ranks || s->files[hello.rank] >= 0)) {
		sccli_fail(SCCL_MISMATCH, "rank %u of %u came to a meeting of %u where it has no place", hello.rank,
		           hello.ranks, s->ranks);
		good = false;
	}
	if (good)
		s->files[hello.rank] = file;
	else
		close(file);
	return good;
}

static bool listen_for_all(struct star *s, const char *path, const struct sockaddr_un *address, socklen_t length, double end)
{
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool bound = listener >= 0 && bind(listener, (const struct sockaddr *)address, length) == 0;
	bool good = bound && listen(listener, (int)s->ranks) == 0;

	if (!good)
		sccli_fail(SCCL_SYSTEM, "cannot listen at %s: %s", path, strerror(errno));
	for (uint32_t i = 1; i < s->ranks && good; i++)
		good = accept_one(s, listener, end);
	if (listener >= 0)
		close(listener);
	if (bound && path[0] != '@')
		unlink(path);
	return good;
}

/* Rank 0 may not be there yet. */
static bool connect_to_first(struct star *s, const char *path, const struct sockaddr_un *address, socklen_t length,
                             double end)
{
	const struct timespec nap = {0, 5000000};
	struct hello hello = {"sccl-1", s->rank, s->ranks};

	for (;;) {
		int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (file >= 0 && connect(file, (const struct sockaddr *)address, length) == 0) {
			s->files[0] = file;
			return send_all(file, 0, &hello, sizeof hello, end);
		}
		int why = errno;
		if (file >= 0)
			close(file);
		if (now() > end || (why != ENOENT && why != ECONNREFUSED && why != EINTR && why != EAGAIN)) {
			sccli_fail(SCCL_SYSTEM, "cannot reach rank 0 at %s: %s", path, strerror(why));
			return false;
		}
		nanosleep(&nap, NULL);
	}
}

void sccli_socket_patience(sccl_bootstrap_t *bootstrap, double timeout)
{
	((struct star *)bootstrap->context)->timeout = timeout;
}

void sccl_socket_close(sccl_bootstrap_t *bootstrap)
{
	struct star *s = bootstrap ? bootstrap->context : NULL;
	if (!s)
		return;
	leave(s);
	free(s);
	*bootstrap = (sccl_bootstrap_t){NULL, NULL, NULL};
}

sccl_status_t sccl_socket_open(sccl_bootstrap_t *bootstrap, const char *path, uint32_t rank, uint32_t ranks, double timeout)
{
	struct sockaddr_un address;
	socklen_t length;

	if (!bootstrap || !path)
		return sccli_fail(SCCL_INVALID, "sccl_socket_open needs a path and a place for the bootstrap");
	*bootstrap = (sccl_bootstrap_t){NULL, NULL, NULL};
	if (ranks < 1 || ranks > STAR_RANKS_MAX || rank >= ranks || !(timeout >= 0))
		return sccli_fail(SCCL_INVALID, "there is no rank %u of %u, or no timeout of %g seconds", rank, ranks, timeout);
	if (!make_address(path, &address, &length))
		return SCCL_INVALID;
	struct star *s = malloc(sizeof *s + ranks * sizeof *s->files);
	if (!s)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for %u sockets", ranks);
	*s = (struct star){.rank = rank, .ranks = ranks, .timeout = timeout};
	for (uint32_t i = 0; i < ranks; i++)
		s->files[i] = -1;
	double end = deadline(timeout);
	bool met = rank == 0 ? listen_for_all(s, path, &address, length, end)
	                     : connect_to_first(s, path, &address, length, end);
	*bootstrap = (sccl_bootstrap_t){s, allgather, barrier};
	if (!met || barrier(s) != 0) {
		sccl_socket_close(bootstrap);
		return SCCL_BOOTSTRAP;
	}
	return SCCL_OK;
}
