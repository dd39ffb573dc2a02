#ifndef SCCL_INTEROP_PLANS_PLAN_H
#define SCCL_INTEROP_PLANS_PLAN_H

/*
 * A plan of another library, as a program: what each thread block of each rank does, operation by operation, over
 * buffers of chunks. Readers of MSCCL XML and MSCCL++ JSON fill it; plan_play executes it over sets of contributions and
 * finds what is wrong. Nothing here is shared with the writers of plans in lower/plans.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct text;

/* Packets are data with flags: a reader waits for each. They have a buffer of their own here, in scratch there. */
enum plan_buffer { PLAN_INPUT, PLAN_OUTPUT, PLAN_SCRATCH, PLAN_PACKETS, PLAN_BUFFERS };

struct plan_span {
	int rank;
	enum plan_buffer buffer;
	int at; /* in cells */
};

/* The sum of what is read, cell by cell, is written everywhere. */
struct plan_transfer {
	int n; /* cells */
	size_t n_reads, n_writes;
	struct plan_span *reads, *writes; /* owned */
	int fifo_in, fifo_out;            /* a message of n cells is added to the sum, or sent; -1: none */
};

struct plan_op {
	const char *name; /* static */
	int number;       /* in its thread block, as its file counts */
	size_t n_transfers, transfers_capacity;
	struct plan_transfer *transfers; /* owned */
	size_t n_posts, n_waits, posts_capacity, waits_capacity;
	int *posts, *waits;              /* semaphores; owned */
	bool sync;                       /* all threads of the block meet after it */
	size_t listed;                   /* the longest of its file's lists of channels, sources and destinations */
	bool proxied;                    /* a proxy does it, in the order of requests */
	int barrier, barrier_blocks;     /* -1: none; numbered within a rank */
	int on_block, on_step;           /* waits for this op of another block of its rank; -1: none */
	bool awaited;
};

struct plan_block {
	int send, receive, channel; /* of MSCCL XML: peers, -1: none */
	size_t listed_channels, listed_ops; /* of MSCCL++: channels of one type, and ops as its file lists them */
	size_t n, capacity;
	struct plan_op *ops; /* owned */
};

struct plan_rank {
	int chunks[PLAN_BUFFERS]; /* in chunks of the file; cells are so many parts of one: struct foreign_plan's cut */
	size_t n, capacity;
	struct plan_block *blocks; /* owned */
};

/* What plans are for; custom and unknown ones have no required result. */
enum plan_kind {
	PLAN_ALLREDUCE, PLAN_ALLGATHER, PLAN_REDUCESCATTER, PLAN_ALLTOALL, PLAN_BROADCAST, PLAN_REDUCE, PLAN_OTHER, PLAN_KINDS
};
extern const char *const plan_kind_names[];

enum plan_format { PLAN_MSCCL, PLAN_MSCCLPP, PLAN_FORMATS };
extern const char *const plan_format_names[];

struct foreign_plan {
	char *path, *name;       /* owned */
	enum plan_format format;
	enum plan_kind kind;
	char *collective, *protocol; /* as the file says; owned */
	bool in_place, out_of_place;
	int ranks, root;
	int cut;                 /* cells of a chunk */
	struct plan_rank *of;    /* owned, one per rank */
	size_t n_semaphores, semaphores_capacity;
	int *semaphores;         /* initial values; owned */
	size_t n_fifos;
	/* What its consumer reads, for limits and tables. */
	int64_t least_bytes, most_bytes; /* 0: no limit */
	int chunks_per_loop, channels, alignment;
	bool sizes_stated, places_stated; /* minBytes and maxBytes; inplace and outofplace */
};

/* What was found, one line each: "PATH: rank 0, thread block 1, op 2 (put): ...". */
struct plan_faults {
	struct text *lines;
	int n;
	const char *mode; /* "in place: " or so, before each; may be "" */
};
enum { PLAN_FAULTS_MAX = 20, PLAN_DEEP = 4 }; /* messages that a deep connection holds */

struct foreign_plan *foreign_plan_new(const char *path, enum plan_format format);
void foreign_plan_free(struct foreign_plan *p); /* NULL is fine */
struct plan_op *plan_add_op(struct plan_block *b, const char *name, int number);
struct plan_block *plan_add_block(struct plan_rank *r);
/* A transfer of N cells with room for so many reads and writes, to be filled by the caller. */
struct plan_transfer *plan_add_transfer(struct plan_op *o, int n, size_t reads, size_t writes);
void plan_add_post(struct plan_op *o, int semaphore);
void plan_add_wait(struct plan_op *o, int semaphore);
int plan_add_semaphore(struct foreign_plan *p, int value); /* returns its number */

/* Adds a line; a rank, block or op of -1 is left out. False, for "return plan_fault(...)". */
bool plan_fault(struct plan_faults *f, const struct foreign_plan *p, int rank, int block, const struct plan_op *op, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/*
 * Readers. NULL with *e set: not of this format, or with references to what does not exist. Limits of consumers and what
 * the plan does are not their concern.
 */
struct foreign_plan *plan_read_msccl(const char *path, const char *bytes, size_t n, struct error *e);
struct foreign_plan *plan_read_mscclpp(const char *path, const char *bytes, size_t n, struct error *e);


/*
 * Executes P, with input and output in one buffer if IN_PLACE, with FIFOs that hold DEPTH messages. Reports races, reads
 * of what is not there, wrong sums, accesses outside buffers, blocks that wait forever, and wrong results.
 * False with *e set (ERROR_LIMIT) if P is too large; faults are no error.
 */
bool plan_play(const struct foreign_plan *p, bool in_place, int depth, struct plan_faults *f, struct error *e);

/*
 * What a plan sends, as sends of a schedule: a datum that came from another rank is a copy if it is passed on or is output,
 * and a reduce if it is added to what the rank has. Steps are numbered from 1 by hops. DATUM numbers are those of
 * plan_play: by place for collectives that combine, by rank and place for others.
 */
struct plan_send {
	int step, datum, src, dst;
	bool reduce;
};
struct plan_log {
	size_t n, capacity;
	struct plan_send *of;   /* owned by the caller */
	bool late;              /* reduces happen when they are added up, not when they arrive */
	bool two_values;        /* two sums of a chunk were kept apart at a rank: no schedule of ours says that */
};
/* The same as plan_play with DEPTH for deep connections, and fills *LOG. */
bool plan_trace(const struct foreign_plan *p, bool in_place, struct plan_log *log, struct plan_faults *f, struct error *e);
/* Cells of one rank's input, as the collective has them. */
int plan_input_cells(const struct foreign_plan *p, int rank);

#endif
