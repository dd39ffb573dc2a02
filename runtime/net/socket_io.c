/*
 * Sends and receives with poll and a deadline, resuming after partial transfers.
 */
#include "runtime/net/socket_io.h"

#include "runtime/core/clock.h"
#include "runtime/core/status.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

static bool await(int file, short events, double end)
{
	struct pollfd p = {.fd = file, .events = events};
	for (;;) {
		int left = clock_left(end), n = poll(&p, 1, left);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR) {
			sccli_fail(SCCL_SYSTEM, "cannot wait for a socket: %s", strerror(errno));
			return false;
		}
		if (left == 0) {
			sccli_fail(SCCL_TIMEOUT, "the other ranks did not join in time");
			return false;
		}
	}
}

static bool gone(uint32_t rank, ssize_t n)
{
	if (n < 0)
		sccli_fail(SCCL_SYSTEM, "the socket of rank %u fails: %s", rank, strerror(errno));
	else
		sccli_fail(SCCL_DEAD_RANK, "rank %u has disconnected", rank);
	return false;
}

bool sccli_socket_send(int file, uint32_t rank, const void *data, size_t bytes, double end)
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

bool sccli_socket_receive(int file, uint32_t rank, void *data, size_t bytes, double end)
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
