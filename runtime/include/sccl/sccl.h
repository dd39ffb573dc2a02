#ifndef SCCL_SCCL_H
#define SCCL_SCCL_H

/*
 * The runtime that applications link to run generated programs. It provides communicators, whose ranks the caller
 * brings together; memory that every rank can write into; and plans: a program prepared for one data type, one
 * operation and a maximum count. Usable from C11 and C++. docs/reference/c-api.md is the guide.
 *
 * A function marked "collective" must be called by every rank of the communicator, in the same order on each. A
 * communicator and the objects created from it may be used by only one thread at a time; sccl_comm_abort and
 * sccl_comm_status may be called from any thread.
 *
 * Every function that can fail returns a status and records a one-line message, which sccl_error_text returns.
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

/* Status that a function returns. */
typedef enum sccl_status {
	SCCL_OK,
	SCCL_INVALID,     /* an argument is invalid; nothing was done */
	SCCL_MISMATCH,    /* the ranks disagree on the program, type, operation, count, blocks, offset or size */
	SCCL_UNSUPPORTED, /* a different ABI or target, or no kernel for this type and operation */
	SCCL_NO_MEMORY,
	SCCL_SYSTEM,      /* the operating system or the driver reported an error */
	SCCL_BOOTSTRAP,   /* the caller's bootstrap failed */
	SCCL_TIMEOUT,     /* a wait exceeded the communicator's time limit */
	SCCL_DEAD_RANK,   /* a rank's process has exited, or it freed its communicator while others still needed it */
	SCCL_ABORTED,     /* a rank called sccl_comm_abort */
	SCCL_STATUSES
} sccl_status_t;

/* A constant string that describes STATUS, such as "out of memory". Never NULL. */
SCCL_API const char *sccl_status_text(sccl_status_t status);

/* One line about the calling thread's last failed call; "" if none has failed. Valid until this thread's next
 * failure. */
SCCL_API const char *sccl_error_text(void);

/* Size of one element in bytes; 0 if TYPE is not a valid type. */
SCCL_API size_t sccl_dtype_size(sccl_dtype_t type);
/* Names such as "f32" and "sum"; NULL if the value is not valid. */
SCCL_API const char *sccl_dtype_name(sccl_dtype_t type);
SCCL_API const char *sccl_op_name(sccl_op_t op);

/*
 * How the ranks first get in touch. Both functions are collective; they return 0 on success and anything else if the
 * ranks could not communicate. `context` belongs to the caller. A communicator uses its bootstrap while objects are
 * being created, never while a plan runs. The bootstrap must outlive the communicator.
 */
typedef struct sccl_bootstrap {
	void *context;
	/* Every rank receives the `bytes` bytes at `mine` of each rank i at `all` + i * bytes. */
	int (*allgather)(void *context, const void *mine, void *all, size_t bytes);
	int (*barrier)(void *context);
} sccl_bootstrap_t;

/*
 * A built-in bootstrap for the threads of one process and for the processes that it forks. Create the group before
 * starting them, then have each rank join it. A wait fails once the process of a rank that has joined exits, or after
 * TIMEOUT seconds (0: no time limit).
 */
typedef struct sccl_group sccl_group_t;
SCCL_API sccl_status_t sccl_group_create(sccl_group_t **group, uint32_t ranks, double timeout);
/* Joins the group as RANK and fills in *bootstrap, which is valid until the group is freed. Each rank joins once. */
SCCL_API sccl_status_t sccl_group_join(sccl_group_t *group, uint32_t rank, sccl_bootstrap_t *bootstrap);
SCCL_API void sccl_group_free(sccl_group_t *group); /* frees this process's copy only; NULL is allowed */

/*
 * A built-in bootstrap for unrelated processes on one machine: rank 0 listens on a Unix socket at PATH and the others
 * connect to it. The socket file is removed once all ranks have met; a PATH that begins with @ names an abstract
 * socket, which is in no file system. All processes must have the same effective user: connections from other users are
 * rejected, and so is a rank 0 that runs as another user. A stale socket that a killed process left at PATH is
 * replaced; any other file, or a socket on which ranks are still meeting, is not. If SCCL_TOKEN is set in the environment,
 * only processes with the same token meet: its text, or, if that is @FILE, the first line of a file that only this user can
 * read (1 to 64 bytes). Collective; no wait exceeds TIMEOUT seconds (0: no time limit). Close it after freeing the
 * communicators that use it.
 */
