/*
 * The bootstrap of unrelated processes: a star of Unix sockets. Rank 0 listens and gathers; the other ranks send their
 * data to it and receive everyone's. A socket that closes means that its rank has gone.
 */

#include "runtime/net/bootstrap_socket.h"

#include "runtime/core/clock.h"
#include "runtime/net/socket_rendezvous.h"
#include "runtime/net/socket_io.h"
#include "runtime/net/socket_place.h"
#include "runtime/core/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAR_RANKS_MAX = 4096 };

struct star {
	uint32_t rank, ranks;
	double timeout;
	bool broken; /* an exchange has failed: data left in the sockets belongs to no later one */
	int files[]; /* rank 0: one per rank, with -1 for itself; other ranks: only files[0] */
};

static bool gather(const struct star *s, const void *mine, char *all, size_t bytes, double end)
{
	memcpy(all, mine, bytes);
	for (uint32_t r = 1; r < s->ranks; r++)
		if (!sccli_socket_receive(s->files[r], r, all + r * bytes, bytes, end))
			return false;
	for (uint32_t r = 1; r < s->ranks; r++)
		if (!sccli_socket_send(s->files[r], r, all, s->ranks * bytes, end))
			return false;
	return true;
}

/* Closes the sockets, so that the other ranks notice immediately. */
static void leave(struct star *s)
{
	for (uint32_t i = 0; i < s->ranks; i++) {
		if (s->files[i] >= 0)
			close(s->files[i]);
		s->files[i] = -1;
	}
	s->broken = true;
}

/* One allgather, which must complete before END. */
static bool meet(struct star *s, const void *mine, void *all, size_t bytes, double end)
{
	bool met;

	if (s->broken) {
		sccli_fail(SCCL_BOOTSTRAP, "an earlier rendezvous of these ranks failed");
		return false;
	}
	if (s->rank == 0)
		met = gather(s, mine, all, bytes, end);
	else
		met = sccli_socket_send(s->files[0], 0, mine, bytes, end) && sccli_socket_receive(s->files[0], 0, all, s->ranks * bytes, end);
	if (!met)
		leave(s);
	return met;
}

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
	struct star *s = context;
	return meet(s, mine, all, bytes, clock_deadline(s->timeout)) ? 0 : -1;
}

static bool meet_before(struct star *s, double end)
{
	char mine = 0, *all = malloc(s->ranks);
	bool met = all && meet(s, &mine, all, 1, end);
	free(all);
	return met;
}

static int barrier(void *context)
{
	struct star *s = context;
	return meet_before(s, clock_deadline(s->timeout)) ? 0 : -1;
}

static bool listen_for_all(struct star *s, struct socket_place *place, double end)
{
	int listener = sccli_place_listen(place);
	bool good = listener >= 0 && sccli_rendezvous_admit(listener, s->ranks, s->files, end);

	/* First remove the name, then close the socket: if nobody listens at a name, another rank 0 may take it
	 * over. */
	sccli_place_leave(place);
	if (listener >= 0)
		close(listener);
	return good;
}

/* Rank 0 may not be listening yet. */
static bool connect_to_first(struct star *s, const struct socket_place *place, double end)
{
	s->files[0] = sccli_place_connect(place, end);
	return s->files[0] >= 0 && sccli_rendezvous_enter(s->files[0], s->rank, s->ranks, end);
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
	struct socket_place place;

	if (!bootstrap || !path)
		return sccli_fail(SCCL_INVALID, "sccl_socket_open needs a path and a place for the bootstrap");
	*bootstrap = (sccl_bootstrap_t){NULL, NULL, NULL};
	if (ranks < 1 || ranks > STAR_RANKS_MAX || rank >= ranks || !(timeout >= 0))
		return sccli_fail(SCCL_INVALID, "rank %u of %u or a timeout of %g seconds is invalid", rank, ranks, timeout);
	if (!sccli_place_read(&place, path))
		return SCCL_INVALID;
	struct star *s = malloc(sizeof *s + ranks * sizeof *s->files);
	if (!s)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for %u sockets", ranks);
	*s = (struct star){.rank = rank, .ranks = ranks, .timeout = timeout};
	for (uint32_t i = 0; i < ranks; i++)
		s->files[i] = -1;
	double end = clock_deadline(timeout);
	bool met = rank == 0 ? listen_for_all(s, &place, end) : connect_to_first(s, &place, end);
	*bootstrap = (sccl_bootstrap_t){s, allgather, barrier};
	if (!met || !meet_before(s, end)) {
		sccl_socket_close(bootstrap);
		return SCCL_BOOTSTRAP;
	}
	return SCCL_OK;
}
