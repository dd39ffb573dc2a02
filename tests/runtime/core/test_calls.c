#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include "runtime/core/plan.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(calls, .description = "what a call of a plan does", .timeout = 60);

enum { MOST = 1001, CALLS = 50 };

/* One rank's communicator, a plan and memory, for a test's part. */
struct seat {
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	sccl_memory_t *memory;
	int32_t *in, *out;
};

static sccl_status_t sit(struct seat *s, uint32_t rank, const sccl_bootstrap_t *b, const sccl_program_t *p,
                         const sccl_plan_options_t *o)
{
	*s = (struct seat){0};
	sccl_status_t status = sccl_comm_create(&s->comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_plan_create(&s->plan, s->comm, p, SCCL_I32, SCCL_SUM, MOST, o);
	if (status == SCCL_OK)
		status = sccl_memory_create(&s->memory, s->comm, (RING * MOST + 64) * sizeof *s->out);
	s->in = calloc(MOST, sizeof *s->in);
	s->out = sccl_memory_at(s->memory, 64);
	return status;
}

static sccl_status_t rise(struct seat *s, sccl_status_t status)
{
	sccl_memory_free(s->memory);
	sccl_plan_free(s->plan);
	sccl_comm_free(s->comm);
	free(s->in);
	return status;
}

static int32_t value(uint32_t rank, uint64_t i, int call)
{
	return (int32_t)(i * 7 + rank * 1000 + (uint64_t)call);
}

static bool gathered(const int32_t *out, uint64_t n, int call)
{
	for (uint32_t r = 0; r < RING; r++)
		for (uint64_t i = 0; i < n; i++)
			if (out[r * n + i] != value(r, i, call))
				return false;
	return true;
}

static sccl_status_t gather_many(struct seat *s, uint32_t rank, int32_t *in, int32_t *out, bool in_place)
{
	static const uint64_t counts[] = {0, 1, 2, 7, 500, MOST};
	sccl_status_t status = SCCL_OK;

	for (int call = 0; call < CALLS && status == SCCL_OK; call++) {
		uint64_t n = counts[call % 6];
		int32_t *from = in_place ? out + rank * n : in;
		for (uint64_t i = 0; i < n; i++)
			from[i] = value(rank, i, call);
		status = sccl_run(s->plan, from, out, n, NULL);
		if (status == SCCL_OK && !gathered(out, n, call))
			status = SCCL_STATUSES;
	}
	return status;
}

static sccl_status_t gathers(uint32_t rank, const sccl_bootstrap_t *b)
{
	struct seat s;
	sccl_status_t status = sit(&s, rank, b, &ring_allgather, NULL);
	return rise(&s, status == SCCL_OK ? gather_many(&s, rank, s.in, s.out, false) : status);
}

static sccl_status_t gathers_in_place(uint32_t rank, const sccl_bootstrap_t *b)
{
	struct seat s;
	sccl_status_t status = sit(&s, rank, b, &ring_allgather, &(sccl_plan_options_t){.blocks = 3});
	return rise(&s, status == SCCL_OK ? gather_many(&s, rank, s.in, s.out, true) : status);
}

static sccl_status_t gathers_into_any_memory(uint32_t rank, const sccl_bootstrap_t *b)
{
	struct seat s;
	int32_t *out = calloc(RING * MOST, sizeof *out);
	sccl_status_t status = sit(&s, rank, b, &ring_allgather, NULL);
	status = status == SCCL_OK ? gather_many(&s, rank, s.in, out, false) : status;
	free(out);
	return rise(&s, status);
}

/* Input and output begin at the same place: the output would overwrite what is yet to be read. */
static sccl_status_t reduces_over_its_input(uint32_t rank, const sccl_bootstrap_t *b)
{
	struct seat s;
	sccl_status_t status = sit(&s, rank, b, &ring_reducescatter, NULL);
	for (int call = 0; call < CALLS && status == SCCL_OK; call++) {
		uint64_t n = 102, begin = n * rank / RING, end = n * (rank + 1) / RING;
		for (uint64_t i = 0; i < n; i++)
			s.out[i] = value(rank, i, call);
		status = sccl_run(s.plan, s.out, s.out, n, NULL);
		for (uint64_t i = begin; i < end && status == SCCL_OK; i++) {
			int32_t sum = 0;
			for (uint32_t r = 0; r < RING; r++)
				sum += value(r, i, call);
			status = s.out[i - begin] == sum ? SCCL_OK : SCCL_STATUSES;
		}
	}
	return rise(&s, status);
}

static void expect_all(const struct outcome out[RING], sccl_status_t status)
{
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, status), "rank %d: %s", r, out[r].text);
}

Test(calls, processes_gather)
{
	struct outcome out[RING];
	in_processes(gathers, out);
	expect_all(out, SCCL_OK);
}

Test(calls, threads_gather)
{
	struct outcome out[RING];
	in_threads(gathers, out);
	expect_all(out, SCCL_OK);
}

Test(calls, an_input_may_lie_where_its_output_will)
{
	struct outcome out[RING];
	in_processes(gathers_in_place, out);
	expect_all(out, SCCL_OK);
}