SCCL_API sccl_status_t sccl_socket_open(sccl_bootstrap_t *bootstrap, const char *path, uint32_t rank, uint32_t ranks,
                                        double timeout);
/* Closes the sockets and clears *bootstrap. NULL and a bootstrap that is already closed are allowed. */
SCCL_API void sccl_socket_close(sccl_bootstrap_t *bootstrap);

/*
 * Transport for messages between ranks that share no memory: MPI (sccl/carrier_mpi.h) or an implementation of the
 * caller's. It is called by a single thread of the library, not by the caller's threads, for the whole life of the
 * communicator.
 */
typedef struct sccl_carrier {
	void *context;
	/* Starts a send. DATA remains valid until `sent` reports completion. Messages from one rank to another must
	 * arrive in order. Returns 0, or an error. */
	int (*send)(void *context, uint32_t to, const void *data, size_t bytes, void **ticket);
	int (*sent)(void *context, void *ticket); /* 1: complete, and the ticket has been freed; 0: not yet; negative:
	                                           * an error */
	/* 1: a message has arrived, with its sender and length; 0: none has; negative: an error. */
	int (*arrived)(void *context, uint32_t *from, size_t *bytes);
	int (*receive)(void *context, void *data); /* receives that message. 0, or an error */
} sccl_carrier_t;

/* A communicator, as seen by one of its ranks. */
typedef struct sccl_comm sccl_comm_t;

/* Zero-initialized options are the defaults. All ranks must pass the same values, except for device, carrier and
 * server; a carrier must be given on all ranks or on none. */
typedef struct sccl_comm_options {
	const char *target;  /* target of the programs to run; NULL: "host" */
	uint32_t max_blocks; /* maximum number of blocks of a call; 0: 32 on the host, 64 on GPUs */
	double timeout;      /* limit in seconds on each wait within a call; 0: none. The death of a rank ends a wait in
	                      * any case */
	int device;          /* index of the accelerator; unused on the host */
	/*
	 * Ranks with the same `server` share memory; the carrier transports messages to all others. Plans of such a
	 * communicator support only the plain protocol, run by kernels. NULL: all ranks are on one server. The carrier
	 * must outlive the communicator.
	 */
	const sccl_carrier_t *carrier;
	uint32_t server;
	/* Host: 1: bind the thread that creates the communicator, which must then make its calls, to one of the CPUs that
	 * it may use: rank i to the i-th, and from the first again if there are more ranks. For good, unless the caller
	 * changes it. */
	uint32_t pin;
	/* Bytes that each rank keeps for what one other rank has sent it and it has not received yet: sccl_send and
	 * sccl_receive go through them, in pieces of a quarter. 0: no messages. Not with a carrier. */
	size_t message_bytes;
} sccl_comm_options_t;

/* Collective. OPTIONS may be NULL. The caller frees *comm with sccl_comm_free. */
SCCL_API sccl_status_t sccl_comm_create(sccl_comm_t **comm, uint32_t rank, uint32_t ranks,
                                        const sccl_bootstrap_t *bootstrap, const sccl_comm_options_t *options);
/*
 * Collective over COMM: ranks with the same COLOR get a communicator of their own, in the order of their keys and, where
 * those are equal, of their ranks in COMM; it has COMM's target, device, timeout, most blocks and message bytes. With
 * SCCL_NO_COLOR, *PART is NULL. A part may have ranks of one server only. It does not need COMM once it is made: its ranks meet in
 * memory, where a rank that is late is waited for as long as COMM's timeout, or, without one, until it comes or dies. If one
 * part cannot be made, the others may have been.
 */
enum { SCCL_NO_COLOR = -1 };
SCCL_API sccl_status_t sccl_comm_split(sccl_comm_t **part, sccl_comm_t *comm, int color, int key);
/*
 * Collective over the ranks of COMM but the N ranks WITHOUT, which may have died: those that are left get a communicator
 * without them, in the same order. COMM may have ended; all calls on it must have. All must give the same ranks, and COMM can
 * be shrunk once. Ranks that do not come are waited for as long as COMM's timeout, or 60 seconds. All on one server.
 */
