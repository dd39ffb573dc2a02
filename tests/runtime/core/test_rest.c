/* What ranks on CPUs do while they wait: they sleep, are woken, and stay on the CPU that they are bound to. */

#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/host/rest.h"

#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <sccl/device.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <sched.h>
#include <stdlib.h>
#include <time.h>

TestSuite(rest, .description = "waiting on CPUs", .timeout = 60);

static int woken;

static void count_wake(uint32_t *sleeper)
{
	(void)sleeper;
	woken++;
}

Test(rest, a_post_wakes_whoever_sleeps_at_its_flag_and_nobody_else)
{
	uint64_t line[SCCL_FLAG_STRIDE / sizeof(uint64_t)] = {0};
	const sccl_env_t env = {.wake = count_wake};

	sccl_raise_flag(&env, line, 7);
	cr_expect(eq(int, woken, 0));
	*sccl_sleeper(line) = 1;
	sccl_raise_flag(&env, line, 8);
	cr_expect(eq(int, woken, 1));
	cr_expect(eq(u32, *sccl_sleeper(line), 0));
	cr_expect(eq(u64, line[0], 8));
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rank 0 is two seconds late; the others must not spend them on polling. It posts while they sleep, so that a post that
 * wakes nobody would make each call last until the sleep's own end. */
static sccl_status_t wait_for_one(uint32_t rank, const sccl_bootstrap_t *b)
{
	const struct timespec late = {2, 0};
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	int32_t in[64] = {0}, out[4 * 64];

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_I32, SCCL_SUM, 64, NULL);
	if (status != SCCL_OK)
		return status;
	if (rank == 0)
		nanosleep(&late, NULL);
	double before = cpu_seconds();
	status = sccl_run(plan, in, out, 64, NULL);
	if (status == SCCL_OK && cpu_seconds() - before > 0.5)
		status = SCCL_TIMEOUT;
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	return status;
}

Test(rest, ranks_that_wait_for_long_sleep)
{
	struct outcome out[RING];

	in_processes(wait_for_one, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

static sccl_status_t pinned(uint32_t rank, const sccl_bootstrap_t *b)
{
	const sccl_comm_options_t options = {.pin = 1};
	cpu_set_t before, after;
	sccl_comm_t *comm;
	int nth = 0;

	sched_getaffinity(0, sizeof before, &before);
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);
	if (status != SCCL_OK)
		return status;
	sched_getaffinity(0, sizeof after, &after);
	sccl_comm_free(comm);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &after) && nth != (int)rank % CPU_COUNT(&before))
			return SCCL_MISMATCH;
		nth += CPU_ISSET(cpu, &before) != 0;
	}
	return CPU_COUNT(&after) == 1 ? SCCL_OK : SCCL_MISMATCH;
}

Test(rest, a_pinned_rank_stays_on_its_cpu)
{
	struct outcome out[RING];

	in_processes(pinned, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

/* Each rank may use one CPU only, as mpirun binds them: together they have as many as there are. */
Test(rest, ranks_spin_where_all_have_a_cpu)
{
	cr_expect(gt(u32, sccli_rest_spin(2, 2), 0));
	cr_expect(eq(u32, sccli_rest_spin(3, 2), 0));
}

static sccl_status_t measure(uint32_t rank, const sccl_bootstrap_t *b)
{
	const sccl_program_t *programs[] = {&ring_allgather, &ring_reducescatter};
	sccl_comm_t *comm;
	sccl_choice_t *choices, *none;
	size_t n, n_none;

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status != SCCL_OK)
		return status;
	status = sccl_choices_measure(&choices, &n, comm, programs, 2, "allgather", -1, SCCL_I32, SCCL_SUM, 2048);
	if (status == SCCL_OK && (n != 1 || choices[0].program != &ring_allgather || choices[0].most_bytes != UINT64_MAX))
		status = SCCL_MISMATCH;
	sccl_choices_free(choices);
	if (status == SCCL_OK)
		status = sccl_choices_measure(&none, &n_none, comm, programs, 2, "scan", -1, SCCL_I32, SCCL_SUM, 2048);
	if (status == SCCL_OK && n_none != 0)
		status = SCCL_MISMATCH;
	if (status == SCCL_OK)
		sccl_choices_free(none);
	if (status == SCCL_OK && sccl_choices_measure(&none, &n_none, comm, programs, 2, "allgather", -1, SCCL_I32, SCCL_SUM,
						      rank == 1 ? 1024 : 2048) != SCCL_MISMATCH)
		status = SCCL_TIMEOUT;
	sccl_comm_free(comm);
	return status;
}

Test(rest, choices_are_measured_and_equal_on_all_ranks)
{
	struct outcome out[RING];

	in_threads(measure, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}
