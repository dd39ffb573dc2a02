#ifndef SCCL_LOWER_PLANS_MSCCL_H
#define SCCL_LOWER_PLANS_MSCCL_H

/*
 * Exports a schedule as a plan for RCCL, in MSCCL XML. Each GPU runs its thread blocks concurrently, and each block
 * runs its steps in order; a block sends to at most one peer and receives from at most one, over a FIFO of a channel.
 * docs/reference/formats.md describes how RCCL reads such a plan.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct error;
struct text;

enum msccl_kind {
	MSCCL_SEND,    /* "s": send the content of `from` */
	MSCCL_RECEIVE, /* "r": receive into `to` */
	MSCCL_ADD,     /* "rrc": receive, reduce with the content of `from`, store in `to` */
	MSCCL_COPY,    /* "cpy": copy `from` into `to` */
	MSCCL_KINDS
};

enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH, MSCCL_BUFFERS };

struct msccl_place {
	enum msccl_buffer buffer;
	int at; /* in chunks */
};

struct msccl_step {
	enum msccl_kind kind;
	struct msccl_place from, to; /* `to` of a send and `from` of a receive are at the peer; RCCL ignores these */
	int count;                   /* number of consecutive chunks */
	int on_block, on_step;       /* depends on this step of another block of its GPU; -1: none */
	bool awaited;                /* a step of another block depends on this one (hasdep) */
};

struct msccl_block {
	int send, receive; /* ranks of the peers; -1: none */
	int channel;
	size_t n, capacity;
	struct msccl_step *steps; /* owned */
};

struct msccl_gpu {
	int chunks[MSCCL_BUFFERS]; /* the size of each buffer, in chunks */
	size_t n, capacity;
	struct msccl_block *blocks; /* owned */
};

struct msccl_plan {
	const struct algorithm *algorithm; /* borrowed */
	const char *collective;            /* RCCL's name for the collective; static */
	int chunks_per_loop;               /* the number of chunks into which RCCL cuts the count of a call */
	int channels, ranks;
	struct msccl_gpu *of; /* owned: one per rank */
};

/* The limits of RCCL. It rejects a file that exceeds them, or truncates the values. */
enum {
	MSCCL_STEPS_MAX = 64,          /* steps per block */
	MSCCL_BLOCKS_MAX = 64,         /* blocks per GPU */
	MSCCL_CHANNELS_MAX = 32,
	MSCCL_CHANNEL_BLOCKS_MAX = 32, /* blocks that send, or that receive, over one channel of one GPU */
	MSCCL_COUNT_MAX = 71,          /* chunks per step */
	MSCCL_OFFSET_MAX = 32767,      /* offset in a buffer: a signed 16-bit number */
	MSCCL_GPUS_MAX = 1024,         /* children of one XML element */
	MSCCL_NODES_MAX = 4096,        /* XML elements that one rank reads: root, GPUs and those in its own GPU */
	MSCCL_NAME_MAX = 63,           /* bytes of the algorithm's name */
};

extern const char *const msccl_kind_names[], *const msccl_buffer_names[]; /* as in the XML: "rrc"; "i" */

/* Verifies A, plans, checks the plan, and appends it to INTO as XML. False with *e set and nothing appended: A has more
 * than LOWERED_SENDS_MAX sends or does not verify, RCCL has no such collective, or the plan exceeds one of its limits
 * (ERROR_INPUT, with the place). */
struct msccl_options {
	bool in_place;     /* for calls whose input and output are one buffer; otherwise for the others */
	const char *proto; /* "Simple", "LL" or "LL128": only stated */
	int64_t least_bytes, most_bytes; /* 0: no limit */
};
bool msccl_export(const struct algorithm *a, const struct msccl_options *o, struct text *into, struct error *e);

/* The rest is the interface between these phases. */

/* Plans A, which must have passed algorithm_verify and must outlive the plan. The caller releases it with
 * msccl_plan_free. NULL with *e set: a collective that RCCL does not have, or a size that cannot fit. The plan may
 * still exceed other limits; msccl_check reports them. */
struct msccl_plan *msccl_plan_new(const struct algorithm *a, struct error *e);
void msccl_plan_free(struct msccl_plan *p); /* NULL is fine */

/* Would RCCL load the plan and interpret it as intended? Checks the limits, and that places, peers and awaited steps
 * exist. False with *e set. */
bool msccl_check(const struct msccl_plan *p, struct error *e);

/* Executes a plan that has passed msccl_check over sets of contributions, with FIFOs that hold a single send. Rejects
 * blocks that wait for each other, accesses that are not surely ordered after those they conflict with, and outputs
 * that are not what the collective requires. False with *e set. */
bool msccl_play(const struct msccl_plan *p, struct error *e);

/* Reports a fault at a step of a block, which may be one past the last: sets *e. Returns false. */
bool msccl_fault(const struct msccl_plan *p, int rank, size_t block, size_t step, struct error *e, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

#endif
