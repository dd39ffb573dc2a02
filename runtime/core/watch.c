/*
 * Ends communicators. The first rank to fail records the fault on the home rank's board and sets every rank's abort
 * word. A rank that waits checks from time to time whether another has died and whether the timeout has expired.
 */
#include "runtime/core/watch.h"

#include "runtime/core/clock.h"
#include "runtime/core/comm.h"
#include "runtime/core/messages.h"
#include "runtime/core/utf8.h"
#include "runtime/core/status.h"

#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { FAULT_NONE, FAULT_BEING_WRITTEN, FAULT_WRITTEN };

sccl_status_t sccli_watch_raise(struct sccl_comm *c, sccl_status_t status, const char *text)
{
	struct board *first = comm_board(c, c->home);
	uint32_t none = FAULT_NONE;

	if (__atomic_compare_exchange_n(&first->fault, &none, FAULT_BEING_WRITTEN, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		snprintf(first->fault_text, sizeof first->fault_text, "%s", text);
		first->fault_status = (uint32_t)status;
		__atomic_store_n(&first->fault, FAULT_WRITTEN, __ATOMIC_RELEASE);
	}
	for (uint32_t r = 0; r < c->meeting.ranks; r++)
		__atomic_store_n(&comm_board(c, r)->abort_word, 1, __ATOMIC_RELEASE);
	return sccli_watch_status(c);
}

static bool has_ended(const struct sccl_comm *c)
{
	return __atomic_load_n(&comm_board(c, c->meeting.rank)->abort_word, __ATOMIC_ACQUIRE);
}

/* The rank that writes the fault may be interrupted or die while doing so, so the wait for it is bounded. */
static sccl_status_t read_fault(const struct sccl_comm *c, char *text, size_t size)
{
	enum { YIELDS = 10000 };
	const struct board *first = comm_board(c, c->home);
	sccl_status_t status = SCCL_OK;
	const char *what = "";

	if (has_ended(c)) {
		for (int i = 0; i < YIELDS && __atomic_load_n(&first->fault, __ATOMIC_ACQUIRE) != FAULT_WRITTEN; i++)
			sched_yield();
		int written = __atomic_load_n(&first->fault, __ATOMIC_ACQUIRE) == FAULT_WRITTEN;
		status = written ? sccli_status_read(first->fault_status) : SCCL_ABORTED;
		what = written ? first->fault_text : "the communicator has ended";
	}
	if (text && size > 0) { /* other ranks can write to a board, so its text may lack a terminator and contain
	                         * anything */
		snprintf(text, size, "%.*s", (int)sizeof first->fault_text - 1, what);
		sccli_letters_plain(text);
	}
	return status;
}

sccl_status_t sccl_comm_status(const sccl_comm_t *comm, char *text, size_t size)
{
	if (!comm)
		return sccli_fail(SCCL_INVALID, "sccl_comm_status needs a communicator");
	return read_fault(comm, text, size);
}

sccl_status_t sccli_watch_status(const struct sccl_comm *c)
{
	char text[sizeof((struct board *)NULL)->fault_text];

	if (!has_ended(c)) /* every call asks three times */
		return SCCL_OK;
	return sccli_fail(read_fault(c, text, sizeof text), "%s", text);
}

void sccl_comm_abort(sccl_comm_t *comm)
{
	char text[64];
	if (!comm)
		return;
	snprintf(text, sizeof text, "rank %u aborted", comm->meeting.rank);
	sccli_watch_raise(comm, SCCL_ABORTED, text);
}

/* Appends to LINE, truncating at SIZE. */
static void print(char *line, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void print(char *line, size_t size, const char *format, ...)
{
	size_t used = strlen(line);
	va_list ap;
	va_start(ap, format);
	vsnprintf(line + used, size - used, format, ap);
	va_end(ap);
}

void sccli_watch_name_message(char *text, size_t size, uint32_t rank, uint32_t peer, bool sends, uint64_t number)
{
	snprintf(text, size, "message %llu from rank %u to rank %u", (unsigned long long)number, sends ? rank : peer, sends ? peer : rank);
}

/* Rank R waits in a message, as WORD says. */
static void describe_message(char *line, size_t size, uint32_t r, uint64_t word, uint32_t peer)
{
	bool sends = SCCL_PROGRESS_STATE(word) == SCCL_WAITS_FOR_READY;
	char name[96];

	sccli_watch_name_message(name, sizeof name, r, peer, sends, SCCL_PROGRESS_STEP(word));
	print(line, size, "rank %u waits for %s to be %s", r, name, sends ? "received" : "sent");
}

static bool is_waiting(uint64_t word)
{
	return SCCL_PROGRESS_STATE(word) == SCCL_WAITS_FOR_DATA || SCCL_PROGRESS_STATE(word) == SCCL_WAITS_FOR_READY;
}

/* Produces "rank 3, block 1, step 2 waits for rank 5" for every waiting rank, and states what the other ranks are
 * doing. */
static void describe(const struct sccl_comm *c, char *line, size_t size)
{
	bool asynchronous = !c->meeting.unit.device->synchronous;
	uint32_t peers = asynchronous ? 0xffffu : UINT32_MAX; /* on devices the upper 16 bits of the peer hold the
	                                                       * call */

	for (uint32_t r = 0; r < c->meeting.ranks; r++) {
		const struct board *b = comm_board(c, r);
		const char *gap = *line ? "; " : "";
		uint64_t entered = __atomic_load_n(&b->entered, __ATOMIC_ACQUIRE);
		uint32_t block = __atomic_load_n(&b->waiting_block, __ATOMIC_RELAXED);
		uint64_t word = block <= message_block(c) ? __atomic_load_n(&b->progress[block], __ATOMIC_RELAXED) : 0;
		uint32_t state = SCCL_PROGRESS_STATE(word);

		if (!meeting_reaches(&c->meeting, r))
			print(line, size, "%srank %u is on another server", gap, r);
		else if (block == message_block(c) && is_waiting(word)) {
			print(line, size, "%s", gap);
			describe_message(line, size, r, word, SCCL_PROGRESS_PEER(word) & peers);
		}
		else if (asynchronous && state == SCCL_IDLE)
			print(line, size, "%srank %u waits for no rank; it was given %llu calls", gap, r, (unsigned long long)entered);
		else if (entered == __atomic_load_n(&b->finished, __ATOMIC_RELAXED))
			print(line, size, "%srank %u has made %llu calls", gap, r, (unsigned long long)entered);
		else if (is_waiting(word))
			print(line, size, "%srank %u, block %u, step %u waits for rank %u%s", gap, r, block,
			    SCCL_PROGRESS_STEP(word), SCCL_PROGRESS_PEER(word) & peers,
			    state == SCCL_WAITS_FOR_READY ? " to be ready" : "");
		else
			print(line, size, "%srank %u works in call %llu", gap, r, (unsigned long long)entered);
	}
}

/* *LEFT: the rank has freed its communicator (its process need not have exited). */
static bool is_gone(const struct sccl_comm *c, uint32_t r, bool *left)
{
	const struct board *b = comm_board(c, r);

	*left = __atomic_load_n(&b->left, __ATOMIC_ACQUIRE) != 0;
	return *left || (c->watchable[r] && !sccli_process_alive(&b->process));
}

bool sccli_watch_is_gone(const struct sccl_comm *c, uint32_t r)
{
	bool left;
	return is_gone(c, r, &left);
}

bool sccli_watch_gone_in(struct sccl_comm *c, uint32_t r, const char *where)
{
	char line[192];
	bool left;

	if (!is_gone(c, r, &left))
		return false;
	snprintf(line, sizeof line, "rank %u %s %s%s", r, left ? "freed its communicator during" : "has died in", where,
	         left ? " of the others" : "");
	sccli_watch_raise(c, SCCL_DEAD_RANK, line);
	return true;
}

bool sccli_watch_gone(struct sccl_comm *c, uint32_t r)
{
	char where[32];

	snprintf(where, sizeof where, "call %llu", (unsigned long long)c->calls);
	return sccli_watch_gone_in(c, r, where);
}

sccl_status_t sccli_watch_until(struct sccl_comm *c, watch_reached_t reached, uint32_t r, uint64_t value, const char *where)
{
	uint64_t begin = clock_nanoseconds();

	while (!reached(c, r, value)) {
		sccl_status_t status = sccli_watch_status(c);
		if (status != SCCL_OK)
			return status;
		if (sccli_watch_is_gone(c, r) && !reached(c, r, value) && sccli_watch_gone_in(c, r, where))
			return sccli_watch_status(c);
		if (c->timeout > 0 && (double)(clock_nanoseconds() - begin) > c->timeout * 1e9)
			sccli_watch_timeout(c);
		clock_sleep(200);
	}
	return SCCL_OK;
}

void sccli_watch_timeout(struct sccl_comm *c)
{
	char line[sizeof((struct board *)NULL)->fault_text] = "";

	describe(c, line, sizeof line);
	sccli_watch_raise(c, SCCL_TIMEOUT, line);
}

static bool is_behind(const struct sccl_comm *c, uint32_t r)
{
	return __atomic_load_n(&comm_board(c, r)->finished, __ATOMIC_ACQUIRE) < c->calls;
}

/* A rank that is gone matters only if it is behind: it may have ended normally after its last call, even since it was
 * last checked. */
static void look_for_the_dead(struct sccl_comm *c)
{
	for (uint32_t r = 0; r < c->meeting.ranks; r++)
		if (is_behind(c, r) && sccli_watch_is_gone(c, r) && is_behind(c, r) && sccli_watch_gone(c, r))
			return;
}

void sccli_watch_stalled(const sccl_env_t *env, uint32_t block)
{
	enum { LOOK = 20000000, NAP_AFTER = 50000000 }; /* nanoseconds */
	struct sccl_comm *c = env->owner;
	struct board *mine = comm_board(c, c->meeting.rank);
	uint64_t word = __atomic_load_n(&mine->progress[block], __ATOMIC_RELAXED), t = clock_nanoseconds();

	if (c->stalled_since == 0 || word != c->stalled_word || block != __atomic_load_n(&mine->waiting_block, __ATOMIC_RELAXED)) {
		c->stalled_since = c->looked_at = t;
		c->stalled_word = word;
		__atomic_store_n(&mine->waiting_block, block, __ATOMIC_RELAXED);
	}
	if (t - c->stalled_since > NAP_AFTER) /* the awaited rank is far behind: leave the CPU to others */
		clock_sleep(500);
	if (t - c->looked_at < LOOK)
		return;
	c->looked_at = t;
	look_for_the_dead(c);
	if (block == message_block(c))
		c->messages->look(c);
	if (c->timeout > 0 && (double)(t - c->stalled_since) > c->timeout * 1e9)
		sccli_watch_timeout(c);
}
