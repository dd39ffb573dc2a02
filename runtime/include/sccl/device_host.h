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

/* All kernels share one body, so that compile time does not grow with their number. */
#define SCCL_KERNEL(name, element, fold)                                                    \
	static int name(const sccl_launch_t *l, void *stream)                               \
	{                                                                                   \
		(void)stream;                                                               \
		return l ? sccl_run_on_host(l, element, fold) : 0x7fffffff;                 \
	}
#define SCCL_FOLD(type, op) &sccl_folding_##type##_##op
#define SCCL_NO_FOLD NULL

/* How a type's values are combined (device_host_reduce.h). */
typedef const struct sccl_folding *sccl_fold_t;

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

#endif
