/*
 * The bootstrap of threads and forked processes: a shared mapping that all members inherit. Each member counts the
 * meetings (barriers) it has arrived at; a meeting is complete once all members have arrived. Data is exchanged in
 * slices through the members' slots. Each member has two slots, because while one meeting is in progress a slower
 * member may still be reading the slots of the previous one.
 */

#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "runtime/net/bootstrap_group.h"

#include "runtime/core/clock.h"
#include "runtime/core/process.h"
#include "runtime/core/status.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLOT_BYTES = 1024, GROUP_RANKS_MAX = 4096 };

struct group_member {
	_Alignas(128) _Atomic uint64_t meetings;
	_Atomic uint32_t joined, broken;
	struct process process;
	_Alignas(64) unsigned char slots[2][SLOT_BYTES];
};

/* A rank's entry in the group: the context of its bootstrap. */
struct seat {
	struct sccl_group *group;
	struct group_member *me;
};

/* Each process has its own copy, so nothing that one member writes into the mapping can corrupt this part of
 * another's. */
struct sccl_group {
	uint32_t ranks;
	double timeout;
	struct group_member **members; /* [ranks] */
	void *mapping;                 /* that holds them; NULL: they belong to someone else */
	struct seat seats[];
};

static sccl_status_t check(uint32_t ranks, double timeout)
{
	if (ranks < 1 || ranks > GROUP_RANKS_MAX)
		return sccli_fail(SCCL_INVALID, "a group has 1 to %d ranks, not %u", GROUP_RANKS_MAX, ranks);
	if (!(timeout >= 0))
		return sccli_fail(SCCL_INVALID, "a group's timeout must be 0 or more seconds");
	return SCCL_OK;
}

/* The places of the members are still to be filled in. */
static struct sccl_group *new_group(uint32_t ranks, double timeout)
{
	struct sccl_group *g = malloc(sizeof *g + ranks * sizeof g->seats[0]);
	struct group_member **members = calloc(ranks, sizeof(struct group_member *));

	if (!g || !members) {
		free(g);
		free(members);
		sccli_fail(SCCL_NO_MEMORY, "no memory for a group of %u ranks", ranks);
		return NULL;
	}
	*g = (struct sccl_group){.ranks = ranks, .timeout = timeout, .members = members};
	return g;
}

static void seat_all(struct sccl_group *g)
{
	for (uint32_t r = 0; r < g->ranks; r++)
		g->seats[r] = (struct seat){g, g->members[r]};
}

sccl_status_t sccl_group_create(sccl_group_t **group, uint32_t ranks, double timeout)
{
	if (!group)
		return sccli_fail(SCCL_INVALID, "sccl_group_create needs a place for the group");
	*group = NULL;
	if (check(ranks, timeout) != SCCL_OK)
		return SCCL_INVALID;

	struct sccl_group *g = new_group(ranks, timeout);
	if (!g)
		return SCCL_NO_MEMORY;
	void *mapping = mmap(NULL, ranks * sizeof(struct group_member), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mapping == MAP_FAILED) {
		sccli_fail(SCCL_NO_MEMORY, "no memory for a group of %u ranks: %s", ranks, strerror(errno));
		sccl_group_free(g);
		return SCCL_NO_MEMORY;
	}
	g->mapping = mapping;
	for (uint32_t r = 0; r < ranks; r++)
		g->members[r] = (struct group_member *)mapping + r;
	seat_all(g);
	*group = g;
	return SCCL_OK;
}

size_t sccli_group_member_bytes(void)
{
	return sizeof(struct group_member);
}

sccl_status_t sccli_group_over(sccl_group_t **group, void *const members[], uint32_t ranks, double timeout)
{
	struct sccl_group *g = check(ranks, timeout) == SCCL_OK ? new_group(ranks, timeout) : NULL;

	*group = g;
	if (!g)
		return ranks < 1 || ranks > GROUP_RANKS_MAX ? SCCL_INVALID : SCCL_NO_MEMORY;
	for (uint32_t r = 0; r < ranks; r++)
		g->members[r] = members[r];
	seat_all(g);
	return SCCL_OK;
}

void sccli_group_patience(sccl_group_t *group, double timeout)
{
	group->timeout = timeout;
}