SCCL_API sccl_status_t sccl_comm_shrink(sccl_comm_t **rest, sccl_comm_t *comm, const uint32_t without[], size_t n);
/* Local. Free all memory and plans created from COMM first. NULL is allowed. */
SCCL_API void sccl_comm_free(sccl_comm_t *comm);

/* Ends all calls of all ranks, current and future, with SCCL_ABORTED. Any thread may call it at any time during the
 * communicator's life. */
SCCL_API void sccl_comm_abort(sccl_comm_t *comm);

/* Returns SCCL_OK, or the error that permanently ended this communicator together with one line of text (truncated to
 * SIZE bytes; TEXT may be NULL), such as "rank 3, block 1, step 2 waits for rank 5". Any thread may call it. */
SCCL_API sccl_status_t sccl_comm_status(const sccl_comm_t *comm, char *text, size_t size);

/* Symmetric memory: one piece per rank, all of the same size; every rank can write into every piece, at the same
 * offsets. */
typedef struct sccl_memory sccl_memory_t;

/* Collective. BYTES must be greater than 0 and the same on all ranks. The memory is zeroed and 4096-byte aligned. */
SCCL_API sccl_status_t sccl_memory_create(sccl_memory_t **memory, sccl_comm_t *comm, size_t bytes);
/*
 * Collective. The same for memory that the caller owns: each rank passes its own BUFFER, of BYTES bytes. The buffer
 * must stay valid until every rank has freed its sccl_memory_t. On GPUs it must be memory of the communicator's device
 * (cudaMalloc, hipMalloc); ranks in other processes open it too. With HIP it must be fine-grained
 * (hipDeviceMallocFinegrained), because peers write into it. On the host this works only if all ranks are threads of
 * one process, since other processes could not access the buffer.
 */
SCCL_API sccl_status_t sccl_memory_register(sccl_memory_t **memory, sccl_comm_t *comm, void *buffer, size_t bytes);
/* Address of byte OFFSET of this rank's piece; NULL if OFFSET is beyond its end. */
SCCL_API void *sccl_memory_at(const sccl_memory_t *memory, size_t offset);
/* Local, once no call that uses it is running on any rank. NULL is allowed. */
SCCL_API void sccl_memory_free(sccl_memory_t *memory);

/* A program ready to run: one data type, one operation, any count up to a maximum. */
typedef struct sccl_plan sccl_plan_t;

/* How a call is executed on the device. */
typedef enum sccl_mode {
	SCCL_ONE_KERNEL,    /* a single kernel runs the whole call */
	SCCL_KERNEL_A_STEP, /* one launch per step of the algorithm */
	SCCL_COPY_ENGINES,  /* streams copy and signal each other, and kernels only reduce what has arrived, without
	                     * waiting for other ranks. Only with the plain protocol. Cannot be captured in a graph, because
	                     * the values that streams wait for differ from call to call */
	SCCL_MODES
} sccl_mode_t;

/* Zero-initialized options are the defaults. All ranks must pass the same values. */
typedef struct sccl_plan_options {
	uint32_t blocks;         /* number of blocks that each chunk is split into, in every call; 0: the device
	                          * chooses (1 on the host, 16 to 64 on GPUs). On copy engines, blocks of a chunk are
	                          * copied one by one; programs that reduce copy whole chunks */
	uint32_t symmetric_only; /* 1: no staging memory, so `out` must be in symmetric memory; packets never need
	                          * staging */
	uint32_t overlap;        /* 1: a worker that has several blocks interleaves their steps instead of finishing one
	                          * block at a time */
	sccl_protocol_t protocol;
	sccl_mode_t mode;
} sccl_plan_options_t;

/*
 * Collective. The caller keeps ownership of PROGRAM, which must outlive the plan. Averages are for allreduce, reduce and
 * reducescatter; averages of floating-point numbers and premultiplied sums for kernels (no SCCL_COPY_ENGINES) and not for
 * SCCL_SHARED, where ranks read each other's inputs as they are. SCCL_MULTIMEM has neither, also of integers, and no sums and
 * products that are added in f32 (8-bit floating-point numbers, and f16 and bf16 with --accumulate f32). Counts are in elements of L, one
 * rank's input (docs/reference/formats.md). If the ranks pass different programs, types, operations, counts or options,
 * all of them get SCCL_MISMATCH.
 */
