#ifndef SCCL_RUNTIME_NET_BRIDGE_INSIDE_H
#define SCCL_RUNTIME_NET_BRIDGE_INSIDE_H

/* Of the bridge alone: a call on its way, and what is sent. */

#include "runtime/net/bridge.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

/* A call with something to carry, until all of it is. */
struct bridge_call {
	struct sccl_plan *plan;
	sccl_launch_t launch;
	struct symmetric window; /* as it was when the call began; its pieces are not ours */
	struct order order;
	uint64_t number;
	uint64_t to_send, to_come; /* flags */
	struct bridge_call *next;     /* the call after this one */
	uint64_t epochs[];         /* [blocks]: where each begins */
};

/* What goes to another server: this, then its pieces, then their bytes. */
struct parcel {
	enum { PARCEL_DATA = SCCL_DATA, PARCEL_READY = SCCL_READY, PARCEL_FAULT } kind;
	uint32_t block, n_pieces; /* FAULT: the status in block, and 1024 bytes of text behind */
	uint64_t value, call;
	struct order order;
};

/* Bytes of one rank's memory. */
struct parcel_piece {
	uint64_t buffer, offset, bytes; /* SCCL_OUT, SCCL_SCRATCH_SLOT; from its beginning */
};

enum { LETTER_MAX = 1 << 30 }; /* bytes: carriers count them in an int */

/* A message that is being sent, or has come too early. */
struct letter {
	void *ticket;
	uint32_t from;
	size_t bytes;
	struct letter *next;
	_Alignas(16) unsigned char data[];
};

struct bridge {
	struct sccl_comm *comm;
	const sccl_carrier_t *carrier;
	pthread_t thread;
	sem_t call;                 /* something was begun, or is to end */
	struct bridge_call *begun;     /* atomic, the last first: the caller's thread puts, this one takes */
	struct bridge_call *crossings; /* in order */
	struct letter *out, *early;
	uint64_t *epochs;           /* [max_blocks], the caller's thread's: where the next call begins */
	uint64_t *seen;             /* [ranks][SCCL_FLAG_KINDS][max_blocks]: flags that were sent */
	uint8_t *flags;             /* a copy of one rank's flags, where the device's cannot be read */
	void *stream;
	uint64_t last;              /* the last call that was taken over */
	uint32_t pending, stop;     /* atomic: crossings not at their end; 1: end */
	bool faulted;               /* and told */
};

/* bridge_parcel.c */
const uint32_t *sccli_word_behind(const uint32_t *w); /* the next instruction */
/* How many of its own flags a call moves on other servers, and they here. */
void sccli_crossing_count(struct bridge_call *x, const struct sccl_comm *c);
/* What signal K to PEER (0: the offer) is, with all that was written before: NULL without memory. */
struct letter *sccli_parcel_pack(const struct bridge *b, const struct bridge_call *x, uint32_t peer, uint32_t block, uint32_t k);
/* Puts it where it belongs and moves the flag. */
sccl_status_t sccli_parcel_unpack(const struct bridge *b, struct bridge_call *x, const struct letter *l);

/* bridge_poll.c */
void sccli_bridge_take_over(struct bridge *b); /* the calls that were begun since */
/* Sends what has become ready. False: the carrier fails. */
bool sccli_bridge_poll(struct bridge *b, bool *moved);
bool sccli_bridge_send(struct bridge *b, struct letter *l, uint32_t to);

#endif
