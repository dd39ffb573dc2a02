#include "runtime/core/clock.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>

TestSuite(making, .description = "communicators, memory and plans that ranks make together", .timeout = 60);

static void expect_all(const struct outcome out[RING], sccl_status_t status, const char *text)
{
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, status), "rank %d: %s", r, out[r].text);
		cr_expect(ne(ptr, strstr(out[r].text, text), NULL), "rank %d: %s", r, out[r].text);
	}
}

static sccl_status_t comm_and(uint32_t rank, const sccl_bootstrap_t *b,
                              sccl_status_t (*make)(sccl_comm_t *comm, uint32_t rank))
{
	sccl_comm_t *comm;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = make(comm, rank);
	sccl_comm_free(comm);
	return status;
}

static sccl_status_t plan_of(sccl_comm_t *comm, const sccl_program_t *p, sccl_dtype_t type, uint64_t count)
{
	sccl_plan_t *plan;
	sccl_status_t status = sccl_plan_create(&plan, comm, p, type, SCCL_SUM, count, NULL);
	sccl_plan_free(plan);
	return status;
}

static sccl_status_t other_program(sccl_comm_t *comm, uint32_t rank)
{
	return plan_of(comm, rank == 2 ? &ring_reducescatter : &ring_allgather, SCCL_F32, 10);
}

/* The same words, over more scratch. */
static sccl_status_t other_scratch(sccl_comm_t *comm, uint32_t rank)
{
	sccl_program_t p = ring_allgather;

	p.tables[SCCL_PLAIN].scratch_slots += rank == 3;
	return plan_of(comm, &p, SCCL_F32, 10);
}

/* The same words, whose sums are rounded at other places (--accumulate f32). */
static sccl_status_t other_sums(sccl_comm_t *comm, uint32_t rank)
{
	sccl_program_t p = ring_reducescatter;

	p.wide = rank == 3;
	return plan_of(comm, &p, SCCL_F32, 12);
}

/* The same words, over chunks that are cut at other places. */
static sccl_status_t other_cuts(sccl_comm_t *comm, uint32_t rank)
{
	sccl_program_t p = ring_allgather;
	sccl_chunk_t cuts[16];

	if (p.global_chunks > 16)
		return SCCL_STATUSES;
	for (uint32_t c = 0; c < p.global_chunks; c++)
		cuts[c] = p.cuts[c];
	cuts[0].parts += rank == 1;
	p.cuts = cuts;
	return plan_of(comm, &p, SCCL_F32, 10);
}

static sccl_status_t other_type(sccl_comm_t *comm, uint32_t rank)
{
	return plan_of(comm, &ring_allgather, rank == 1 ? SCCL_F64 : SCCL_F32, 10);
}

static sccl_status_t other_most(sccl_comm_t *comm, uint32_t rank)
{
	return plan_of(comm, &ring_allgather, SCCL_F32, 10 + (rank == 3));
}

static sccl_status_t old_abi(sccl_comm_t *comm, uint32_t rank)
{
	sccl_program_t old = ring_allgather;
	old.abi += rank == 3;
	return plan_of(comm, &old, SCCL_F32, 10);
}

static sccl_status_t other_target(sccl_comm_t *comm, uint32_t rank)
{
	sccl_program_t gpu = ring_allgather;
	(void)rank;
	gpu.target = "cuda";
	return plan_of(comm, &gpu, SCCL_F32, 10);
}

static sccl_status_t other_ranks(sccl_comm_t *comm, uint32_t rank)
{
	sccl_program_t more = ring_allgather;
	(void)rank;
	more.ranks = 5;
	return plan_of(comm, &more, SCCL_F32, 10);
}

static sccl_status_t no_kernel(sccl_comm_t *comm, uint32_t rank)
{
	sccl_program_t poor = ring_allgather;
	(void)rank;
	poor.kernels[SCCL_F16][SCCL_SUM] = NULL;
	return plan_of(comm, &poor, SCCL_F16, 10);
}

static sccl_status_t huge_count(sccl_comm_t *comm, uint32_t rank)
{
	(void)rank;
	return plan_of(comm, &ring_allgather, SCCL_F32, UINT64_MAX / 2);
}

static sccl_status_t other_bytes(sccl_comm_t *comm, uint32_t rank)
{
	sccl_memory_t *memory;
	sccl_status_t status = sccl_memory_create(&memory, comm, 100 + rank);
	sccl_memory_free(memory);
	return status;
}

