/*
 * The guard polls the progress words of this rank's blocks every 5 ms. If a block waits suspiciously long, it checks
 * whether the awaited rank is still alive and whether the timeout has expired. A rank that is gone has killed the call only
 * if its own part of it is not done: what it signalled may not have been noticed yet, since a GPU runs other work in
 * between.
 */
#include "runtime/core/guard.h"

#include "runtime/core/clock.h"
#include "runtime/core/comm.h"
#include "runtime/core/messages.h"
#include "runtime/gpu/engines.h"
#include "runtime/core/status.h"
#include "runtime/core/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct guard {
	struct sccl_comm *comm;
	pthread_t thread;
	uint32_t stop;
	struct {
		uint64_t word, since; /* nanoseconds */
	} seen[];                     /* [max_blocks + 2], like the board's progress */
};

/* A waiting block reports its wait once it takes long (device_simt.h), with a different word for each wait. Returns how
 * long the wait has lasted as far as the guard has observed it. */
static uint64_t waited(struct guard *g, uint32_t block, uint64_t now)
{
	uint64_t word = __atomic_load_n(&comm_board(g->comm, g->comm->meeting.rank)->progress[block], __ATOMIC_RELAXED);
	uint32_t state = SCCL_PROGRESS_STATE(word);

	if (word != g->seen[block].word || (state != SCCL_WAITS_FOR_DATA && state != SCCL_WAITS_FOR_READY)) {
		g->seen[block].word = word;
		g->seen[block].since = now;
	}
	return now - g->seen[block].since;
}

static bool still_waits(const struct guard *g, uint32_t block)
{
	const struct board *mine = comm_board(g->comm, g->comm->meeting.rank);
	return __atomic_load_n(&mine->progress[block], __ATOMIC_ACQUIRE) == g->seen[block].word;
}

/* Whether PEER is past the call in which BLOCK waits. The 16 bits that tell calls apart are the epoch's, which is the same
 * on all ranks, in words of every state (device.h). */
static bool is_past(const struct guard *g, uint32_t peer, uint32_t block)
{
	if (block == message_block(g->comm))
		return sccli_messages_is_past(g->comm, g->seen[block].word, peer);
	uint64_t word = __atomic_load_n(&comm_board(g->comm, peer)->progress[block], __ATOMIC_ACQUIRE);
	return (int16_t)(SCCL_PROGRESS_CALL(word) - SCCL_PROGRESS_CALL(g->seen[block].word)) > 0;
}

static bool gone(const struct guard *g, uint32_t peer, uint32_t block)
{
	uint64_t word = g->seen[block].word;
	char name[96];

	if (block != message_block(g->comm))
		return sccli_watch_gone(g->comm, peer);
	sccli_watch_name_message(name, sizeof name, g->comm->meeting.rank, peer, SCCL_PROGRESS_STATE(word) == SCCL_WAITS_FOR_READY,
	                         SCCL_PROGRESS_STEP(word));
	return sccli_watch_gone_in(g->comm, peer, name);
}

static void look(struct guard *g)
{
	enum { SUSPICIOUS = 40000000 }; /* nanoseconds */
	struct sccl_comm *c = g->comm;
	uint64_t now = clock_nanoseconds(), longest = 0;
	uint32_t block = 0;

	for (uint32_t b = 0; b <= message_block(c); b++) {
		uint64_t t = waited(g, b, now);
		block = t > longest ? b : block;
		longest = t > longest ? t : longest;
	}
	if (longest < SUSPICIOUS)
		return;
	uint32_t peer = SCCL_PROGRESS_PEER(g->seen[block].word) & 0xffffu;
	__atomic_store_n(&comm_board(c, c->meeting.rank)->waiting_block, block, __ATOMIC_RELAXED);
	/* The peer may have done what was awaited and exited normally since the words were read. */
	if (peer < c->meeting.ranks && sccli_watch_is_gone(c, peer) && !is_past(g, peer, block) && still_waits(g, block) &&
	    gone(g, peer, block))
		return;
	if (c->timeout > 0 && (double)longest > c->timeout * 1e9)
		sccli_watch_timeout(c);
}

static void *watch_over(void *argument)
{
	struct guard *g = argument;
	const struct board *mine = comm_board(g->comm, g->comm->meeting.rank);

	while (!__atomic_load_n(&g->stop, __ATOMIC_ACQUIRE)) {
		if (!__atomic_load_n(&mine->abort_word, __ATOMIC_ACQUIRE))
			look(g);
		else { /* kernels see the word themselves */
			sccli_engines_release(g->comm);
			sccli_messages_release(g->comm);
		}
		clock_sleep(5000);
	}
	return NULL;
}

sccl_status_t sccli_guard_start(struct sccl_comm *c)
{
	struct guard *g = calloc(1, sizeof *g + (c->max_blocks + (size_t)2) * sizeof g->seen[0]);
	sigset_t all, before;

	if (!g)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for the thread that watches over calls");
	g->comm = c;
	sigfillset(&all); /* leave signals to the caller's threads */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = pthread_create(&g->thread, NULL, watch_over, g);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		free(g);
		return sccli_fail(SCCL_SYSTEM, "cannot start the thread that watches over calls: %s", strerror(error));
	}
	c->guard = g;
	return SCCL_OK;
}

void sccli_guard_stop(struct sccl_comm *c)
{
	struct guard *g = c->guard;
	if (!g)
		return;
	__atomic_store_n(&g->stop, 1, __ATOMIC_RELEASE);
	pthread_join(g->thread, NULL);
	free(g);
	c->guard = NULL;
}
