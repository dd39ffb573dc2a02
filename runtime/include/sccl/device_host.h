#ifndef SCCL_DEVICE_HOST_H
#define SCCL_DEVICE_HOST_H

/*
 * The target layer of processors: ranks are processes or threads, flags are atomic words in shared memory, a block is a
 * part of the data that one thread works on from end to end. Included by sccl/device.h.
 *
 * With SCCL_HOST_HOOKS a test harness schedules the ranks: it defines sccl_host_pause, called by a rank that waits, and
 * sccl_host_posted, called by a rank that has just posted a flag.
 */

#include <sched.h>
#include <string.h>

/* The order of a post; only a test that must see the thread sanitizer find it missing sets another. */
#ifndef SCCL_RELEASE
#define SCCL_RELEASE __ATOMIC_RELEASE
#endif

/* How often a rank that waits asks whether the wait can still end: every 1024th poll. */
#define SCCL_STALL_MASK 1023u

/* A block of a rank in a call. */
typedef struct sccl_block {
	const sccl_env_t *env;
	const sccl_launch_t *launch;
	uint64_t epoch;
	uint64_t begin, end; /* the bytes of every slot, and so of every chunk, that are this block's */
	uint32_t block;
	uint32_t step; /* of the instruction that is executed */
} sccl_block_t;

#ifdef SCCL_HOST_HOOKS
void sccl_host_pause(void);
void sccl_host_posted(void);
#define SCCL_ABORT_MASK 0u
static inline void sccl_pause(const sccl_env_t *e, uint32_t polls)
{
	(void)e;
	(void)polls;
	sccl_host_pause();
}
#else
#define SCCL_ABORT_MASK 63u
static inline void sccl_host_posted(void)
{
}
/* Spinning is fastest while the peer runs; once it may be waiting for this very processor, only yielding helps. */
static inline void sccl_pause(const sccl_env_t *e, uint32_t polls)
{
	if (polls > e->spin)
		(void)sched_yield();
#if defined(__x86_64__) || defined(__i386__)
	else
		__builtin_ia32_pause();
#endif
}
#endif

static inline void sccl_tell(const sccl_block_t *x, uint32_t state, uint32_t peer)
{
	__atomic_store_n(&x->env->progress[x->block], SCCL_PROGRESS(state, x->step, peer), __ATOMIC_RELAXED);
}

/* The rank's own flag that PEER writes, or PEER's that this rank writes. */
static inline uint64_t *sccl_flag(const sccl_block_t *x, uint8_t *flags, uint32_t kind, uint32_t source)
{
	return (uint64_t *)(void *)(flags + SCCL_FLAG_OFFSET(kind, source, x->block, x->env->ranks, x->env->max_blocks));
}

static inline void sccl_post(const sccl_block_t *x, uint32_t kind, uint32_t peer, uint64_t k)
{
	__atomic_store_n(sccl_flag(x, x->env->peer_flags[peer], kind, x->env->rank), x->epoch + k, SCCL_RELEASE);
	sccl_host_posted();
}

static inline int sccl_posted(const uint64_t *flag, uint64_t wanted)
{
	return (int64_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) - wanted) >= 0;
}

/* 0: the call was aborted. */
static inline int sccl_await(const sccl_block_t *x, uint32_t kind, uint32_t peer, uint64_t k)
{
	const uint64_t *flag = sccl_flag(x, x->env->flags, kind, peer);
	uint32_t polls = 0;

	if (sccl_posted(flag, x->epoch + k))
		return 1;
	sccl_tell(x, kind == SCCL_DATA ? SCCL_WAITS_FOR_DATA : SCCL_WAITS_FOR_READY, peer);
	while (!sccl_posted(flag, x->epoch + k)) {
		if ((++polls & SCCL_ABORT_MASK) == 0 && __atomic_load_n(x->env->abort_word, __ATOMIC_RELAXED))
			return 0;
		if ((polls & SCCL_STALL_MASK) == 0 && x->env->stalled)
			x->env->stalled(x->env, x->block);
		sccl_pause(x->env, polls);
	}
	sccl_tell(x, SCCL_RUNS, peer);
	return 1;
}

/* The end of a block's share of a call. */
static inline void sccl_finish(const sccl_block_t *x)
{
	__atomic_store_n(&x->env->progress[x->block], SCCL_PROGRESS(SCCL_IDLE, 0, 0), __ATOMIC_RELAXED);
}

/*
 * What one copy or reduction of a block works on. The places are followed from the table each time: cheaper than
 * keeping them, for there is no bound on their number.
 */
typedef struct sccl_move {
	const uint32_t *places; /* sources, then targets, two words each */
	uint32_t sources, targets;
	sccl_span_t span;
	uint64_t first, bytes; /* of this block: the byte of the chunk it begins with, and how many it has */
	uint32_t element;      /* bytes of one */
} sccl_move_t;

/* Place I of the move, its first byte. */
static inline uint8_t *sccl_place_at(const sccl_block_t *x, const sccl_move_t *m, uint32_t i)
{
	const sccl_launch_t *l = x->launch;
	uint32_t buffer = m->places[2 * i] >> 30, rank = m->places[2 * i] & 0x3fffffffu;
	uint64_t index = m->places[2 * i + 1];
	uint64_t element = index * m->span.length + m->span.start;

	if (buffer == SCCL_IN) /* only ever read */
		return (uint8_t *)(uintptr_t)l->in + (m->span.base + element) * m->element + m->first;
	if (buffer == SCCL_OUT)
		return l->peer_out[rank] + l->out_offset + element * m->element + m->first;
	return l->peer_scratch[rank] + index * l->slot_bytes + m->first;
}

/* What is written to one place is still in the cache when it is written to the next. */
#define SCCL_COPY_TILE 16384u
#define SCCL_REDUCE_TILE 8192u

static inline void sccl_copy(const sccl_block_t *x, const sccl_move_t *m)
{
	const uint8_t *from = sccl_place_at(x, m, 0);
	uint64_t tile = m->targets == 1 ? m->bytes : SCCL_COPY_TILE;

	for (uint64_t at = 0; at < m->bytes; at += tile) {
		uint64_t n = m->bytes - at < tile ? m->bytes - at : tile;
		for (uint32_t i = 0; i < m->targets; i++) {
			uint8_t *to = sccl_place_at(x, m, 1 + i);
			if (to != from) /* in place: it is there already */
				memcpy(to + at, from + at, n);
		}
	}
}

/* d = a op b over so many bytes; d may be a or b. */
typedef void (*sccl_fold_t)(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t bytes);

/* All of a tile is read before any of it is written, so that a target may be the place of any source. */
static inline void sccl_reduce(const sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	uint8_t sum[SCCL_REDUCE_TILE] __attribute__((aligned(64)));

	for (uint64_t at = 0; at < m->bytes; at += SCCL_REDUCE_TILE) {
		uint64_t n = m->bytes - at < SCCL_REDUCE_TILE ? m->bytes - at : SCCL_REDUCE_TILE;
		const uint8_t *left = sccl_place_at(x, m, 0) + at;
		uint8_t *first = sccl_place_at(x, m, m->sources) + at;

		for (uint32_t i = 1; i + 1 < m->sources; i++) {
			fold(sum, left, sccl_place_at(x, m, i) + at, n);
			left = sum;
		}
		fold(first, left, sccl_place_at(x, m, m->sources - 1) + at, n);
		for (uint32_t i = 1; i < m->targets; i++)
			memcpy(sccl_place_at(x, m, m->sources + i) + at, first, n);
	}
}

#endif
