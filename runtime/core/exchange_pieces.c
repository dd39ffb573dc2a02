/*
 * The books of messages, and the copies and signals of their pieces, which are the same for all devices.
 */
#include "runtime/core/exchange.h"

#include "runtime/core/status.h"
#include "runtime/core/watch.h"

#include <stdio.h>

static sccl_direction_t other(sccl_direction_t d)
{
	return d == SCCL_SEND ? SCCL_RECEIVE : SCCL_SEND;
}

void sccli_message_name(const struct message_call *e, const struct pair_flow *f, char *text, size_t size)
{
	sccli_watch_name_message(text, size, e->c->meeting.rank, f->peer, f->direction == SCCL_SEND, message_side(e, f)->messages + 1);
}

static void put(struct message_entry *at, const struct message_entry *m)
{
	__atomic_store_n(&at->number, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&at->count, m->count, __ATOMIC_RELAXED);
	__atomic_store_n(&at->type, m->type, __ATOMIC_RELAXED);
	__atomic_store_n(&at->number, m->number, __ATOMIC_SEQ_CST); /* before reading the peer's entry */
}

static bool get(const struct message_entry *at, uint64_t number, struct message_entry *m)
{
	if (__atomic_load_n(&at->number, __ATOMIC_SEQ_CST) != number)
		return false;
	m->number = number;
	m->count = __atomic_load_n(&at->count, __ATOMIC_ACQUIRE);
	m->type = __atomic_load_n(&at->type, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&at->number, __ATOMIC_SEQ_CST) == number;
}

static sccl_status_t compare(const struct message_call *e, const struct pair_flow *f, const struct message_entry *mine)
{
	const struct message_book *b = message_book(e->c, f->peer, other(f->direction), e->c->meeting.rank);
	struct message_entry theirs;
	char name[96], line[320];

	if (!get(&b->entries[mine->number % MESSAGE_ENTRIES], mine->number, &theirs) ||
	    (theirs.count == mine->count && theirs.type == mine->type))
		return SCCL_OK;
	const char *type = theirs.type < SCCL_DTYPES ? sccl_dtype_name((sccl_dtype_t)theirs.type) : "no type";
	sccli_message_name(e, f, name, sizeof name);
	snprintf(line, sizeof line, "%s has %llu elements of %s on rank %u, and %llu of %s on rank %u", name,
	         (unsigned long long)mine->count, sccl_dtype_name((sccl_dtype_t)mine->type), e->c->meeting.rank,
	         (unsigned long long)theirs.count, type, f->peer);
	return sccli_watch_raise(e->c, SCCL_MISMATCH, line);
}

static bool has_sent(const struct sccl_comm *c, uint32_t peer, uint64_t number)
{
	return __atomic_load_n(&message_book(c, peer, SCCL_SEND, c->meeting.rank)->begun, __ATOMIC_ACQUIRE) >= number;
}

static bool has_received(const struct sccl_comm *c, uint32_t peer, uint64_t number)
{
	return __atomic_load_n(&message_book(c, peer, SCCL_RECEIVE, c->meeting.rank)->begun, __ATOMIC_ACQUIRE) >= number;
}

/* An entry is written over only when the peer has seen it. On the host, where slots are fewer than entries, it always has. */
sccl_status_t sccli_message_begin(const struct message_call *e, struct pair_flow *f)
{
	static const watch_reached_t reached[SCCL_DIRECTIONS] = {[SCCL_SEND] = has_received, [SCCL_RECEIVE] = has_sent};
	const sccl_message_t *m = &e->list[f->now];
	struct message_book *book = message_book(e->c, e->c->meeting.rank, f->direction, f->peer);
	struct message_entry mine = {message_side(e, f)->messages + 1, m->count, m->type};
	sccl_status_t status = SCCL_OK;
	char name[96];

	if (mine.number > MESSAGE_ENTRIES && !reached[f->direction](e->c, f->peer, mine.number - MESSAGE_ENTRIES)) {
		sccli_message_name(e, f, name, sizeof name);
		status = sccli_watch_until(e->c, reached[f->direction], f->peer, mine.number - MESSAGE_ENTRIES, name);
	}
	if (status != SCCL_OK)
		return status;
	put(&book->entries[mine.number % MESSAGE_ENTRIES], &mine);
	__atomic_store_n(&book->begun, mine.number, __ATOMIC_RELEASE);
	f->begun = true;
	f->offset = 0;
	f->bytes = m->count * sccl_dtype_size(m->type);
	return compare(e, f, &mine);
}

/* ---- pieces ---- */

static void end_message(struct message_call *e, struct pair_flow *f)
{
	message_side(e, f)->messages++;
	f->begun = false;
	f->over = f->now == f->last;
	e->left -= f->over;
	f->now = e->next[f->now];
}

/* For the guards of other ranks, which see 16 bits of the awaited piece. */
static sccl_status_t tell_done(const struct message_call *e, const struct pair_flow *f, sccl_stream_t stream)
{
	enum { OFTEN = 4096 };
	const struct unit *unit = &e->c->meeting.unit;
	struct message_book *seen = e->c->messages->seen;
	uint64_t pieces = message_side(e, f)->pieces;

	if (!seen || (f->begun && pieces % OFTEN != 0))
		return SCCL_OK;
	return unit->device->post(unit, &seen[message_index(e->c, f->direction, f->peer)].done, pieces, stream);
}

sccl_status_t sccli_message_move(struct message_call *e, struct pair_flow *f, sccl_stream_t stream)
{
	const struct unit *unit = &e->c->meeting.unit;
	uint32_t rank = e->c->meeting.rank;
	bool sends = f->direction == SCCL_SEND;
	struct message_side *side = message_side(e, f);
	uint64_t left = f->bytes - f->offset, bytes = left < e->c->messages->piece ? left : e->c->messages->piece;
	uint8_t *slot = message_slot(e->c, sends ? f->peer : rank, sends ? rank : f->peer, side->pieces);
	sccl_status_t status = SCCL_OK;

	if (bytes > 0) {
		uint8_t *own = (uint8_t *)e->list[f->now].buffer + f->offset;
		status = unit->device->copy(unit, sends ? slot : own, sends ? own : slot, bytes, stream);
	}
	if (status == SCCL_OK)
		status = unit->device->post(unit, message_flag(e->c, f->peer, other(f->direction), rank), ++side->pieces, stream);
	f->offset += bytes;
	if (f->offset == f->bytes)
		end_message(e, f);
	return status == SCCL_OK ? tell_done(e, f, stream) : status;
}