SCCL_API sccl_status_t sccl_plan_create(sccl_plan_t **plan, sccl_comm_t *comm, const sccl_program_t *program,
                                        sccl_dtype_t type, sccl_op_t op, uint64_t max_count,
                                        const sccl_plan_options_t *options);
/*
 * Local, once no call of this plan is running on any rank; calls of other plans may be waiting. GPU memory is kept for
 * new plans, and freed with this process's last communicator, since freeing it waits for all kernels. NULL is allowed.
 */
SCCL_API void sccl_plan_free(sccl_plan_t *plan);

/*
 * Describes the plan in one line of text (truncated to SIZE bytes): program, type and operation, protocol, mode, blocks, and
 * how this rank reaches the memory of each other rank: "through shared memory" (host); "by address" (threads of one process),
 * "through files of its memory", "through fabric handles", "through IPC", "through memory of the host" (slow: the driver exports no memory), "on another server" (GPUs). Local.
 */
SCCL_API sccl_status_t sccl_plan_describe(const sccl_plan_t *plan, char *text, size_t size);

/*
 * Sets what this rank's inputs are multiplied by in calls from now on: *FACTOR, of the plan's type (8-bit and 16-bit numbers too)
 * and in memory of the CPU. 1 until then. The ranks may have different factors. SCCL_INVALID: the plan's operation is not
 * SCCL_PREMUL_SUM. A call captured in a graph keeps the factor that it was captured with. Local.
 */
SCCL_API sccl_status_t sccl_plan_factor(sccl_plan_t *plan, const void *factor);

/* A stream of the device (cudaStream_t, hipStream_t). The host has none: pass NULL. */
typedef void *sccl_stream_t;

/*
 * Runs the plan. Collective. COUNT is in elements of L, at most the plan's maximum, and the same on all ranks.
 *
 * IN may be any memory of this rank, or NULL if this rank has no input; with SCCL_SHARED, and with SCCL_MULTIMEM where the
 * program reads inputs of others, it lies, on every rank, at the same offset of the same symmetric memory, and does not
 * overlap OUT. With packets, lines and SCCL_PULL, OUT may be any memory of this rank. With the other protocols there are two cases. Either OUT lies in symmetric memory, at the same offset of
 * the same memory on every rank, including ranks that have no output (gather, reduce). Or OUT is any memory on every
 * rank (NULL on ranks that have no output), and the result goes through the plan's staging memory at the price of an
 * extra copy. IN and OUT may be the same buffer or overlap.
 *
 * On the host, the call is complete when the function returns; on other devices, when the stream reaches it. The calls
 * of a communicator run one after another, on one stream or on several: a call on another stream waits for the previous
 * call. Only if calls are captured in graphs must the caller make sure that they, too, run one after another. An error
 * that ends the call on one rank ends it on all of them; after that the communicator can only be freed.
 */
SCCL_API sccl_status_t sccl_run(sccl_plan_t *plan, const void *in, void *out, uint64_t count, sccl_stream_t stream);

/* Whether a message leaves this rank or arrives. */
typedef enum sccl_direction { SCCL_SEND, SCCL_RECEIVE, SCCL_DIRECTIONS } sccl_direction_t;

/* A message between this rank and PEER, of COUNT elements. */
typedef struct sccl_message {
	sccl_direction_t direction;
	uint32_t peer;
	void *buffer; /* any memory of this rank, on GPUs of its device; only read if it is sent. May be NULL if COUNT is 0 */
	uint64_t count;
	sccl_dtype_t type;
} sccl_message_t;

/*
 * Sends and receives N messages, all at the same time: none waits for one that stands before it in the array, except for
 * those in the same direction with the same peer. So an exchange in which each rank gives all of its messages in one call
 * always comes to its end, whatever their order (a ring, all pairs). A message to this rank itself is received in the same
 * call. Not collective: a rank that has no messages makes no call.
 *
 * The messages from one rank to another match in the order in which they were given, and both ends give the same count and
 * type: otherwise all ranks get SCCL_MISMATCH with a line that names the message, and nothing was received. A send is
 * complete when its buffer may be changed; it may wait for its receive, and does as soon as more than message_bytes lie ahead.
 *
 * As with sccl_run, the call is complete when the function returns (host) or when the stream reaches it, follows the
 * communicator's previous call, and an error on one rank, such as a peer that does not exist, ends the communicator on all.
 * SCCL_UNSUPPORTED: the communicator was created without message_bytes; this alone ends nothing. On GPUs streams copy and signal
 * each other, as with SCCL_COPY_ENGINES; a call cannot be captured in a graph. A rank that exchanges messages with several
 * peers goes round them piece by piece, so all of them must be in their calls; and at most 1024 messages lie ahead of a
 * peer: the next waits on the CPU until that one was given its own.
 */