/* One row a mistake: what is made, and what every rank is told. */
static const struct {
	sccl_status_t (*make)(sccl_comm_t *comm, uint32_t rank);
	sccl_status_t status;
	const char *text;
} mistakes[] = {
	{other_program, SCCL_MISMATCH, "the ranks do not agree on the program (its hash)"},
	{other_sums, SCCL_MISMATCH, "the ranks do not agree on the program (its hash)"},
	{other_scratch, SCCL_MISMATCH, "the ranks do not agree on the program (its hash)"},
	{other_cuts, SCCL_MISMATCH, "the ranks do not agree on the program (its hash)"},
	{other_type, SCCL_MISMATCH, "the ranks do not agree on the data type: 0 on rank 0, 1 on rank 1"},
	{other_most, SCCL_MISMATCH, "the ranks do not agree on the largest count: 10 on rank 0, 11 on rank 3"},
	{old_abi, SCCL_UNSUPPORTED, "; this runtime has abi "},
	{other_target, SCCL_UNSUPPORTED, "ring_allgather was generated for cuda; the communicator runs on host"},
	{other_ranks, SCCL_INVALID, "ring_allgather is for 5 ranks; the communicator has 4"},
	{no_kernel, SCCL_UNSUPPORTED, "ring_allgather has no kernel for sum of f16"},
	{huge_count, SCCL_INVALID, "is more than 2^40"},
	{other_bytes, SCCL_MISMATCH, "the ranks do not agree on the bytes of symmetric memory: 100 on rank 0, 101 on rank 1"},
};
static size_t mistake;

static sccl_status_t make_mistake(uint32_t rank, const sccl_bootstrap_t *b)
{
	return comm_and(rank, b, mistakes[mistake].make);
}

Test(making, a_mistake_of_one_rank_is_told_to_all)
{
	for (mistake = 0; mistake < sizeof mistakes / sizeof *mistakes; mistake++) {
		struct outcome out[RING];
		in_threads(make_mistake, out);
		expect_all(out, mistakes[mistake].status, mistakes[mistake].text);
	}
}

static sccl_status_t other_options(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	sccl_comm_options_t options = {.max_blocks = 4 + (rank == 2)};
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);
	sccl_comm_free(comm);
	return status;
}

Test(making, options_of_a_communicator_are_the_same_everywhere)
{
	struct outcome out[RING];
	in_processes(other_options, out);
	expect_all(out, SCCL_MISMATCH, "the ranks do not agree on the most blocks: 4 on rank 0, 5 on rank 2");
}

static int no_allgather(void *context, const void *mine, void *all, size_t bytes)
{
	(void)context, (void)mine, (void)all, (void)bytes;
	return 1;
}

static int no_barrier(void *context)
{
	(void)context;
	return 1;
}

Test(making, a_bootstrap_that_fails_is_an_error)
{
	sccl_bootstrap_t broken = {NULL, no_allgather, no_barrier};
	sccl_comm_t *comm;
	cr_expect(eq(int, sccl_comm_create(&comm, 0, 2, &broken, NULL), SCCL_BOOTSTRAP));
	cr_expect(eq(ptr, comm, NULL));
	cr_expect(eq(int, sccl_comm_create(&comm, 2, 2, &broken, NULL), SCCL_INVALID));
	cr_expect(eq(str, (char *)sccl_error_text(), "there is no rank 2 of 2"));
	cr_expect(eq(int, sccl_comm_create(&comm, 0, 2, NULL, NULL), SCCL_INVALID));
}

Test(making, a_group_that_nobody_joins_gives_up)
{
	sccl_group_t *group;
	sccl_bootstrap_t b;
	sccl_comm_t *comm;
	cr_assert(eq(int, sccl_group_create(&group, 2, 0.2), SCCL_OK));
	cr_assert(eq(int, sccl_group_join(group, 0, &b), SCCL_OK));
	cr_expect(eq(int, sccl_comm_create(&comm, 0, 2, &b, NULL), SCCL_BOOTSTRAP));
	cr_expect(eq(str, (char *)sccl_error_text(), "rank 1 did not join within 0.2 seconds"));
	cr_expect(eq(int, sccl_group_join(group, 0, &b), SCCL_INVALID));
	cr_expect(eq(int, sccl_group_join(group, 7, &b), SCCL_INVALID));
	sccl_group_free(group);
	cr_expect(eq(int, sccl_group_create(&group, 0, 0), SCCL_INVALID));
}

struct late {
	sccl_group_t *group;
	uint32_t rank;
	int met;
};

/* Each comes in time for who has waited only since the one before came. */
static void *come_late(void *argument)
{
	struct late *l = argument;
	sccl_bootstrap_t b;

	if (sccl_group_join(l->group, l->rank, &b) != SCCL_OK)
		return NULL;
	clock_sleep(l->rank * 500000L);
	l->met = b.barrier(b.context);
	return NULL;
}

Test(making, a_meeting_waits_once_and_not_for_each_rank_anew)
{
	enum { RANKS = 4 };
	struct late late[RANKS];
	pthread_t threads[RANKS];
	sccl_group_t *group;

	cr_assert(eq(int, sccl_group_create(&group, RANKS, 0.8), SCCL_OK));
	for (uint32_t r = 0; r < RANKS; r++) {
		late[r] = (struct late){group, r, 0};
		cr_assert(eq(int, pthread_create(&threads[r], NULL, come_late, &late[r]), 0));
	}
	for (int r = 0; r < RANKS; r++)
		pthread_join(threads[r], NULL);
	cr_expect(ne(int, late[0].met, 0));
	sccl_group_free(group);
}
