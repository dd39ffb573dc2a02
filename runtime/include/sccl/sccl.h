#ifndef SCCL_SCCL_H
#define SCCL_SCCL_H

/*
 * The runtime that applications link to run generated programs: a communicator over ranks that the caller brings
 * together, memory that every rank can write into, and plans: a program made ready for one type, operation and largest
 * count. C11 and C++ callers alike. docs/reference/c-api.md walks through it.
 *
 * A function marked "collective" is called by every rank of the communicator, in the same order on each. A communicator
 * and what is made of it belong to one thread at a time; sccl_comm_abort and sccl_comm_status may be called from any.
 *
 * Every function that can fail returns a status and keeps one line for people: sccl_error_text.
 */

#include <stddef.h>
#include <stdint.h>

#include <sccl/program.h>

#if defined(__GNUC__)
#define SCCL_API __attribute__((visibility("default")))
#else
#define SCCL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sccl_status {
	SCCL_OK,
	SCCL_INVALID,     /* an argument is wrong; nothing was done */
	SCCL_MISMATCH,    /* ranks do not agree: program, type, operation, count, blocks, offset or size */
	SCCL_UNSUPPORTED, /* another abi or target, or no kernel for this type and operation */
	SCCL_NO_MEMORY,
	SCCL_SYSTEM,      /* the operating system or the driver refused */
	SCCL_BOOTSTRAP,   /* the caller's bootstrap failed */
	SCCL_TIMEOUT,     /* a wait lasted longer than the communicator allows */
	SCCL_DEAD_RANK,   /* the process of a rank has ended */
	SCCL_ABORTED,     /* a rank called sccl_comm_abort */
	SCCL_STATUSES
} sccl_status_t;

/* "no memory", ...: a constant text for each status. */
SCCL_API const char *sccl_status_text(sccl_status_t status);

/* One line about the last call of this thread that failed; "" before the first. Valid until the thread's next failure. */
SCCL_API const char *sccl_error_text(void);

/* Bytes of one element; 0 where the type is none. */
SCCL_API size_t sccl_dtype_size(sccl_dtype_t type);
/* "f32", ... and "sum", ...: NULL where the value is none. */
SCCL_API const char *sccl_dtype_name(sccl_dtype_t type);
SCCL_API const char *sccl_op_name(sccl_op_t op);

/*
 * How the ranks first meet. Both functions return 0, or anything else where the ranks could not meet; both are
 * collective. `context` is the caller's. A communicator uses its bootstrap while things are made, never while a plan
 * runs; the bootstrap must outlive it.
 */
typedef struct sccl_bootstrap {
	void *context;
	/* Rank i's `bytes` bytes at `mine` arrive at `all` + i * bytes, on every rank. */
	int (*allgather)(void *context, const void *mine, void *all, size_t bytes);
	int (*barrier)(void *context);
} sccl_bootstrap_t;

/*
 * A built-in bootstrap for threads of one process and for processes that it forks: made before they start, joined by
 * each. Waits end with an error when a member's process has ended, or after TIMEOUT seconds (0: never).
 */
typedef struct sccl_group sccl_group_t;
SCCL_API sccl_status_t sccl_group_create(sccl_group_t **group, uint32_t ranks, double timeout);
SCCL_API sccl_status_t sccl_group_join(sccl_group_t *group, uint32_t rank, sccl_bootstrap_t *bootstrap);
SCCL_API void sccl_group_free(sccl_group_t *group); /* NULL is fine; of this process alone */

/*
 * A built-in bootstrap for unrelated processes of one machine: rank 0 listens at a Unix socket named PATH (gone
 * once all have met; with @ before it, it is in no file system), the others connect. All belong to the same effective user:
 * nobody else is let in, and no other user's rank 0 is believed. A socket that a killed process left at PATH is replaced; any
 * other file and a meeting that goes on there are not. Collective; no wait lasts longer than TIMEOUT seconds (0: for ever).
 * Close it after the communicators that use it are freed.
 */
