/* Many ranks in one process: collective functions run on one thread per rank, which exists only for the duration of the
 * call. */

#include "runtime/core/comm.h"
#include "runtime/core/plan.h"
#include "runtime/core/status.h"
#include "runtime/net/bootstrap_group.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One rank's part of a call, and its result. */
struct part {
	const struct all *all;
	uint32_t rank;
	pthread_t thread;
	sccl_status_t status;
	char text[1024];
};

/* The arguments of a call for all ranks. */
struct all {
	sccl_status_t (*work)(const struct all *, uint32_t rank);
	uint32_t ranks;
	struct local *local;
	const int *devices;
	const sccl_comm_options_t *comm_options;
	sccl_comm_t **comms;
	sccl_comm_t *const *with;
	const sccl_program_t *program;
	sccl_dtype_t type;
	sccl_op_t op;
	uint64_t count;
	const sccl_plan_options_t *plan_options;
	sccl_plan_t **plans;
	sccl_plan_t *const *of;
	const void *const *in;
	void *const *out;
	sccl_memory_t **memories;
	void *const *buffers;
	size_t bytes;
	const sccl_stream_t *streams;
};

static void *do_part(void *argument)
{
	struct part *p = argument;
	p->status = p->all->work(p->all, p->rank);
	if (p->status != SCCL_OK)
		snprintf(p->text, sizeof p->text, "%s", sccl_error_text());
	return NULL;
}

/* The group that the communicators of a call meet in; NULL: they were made in some other way. */
static sccl_group_t *group_of(const struct all *a, uint32_t rank)
{
	const struct sccl_comm *c = a->with ? a->with[rank] : NULL;
	const struct local *l = a->local ? a->local : c ? c->local : NULL;

	return l ? l->group : NULL;
}

/* Rank 0 runs on the caller's thread. The other threads are started first, because if one cannot be started the ranks
 * would wait for it. */
static sccl_status_t start(struct part *parts, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		int error = pthread_create(&parts[i].thread, NULL, do_part, &parts[i]);
		if (error == 0)
			continue;
		/* The running threads wait for something that will never happen: a bootstrap exchange, or a call. */
		if (group_of(parts->all, i))
			sccli_group_give_up(group_of(parts->all, i), i);
		for (uint32_t j = 0; parts->all->of && j < n; j++)
			sccl_comm_abort(parts->all->of[j]->comm);
		for (uint32_t j = 1; j < i; j++)
			pthread_join(parts[j].thread, NULL);
		return sccli_fail(SCCL_SYSTEM, "cannot start a thread for rank %u: %s", i, strerror(error));
	}
	do_part(&parts[0]);
	for (uint32_t i = 1; i < n; i++)
		pthread_join(parts[i].thread, NULL);
	return SCCL_OK;
}

/* Whether a rank failed only because another did. */
static bool is_echo(sccl_status_t status)
{
	return status == SCCL_BOOTSTRAP || status == SCCL_DEAD_RANK || status == SCCL_TIMEOUT || status == SCCL_ABORTED;
}

/* The first rank that failed by itself; without one, the first that failed; RANKS: none did. */
static uint32_t first_fault(const struct part *parts, uint32_t ranks)
{
	uint32_t first = ranks;

	for (uint32_t i = ranks; i-- > 0;)
		if (parts[i].status != SCCL_OK && (first == ranks || !is_echo(parts[i].status) || is_echo(parts[first].status)))
			first = i;
	return first;
}

static sccl_status_t in_threads(struct all *all)
{
	struct part *parts = calloc(all->ranks, sizeof *parts);
	sccl_status_t status = SCCL_OK;

	if (!parts)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for %u threads", all->ranks);
	for (uint32_t i = 0; i < all->ranks; i++) {
		parts[i].all = all;
		parts[i].rank = i;
	}
	status = start(parts, all->ranks);
	uint32_t fault = status == SCCL_OK ? first_fault(parts, all->ranks) : all->ranks;
	if (fault < all->ranks)
		status = sccli_fail(parts[fault].status, "%s", parts[fault].text);
	free(parts);
	return status;
}

static sccl_status_t join_comm(const struct all *a, uint32_t rank)
{
	static const sccl_comm_options_t defaults;
	sccl_comm_options_t options = a->comm_options ? *a->comm_options : defaults;
	sccl_bootstrap_t bootstrap;
	sccl_status_t status = sccl_group_join(a->local->group, rank, &bootstrap);

	if (a->devices)
		options.device = a->devices[rank];
	if (status == SCCL_OK)
		status = sccl_comm_create(&a->comms[rank], rank, a->ranks, &bootstrap, &options);
	if (status == SCCL_OK) {
		a->comms[rank]->local = a->local;
		atomic_fetch_add(&a->local->users, 1);
	} else
		sccli_group_give_up(a->local->group, rank);
	return status;
}

