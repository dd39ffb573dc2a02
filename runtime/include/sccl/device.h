#ifndef SCCL_DEVICE_H
#define SCCL_DEVICE_H

/*
 * The foundation of a generated program: the memory that ranks share, the words that its tables consist of, and (at the
 * end) the target layer that copies, reduces, posts and waits. The text of a program is the same for every target; this
 * header selects the layer. C11 and C++.
 */

#include <stdint.h>

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

#include <sccl/program.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Flags. Every rank has one 64-bit flag for each (kind, source rank, block), written only by that source; the stride
 * keeps any two flags out of the same cache line. Values only grow and are never reset: a call that begins at epoch e
 * posts e + 1, e + 2, ... They are compared as signed differences.
 */
enum { SCCL_DATA, SCCL_READY, SCCL_FLAG_KINDS }; /* "I have written k times"; "you may write into my buffers" */

#define SCCL_FLAG_STRIDE 128u
#define SCCL_FLAG_OFFSET(kind, source, block, ranks, max_blocks) \
	((((uint64_t)(kind) * (ranks) + (source)) * (max_blocks) + (block)) * SCCL_FLAG_STRIDE)
/* Size in bytes of one rank's flags, which are zero before the first call and aligned to SCCL_FLAG_STRIDE. */
#define SCCL_FLAGS_SIZE(ranks, max_blocks) SCCL_FLAG_OFFSET(SCCL_FLAG_KINDS, 0, 0, ranks, max_blocks)

/*
 * Progress: what each block is doing, for the watchdog to report. One word per block, written when a wait begins, when
 * it ends and at the end of a call. Steps count from 1 as in `show`; 0 is before the first.
 */
enum { SCCL_IDLE, SCCL_RUNS, SCCL_WAITS_FOR_DATA, SCCL_WAITS_FOR_READY };

/* A progress word: state in the top 8 bits, step in the next 24, peer in the low 32. Devices keep the peer in the low
 * 16 bits only; the 16 bits above it are the low bits of the block's epoch, and in an idle word those of its next call,
 * so that others can tell which calls a rank has finished. */
#define SCCL_PROGRESS(state, step, peer) ((uint64_t)(state) << 56 | (uint64_t)(step) << 32 | (uint64_t)(peer))
#define SCCL_PROGRESS_STATE(word) ((uint32_t)((word) >> 56))
#define SCCL_PROGRESS_STEP(word) ((uint32_t)((word) >> 32) & 0xffffffu)
#define SCCL_PROGRESS_PEER(word) ((uint32_t)(word))
#define SCCL_PROGRESS_CALL(word) ((uint16_t)((word) >> 16)) /* devices only */

/* Constant during a communicator's life; in memory that the executing device can read. */
typedef struct sccl_env {
	uint32_t rank, ranks, max_blocks;
	uint32_t spin;              /* host: polls before the first `rest` of a wait */
	uint8_t *const *peer_flags; /* [ranks]: each rank's flags, as mapped by this rank */
	uint8_t *flags;             /* this rank's own, which the others post to */
	uint64_t *epochs;           /* [max_blocks], this rank's own; zero before the first call */
	uint32_t *cursors;          /* [max_blocks], this rank's own: position within a call that runs in pieces; zero
	                             * between calls */
	uint64_t *progress;         /* [max_blocks + 2], atomic words; the last two are of calls without kernels and of
	                             * messages */
	uint32_t *abort_word;       /* atomic; nonzero: stop waiting, the call has failed */
	/* Host: called repeatedly by a rank that has been waiting for some time; NULL: nothing to call. Checks whether
	 * the wait can still end, and sets the abort word if it cannot. */
	void (*stalled)(const struct sccl_env *env, uint32_t block);
	void *owner; /* the object that created this; for `stalled` and `rest` */
	/* Host: called before the next poll by a wait for PEER that has polled FLAG (NULL: packets) POLLS times, more than
	 * `spin`. Spins, yields the CPU, or sleeps until FLAG's sleeper word is exchanged; returns 1 if it slept. NULL:
	 * waits yield. */
	int (*rest)(const struct sccl_env *env, uint32_t block, uint32_t peer, uint32_t polls, const uint64_t *flag);
	/* Host: wakes who sleeps at this word; NULL: nobody sleeps. */
	void (*wake)(uint32_t *sleeper);
} sccl_env_t;