SCCL_API sccl_status_t sccl_socket_open(sccl_bootstrap_t *bootstrap, const char *path, uint32_t rank, uint32_t ranks,
                                        double timeout);
SCCL_API void sccl_socket_close(sccl_bootstrap_t *bootstrap);

/*
 * What carries messages between ranks that share no memory: MPI (sccl/carrier_mpi.h), or whatever the caller has. One
 * thread of the library calls it, not the caller's, from the making of a communicator to its end.
 */
typedef struct sccl_carrier {
	void *context;
	/* Begins to send; DATA stays until `sent` says so. What one rank sends to another arrives in order. 0, or an error. */
	int (*send)(void *context, uint32_t to, const void *data, size_t bytes, void **ticket);
	int (*sent)(void *context, void *ticket); /* 1: it is, and the ticket is gone; 0: not yet; below 0: an error */
	/* 1: a message has come, from whom and how long; 0: none; below 0: an error. */
	int (*arrived)(void *context, uint32_t *from, size_t *bytes);
	int (*receive)(void *context, void *data); /* that message. 0, or an error */
} sccl_carrier_t;

typedef struct sccl_comm sccl_comm_t;

/* All zero are the defaults. The same on all ranks, but for device, carrier and server. */
typedef struct sccl_comm_options {
	const char *target;  /* of the programs to be run; NULL: "host" */
	uint32_t max_blocks; /* most blocks of a call; 0: 32 */
	double timeout;      /* seconds that one wait of a call may last; 0: for ever. A rank that has died ends it anyway */
	int device;          /* which accelerator; the host has none to choose from */
	/*
	 * Ranks with the same `server` share memory; to the others go messages. Plans of such a communicator have the plain
	 * protocol, with kernels. NULL: all are on one server. It must outlive the communicator.
	 */
	const sccl_carrier_t *carrier;
	uint32_t server;
} sccl_comm_options_t;

/* Collective. OPTIONS may be NULL. */
SCCL_API sccl_status_t sccl_comm_create(sccl_comm_t **comm, uint32_t rank, uint32_t ranks,
                                        const sccl_bootstrap_t *bootstrap, const sccl_comm_options_t *options);
/* Local, after the memory and plans made of it; NULL is fine. */
SCCL_API void sccl_comm_free(sccl_comm_t *comm);

/* Ends every call of every rank, now and later, with SCCL_ABORTED. Any thread, at any time while the communicator lives. */
SCCL_API void sccl_comm_abort(sccl_comm_t *comm);

/* SCCL_OK, or what ended this communicator for good, with one line of text (cut to SIZE bytes; TEXT may be NULL) such as
 * "rank 3, block 1, step 2 waits for rank 5". Any thread. */
SCCL_API sccl_status_t sccl_comm_status(const sccl_comm_t *comm, char *text, size_t size);

/* Memory of every rank that every rank can write into, at the same offsets. */
typedef struct sccl_memory sccl_memory_t;

/* Collective: the same BYTES (more than 0) everywhere. Zeroed, 4096-byte aligned. */
SCCL_API sccl_status_t sccl_memory_create(sccl_memory_t **memory, sccl_comm_t *comm, size_t bytes);
/*
 * Collective: the same of memory that is the caller's and stays so: BYTES at BUFFER, another on every rank. The buffer is
 * to be there until every rank has freed its sccl_memory_t. GPUs: memory of the communicator's device (cudaMalloc, hipMalloc); ranks in
 * other processes open it, too; with HIP it must be fine-grained (hipDeviceMallocFinegrained), as peers write into it. Host: only where all ranks are threads of one process; other processes could not
 * reach it.
 */
SCCL_API sccl_status_t sccl_memory_register(sccl_memory_t **memory, sccl_comm_t *comm, void *buffer, size_t bytes);
/* This rank's piece. */
SCCL_API void *sccl_memory_at(const sccl_memory_t *memory, size_t offset);
/* Local, once no call that uses it runs on any rank; NULL is fine. */
SCCL_API void sccl_memory_free(sccl_memory_t *memory);