sccl_status_t sccl_comms_create(sccl_comm_t *comms[], uint32_t ranks, const int devices[], const sccl_comm_options_t *options)
{
	enum { MEETING_SECONDS = 60 };
	struct all all = {.work = join_comm, .ranks = ranks, .devices = devices, .comm_options = options, .comms = comms};

	if (!comms || ranks < 1)
		return sccli_fail(SCCL_INVALID, "sccl_comms_create needs places for one communicator or more");
	memset(comms, 0, ranks * sizeof *comms);
	all.local = calloc(1, sizeof *all.local);
	if (!all.local)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for communicators");
	atomic_init(&all.local->users, 1);
	sccl_status_t status = sccl_group_create(&all.local->group, ranks, MEETING_SECONDS);
	if (status == SCCL_OK)
		status = in_threads(&all);
	if (status != SCCL_OK)
		sccl_comms_free(comms, ranks);
	sccli_local_leave(all.local);
	return status;
}

void sccl_comms_free(sccl_comm_t *comms[], uint32_t ranks)
{
	for (uint32_t i = 0; comms && i < ranks; i++) {
		sccl_comm_free(comms[i]);
		comms[i] = NULL;
	}
}

static sccl_status_t make_memory(const struct all *a, uint32_t rank)
{
	if (a->buffers)
		return sccl_memory_register(&a->memories[rank], a->with[rank], a->buffers[rank], a->bytes);
	return sccl_memory_create(&a->memories[rank], a->with[rank], a->bytes);
}

sccl_status_t sccl_memories_create(sccl_memory_t *memories[], sccl_comm_t *const comms[], uint32_t ranks, void *const buffers[],
                                   size_t bytes)
{
	struct all all = {
		.work = make_memory, .ranks = ranks, .memories = memories, .with = comms, .buffers = buffers, .bytes = bytes};

	if (!memories || !comms || ranks < 1)
		return sccli_fail(SCCL_INVALID, "sccl_memories_create needs communicators and places");
	memset(memories, 0, ranks * sizeof *memories);
	sccl_status_t status = in_threads(&all);
	for (uint32_t i = 0; status != SCCL_OK && i < ranks; i++) {
		sccl_memory_free(memories[i]);
		memories[i] = NULL;
	}
	return status;
}

static sccl_status_t make_plan(const struct all *a, uint32_t rank)
{
	return sccl_plan_create(&a->plans[rank], a->with[rank], a->program, a->type, a->op, a->count, a->plan_options);
}

sccl_status_t sccl_plans_create(sccl_plan_t *plans[], sccl_comm_t *const comms[], uint32_t ranks, const sccl_program_t *program,
                                sccl_dtype_t type, sccl_op_t op, uint64_t max_count, const sccl_plan_options_t *options)
{
	struct all all = {.work = make_plan, .ranks = ranks, .plans = plans, .with = comms, .program = program, .type = type, .op = op,
			  .count = max_count, .plan_options = options};

	if (!plans || !comms || ranks < 1)
		return sccli_fail(SCCL_INVALID, "sccl_plans_create needs communicators and places");
	memset(plans, 0, ranks * sizeof *plans);
	sccl_status_t status = in_threads(&all);
	for (uint32_t i = 0; status != SCCL_OK && i < ranks; i++) {
		sccl_plan_free(plans[i]);
		plans[i] = NULL;
	}
	return status;
}

static sccl_status_t run_one(const struct all *a, uint32_t rank)
{
	return sccl_run(a->of[rank], a->in ? a->in[rank] : NULL, a->out ? a->out[rank] : NULL, a->count,
			a->streams ? a->streams[rank] : NULL);
}

/* Two ranks on one GPU wait for each other, so if both used the same stream the second would never start. */
static sccl_status_t check_plans(sccl_plan_t *const plans[], uint32_t ranks, const sccl_stream_t streams[])
{
	if (!plans || ranks < 1)
		return sccli_fail(SCCL_INVALID, "sccl_run_all needs plans");
	for (uint32_t i = 0; i < ranks; i++)
		if (!plans[i] || plans[i]->comm->meeting.rank != i || plans[i]->comm->meeting.ranks != ranks)
			return sccli_fail(SCCL_INVALID, "sccl_run_all needs the plan of rank %u of %u at %u", i, ranks, i);
	for (uint32_t i = 0; i < ranks && !plans[0]->comm->meeting.unit.device->synchronous; i++)
		for (uint32_t k = 0; k < i; k++)
			if (plans[i]->comm->meeting.unit.number == plans[k]->comm->meeting.unit.number &&
			    (streams ? streams[i] : NULL) == (streams ? streams[k] : NULL))
				return sccli_fail(SCCL_INVALID, "ranks %u and %u share GPU %d and a stream: each needs its own stream", k, i,
						  plans[i]->comm->meeting.unit.number);
	return SCCL_OK;
}

sccl_status_t sccl_run_all(sccl_plan_t *const plans[], uint32_t ranks, const void *const in[], void *const out[], uint64_t count,
                           const sccl_stream_t streams[])
{
	struct all all = {.work = run_one, .ranks = ranks, .of = plans, .in = in, .out = out, .count = count, .streams = streams};
	sccl_status_t status = SCCL_OK;

	status = check_plans(plans, ranks, streams);
	if (status != SCCL_OK)
		return status;
	if (plans[0]->comm->meeting.unit.device->synchronous)
		return in_threads(&all);
	for (uint32_t i = 0; i < ranks && status == SCCL_OK; i++)
		status = run_one(&all, i);
	return status;
}
