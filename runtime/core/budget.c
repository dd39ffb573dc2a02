/*
 * Every process lists the shares that its plans have of each device. For a new plan the ranks exchange what other
 * communicators have taken of their devices, and all compute the same grid from it.
 */
#include "runtime/core/budget.h"

#include "runtime/core/agree.h"
#include "runtime/core/plan.h"
#include "runtime/core/status.h"

#include <pthread.h>
#include <stdlib.h>

enum { WHOLE = 1 << 20 }; /* shares are in parts of a device */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sccl_plan *plans; /* of this process that have a share */

/* What a rank tells the others. */
struct claim {
	struct process process;
	uint64_t device;
	uint32_t capacity; /* number of the kernel's blocks that the device can hold */
	uint32_t taken;    /* by other communicators of the process; counted at the first rank of a process on the device alone */
};

static bool same_unit(const struct sccl_comm *a, const struct sccl_comm *b)
{
	return a->meeting.unit.device == b->meeting.unit.device && a->meeting.unit.number == b->meeting.unit.number;
}

/* The largest share of the plans of C. */
static uint32_t largest_share(const struct sccl_comm *c)
{
	uint32_t most = 0;
	for (const struct sccl_plan *q = plans; q; q = q->next_share)
		if (q->comm == c && q->share > most)
			most = q->share;
	return most;
}

/* The sum over the communicators on C's device, each counted at its first plan in the list. OTHERS: leave out all ranks of
 * C's communicator. */
static uint64_t taken(const struct sccl_comm *c, bool others)
{
	uint64_t sum = 0;

	for (const struct sccl_plan *q = plans; q; q = q->next_share) {
		const struct sccl_plan *first = plans;
		while (first->comm != q->comm)
			first = first->next_share;
		if (first == q && same_unit(q->comm, c) && !(others && q->comm->number == c->number))
			sum += largest_share(q->comm);
	}
	return sum;
}

/* The number of blocks that rank R may have at once: half of what its device has left, divided among the ranks there. *LEFT:
 * in parts of the device. */
static uint32_t blocks_of(const struct claim *all, uint32_t ranks, uint32_t r, uint64_t *left)
{
	uint64_t used = 0, here = 0;

	for (uint32_t i = 0; i < ranks; i++)
		if (all[i].device == all[r].device) {
			here++;
			used += all[i].taken;
		}
	*left = used < WHOLE ? WHOLE - used : 0;
	uint64_t each = *left * all[r].capacity / WHOLE / here;
	return (uint32_t)(each > 1 ? each / 2 : each);
}

/* What several ranks of a process say of a device is one thing. */
static void count_once(struct claim *all, uint32_t ranks)
{
	for (uint32_t i = 1; i < ranks; i++)
		for (uint32_t k = 0; k < i && all[i].taken; k++)
			if (all[k].device == all[i].device && sccli_process_same(&all[k].process, &all[i].process))
				all[i].taken = 0;
}

static sccl_status_t refuse(const struct claim *all, uint32_t r, uint64_t left)
{
	return sccli_fail(SCCL_UNSUPPORTED,
	                  "rank %u has no room for a block of the kernel: its GPU holds %u, of which other communicators leave %u, and "
	                  "every rank on it needs one", r, all[r].capacity, (uint32_t)(left * all[r].capacity / WHOLE));
}

/* Fails if another communicator has taken the place in the meantime. */
static sccl_status_t enlist(struct sccl_plan *plan, uint32_t capacity)
{
	uint32_t grid = plan->blocks < plan->resident ? plan->blocks : plan->resident;

	pthread_mutex_lock(&lock);
	plan->share = (uint32_t)(((uint64_t)grid * WHOLE + capacity - 1) / capacity);
	plan->next_share = plans;
	plans = plan;
	bool fits = taken(plan->comm, false) <= WHOLE + WHOLE / 1024; /* each share was rounded up */
	pthread_mutex_unlock(&lock);
	if (fits)
		return SCCL_OK;
	sccli_budget_free(plan);
	return sccli_fail(SCCL_UNSUPPORTED, "another communicator was given this GPU's blocks at the same time");
}

void sccli_budget_free(struct sccl_plan *plan)
{
	pthread_mutex_lock(&lock);
	struct sccl_plan **at = &plans;
	while (*at && *at != plan)
		at = &(*at)->next_share;
	if (*at)
		*at = plan->next_share;
	pthread_mutex_unlock(&lock);
}

static sccl_status_t claim_of(const struct sccl_plan *plan, struct claim *mine)
{
	const struct sccl_comm *c = plan->comm;
	const struct unit *u = &c->meeting.unit;
	sccl_status_t status = sccli_process_self(&mine->process) ? SCCL_OK : SCCL_SYSTEM;

	mine->device = c->device_number;
	if (status == SCCL_OK)
		status = u->device->resident(u, plan->kernel, &mine->capacity);
	pthread_mutex_lock(&lock);
	uint64_t others = taken(c, true);
	pthread_mutex_unlock(&lock);
	mine->taken = others < WHOLE ? (uint32_t)others : WHOLE;
	return status;
}

sccl_status_t sccli_budget_take(struct sccl_plan *plan)
{
	const struct meeting *m = &plan->comm->meeting;
	struct claim mine = {.capacity = 0}, *all = calloc(m->ranks, sizeof *all);
	sccl_status_t status =
		all ? claim_of(plan, &mine) : sccli_fail(SCCL_NO_MEMORY, "no memory for a plan of %u ranks", m->ranks);

	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_exchange(&m->bootstrap, m->rank, &mine, all, sizeof mine);
	if (status == SCCL_OK)
		count_once(all, m->ranks);
	bool counts = !m->unit.device->synchronous && plan->mode != SCCL_COPY_ENGINES;
	plan->resident = counts ? UINT32_MAX : 1;
	for (uint32_t r = 0; counts && status == SCCL_OK && r < m->ranks; r++) {
		uint64_t left;
		uint32_t blocks = blocks_of(all, m->ranks, r, &left);
		plan->resident = blocks < plan->resident ? blocks : plan->resident;
		if (blocks == 0)
			status = refuse(all, r, left);
	}
	if (counts)
		status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status == SCCL_OK ? enlist(plan, mine.capacity) : status, NULL);
	free(all);
	return status;
}
