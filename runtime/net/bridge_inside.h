#ifndef SCCL_RUNTIME_NET_BRIDGE_INSIDE_H
#define SCCL_RUNTIME_NET_BRIDGE_INSIDE_H

/* Internals of the bridge: calls in progress and messages. */

#include "runtime/net/bridge.h"

#include <pthread.h>
#include <stdbool.h>

/* A call with transfers between servers, until all of them are complete. */
struct bridge_call {
	struct sccl_plan *plan;
	sccl_launch_t launch;
	struct symmetric window; /* as it was when the call began; its pieces are not owned */
	struct order order;
	uint64_t number;
	uint64_t to_send, to_come; /* number of flags that remain */
	struct bridge_call *next;     /* the following call */
	uint64_t epochs[];         /* [blocks]: the epoch at which each block begins */
};

/* A message to another server consists of this header, the pieces, and their bytes. */
struct parcel {
	enum { PARCEL_DATA = SCCL_DATA, PARCEL_READY = SCCL_READY, PARCEL_FAULT } kind;
	uint32_t block, n_pieces; /* FAULT: the status is in block, followed by 1024 bytes of text */
	uint64_t value, call;
	struct order order;
};

/* A range of one rank's memory. */
struct parcel_piece {
	uint64_t buffer, offset, bytes; /* buffer: SCCL_OUT or SCCL_SCRATCH_SLOT; offset from its start */
};

enum { LETTER_MAX = 1 << 30 }; /* bytes: carriers count them in an int */

/* A message that is being sent or that arrived too early. */
struct letter {
	void *ticket;
	uint32_t from;
	size_t bytes;
	struct letter *next;
	_Alignas(16) unsigned char data[];
};

/* What wakes the bridge's thread: rung when a call has begun or the thread must stop. Its waits are by the monotonic clock, which
 * nobody sets back; those of semaphores are not. */
struct bell {
	pthread_mutex_t lock;
	pthread_cond_t rings;
	bool rung;
};

void sccli_bell_init(struct bell *bell);
void sccli_bell_destroy(struct bell *bell);

/* A rank's bridge: the state of its thread, and what the caller's thread passes to it. */
struct bridge {
	struct sccl_comm *comm;
	const sccl_carrier_t *carrier;
	pthread_t thread;
	struct bell bell;
	struct bridge_call *begun;     /* atomic stack, last call first: pushed by the caller's thread, taken by this
	                                * one */
	struct bridge_call *crossings; /* in order */
	struct letter *out, *early;
	uint64_t *epochs;           /* [max_blocks], used by the caller's thread: where the next call begins */
	uint64_t *seen;             /* [ranks][SCCL_FLAG_KINDS][max_blocks]: last flag values sent */
	uint8_t *flags;             /* a copy of one rank's flags, if the CPU cannot read the device's */
	void *stream;
	uint64_t last;              /* number of the last call taken over */
	uint32_t pending, stop;     /* atomic: number of unfinished crossings; 1: stop */
	bool faulted;               /* and the fault has been sent or received */
};

/* bridge_parcel.c */
const uint32_t *sccli_word_behind(const uint32_t *w); /* the next instruction */
/* Counts the flags that a call advances on other servers, and those that other servers advance here. */
void sccli_crossing_count(struct bridge_call *x, const struct sccl_comm *c);
/* Builds the message for signal K to PEER (0: the offer), with all data written before it. NULL on failure, with the
 * error text set. */
struct letter *sccli_parcel_pack(const struct bridge *b, const struct bridge_call *x, uint32_t peer, uint32_t block, uint32_t k);
/* Stores a message's data where it belongs and advances the flag. */
sccl_status_t sccli_parcel_unpack(const struct bridge *b, struct bridge_call *x, const struct letter *l);

/* bridge.c */
/* One round of the bridge's thread: takes over calls, sends what is ready, receives at most one message. Returns false if
 * nothing was transferred. */
bool sccli_bridge_turn(struct bridge *b);

/* bridge_poll.c */
void sccli_bridge_take_over(struct bridge *b); /* takes the calls that have begun since */
/* Sends everything that has become ready. False, with the error text set: the carrier or a copy failed. */
bool sccli_bridge_poll(struct bridge *b, bool *moved);
/* Sends L to rank TO and takes ownership of it. L may be NULL, with the error text set. False, with the error text set:
 * nothing was sent. */
bool sccli_bridge_send(struct bridge *b, struct letter *l, uint32_t to);

#endif