/* A program ready to run: one type, one operation, any count up to a largest. */
typedef struct sccl_plan sccl_plan_t;

/* How a call is brought onto the device. */
typedef enum sccl_mode {
	SCCL_ONE_KERNEL,    /* the whole call */
	SCCL_KERNEL_A_STEP, /* as many launches as the algorithm has steps */
	SCCL_COPY_ENGINES,  /* no kernel: streams copy and signal each other. Plain protocol, where nothing is reduced; not to
	                     * be captured in a graph, as the words that streams wait for are the call's own */
	SCCL_MODES
} sccl_mode_t;

/* All zero are the defaults. The same on all ranks. */
typedef struct sccl_plan_options {
	uint32_t blocks;         /* of every call, that each chunk is cut into; 0: chosen by the device */
	uint32_t symmetric_only; /* 1: no staging memory, so that `out` must be symmetric; packets never need any */
	uint32_t overlap;        /* 1: blocks that one worker has to do go through the steps in turns, not one by one */
	sccl_protocol_t protocol;
	sccl_mode_t mode;
} sccl_plan_options_t;

/*
 * Collective. PROGRAM stays the caller's and must outlive the plan. Counts are of L, one rank's input (docs/reference/formats.md).
 * Ranks that bring different programs, types, operations, counts or options all get SCCL_MISMATCH.
 */
SCCL_API sccl_status_t sccl_plan_create(sccl_plan_t **plan, sccl_comm_t *comm, const sccl_program_t *program,
                                        sccl_dtype_t type, sccl_op_t op, uint64_t max_count,
                                        const sccl_plan_options_t *options);
/* Local, once no call of it runs on any rank; NULL is fine. */
SCCL_API void sccl_plan_free(sccl_plan_t *plan);

/* A stream of the device (cudaStream_t, hipStream_t); the host has none: NULL. */
typedef void *sccl_stream_t;

/*
 * Collective. COUNT elements (L), up to the plan's largest; the same on all ranks.
 *
 * IN is any memory of this rank; it may be NULL where this rank has no input. With packets OUT is any memory of this
 * rank, too. With the plain protocol it is a place in symmetric memory, at the
 * same offset of the same memory on every rank, also on those that have no output (gather, reduce). Otherwise OUT is any
 * memory, on every rank, or NULL where this rank has no output: the result then goes through the plan's staging memory,
 * one copy more. IN and OUT may be the same place or overlap.
 *
 * On the host the call is done when it returns; with other devices, when the stream gets there. A communicator's calls are
 * made one after another, on one stream or on several: a call on another stream comes after the one before. Only where calls
 * are captured in graphs the caller sees to it that these, too, run one after another. What ends one rank's
 * call ends all: the communicator is of no further use then, except to be freed.
 */
SCCL_API sccl_status_t sccl_run(sccl_plan_t *plan, const void *in, void *out, uint64_t count, sccl_stream_t stream);

/* One way of making a call: up to so many bytes of L, this program, so. */
typedef struct sccl_choice {
	const sccl_program_t *program;
	uint64_t most_bytes; /* UINT64_MAX: no limit */
	sccl_protocol_t protocol;
	sccl_mode_t mode;
	uint32_t blocks;  /* 0: left open */
	uint32_t overlap; /* as in sccl_plan_options_t */
} sccl_choice_t;

/* "plain", "packets"; "one", "step", "none" (kernels of a call): NULL where the value is none. */
SCCL_API const char *sccl_protocol_name(sccl_protocol_t protocol);
SCCL_API const char *sccl_mode_name(sccl_mode_t mode);

/*
 * The rows of a table (docs/reference/formats.md, written by `sccl-synth tune`) that name one of PROGRAMS, which does COLLECTIVE
 * with ROOT (-1: not rooted). *choices is freed with sccl_choices_free. Local.
 */
