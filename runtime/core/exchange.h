#ifndef SCCL_RUNTIME_CORE_EXCHANGE_H
#define SCCL_RUNTIME_CORE_EXCHANGE_H

/*
 * A call that exchanges messages (messages.h). All messages in one direction with one peer are a flow, which moves piece by
 * piece: exchange.c makes the flows, exchange_run.c says which moves next, exchange_pieces.c moves it.
 */

#include "runtime/core/messages.h"

struct pair_flow {
	sccl_direction_t direction;
	uint32_t peer;
	size_t now, last;       /* its present message and its last one */
	uint64_t offset, bytes; /* of the present message: what has moved, and its size */
	bool begun, over;
};

struct message_call {
	struct sccl_comm *c;
	const sccl_message_t *list;
	size_t n;
	struct pair_flow *flows;
	size_t n_flows, left; /* left: those that are not over */
	size_t *next;         /* [n]: the next message of the same flow */
	sccl_stream_t stream;
	sccl_block_t x;
};

static inline struct message_side *message_side(const struct message_call *e, const struct pair_flow *f)
{
	return &e->c->messages->sides[message_index(e->c, f->direction, f->peer)];
}

/* The flag that the next piece of F waits for, and its value. */
static inline uint64_t *message_awaited_flag(const struct message_call *e, const struct pair_flow *f)
{
	return message_flag(e->c, e->c->meeting.rank, f->direction, f->peer);
}

static inline uint64_t message_awaited(const struct message_call *e, const struct pair_flow *f)
{
	return message_side(e, f)->pieces + 1 - (f->direction == SCCL_SEND ? MESSAGE_SLOTS : 0);
}

/* Writes F's present message into the book, and compares it with the peer's. */
sccl_status_t sccli_message_begin(const struct message_call *e, struct pair_flow *f);
/* Copies the next piece, for which it is time, and tells the peer. */
sccl_status_t sccli_message_move(struct message_call *e, struct pair_flow *f, sccl_stream_t stream);
/* "message 3 from rank 1 to rank 0" */
void sccli_message_name(const struct message_call *e, const struct pair_flow *f, char *text, size_t size);

/* Moves all flows to their ends; enqueued on devices. */
sccl_status_t sccli_exchange_on_host(struct message_call *e);
sccl_status_t sccli_exchange_on_streams(struct message_call *e);

#endif
