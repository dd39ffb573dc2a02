#ifndef SCCL_LOWER_PLANS_MSCCLPP_BLOCKS_H
#define SCCL_LOWER_PLANS_MSCCLPP_BLOCKS_H

/* Thread blocks of a plan for MSCCL++ and their ops, as they become text. Internal to lower/plans/. */

#include "core/base/text.h"

#include <stdbool.h>

/* Scratch that holds packets is the same memory as other scratch, but a plan uses one or the other. */
enum pp_buffer { PP_INPUT, PP_OUTPUT, PP_SCRATCH, PP_BUFFERS };

struct pp_place {
	enum pp_buffer buffer;
	int at; /* in chunks */
};

/* One thread block: for one peer, or for none. */
struct pp_block {
	int peer;             /* -1: none */
	int n_ops;
	size_t *begins, capacity; /* [op]: where it begins in OPS; owned */
	bool waits;           /* for its peer, in the step in hand */
	struct text ops;      /* JSON, each after a comma */
	bool switched;        /* it uses the rank's switch channels */
	int id[PP_BUFFERS];   /* the peer's buffer in the block's list, -1: not in it */
	int n_ids;
	enum pp_buffer list[PP_BUFFERS];
};

struct pp_rank {
	int n;
	struct pp_block *blocks; /* owned, with their text */
	int *block_of;           /* [peer]; -1: none; owned */
	int chunks[PP_BUFFERS];
	int n_switched;                        /* switch channels to all ranks, each for a buffer */
	enum pp_buffer switched[PP_BUFFERS];
};

/*
 * MSCCL++ takes so many ops in a thread block. A longer one is cut into several: before it ends, each releases a semaphore of
 * the rank that the next one acquires.
 */
enum { PP_OPS_MAX = 64, PP_SEMAPHORES_MAX = 16 };
int pp_segments(const struct pp_block *b);
/* Appends the ops of segment K; FIRST is the semaphore between the first two. */
void pp_add_segment(const struct pp_block *b, int k, int first, struct text *into);

/* Ops. N chunks from each place. */
void pp_plain(struct pp_block *b, const char *name);       /* nop */
void pp_signal(struct pp_block *b, const char *name);      /* signal or wait, with the peer */
void pp_barrier(struct pp_block *b, int blocks);
/* Several ranges to the peer in one op: put, ppkt or rppkt. All sources are in one buffer. */
struct pp_range {
	struct pp_place from, to;
	int n;
};
void pp_send(struct pp_block *b, const char *name, const struct pp_range *ranges, int n);
/* The sum of the sources, all of N chunks, is stored locally: re, copy, repkt or upkt. */
void pp_store(struct pp_block *b, const char *name, const struct pp_place *sources, int n_sources, struct pp_place to, int n);
/* Through switch channel TO of the rank's list, into all ranks: what is at FROM here (gstore), or if FROM_SWITCH >= 0 the sum of
 * what all ranks have there (glres). */
void pp_switch(struct pp_block *b, int from_switch, struct pp_place from, int to_switch, int to, int n);

#endif