void sccl_group_free(sccl_group_t *group)
{
	if (!group)
		return;
	if (group->mapping)
		munmap(group->mapping, group->ranks * sizeof(struct group_member));
	free(group->members);
	free(group);
}

/* True, with the error text set, if member M will never arrive; false while it still may. */
static bool is_lost(const struct group_member *m, uint32_t rank)
{
	if (atomic_load(&m->broken))
		sccli_fail(SCCL_BOOTSTRAP, "rank %u has given up", rank);
	else if (atomic_load(&m->joined) && !sccli_process_alive(&m->process))
		sccli_fail(SCCL_DEAD_RANK, "rank %u has died", rank);
	else
		return false;
	return true;
}

/* Waits until RANK has arrived at MEETING. *BEGIN is the time at which the meeting's first long wait began; 0: none so
 * far. */
static bool wait_for(const struct sccl_group *g, uint32_t rank, uint64_t meeting, double *begin)
{
	const struct group_member *m = g->members[rank];
	enum { SPINS = 200, YIELDS = 2000 };
	double looked = 0;

	for (uint32_t i = 0; atomic_load_explicit(&m->meetings, memory_order_acquire) < meeting; i++) {
		if (i < SPINS)
			continue;
		sched_yield();
		if (i < YIELDS)
			continue;
		clock_sleep(100);
		double t = clock_seconds();
		*begin = *begin > 0 ? *begin : t;
		if (t - looked < 0.01)
			continue;
		looked = t;
		if (is_lost(m, rank)) /* unless it has arrived in the meantime and then exited */
			return atomic_load_explicit(&m->meetings, memory_order_acquire) >= meeting;
		if (g->timeout > 0 && t - *begin > g->timeout) {
			sccli_fail(SCCL_TIMEOUT, "rank %u did not join within %g seconds", rank, g->timeout);
			return false;
		}
	}
	return true;
}

static int meet(const struct seat *seat)
{
	const struct sccl_group *g = seat->group;
	struct group_member *me = seat->me;
	double begin = 0;
	uint64_t meeting = atomic_load_explicit(&me->meetings, memory_order_relaxed) + 1;

	if (atomic_load(&me->broken))
		return -1;
	atomic_store_explicit(&me->meetings, meeting, memory_order_release);
	for (uint32_t r = 0; r < g->ranks; r++)
		if (!wait_for(g, r, meeting, &begin)) {
			atomic_store(&me->broken, 1);
			return -1;
		}
	return 0;
}

static int barrier(void *context)
{
	return meet(context);
}

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
	const struct seat *seat = context;
	const struct sccl_group *g = seat->group;
	struct group_member *me = seat->me;

	for (size_t at = 0; at < bytes; at += SLOT_BYTES) {
		size_t n = bytes - at < SLOT_BYTES ? bytes - at : SLOT_BYTES;
		int slot = (int)(atomic_load_explicit(&me->meetings, memory_order_relaxed) & 1);
		memcpy(me->slots[slot], (const char *)mine + at, n);
		if (meet(seat) != 0)
			return -1;
		for (uint32_t r = 0; r < g->ranks; r++)
			memcpy((char *)all + r * bytes + at, g->members[r]->slots[slot], n);
	}
	return 0;
}

void sccli_group_give_up(sccl_group_t *group, uint32_t rank)
{
	atomic_store(&group->members[rank]->broken, 1);
}

sccl_status_t sccl_group_join(sccl_group_t *group, uint32_t rank, sccl_bootstrap_t *bootstrap)
{
	if (!group || !bootstrap)
		return sccli_fail(SCCL_INVALID, "sccl_group_join needs a group and a place for the bootstrap");
	if (rank >= group->ranks)
		return sccli_fail(SCCL_INVALID, "there is no rank %u in a group of %u", rank, group->ranks);

	struct group_member *me = group->members[rank];
	if (!sccli_process_self(&me->process)) {
		sccli_group_give_up(group, rank);
		return SCCL_SYSTEM;
	}
	if (atomic_exchange(&me->joined, 1))
		return sccli_fail(SCCL_INVALID, "rank %u has already joined the group", rank);
	*bootstrap = (sccl_bootstrap_t){&group->seats[rank], allgather, barrier};
	return SCCL_OK;
}