SCCL_API sccl_status_t sccl_exchange(sccl_comm_t *comm, const sccl_message_t messages[], size_t n, sccl_stream_t stream);
/* sccl_exchange with one message to PEER, or from it. */
SCCL_API sccl_status_t sccl_send(sccl_comm_t *comm, const void *buffer, uint64_t count, sccl_dtype_t type, uint32_t peer,
                                 sccl_stream_t stream);
SCCL_API sccl_status_t sccl_receive(sccl_comm_t *comm, void *buffer, uint64_t count, sccl_dtype_t type, uint32_t peer,
                                    sccl_stream_t stream);

/* One way to execute a call: calls with at most `most_bytes` bytes of L use this program with these settings. Of
 * several that apply, a selector takes the one with the smallest `most_bytes`. */
typedef struct sccl_choice {
	const sccl_program_t *program;
	uint64_t most_bytes; /* UINT64_MAX: no limit */
	sccl_protocol_t protocol;
	sccl_mode_t mode;
	uint32_t blocks;  /* 0: unspecified */
	uint32_t overlap; /* as in sccl_plan_options_t */
} sccl_choice_t;

/* Protocols are "plain", "packets", "shared", "multimem", "pull" and "lines"; modes are "one", "step" and "none", after the kernels of
 * a call. NULL if the value is not valid. */
SCCL_API const char *sccl_protocol_name(sccl_protocol_t protocol);
SCCL_API const char *sccl_mode_name(sccl_mode_t mode);

/*
 * Reads a table (docs/reference/formats.md, written by `sccl-synth tune`) and returns the rows that name one of
 * PROGRAMS which implements COLLECTIVE with ROOT (-1: not rooted). The caller frees *choices with sccl_choices_free.
 * Local.
 */
SCCL_API sccl_status_t sccl_choices_read(sccl_choice_t **choices, size_t *n, const char *path,
                                         const sccl_program_t *const programs[], size_t n_programs, const char *collective,
                                         int32_t root);
/*
 * The same from the cost model S α + R/C L β (SCCL, section 3.6): ALPHA is in microseconds per step, BETA in
 * microseconds per byte over one unit of bandwidth. Packets are assumed to take half the latency and twice the bytes, on
 * the host all of the latency and eight times the bytes; lines, proposed for the target cuda alone, three quarters of the latency
 * and 128 bytes for 120. A selector leaves them out on GPUs that do not keep them (PCIe).
 * If no program fits, *n is 0. Local.
 */
SCCL_API sccl_status_t sccl_choices_cost(sccl_choice_t **choices, size_t *n, const sccl_program_t *const programs[],
                                         size_t n_programs, const char *collective, int32_t root, double alpha, double beta);
/*
 * The same by measurement. Collective; all ranks must pass the same arguments and get the same choices. Every program, in
 * the protocols plain and packets, is called with outputs in symmetric memory, at each power of two of bytes from 1 KiB to the
 * smaller of 8 MiB and MAX_COUNT elements of TYPE; at each, the one whose slowest rank takes least (second best of
 * seven rounds) is chosen. On CPUs, large plain calls are also tried in 8 and 32 blocks. Takes some tenths of a second a
 * program on CPUs.
 */
SCCL_API sccl_status_t sccl_choices_measure(sccl_choice_t **choices, size_t *n, sccl_comm_t *comm,
                                            const sccl_program_t *const programs[], size_t n_programs, const char *collective,
                                            int32_t root, sccl_dtype_t type, sccl_op_t op, uint64_t max_count);
/* Frees an array of choices from one of these functions. NULL is allowed. */
SCCL_API void sccl_choices_free(sccl_choice_t *choices);

