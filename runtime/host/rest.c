/*
 * What a wait does once its first polls were in vain: it spins, yields or sleeps.
 *
 * Which of them pays depends on where the awaited rank is. On another CPU it answers soon, and to yield would only let
 * some other program have this CPU for its whole time slice. On this CPU it cannot run before this rank yields, and every
 * poll is lost. Affinity masks do not tell: two ranks with two CPUs share one while some other program has the other. So
 * every rank writes the CPU on which it runs on its board, and who waits compares. If there are more ranks than CPUs,
 * some rank waits for this CPU, and a wait yields at once.
 *
 * Ranks that yield to each other keep every CPU's queue equally long, however little there is to do in it, so that a
 * rank that has work queues behind ranks that have none while another CPU only yields. A wait that has lasted for long
 * therefore sleeps at its flag (futex), and who posts the flag wakes it.
 */
#define _GNU_SOURCE /* sched_getaffinity, sched_getcpu, syscall */
#include "runtime/host/rest.h"

#include "runtime/core/clock.h"
#include "runtime/core/comm.h"
#include "runtime/core/status.h"
#include "runtime/core/watch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SPIN = 64,              /* polls before a wait looks where its peer is: about 3 us */
	SPIN_BETWEEN = 16,      /* polls between two looks */
	SLEEP_AFTER = 200000,   /* nanoseconds of spinning or yielding */
	SLEEP_MOST = 2000000,   /* nanoseconds: then look whether the wait can still end */
};

void sccli_rest_cpus(uint64_t cpus[REST_CPUS / 64])
{
	cpu_set_t usable;

	CPU_ZERO(&usable);
	if (sched_getaffinity(0, sizeof usable, &usable) != 0)
		return;
	for (int i = 0; i < REST_CPUS; i++)
		cpus[i / 64] |= (uint64_t)(CPU_ISSET(i, &usable) != 0) << i % 64;
}

uint32_t sccli_rest_spin(uint32_t ranks, uint32_t cpus)
{
	return ranks <= cpus ? SPIN : 0;
}

bool sccli_rest_pin(uint32_t rank)
{
	cpu_set_t usable, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof usable, &usable) != 0) {
		sccli_fail(SCCL_SYSTEM, "cannot read which CPUs this thread may use: %s", strerror(errno));
		return false;
	}
	for (uint32_t left = rank % (uint32_t)CPU_COUNT(&usable) + 1; left > 0; cpu++)
		left -= CPU_ISSET(cpu, &usable) ? 1 : 0;
	CPU_ZERO(&one);
	CPU_SET(cpu - 1, &one);
	if (sched_setaffinity(0, sizeof one, &one) != 0) {
		sccli_fail(SCCL_SYSTEM, "cannot bind this thread to CPU %d: %s", cpu - 1, strerror(errno));
		return false;
	}
	return true;
}

uint32_t sccli_rest_cpu(void)
{
	return (uint32_t)sched_getcpu();
}

/* Returns at once if the word is not 1. The memory may be shared between processes. */
static void sleep_at(uint32_t *sleeper)
{
	const struct timespec most = {0, SLEEP_MOST};

	syscall(SYS_futex, sleeper, FUTEX_WAIT, 1, &most, NULL, 0);
}

void sccli_rest_wake(uint32_t *sleeper)
{
	syscall(SYS_futex, sleeper, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void spin(void)
{
#if defined(__x86_64__) || defined(__i386__)
	for (int i = 0; i < SPIN_BETWEEN; i++)
		__builtin_ia32_pause();
#endif
}

int sccli_rest(const sccl_env_t *env, uint32_t block, uint32_t peer, uint32_t polls, const uint64_t *flag)
{
	struct sccl_comm *c = env->owner;
	struct resting *r = &c->resting;
	uint64_t now = clock_nanoseconds();
	uint32_t cpu = sccli_rest_cpu();

	if (polls != r->polls + 1 || flag != r->flag) { /* a new wait */
		r->flag = flag;
		r->since = now;
		r->armed = false;
	}
	r->polls = polls;
	__atomic_store_n(&comm_board(c, env->rank)->cpu, cpu, __ATOMIC_RELAXED);
	if (!flag || now - r->since < SLEEP_AFTER) {
		if (r->fits && now - r->since < SLEEP_AFTER && __atomic_load_n(&comm_board(c, peer)->cpu, __ATOMIC_RELAXED) != cpu)
			spin();
		else
			sched_yield();
		return 0;
	}
	if (!r->armed) { /* the caller looks at the flag once more before it comes back to sleep */
		r->armed = true;
		__atomic_exchange_n(sccl_sleeper(flag), 1, __ATOMIC_ACQ_REL);
		return 0;
	}
	sleep_at(sccl_sleeper(flag));
	r->armed = false;
	sccli_watch_stalled(env, block);
	return 1;
}