/* n elements to be cut into m parts (sccl_part): n = quotient m + rest. The device multiplies by the inverse where it
 * would otherwise divide. */
typedef struct sccl_divided {
	uint64_t quotient, rest, inverse; /* inverse: 2^64 / m, rounded up; any for m = 1 */
} sccl_divided_t;
#define SCCL_PARTS_MOST (1u << 21) /* the largest m for which the product with the inverse is exact */

/* One rank's part of one call. All pointers refer to memory that the executing device can read. */
typedef struct sccl_launch {
	const sccl_env_t *env;
	const uint32_t *words;        /* this rank's words for the protocol */
	const sccl_chunk_t *cuts;     /* of each chunk */
	const void *in;               /* NULL if this rank has no input */
	uint8_t *out;                 /* this rank's output: with packets any address, otherwise at out_offset in its
	                               * peer_out */
	uint8_t *const *peer_out;     /* [ranks]: each rank's symmetric memory that holds the outputs, as mapped by this
	                               * rank */
	uint8_t *const *peer_scratch; /* [ranks]: likewise for the scratch slots; 64-byte aligned */
	uint8_t *const *peer_packets; /* [ranks]: likewise for the packets (SCCL_PACKETS_SIZE bytes); NULL: plain
	                               * protocol */
	uint8_t *const *peer_in;      /* [ranks]: likewise for the inputs; NULL: inputs are not shared */
	uint8_t *all_in;              /* multicast address of the memory that holds the inputs, through which a switch
	                               * adds what all ranks have there; NULL: one rank is read after the other */
	uint8_t *all_out;             /* the same of the outputs, through which all ranks are written */
	uint64_t *turns;              /* packets: [blocks], this rank's own: number of calls so far in which the block had a part
	                               * of a chunk, and SCCL_WHOLE if no packet of the last one was empty; zero before the first */
	uint64_t out_offset;          /* offset of the output in the symmetric memory, equal on all ranks */
	uint64_t in_offset;           /* the same of the input, if inputs are shared */
	uint64_t slot_bytes;          /* SCCL_SLOT_BYTES of the longest chunk; every chunk is cut into blocks at the
	                               * boundaries of a full slot, so that two blocks never overlap in a slot */
	uint64_t packet_bytes;        /* size of one block's part of a packet slot: at least twice its part of any
	                               * scratch slot; with lines sccl_lines of that part, in bytes */
	uint64_t count;               /* L, in elements */
	uint64_t factor;              /* of premultiplied sums: what this rank's input is multiplied by, as f32 (for types of
	                               * at most 32 bits), f64 or integer; of averages of integers: 2^64 / ranks, rounded up */
	sccl_divided_t blocks_of;     /* L, cut into the blocks that chunks are parts of (sccl_launch_divide) */
	sccl_divided_t parts_of[2];   /* such a block, cut into parts: a shorter one, and one with an element more */
	uint32_t packet_slots;
	uint32_t signals; /* by how much the epoch advances */
	uint32_t blocks;  /* number of blocks that each chunk is cut into; each block executes all steps
	                   * independently */
	uint32_t grid;    /* number of blocks processed at the same time, equal on all ranks; 1 on the host */
	uint32_t overlap; /* 1: a worker with several blocks interleaves them, one step of each at a time, so that one
	                   * block is forwarded while the next arrives; 0: one block after another */
	uint32_t steps;   /* of the program */
	uint32_t until;   /* the last step to execute; the next launch continues from there. Or SCCL_TO_THE_END */
	uint32_t lines;   /* 1: packets are lines of 128 bytes */
} sccl_launch_t;

/* Packet memory of a rank: flags (each source rank, each block), then two sets of packets, used by alternate calls. */
#define SCCL_PACKETS_FLAGS(ranks, blocks) ((uint64_t)(ranks) * (blocks) * SCCL_FLAG_STRIDE)
#define SCCL_PACKETS_SIZE(ranks, blocks, slots, bytes) \
	(SCCL_PACKETS_FLAGS(ranks, blocks) + 2 * (uint64_t)(blocks) * (slots) * (bytes))

#define SCCL_WHOLE ((uint64_t)1 << 63) /* in sccl_launch_t.turns */

/* A line: a packet of SCCL_LINE_DATA bytes of data and a mark of 8. */
#define SCCL_LINE_BYTES 128u
#define SCCL_LINE_DATA 120u

