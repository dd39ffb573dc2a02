#include "runtime/core/clock.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(endings, .description = "calls that do not come to their end", .timeout = 60);

enum { COUNT = 10 };

/* A plan of the stuck program, and one call of it, which only an error can end. */
static sccl_status_t wait_in_vain(uint32_t rank, const sccl_bootstrap_t *b, double timeout, void (*before)(uint32_t, sccl_comm_t *))
{
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	sccl_memory_t *memory;
	int32_t in[COUNT] = {0};
	sccl_comm_options_t options = {.timeout = timeout};

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);
	if (status != SCCL_OK)
		return status;
	status = sccl_plan_create(&plan, comm, &ring_stuck, SCCL_I32, SCCL_SUM, COUNT, NULL);
	if (status == SCCL_OK)
		status = sccl_memory_create(&memory, comm, RING * sizeof in);
	if (status != SCCL_OK)
		return status;
	before(rank, comm);
	status = sccl_run(plan, in, sccl_memory_at(memory, 0), COUNT, NULL);
	if (status != sccl_comm_status(comm, NULL, 0) || status != sccl_run(plan, in, sccl_memory_at(memory, 0), COUNT, NULL))
		status = SCCL_STATUSES; /* what ended it lasts */
	sccl_memory_free(memory);
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	return status;
}

static void nothing(uint32_t rank, sccl_comm_t *comm)
{
	(void)rank, (void)comm;
}

static void die(uint32_t rank, sccl_comm_t *comm)
{
	(void)comm;
	if (rank == 1)
		raise(SIGKILL);
}

static void *abort_later(void *comm)
{
	clock_sleep(100000);
	sccl_comm_abort(comm);
	return NULL;
}

static void abort_soon(uint32_t rank, sccl_comm_t *comm)
{
	pthread_t thread;
	if (rank == 3 && pthread_create(&thread, NULL, abort_later, comm) == 0)
		pthread_detach(thread);
}

static sccl_status_t waits_too_long(uint32_t rank, const sccl_bootstrap_t *b)
{
	return wait_in_vain(rank, b, 0.3, nothing);
}

static sccl_status_t loses_a_rank(uint32_t rank, const sccl_bootstrap_t *b)
{
	return wait_in_vain(rank, b, 0, die);
}

static sccl_status_t is_aborted(uint32_t rank, const sccl_bootstrap_t *b)
{
	return wait_in_vain(rank, b, 0, abort_soon);
}

Test(endings, the_watchdog_says_who_waits_for_whom)
{
	struct outcome out[RING];
	in_processes(waits_too_long, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, SCCL_TIMEOUT), "rank %d: %s", r, out[r].text);
		cr_expect(ne(ptr, strstr(out[r].text, "rank 3, block 0, step 2 waits for rank 2"), NULL), "%s", out[r].text);
		cr_expect(ne(ptr, strstr(out[r].text, "rank 2, block 0, step 7 waits for rank 1"), NULL), "%s", out[r].text);
	}
}

Test(endings, a_rank_that_dies_is_named_without_any_timeout)
{
	struct outcome out[RING];
	in_processes(loses_a_rank, out);
	cr_expect(eq(int, out[1].status, SCCL_STATUSES)); /* it is dead itself */
	for (int r = 0; r < RING; r++) {
		if (r == 1)
			continue;
		cr_expect(eq(int, out[r].status, SCCL_DEAD_RANK), "rank %d: %s", r, out[r].text);
		cr_expect(eq(str, out[r].text, "rank 1 has died in call 1"));
	}
}

Test(endings, an_abort_ends_the_call_of_every_rank)
{
	struct outcome out[RING];
	in_threads(is_aborted, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, SCCL_ABORTED), "rank %d: %s", r, out[r].text);
		cr_expect(eq(str, out[r].text, "rank 3 aborted"));
	}
}

/* The two that leave after the first call are in good order; who goes on needs them. */
static sccl_status_t leaves_early(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	int32_t in[COUNT] = {0}, result[RING * COUNT];

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_I32, SCCL_SUM, COUNT, NULL);
	if (status != SCCL_OK)
		return status;
	status = sccl_run(plan, in, result, COUNT, NULL);
	if (status == SCCL_OK && rank == 0)
		status = sccl_run(plan, in, result, COUNT, NULL);
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	return status;
}

Test(endings, a_rank_that_left_is_missed_only_by_those_who_need_it)
{
	struct outcome out[RING];
	in_processes(leaves_early, out);
	for (int r = 1; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
	cr_expect(eq(int, out[0].status, SCCL_DEAD_RANK), "%s", out[0].text);
	cr_expect(ne(ptr, strstr(out[0].text, "call 2"), NULL), "%s", out[0].text);
}