SCCL_API sccl_status_t sccl_choices_read(sccl_choice_t **choices, size_t *n, const char *path,
                                         const sccl_program_t *const programs[], size_t n_programs, const char *collective,
                                         int32_t root);
/*
 * The same from costs: S α + R/C L β (SCCL, section 3.6) with ALPHA microseconds a step and BETA microseconds a byte of one
 * unit of bandwidth; packets take half the latency and twice the bytes. Where no program fits, *n is 0. Local.
 */
SCCL_API sccl_status_t sccl_choices_cost(sccl_choice_t **choices, size_t *n, const sccl_program_t *const programs[],
                                         size_t n_programs, const char *collective, int32_t root, double alpha, double beta);
SCCL_API void sccl_choices_free(sccl_choice_t *choices);

/* Plans of one type and operation, of which each call takes the one for its size. */
typedef struct sccl_selector sccl_selector_t;

/* All zero are the defaults. The same on all ranks. */
typedef struct sccl_selector_options {
	uint32_t symmetric_only; /* as in sccl_plan_options_t */
	/* 1: where a choice leaves the blocks open, the first calls of each size are timed (and waited for: not in a graph)
	 * and the ranks meet between them, until larger chunks, then smaller ones, help no more (Blink, section 4.2.1). Not
	 * on GPUs where one thread has many ranks. */
	uint32_t adapt;
} sccl_selector_options_t;

/* Collective. N choices, copied; their programs must outlive the selector. With SCCL_LOG in the environment rank 0 writes
 * a line on standard error for each size that it meets. */
SCCL_API sccl_status_t sccl_selector_create(sccl_selector_t **selector, sccl_comm_t *comm, const sccl_choice_t *choices, size_t n,
                                            sccl_dtype_t type, sccl_op_t op, uint64_t max_count,
                                            const sccl_selector_options_t *options);
SCCL_API void sccl_selector_free(sccl_selector_t *selector); /* local; NULL is fine */
/* sccl_run, with the plan for COUNT. */
SCCL_API sccl_status_t sccl_selector_run(sccl_selector_t *selector, const void *in, void *out, uint64_t count,
                                         sccl_stream_t stream);
/* What a call of COUNT takes, also as a line of text; each may be NULL. */
SCCL_API sccl_status_t sccl_selector_choice(const sccl_selector_t *selector, uint64_t count, sccl_choice_t *choice, char *text,
                                            size_t size);

/*
 * Many ranks in one process: each function does for all RANKS what its namesake does for one. Arrays have an entry a rank.
 * What is made is used with the other functions alike, and freed one by one. Threads are started for as long as making
 * takes; on GPUs sccl_run_all itself starts none. On the host, where a call is done when it returns, it starts a thread a
 * rank: where that is too slow, let threads of your own call sccl_run.
 */
/* DEVICES: of each rank, NULL: options.device for all. On failure nothing is left and all entries are NULL. */
SCCL_API sccl_status_t sccl_comms_create(sccl_comm_t *comms[], uint32_t ranks, const int devices[],
                                         const sccl_comm_options_t *options);
SCCL_API void sccl_comms_free(sccl_comm_t *comms[], uint32_t ranks);
/* BUFFERS: the caller's, to be registered; NULL: new memory. */
SCCL_API sccl_status_t sccl_memories_create(sccl_memory_t *memories[], sccl_comm_t *const comms[], uint32_t ranks,
                                            void *const buffers[], size_t bytes);
SCCL_API sccl_status_t sccl_plans_create(sccl_plan_t *plans[], sccl_comm_t *const comms[], uint32_t ranks,
                                         const sccl_program_t *program, sccl_dtype_t type, sccl_op_t op, uint64_t max_count,
                                         const sccl_plan_options_t *options);
/* IN, OUT and STREAMS may be NULL where no rank has any. */
SCCL_API sccl_status_t sccl_run_all(sccl_plan_t *const plans[], uint32_t ranks, const void *const in[], void *const out[],
                                    uint64_t count, const sccl_stream_t streams[]);

#ifdef __cplusplus
}
#endif
#endif