/*
 * A program is a list of 32-bit words for each rank, built with the macros below; lower/ checks and writes the lists.
 *
 *   SCCL_FLAGS(step, n)         the next n words are all offers and signals, or all credits and waits: the threads of a
 *                               warp execute one each, all at the same time
 *   SCCL_OFFER(step, peer)      peer may write into my buffers, for this call
 *   SCCL_CREDIT(step, peer)     wait for peer's offer
 *   SCCL_RARE_OFFER(step, peer), SCCL_RARE_CREDIT(step, peer)   the same, of packets, where data imply it in most calls
 *   SCCL_WAIT(step, peer, k)    wait for peer's k-th signal of this call
 *   SCCL_SIGNAL(step, peer, k)  all my writes into peer's memory have completed: my k-th signal to peer
 *   SCCL_MOVES(step, n)         followed by n + 1 offsets from this word: of the next n copies and reductions, and of what
 *                               comes behind them. None touches what another one writes, so the warps share them.
 *   SCCL_COPY(step, chunk, targets)             followed by 1 + targets places: from, to...
 *   SCCL_REDUCE(step, chunk, sources, targets)  followed by sources + targets places: from..., to...; combined from the
 *                               left. A target may be the same place as a source.
 *   SCCL_TOTAL(step, chunk, sources, targets)   the same; the result is that of all ranks
 *   SCCL_SYNC(step)             barrier of a block's threads: what one has moved becomes visible to all. At most
 *                               SCCL_MOVES_MOST moves stand between two barriers.
 *   SCCL_END
 *
 * Places. SCCL_INPUT(i) is in the rank's own input, which is only read; SCCL_INPUT_OF(rank, i) in another's, if inputs are
 * shared; SCCL_OUTPUT(rank, i), SCCL_SCRATCH(rank, i) and SCCL_PACKET(rank, i) name the rank that owns the buffer. i is the
 * slot, or the block of the buffer that contains the chunk. SCCL_INPUT_OF_ALL(i), the first source of a reduction, is the sum of
 * every rank's input, and SCCL_OUTPUT_OF_ALL(i), a target, every rank's output (device_multimem.h).
 *
 * With packets there are no waits and no signals: reading a packet means waiting for it. Each packet slot is written
 * once per call. A rank reads only its own packets, and `rank` then names the sender. An offer comes at the end of a
 * call and means that its packets have been read; two calls alternate between the two sets of packets, so a credit
 * waits for the offer of the call before the previous one. Where a sender gets packets that its reader sent, or that others
 * sent after having some of the reader's, it needs no credit: those of the previous call say that the reader has ended the
 * call before. Then the offer and the credit are rare: only calls in which a packet may have been empty, or that erase their
 * packets (device_flags.h), make the offer, and only the calls behind them wait for it. A block of threads that has a part of
 * no chunk leaves the call out, and does not count it: "the previous call" is the block's.
 */
enum {
	SCCL_WORD_END,
	SCCL_WORD_OFFER,
	SCCL_WORD_CREDIT,
	SCCL_WORD_WAIT,
	SCCL_WORD_SIGNAL,
	SCCL_WORD_COPY,
	SCCL_WORD_REDUCE,
	SCCL_WORD_SYNC,
	SCCL_WORD_FLAGS,
	SCCL_WORD_MOVES,
	SCCL_WORD_TOTAL
};

enum { SCCL_IN, SCCL_OUT, SCCL_SCRATCH_SLOT, SCCL_PACKET_SLOT };

/* Moves between two barriers, and their places, at most: a block keeps the addresses of so many. Programs for the host may
 * have moves of more places. */
#define SCCL_MOVES_MOST 64u
#define SCCL_PLACES_MOST 512u

/* A slot holds a chunk of LONGEST bytes behind up to 63 bytes, so that a chunk begins in it at the same offset from a
 * multiple of 64 as in the input (sccl_move_read). */
#define SCCL_SLOT_BYTES(longest) (((longest) + 126u) / 64 * 64)