Test(calls, an_output_outside_symmetric_memory_is_staged)
{
	struct outcome out[RING];
	in_threads(gathers_into_any_memory, out);
	expect_all(out, SCCL_OK);
}

Test(calls, a_sum_over_its_own_input_needs_no_copy_and_one_over_another_does)
{
	static int32_t at[400];
	const struct sccl_plan reduces = {.program = &ring_reducescatter}, gathers_all = {.program = &ring_allgather};

	for (uint32_t r = 0; r < RING; r++) {
		uint64_t own = 102 * r / RING;
		cr_expect(sccli_may_overlap(&reduces, r, 102, 4, at, at + own), "rank %u", r);
		cr_expect(sccli_may_overlap(&reduces, r, 102, 4, at, at + 102), "rank %u", r);
		cr_expect(not(sccli_may_overlap(&reduces, r, 102, 4, at, at + own + 1)), "rank %u", r);
		cr_expect(not(sccli_may_overlap(&gathers_all, r, 102, 4, at + 102 * r + 1, at)), "rank %u", r);
	}
}

Test(calls, an_input_that_its_output_overlaps_is_copied_first)
{
	struct outcome out[RING];
	in_processes(reduces_over_its_input, out);
	expect_all(out, SCCL_OK);
}

/* What a test does wrong on one rank. */
static sccl_status_t one_call(uint32_t rank, const sccl_bootstrap_t *b, const sccl_plan_options_t *o,
                              sccl_status_t (*call)(struct seat *s, uint32_t rank))
{
	struct seat s;
	sccl_status_t status = sit(&s, rank, b, &ring_allgather, o);
	return rise(&s, status == SCCL_OK ? call(&s, rank) : status);
}

static sccl_status_t other_count(struct seat *s, uint32_t rank)
{
	return sccl_run(s->plan, s->in, s->out, rank == 1 ? 10 : 11, NULL);
}

static sccl_status_t other_offset(struct seat *s, uint32_t rank)
{
	return sccl_run(s->plan, s->in, s->out + (rank == 3), 10, NULL);
}

static sccl_status_t too_many(struct seat *s, uint32_t rank)
{
	return sccl_run(s->plan, s->in, s->out, rank == 2 ? MOST + 1 : MOST, NULL);
}

static sccl_status_t not_symmetric(struct seat *s, uint32_t rank)
{
	return sccl_run(s->plan, s->in, rank == 0 ? s->in : s->out, 10, NULL);
}

static sccl_status_t beyond_the_end(struct seat *s, uint32_t rank)
{
	(void)rank;
	return sccl_run(s->plan, s->in, s->out + RING * MOST + 20, 10, NULL);
}

static sccl_status_t counts_differ(uint32_t rank, const sccl_bootstrap_t *b)
{
	return one_call(rank, b, NULL, other_count);
}

static sccl_status_t offsets_differ(uint32_t rank, const sccl_bootstrap_t *b)
{
	return one_call(rank, b, NULL, other_offset);
}

static sccl_status_t count_is_too_large(uint32_t rank, const sccl_bootstrap_t *b)
{
	return one_call(rank, b, NULL, too_many);
}

static sccl_status_t output_is_elsewhere(uint32_t rank, const sccl_bootstrap_t *b)
{
	return one_call(rank, b, &(sccl_plan_options_t){.symmetric_only = 1}, not_symmetric);
}

static sccl_status_t output_ends_too_late(uint32_t rank, const sccl_bootstrap_t *b)
{
	return one_call(rank, b, NULL, beyond_the_end);
}

Test(calls, counts_that_differ_end_the_call_on_every_rank)
{
	struct outcome out[RING];
	in_processes(counts_differ, out);
	expect_all(out, SCCL_MISMATCH);
	cr_expect(ne(ptr, strstr(out[3].text, "call 1 has another count on rank"), NULL), "%s", out[3].text);
}

Test(calls, offsets_that_differ_end_the_call_on_every_rank)
{
	struct outcome out[RING];
	in_threads(offsets_differ, out);
	expect_all(out, SCCL_MISMATCH);
	cr_expect(ne(ptr, strstr(out[1].text, "offset of the output"), NULL), "%s", out[1].text);
}

Test(calls, a_rank_that_refuses_its_call_tells_the_others)
{
	struct outcome out[RING];
	in_processes(count_is_too_large, out);
	expect_all(out, SCCL_INVALID);
	cr_expect(eq(str, out[0].text, "rank 2, call 1: 1002 elements are more than the plan's 1001"));
}

Test(calls, without_staging_an_output_must_be_symmetric)
{
	struct outcome out[RING];
	in_processes(output_is_elsewhere, out);
	expect_all(out, SCCL_INVALID);
	cr_expect(eq(str, out[2].text,
	             "rank 0, call 1: the output is not in symmetric memory, and the plan has no staging memory"));
}

Test(calls, an_output_ends_within_its_memory)
{
	struct outcome out[RING];
	in_processes(output_ends_too_late, out);
	expect_all(out, SCCL_INVALID);
	cr_expect(ne(ptr, strstr(out[2].text, "end beyond the symmetric memory"), NULL), "%s", out[2].text);
}
