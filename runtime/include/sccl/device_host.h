#ifndef SCCL_DEVICE_HOST_H
#define SCCL_DEVICE_HOST_H

/*
 * The target layer of CPUs: ranks are processes or threads, flags are atomic words in shared memory, and a block is a
 * part of the data that one thread processes from start to end. Included by sccl/device.h.
 *
 * With SCCL_HOST_HOOKS a test harness schedules the ranks. It defines sccl_host_pause, called by a rank that is
 * waiting, and sccl_host_posted, called by a rank that has just posted a flag.
 */

#include <sched.h>
#include <string.h>

/* Memory order of a post. Only the test that the thread sanitizer detects a missing release defines another one. */
#ifndef SCCL_RELEASE
#define SCCL_RELEASE __ATOMIC_RELEASE
#endif

/* A waiting rank checks on every 1024th poll whether the wait can still end. */
#define SCCL_STALL_MASK 1023u

#define SCCL_KERNEL(name, element, fold)                                                    \
	static int name(const sccl_launch_t *l, void *stream)                               \
	{                                                                                   \
		(void)stream;                                                               \
		if (!l)                                                                     \
			return 0x7fffffff;                                                  \
		sccl_run_blocks(l, NULL, 0, element, fold);                                       \
		return 0;                                                                   \
	}
#define SCCL_FOLD(type, op) sccl_fold_##type##_##op
#define SCCL_NO_FOLD NULL

/* A block has a single thread, so there is nothing to synchronize. */
#define SCCL_STOPS(x, w, meet) ((void)(meet), (x)->gave_up != 0)
static inline uint32_t sccl_thread(void)
{
	return 0;
}

static inline uint32_t sccl_threads(void)
{
	return 1;
}

static inline int sccl_sync(const sccl_block_t *x)
{
	return x->gave_up != 0;
}

#ifdef SCCL_HOST_HOOKS
void sccl_host_pause(void);
void sccl_host_posted(void);
#define SCCL_ABORT_MASK 0u
static inline int sccl_pause(const sccl_block_t *x, uint32_t peer, uint32_t polls, const uint64_t *flag)
{
	(void)x;
	(void)peer;
	(void)polls;
	(void)flag;
	sccl_host_pause();
	return 0;
}
#else
#define SCCL_ABORT_MASK 63u
static inline void sccl_host_posted(void)
{
}
/*
 * Spinning is fastest while the peer is running; if the peer may be waiting for this very CPU, only yielding helps. How
 * long to spin, and when to sleep, the runtime decides (env->rest). Returns 1 if the rank may have slept: then
 * much time has passed since the last poll.
 */
static inline int sccl_pause(const sccl_block_t *x, uint32_t peer, uint32_t polls, const uint64_t *flag)
{
	if (polls > x->env->spin) {
		if (x->env->rest)
			return x->env->rest(x->env, x->block, peer, polls, flag);
		(void)sched_yield();
	}
#if defined(__x86_64__) || defined(__i386__)
	else
		__builtin_ia32_pause();
#endif
	return 0;
}
#endif

static inline void sccl_tell(const sccl_block_t *x, uint32_t state, uint32_t peer)
{
	__atomic_store_n(&x->env->progress[x->block], SCCL_PROGRESS(state, x->step, peer), __ATOMIC_RELAXED);
}

/*
 * A flag's line holds, beside the flag, a word that is 1 while the flag's reader sleeps. The reader sets it before it
 * looks at the flag for the last time, and who posts exchanges it after the flag: whichever exchange comes second sees
 * what the first one did, so that no reader sleeps through a post.
 */
static inline uint32_t *sccl_sleeper(const uint64_t *flag)
{
	return (uint32_t *)(void *)(uintptr_t)(flag + 1);
}

static inline void sccl_raise_flag(const sccl_env_t *e, uint64_t *flag, uint64_t value)
{
	__atomic_store_n(flag, value, SCCL_RELEASE);
	if (__atomic_exchange_n(sccl_sleeper(flag), 0, __ATOMIC_ACQ_REL) && e->wake)
		e->wake(sccl_sleeper(flag));
}

static inline void sccl_post(const sccl_block_t *x, uint64_t *flag, uint64_t value)
{
	if (x->gave_up)
		return;
	sccl_raise_flag(x->env, flag, value);
	sccl_host_posted();
}

/* After another unsuccessful poll, of FLAG (NULL: of packets). Returns 0 if polling again is pointless. */
static inline int sccl_waits(sccl_block_t *x, uint32_t state, uint32_t peer, uint32_t *polls, const uint64_t *flag)
{
	if (*polls == 0)
		sccl_tell(x, state, peer);
	++*polls;
	if ((*polls & SCCL_STALL_MASK) == 0 && x->env->stalled)
		x->env->stalled(x->env, x->block);
	int slept = sccl_pause(x, peer, *polls, flag);
	if ((slept || (*polls & SCCL_ABORT_MASK) == 0) && __atomic_load_n(x->env->abort_word, __ATOMIC_RELAXED)) {
		x->gave_up = 1;
		return 0;
	}
	return 1;
}