#define SCCL_TO_THE_END 0xffffffu
#define SCCL_WORD(word, step) ((uint32_t)(word) | (uint32_t)(step) << 8)
#define SCCL_END SCCL_WORD(SCCL_WORD_END, SCCL_TO_THE_END)
#define SCCL_SYNC(step) SCCL_WORD(SCCL_WORD_SYNC, step)
/* Number of words of an offer, a credit, a wait or a signal. */
#define SCCL_FLAG_WORDS 3u
#define SCCL_FLAGS(step, n) SCCL_WORD(SCCL_WORD_FLAGS, step), n
#define SCCL_MOVES(step, n) SCCL_WORD(SCCL_WORD_MOVES, step), n
#define SCCL_OFFER(step, peer) SCCL_WORD(SCCL_WORD_OFFER, step), peer, 0
#define SCCL_CREDIT(step, peer) SCCL_WORD(SCCL_WORD_CREDIT, step), peer, 0
#define SCCL_RARE_OFFER(step, peer) SCCL_WORD(SCCL_WORD_OFFER, step), peer, 1
#define SCCL_RARE_CREDIT(step, peer) SCCL_WORD(SCCL_WORD_CREDIT, step), peer, 1
#define SCCL_WAIT(step, peer, k) SCCL_WORD(SCCL_WORD_WAIT, step), peer, k
#define SCCL_SIGNAL(step, peer, k) SCCL_WORD(SCCL_WORD_SIGNAL, step), peer, k
#define SCCL_COPY(step, chunk, targets) SCCL_WORD(SCCL_WORD_COPY, step), chunk, 1, targets
#define SCCL_REDUCE(step, chunk, sources, targets) SCCL_WORD(SCCL_WORD_REDUCE, step), chunk, sources, targets
#define SCCL_TOTAL(step, chunk, sources, targets) SCCL_WORD(SCCL_WORD_TOTAL, step), chunk, sources, targets
#define SCCL_IS_REDUCTION(word) (((word) & 0xffu) == SCCL_WORD_REDUCE || ((word) & 0xffu) == SCCL_WORD_TOTAL)
#define SCCL_PLACE(buffer, rank) ((uint32_t)(buffer) << 30 | (uint32_t)(rank))
#define SCCL_INPUT(i) SCCL_PLACE(SCCL_IN, 0), i
#define SCCL_INPUT_OF(rank, i) SCCL_PLACE(SCCL_IN, 1 + (rank)), i
#define SCCL_OUTPUT(rank, i) SCCL_PLACE(SCCL_OUT, rank), i
#define SCCL_SCRATCH(rank, i) SCCL_PLACE(SCCL_SCRATCH_SLOT, rank), i
#define SCCL_PACKET(rank, i) SCCL_PLACE(SCCL_PACKET_SLOT, rank), i
#define SCCL_ALL_RANKS 0x3fffffffu
#define SCCL_INPUT_OF_ALL(i) SCCL_PLACE(SCCL_IN, SCCL_ALL_RANKS), i
#define SCCL_OUTPUT_OF_ALL(i) SCCL_PLACE(SCCL_OUT, SCCL_ALL_RANKS), i

/* Selects the target layer. */
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(SCCL_EMULATE)
#define SCCL_SIMT 1
#endif
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SCCL_FN static __device__ __forceinline__
#define SCCL_BOTH_FN static inline __host__ __device__
#else
#define SCCL_FN static inline
#define SCCL_BOTH_FN static inline
#endif
/* floor(n i / m) without overflow, for i <= m < 2^32. */
SCCL_BOTH_FN uint64_t sccl_cut(uint64_t n, uint32_t i, uint32_t m)
{
	return m == 1 ? n * i : n / m * i + n % m * i / m;
}

/* Number of lines of BYTES. */
SCCL_BOTH_FN uint64_t sccl_lines(uint64_t bytes)
{
	return (bytes + SCCL_LINE_DATA - 1) / SCCL_LINE_DATA;
}

/* Elements of a chunk: [start, end) within its block, which has `length` elements and begins at `base` in L. */
typedef struct sccl_span {
	uint64_t base, length, start, end;
} sccl_span_t;

/* The elements of chunk C in a call of COUNT. */
SCCL_BOTH_FN sccl_span_t sccl_chunk_span(const sccl_chunk_t *c, uint64_t count)
{
	sccl_span_t s;

	s.base = sccl_cut(count, c->block, c->blocks);
	s.length = sccl_cut(count, c->block + 1, c->blocks) - s.base;
	s.start = sccl_cut(s.length, c->part, c->parts);
	s.end = sccl_cut(s.length, c->part + 1, c->parts);
	return s;
}