/* Several plans for one type and operation; each call uses the plan for its size. */
typedef struct sccl_selector sccl_selector_t;

/* Zero-initialized options are the defaults. All ranks must pass the same values. */
typedef struct sccl_selector_options {
	uint32_t symmetric_only; /* as in sccl_plan_options_t, and no plan for inputs that other ranks cannot read */
	/* 1: where a choice leaves the number of blocks unspecified, tune it. The first calls of each size are timed
	 * and waited for (so they cannot be captured in a graph), and the ranks synchronize between them, until neither
	 * larger nor smaller chunks improve the time (Blink, section 4.2.1). With packets each number tried allocates
	 * memory; copy engines begin with 1 MiB a copy. Not available on GPUs when one thread drives many ranks. */
	uint32_t adapt;
} sccl_selector_options_t;

/* Collective. The N choices are copied; their programs must outlive the selector. Choices that are not supported (a kernel, a
 * protocol or a mode that is not there) are left out if there are others. If SCCL_LOG is set in the
 * environment, rank 0 writes a line to standard error for each new range of sizes (from one power of two to the next)
 * and for each number of blocks that tuning tries. */
SCCL_API sccl_status_t sccl_selector_create(sccl_selector_t **selector, sccl_comm_t *comm, const sccl_choice_t *choices, size_t n,
                                            sccl_dtype_t type, sccl_op_t op, uint64_t max_count,
                                            const sccl_selector_options_t *options);
SCCL_API void sccl_selector_free(sccl_selector_t *selector); /* local; NULL is allowed */
/*
 * sccl_run with the plan for COUNT. Where ranks read each other's inputs (SCCL_SHARED, SCCL_MULTIMEM) but IN is not in symmetric
 * memory or overlaps OUT, the same program runs with SCCL_PLAIN, unless the selector is `symmetric_only`; IN is so on all ranks
 * or on none.
 */
SCCL_API sccl_status_t sccl_selector_run(sccl_selector_t *selector, const void *in, void *out, uint64_t count,
                                         sccl_stream_t stream);
/* sccl_plan_factor for all plans of the selector. */
SCCL_API sccl_status_t sccl_selector_factor(sccl_selector_t *selector, const void *factor);
/* Reports what a call of COUNT would use, also as a line of text; CHOICE and TEXT may each be NULL. */
SCCL_API sccl_status_t sccl_selector_choice(const sccl_selector_t *selector, uint64_t count, sccl_choice_t *choice, char *text,
                                            size_t size);

/*
 * Many ranks in one process: each function does for all RANKS what its single-rank counterpart does for one. Arrays
 * have one entry per rank. The resulting objects can be used with all other functions and are freed individually.
 * Threads are started only for the duration of a creation. On GPUs, sccl_run_all itself starts none; on the host, where
 * a call is complete when the function returns, it starts one thread per rank. If that is too slow, call sccl_run from
 * your own threads.
 */
/* DEVICES: one per rank; NULL: options.device for all. On failure nothing remains allocated and all entries are
 * NULL. */
SCCL_API sccl_status_t sccl_comms_create(sccl_comm_t *comms[], uint32_t ranks, const int devices[],
                                         const sccl_comm_options_t *options);
/* Frees all communicators and sets their entries to NULL. */
SCCL_API void sccl_comms_free(sccl_comm_t *comms[], uint32_t ranks);
/* BUFFERS: the caller's buffers to register; NULL: allocate new memory. */
SCCL_API sccl_status_t sccl_memories_create(sccl_memory_t *memories[], sccl_comm_t *const comms[], uint32_t ranks,
                                            void *const buffers[], size_t bytes);
/* All plans have the same program, type, operation, maximum count and options. */
SCCL_API sccl_status_t sccl_plans_create(sccl_plan_t *plans[], sccl_comm_t *const comms[], uint32_t ranks,
                                         const sccl_program_t *program, sccl_dtype_t type, sccl_op_t op, uint64_t max_count,
                                         const sccl_plan_options_t *options);
/* IN, OUT and STREAMS may be NULL if no rank has any. */
SCCL_API sccl_status_t sccl_run_all(sccl_plan_t *const plans[], uint32_t ranks, const void *const in[], void *const out[],
                                    uint64_t count, const sccl_stream_t streams[]);

#ifdef __cplusplus
}
#endif
#endif
