#ifndef SCCL_LOWER_PLANS_MSCCL_H
#define SCCL_LOWER_PLANS_MSCCL_H

/*
 * A schedule as a plan for RCCL: MSCCL XML. Each GPU runs thread blocks side by side, each its steps in order; a block
 * sends to at most one peer and receives from at most one, over a FIFO of a channel. docs/reference/formats.md says what RCCL
 * reads into it.
 */

#include <stdbool.h>
#include <stddef.h>

struct algorithm;
struct error;
struct text;

enum msccl_kind {
	MSCCL_SEND,    /* "s": what lies in from */
	MSCCL_RECEIVE, /* "r": into to */
	MSCCL_ADD,     /* "rrc": what is received and what lies in from, into to */
	MSCCL_COPY,    /* "cpy": from from into to */
	MSCCL_KINDS
};

enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH, MSCCL_BUFFERS };

struct msccl_place {
	enum msccl_buffer buffer;
	int at; /* in chunks */
};

struct msccl_step {
	enum msccl_kind kind;
	struct msccl_place from, to; /* to of a send, from of a receive: at the peer; RCCL does not look at these */
	int count;                   /* of chunks, one after the other */
	int on_block, on_step;       /* begins after this step of another block of its GPU; -1: none */
	bool awaited;                /* another block's step begins after this one */
};

struct msccl_block {
	int send, receive; /* peers; -1: none */
	int channel;
	size_t n, capacity;
	struct msccl_step *steps; /* owned */
};

struct msccl_gpu {
	int chunks[MSCCL_BUFFERS]; /* how long each buffer is */
	size_t n, capacity;
	struct msccl_block *blocks; /* owned */
};

struct msccl_plan {
	const struct algorithm *algorithm; /* borrowed */
	const char *collective;            /* RCCL's name for it */
	int chunks_per_loop;               /* into how many chunks RCCL cuts what its call counts */
	int channels, ranks;
	struct msccl_gpu *of; /* owned: one a rank */
};

/* What RCCL takes; what is over them it rejects when it reads the file, or cuts off. */
enum {
	MSCCL_STEPS_MAX = 64,          /* of a block */
	MSCCL_BLOCKS_MAX = 64,         /* of a GPU */
	MSCCL_CHANNELS_MAX = 32,
	MSCCL_CHANNEL_BLOCKS_MAX = 32, /* that send, or that receive, over one channel of one GPU */
	MSCCL_COUNT_MAX = 71,
	MSCCL_OFFSET_MAX = 32767,      /* of a place in its buffer: 16 bits with sign */
	MSCCL_GPUS_MAX = 1024,         /* elements in one element */
	MSCCL_NODES_MAX = 4096,        /* elements that one rank reads: the GPUs, and what is in its own */
	MSCCL_NAME_MAX = 63,
};

extern const char *const msccl_kind_names[], *const msccl_buffer_names[]; /* "rrc"; "i" */

/* The whole way: verifies, plans, judges, writes. False with *e set, and nothing written: A does not verify, RCCL has no
 * such collective or the plan is over one of its limits (bad input, with the place). */
bool msccl_export(const struct algorithm *a, struct text *into, struct error *e);

/* The rest is between the strides. */

/* A must have passed algorithm_verify. NULL with *e set: a collective or a size that RCCL does not know. A plan may be
 * over the other limits: msccl_check says so. */
struct msccl_plan *msccl_plan_new(const struct algorithm *a, struct error *e);
void msccl_plan_free(struct msccl_plan *p); /* NULL is fine */

/* Would RCCL load it, and as it is meant? The limits, and that places, peers and awaited steps are there. */
bool msccl_check(const struct msccl_plan *p, struct error *e);

/* Plays a checked plan over sets of contributions, with room for one send in each FIFO. Refuses blocks that wait for each
 * other, a read of or a write over what is not surely done, and outputs that are not what the collective wants. */
bool msccl_play(const struct msccl_plan *p, struct error *e);

/* Refuses for what is wrong at a step of a block, which may be one past the last. Returns false. */
bool msccl_fault(const struct msccl_plan *p, int rank, size_t block, size_t step, struct error *e, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

#endif