/* High half of the product. */
SCCL_BOTH_FN uint64_t sccl_high(uint64_t a, uint64_t b)
{
#if defined(__CUDA_ARCH__) || SCCL_DEVICE_PASS
	return __umul64hi(a, b);
#else
	uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu), one = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
	uint64_t two = (a & 0xffffffffu) * (b >> 32) + (one & 0xffffffffu);

	return (a >> 32) * (b >> 32) + (one >> 32) + (two >> 32);
#endif
}

SCCL_BOTH_FN sccl_divided_t sccl_divide(uint64_t n, uint32_t m)
{
	sccl_divided_t d = {n / m, n % m, UINT64_MAX / m + 1};

	return d;
}

/* sccl_cut(n, i, m), given n and m divided; m is at most SCCL_PARTS_MOST. */
SCCL_BOTH_FN uint64_t sccl_part(const sccl_divided_t *d, uint32_t i)
{
	return d->quotient * i + sccl_high(d->rest * i, d->inverse);
}

/* Prepares the spans of a call of l->count, given the cut of any chunk of the program. */
static inline void sccl_launch_divide(sccl_launch_t *l, const sccl_chunk_t *c)
{
	l->blocks_of = sccl_divide(l->count, c->blocks);
	l->parts_of[0] = sccl_divide(l->blocks_of.quotient, c->parts);
	l->parts_of[1] = sccl_divide(l->blocks_of.quotient + 1, c->parts);
}

/* sccl_chunk_span(c, l->count), once prepared. */
SCCL_BOTH_FN sccl_span_t sccl_launch_span(const sccl_launch_t *l, const sccl_chunk_t *c)
{
	sccl_span_t s;
	sccl_divided_t parts = l->parts_of[0]; /* not a variable index: the compiler would copy the launch to memory */

	s.base = sccl_part(&l->blocks_of, c->block);
	s.length = sccl_part(&l->blocks_of, c->block + 1) - s.base;
	if (s.length != l->blocks_of.quotient)
		parts = l->parts_of[1];
	s.start = sccl_part(&parts, c->part);
	s.end = sccl_part(&parts, c->part + 1);
	return s;
}

/* Length of the longest chunk when L is cut into blocks and each block into parts. */
static inline uint64_t sccl_longest(uint64_t count, uint32_t blocks, uint32_t parts)
{
	uint64_t block = count / blocks + (count % blocks != 0);

	return block / parts + (block % parts != 0);
}

/* Contents of a rank's buffer: `times` copies of block `block` of `blocks` of L. */
typedef struct sccl_extent {
	uint32_t times, block, blocks;
} sccl_extent_t;

/* Number of elements of E in a call of COUNT. */
static inline uint64_t sccl_extent_count(const sccl_extent_t *e, uint64_t count)
{
	return e->times ? e->times * (sccl_cut(count, e->block + 1, e->blocks) - sccl_cut(count, e->block, e->blocks)) : 0;
}

/* Size of an element in bytes, as a constant expression. */
#define SCCL_SIZE_f32 4u
#define SCCL_SIZE_f64 8u
#define SCCL_SIZE_f16 2u
#define SCCL_SIZE_bf16 2u
#define SCCL_SIZE_i32 4u
#define SCCL_SIZE_i64 8u
#define SCCL_SIZE_u8 1u
#define SCCL_SIZE_f8e4m3 1u
#define SCCL_SIZE_f8e5m2 1u
#define SCCL_SIZE_i8 1u
#define SCCL_SIZE_u32 4u
#define SCCL_SIZE_u64 8u

#ifdef __cplusplus
}
#endif

/* The layer of the target, the kernel body on top of it, and the kernels of a program. */
#include <sccl/device_block.h>
#if defined(SCCL_SIMT)
#if defined(__CUDACC__)
#include <sccl/device_cuda.h>
#elif defined(__HIPCC__)
#include <sccl/device_hip.h>
#else
#include SCCL_EMULATE
#endif
#include <sccl/device_fold.h>
#include <sccl/device_fold_wide.h>
#include <sccl/device_simt.h>
#include <sccl/device_simt_move.h>
#include <sccl/device_packets.h>
#include <sccl/device_lines.h>
#else
#include <sccl/device_host.h>
#include <sccl/device_host_reduce.h>
#include <sccl/device_host_move.h>
#endif
#include <sccl/device_flags.h>
#include <sccl/device_run.h>
#include <sccl/device_kernels.h>

#endif