static inline void sccl_await(sccl_block_t *x, uint32_t state, uint32_t peer, const uint64_t *flag, uint64_t value)
{
	uint32_t polls = 0;

	while ((int64_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) - value) < 0)
		if (!sccl_waits(x, state, peer, &polls, flag))
			return;
	if (polls)
		sccl_tell(x, SCCL_RUNS, peer);
}

/* Ends a block's part of a call. */
static inline void sccl_finish(const sccl_block_t *x)
{
	__atomic_store_n(&x->env->progress[x->block], SCCL_PROGRESS(SCCL_IDLE, 0, 0), __ATOMIC_RELAXED);
}

/* Tile sizes in bytes: what is written to one target is still in the cache when it is written to the next. */
#define SCCL_COPY_TILE 16384u
#define SCCL_REDUCE_TILE 8192u

/* d = a op b over `bytes` bytes; d may be equal to a or b. */
typedef void (*sccl_fold_t)(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t bytes);

/* Half a packet is four bytes of data and the mark, written in one store. */
static inline void sccl_pack(const sccl_block_t *x, uint64_t *to, const uint8_t *from, uint64_t bytes)
{
	uint64_t mark = (uint64_t)sccl_packet_mark(x) << 32;

	if (x->gave_up)
		return;
	for (uint64_t at = 0; at < bytes; at += 4) {
		uint32_t word = 0;
		memcpy(&word, from + at, bytes - at < 4 ? bytes - at : 4);
		__atomic_store_n(to + at / 4, mark | word, __ATOMIC_RELAXED);
	}
	sccl_host_posted();
}

static inline void sccl_unpack(sccl_block_t *x, uint8_t *to, const uint64_t *from, uint64_t bytes, uint32_t sender)
{
	uint32_t mark = sccl_packet_mark(x), polls = 0;

	for (uint64_t at = 0; at < bytes && !x->gave_up; at += 4) {
		uint64_t half = __atomic_load_n(from + at / 4, __ATOMIC_RELAXED);
		while (half >> 32 != mark && sccl_waits(x, SCCL_WAITS_FOR_DATA, sender, &polls, NULL))
			half = __atomic_load_n(from + at / 4, __ATOMIC_RELAXED);
		uint32_t word = (uint32_t)half;
		memcpy(to + at, &word, bytes - at < 4 ? bytes - at : 4);
	}
	if (polls)
		sccl_tell(x, SCCL_RUNS, sender);
}

/* Bytes [at, at + n) of source I: a pointer to them in place, or unpacked into ROOM. */
static inline const uint8_t *sccl_source(sccl_block_t *x, const sccl_move_t *m, uint32_t i, uint64_t at, uint64_t n,
					 uint8_t *room)
{
	uint8_t *from = sccl_place_at(x, m, i);

	if (!sccl_is_packet(m, i))
		return from + at;
	sccl_unpack(x, room, (const uint64_t *)(const void *)(from + 2 * at), n, sccl_sender(m, i));
	return room;
}

/* A copy or reduction that has packets among its places. Each tile is read completely before any of it is written. */
static inline void sccl_move_packets(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	uint8_t sum[SCCL_REDUCE_TILE] __attribute__((aligned(64))), next[SCCL_REDUCE_TILE] __attribute__((aligned(64)));

	for (uint64_t at = 0; at < m->bytes && !x->gave_up; at += SCCL_REDUCE_TILE) {
		uint64_t n = m->bytes - at < SCCL_REDUCE_TILE ? m->bytes - at : SCCL_REDUCE_TILE;
		const uint8_t *left = sccl_source(x, m, 0, at, n, sum);

		for (uint32_t i = 1; i < m->sources; i++) {
			fold(sum, left, sccl_source(x, m, i, at, n, next), n);
			left = sum;
		}
		for (uint32_t i = m->sources; i < m->sources + m->targets; i++) {
			uint8_t *to = sccl_place_at(x, m, i);
			if (sccl_is_packet(m, i))
				sccl_pack(x, (uint64_t *)(void *)(to + 2 * at), left, n);
			else if (to + at != left)
				memcpy(to + at, left, n);
		}
	}
}

static inline void sccl_copy(sccl_block_t *x, const sccl_move_t *m)
{
	if (x->launch->peer_packets) {
		sccl_move_packets(x, m, NULL);
		return;
	}
	const uint8_t *from = sccl_place_at(x, m, 0);
	uint64_t tile = m->targets == 1 ? m->bytes : SCCL_COPY_TILE;

	for (uint64_t at = 0; at < m->bytes; at += tile) {
		uint64_t n = m->bytes - at < tile ? m->bytes - at : tile;
		for (uint32_t i = 0; i < m->targets; i++) {
			uint8_t *to = sccl_place_at(x, m, 1 + i);
			if (to != from) /* in place: nothing to copy */
				memcpy(to + at, from + at, n);
		}
	}
}

/* Each tile is read completely before any of it is written, so that a target may be the place of any source. */
static inline void sccl_reduce(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	uint8_t sum[SCCL_REDUCE_TILE] __attribute__((aligned(64)));

	if (x->launch->peer_packets) {
		sccl_move_packets(x, m, fold);
		return;
	}
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
