/*
 * The public functions for messages: checks a call's messages, copies those of a rank to itself, and sorts the others into
 * flows.
 */
#include "runtime/core/exchange.h"

#include "runtime/core/status.h"
#include "runtime/core/watch.h"

#include <stdio.h>
#include <stdlib.h>

/* Larger counts are refused, so that no size overflows. */
#define COUNT_MAX ((uint64_t)1 << 40)

static const char *const verbs[SCCL_DIRECTIONS] = {[SCCL_SEND] = "send to", [SCCL_RECEIVE] = "receive from"};

static sccl_status_t check(const struct sccl_comm *c, const sccl_message_t *m)
{
	if ((unsigned)m->direction >= SCCL_DIRECTIONS)
		return sccli_fail(SCCL_INVALID, "there is no direction %d of a message", (int)m->direction);
	if (m->peer >= c->meeting.ranks)
		return sccli_fail(SCCL_INVALID, "there is no rank %u of %u to %s", m->peer, c->meeting.ranks, verbs[m->direction]);
	if ((unsigned)m->type >= SCCL_DTYPES)
		return sccli_fail(SCCL_INVALID, "there is no data type %d to %s rank %u", (int)m->type, verbs[m->direction], m->peer);
	if (m->count > COUNT_MAX)
		return sccli_fail(SCCL_INVALID, "a message of %llu elements has more than 2^40", (unsigned long long)m->count);
	if (m->count > 0 && !m->buffer)
		return sccli_fail(SCCL_INVALID, "the buffer of %llu elements to %s rank %u is missing", (unsigned long long)m->count,
		                  verbs[m->direction], m->peer);
	return SCCL_OK;
}

static size_t next_to_itself(const struct message_call *e, sccl_direction_t direction, size_t from)
{
	while (from < e->n && (e->list[from].peer != e->c->meeting.rank || e->list[from].direction != direction))
		from++;
	return from;
}

/* The i-th message that this rank sends to itself is the i-th that it receives from itself. */
static sccl_status_t copy_to_itself(const struct message_call *e)
{
	const struct unit *unit = &e->c->meeting.unit;
	sccl_status_t status = SCCL_OK;

	for (size_t s = 0, r = 0; status == SCCL_OK; s++, r++) {
		s = next_to_itself(e, SCCL_SEND, s);
		r = next_to_itself(e, SCCL_RECEIVE, r);
		if (s == e->n && r == e->n)
			break;
		if (s == e->n || r == e->n)
			return sccli_fail(SCCL_INVALID, "a message of a rank to itself is sent and received in the same call; this one is only %s",
			                  r == e->n ? "sent" : "received");
		const sccl_message_t *from = &e->list[s], *to = &e->list[r];
		if (from->count != to->count || from->type != to->type)
			return sccli_fail(SCCL_MISMATCH, "%llu elements of %s to the rank itself, which receives %llu of %s",
			                  (unsigned long long)from->count, sccl_dtype_name(from->type), (unsigned long long)to->count,
			                  sccl_dtype_name(to->type));
		if (from->buffer != to->buffer)
			status = unit->device->copy(unit, to->buffer, from->buffer, to->count * sccl_dtype_size(to->type), e->stream);
	}
	return status;
}

/* Sorts the messages into flows. */
static sccl_status_t sort(struct message_call *e)
{
	struct messages *m = e->c->messages;
	size_t need = e->n * (sizeof *e->flows + sizeof *e->next);

	if (e->n == 0)
		return SCCL_OK;
	if (m->scratch_bytes < need) {
		void *scratch = realloc(m->scratch, need);
		if (!scratch)
			return sccli_fail(SCCL_NO_MEMORY, "no memory for %zu messages", e->n);
		m->scratch = scratch;
		m->scratch_bytes = need;
	}
	e->flows = m->scratch;
	e->next = (size_t *)(void *)(e->flows + e->n);
	for (size_t i = 0; i < e->n; i++) {
		size_t *flow = &m->sides[message_index(e->c, e->list[i].direction, e->list[i].peer)].flow;
		e->next[i] = i;
		if (e->list[i].peer == e->c->meeting.rank)
			continue;
		if (*flow) {
			e->next[e->flows[*flow - 1].last] = i;
		} else {
			*flow = ++e->n_flows;
			e->flows[*flow - 1] = (struct pair_flow){.direction = e->list[i].direction, .peer = e->list[i].peer, .now = i};
		}
		e->flows[*flow - 1].last = i;
	}
	for (size_t i = 0; i < e->n_flows; i++)
		message_side(e, &e->flows[i])->flow = 0;
	e->left = e->n_flows;
	return SCCL_OK;
}

static sccl_status_t run(struct message_call *e)
{
	const struct device *device = e->c->meeting.unit.device;
	sccl_status_t status = sccli_stream_before(e->c, e->stream);

	if (status == SCCL_OK)
		status = copy_to_itself(e);
	if (status == SCCL_OK)
		status = (device->synchronous ? sccli_exchange_on_host : sccli_exchange_on_streams)(e);
	return status == SCCL_OK ? sccli_stream_after(e->c, e->stream) : status;
}

static sccl_status_t exchange(struct message_call *e)
{
	const struct unit *unit = &e->c->meeting.unit;
	sccl_status_t status = SCCL_OK;

	for (size_t i = 0; i < e->n && status == SCCL_OK; i++)
		status = check(e->c, &e->list[i]);
	if (status == SCCL_OK && !unit->device->synchronous && unit->device->captures(unit, e->stream))
		status = sccli_fail(SCCL_UNSUPPORTED, "messages cannot be captured in a graph");
	if (status == SCCL_OK)
		status = sort(e);
	if (status != SCCL_OK)
		return status;
	if (unit->device->call_begins)
		unit->device->call_begins();
	status = run(e);
	if (unit->device->call_ends)
		unit->device->call_ends();
	return status;
}

sccl_status_t sccl_exchange(sccl_comm_t *comm, const sccl_message_t messages[], size_t n, sccl_stream_t stream)
{
	char line[512];

	if (!comm || (n > 0 && !messages))
		return sccli_fail(SCCL_INVALID, "an exchange needs a communicator and its messages");
	sccl_status_t status = sccli_watch_status(comm);
	if (status != SCCL_OK)
		return status;
	if (!comm->messages)
		return sccli_fail(SCCL_UNSUPPORTED, "the communicator was created without message_bytes, so it has no messages");
	struct message_call e = {
		.c = comm,
		.list = messages,
		.n = n,
		.stream = stream,
		.x = {.env = &comm->env, .block = message_block(comm)},
	};
	comm->stalled_since = 0;
	status = exchange(&e);
	if (sccli_watch_status(comm) != SCCL_OK || status == SCCL_OK) /* what ended the communicator says more */
		return sccli_watch_status(comm);
	snprintf(line, sizeof line, "rank %u: %.400s", comm->meeting.rank, sccl_error_text());
	return sccli_watch_raise(comm, status, line);
}

sccl_status_t sccl_send(sccl_comm_t *comm, const void *buffer, uint64_t count, sccl_dtype_t type, uint32_t peer, sccl_stream_t stream)
{
	return sccl_exchange(comm, &(const sccl_message_t){SCCL_SEND, peer, (void *)(uintptr_t)buffer, count, type}, 1, stream);
}

sccl_status_t sccl_receive(sccl_comm_t *comm, void *buffer, uint64_t count, sccl_dtype_t type, uint32_t peer, sccl_stream_t stream)
{
	return sccl_exchange(comm, &(const sccl_message_t){SCCL_RECEIVE, peer, buffer, count, type}, 1, stream);
}
