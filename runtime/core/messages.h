#ifndef SCCL_RUNTIME_CORE_MESSAGES_H
#define SCCL_RUNTIME_CORE_MESSAGES_H

/*
 * Messages between two ranks. Every rank has four slots for what each other one sends it. The sender copies a piece of a
 * message into the next slot once the receiver has read what was there, and raises a flag; the receiver copies it out and
 * raises one at the sender. Both count the pieces of their pair, so that flags only grow. Before the first piece of a message
 * moves, each end writes into its book what it was asked for, and whoever comes second compares.
 */

#include "runtime/core/comm.h"

#include <stdbool.h>

/* Most messages that lie ahead of the peer's: a book keeps as many. */
enum { MESSAGE_SLOTS = 4, MESSAGE_ENTRIES = 1024 };

/* A message, numbered from 1 in its direction between two ranks. 0: being written. */
struct message_entry {
	uint64_t number, count, type;
};

/* What a rank tells about its messages in one direction with one peer, in memory of the CPU that all ranks read. */
struct message_book {
	_Alignas(128) uint64_t begun; /* number of the latest entry */
	uint64_t done;                /* devices: pieces, written at the end of each message at least */
	struct message_entry entries[MESSAGE_ENTRIES]; /* number i at i % MESSAGE_ENTRIES */
};

/* Private to a rank: what it has done in one direction with one peer. */
struct message_side {
	uint64_t messages, pieces; /* complete ones so far; on devices: enqueued ones */
	size_t flow;               /* of the present call, counted from 1; 0: none */
};

struct message_call;
struct lanes;

/* Of one communicator. */
struct messages {
	struct symmetric books;     /* [SCCL_DIRECTIONS * ranks], by direction and peer; of the CPU */
	struct symmetric slots;     /* flags, then MESSAGE_SLOTS for each source; of the device */
	struct message_book *seen;  /* this rank's books, as its device sees them; NULL: not mapped there */
	struct message_side *sides; /* [SCCL_DIRECTIONS * ranks] */
	struct lanes *lanes;        /* streams; NULL on the host */
	size_t piece;               /* bytes of a slot */
	const struct message_call *now; /* host: the call that waits */
	void (*look)(struct sccl_comm *); /* host: ends the communicator if a rank that this call waits for is gone */
	void *scratch;              /* of calls, kept for the next one */
	size_t scratch_bytes;
};

/* Collective. Makes C->messages with BYTES for each peer; on failure sccli_messages_free releases what is there. */
sccl_status_t sccli_messages_create(struct sccl_comm *c, size_t bytes);
void sccli_messages_free(struct sccl_comm *c); /* local; allowed if there are none */

static inline size_t message_index(const struct sccl_comm *c, sccl_direction_t direction, uint32_t peer)
{
	return (size_t)direction * c->meeting.ranks + peer;
}

/* OWNER's book of its messages in DIRECTION with PEER. */
static inline struct message_book *message_book(const struct sccl_comm *c, uint32_t owner, sccl_direction_t direction, uint32_t peer)
{
	return (struct message_book *)(void *)c->messages->books.bases[owner] + message_index(c, direction, peer);
}

/* In OWNER's memory, written by PEER: what OWNER waits for before a piece moves in DIRECTION. The number of pieces that PEER
 * has read, if OWNER sends; that PEER has sent, if it receives. */
static inline uint64_t *message_flag(const struct sccl_comm *c, uint32_t owner, sccl_direction_t direction, uint32_t peer)
{
	return (uint64_t *)(void *)(c->messages->slots.bases[owner] +
				    SCCL_FLAG_OFFSET(direction == SCCL_SEND ? SCCL_READY : SCCL_DATA, peer, 0, c->meeting.ranks, 1));
}

/* The slot at OWNER of SOURCE's piece. */
static inline uint8_t *message_slot(const struct sccl_comm *c, uint32_t owner, uint32_t source, uint64_t piece)
{
	return c->messages->slots.bases[owner] + SCCL_FLAGS_SIZE(c->meeting.ranks, 1) +
	       (source * (size_t)MESSAGE_SLOTS + piece % MESSAGE_SLOTS) * c->messages->piece;
}

/* The block by whose progress word messages report their waits. */
static inline uint32_t message_block(const struct sccl_comm *c)
{
	return c->max_blocks + 1;
}

/* Host: ends the communicator if a rank that the present call waits for is gone (messages.look). */
void sccli_exchange_look(struct sccl_comm *c);
/* Devices: whether PEER, which may be gone, had done what WORD, a progress word of this rank, waits for. */
bool sccli_messages_is_past(const struct sccl_comm *c, uint64_t word, uint32_t peer);
/* Devices: the communicator has ended; releases this rank's streams from their waits. Allowed if there are no messages. */
void sccli_messages_release(struct sccl_comm *c);

#endif
