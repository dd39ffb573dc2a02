#ifndef SCCL_INTEROP_PLANS_PLAY_H
#define SCCL_INTEROP_PLANS_PLAY_H

/* The state of a plan while it is played. Internal to interop/plans/. */

#include "interop/plans/plan.h"

/*
 * An op of a block: blocks are numbered across all ranks, ops from 2; 1 is the beginning of a block, 0 before it. START
 * tells which thread accesses a cell: cells at the same distance from the same start are of the same thread.
 */
struct play_stamp {
	int block, op, start;
};

/* A cell of a buffer: a datum with the contributions of a set of ranks. */
struct play_cell {
	int value;       /* number of the datum; -1: nothing */
	int from, level; /* the rank that it came from and was not yet used since, -1: none; how many hops it is old */
	uint64_t *parts; /* [words]; owned */
	struct play_stamp written;
	int clock;       /* of packets: what their writer knew, an index of the pool; -1: none */
	size_t n, capacity;
	struct play_stamp *reads; /* since it was written; owned */
};

/* What is on its way: the clock of a sender, and for FIFOs the data. */
struct play_message {
	int *clock;      /* owned */
	int n;           /* cells */
	int *values, *levels; /* owned */
	int sender;           /* a rank */
	uint64_t *parts; /* [n * words]; owned */
};

struct play_queue {
	size_t first, n, capacity;
	struct play_message *of;
};

struct play_block {
	int rank, in_rank;
	size_t next;          /* op */
	int last_sync;        /* stamp of the last op after which all threads met */
	int *known, *pending; /* [blocks]: what all threads know; what some thread knows */
	int **after;          /* [op]: what was known after it, if it is awaited */
	bool arrived;         /* at its barrier */
};

struct play {
	const struct foreign_plan *p;
	bool in_place;
	int depth;
	size_t words;         /* of a set of ranks */
	int blocks;
	struct play_block *of;
	int *first_block;     /* [rank], and one more */
	struct play_cell **cells[PLAN_BUFFERS]; /* [buffer][rank]; with one buffer for both, the input's are NULL or a part */
	int *length[PLAN_BUFFERS];              /* cells */
	int *held[PLAN_BUFFERS];                /* length of the array; more, where it is two buffers */
	int **pool;                             /* clocks of packets; owned */
	size_t n_pool, pool_capacity;
	struct play_queue *semaphores, *fifos;
	struct plan_faults *f;
	struct plan_log *log; /* NULL: sends are not wanted */
	bool moved;
};

/* play_state.c. Cell I of span S, also where input and output are one buffer; NULL: outside of the rank's buffer. */
struct play_cell *play_cell_at(struct play *y, const struct plan_span *s, int i);

/* Does a sum need equal data and disjoint sets of ranks? Not in plans for collectives that are not known. */
bool play_judges_sums(const struct play *y);

/* contents.c: what is in the inputs before, and whether the outputs are right after. */
void play_fill(struct play *y);
void play_judge(struct play *y);

/* transfers.c: does the data movement of an op of block B; faults are reported. */
void play_transfers(struct play *y, struct play_block *b, const struct plan_op *o);

/* play_state.c: adds a send to the log, if there is one. */
void play_log(struct play *y, int step, int datum, int src, int dst, bool reduce);
/* Clocks and messages. */
void play_join(const struct play *y, int *into, const int *from);
void queue_push(struct play_queue *q, struct play_message m);
struct play_message queue_pop(struct play_queue *q); /* of a queue that is not empty; the caller owns its members */

#endif
