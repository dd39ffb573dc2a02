#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sccl/sccl.h>
#include <string.h>

TestSuite(local, .description = "many ranks in one process", .timeout = 60);

enum { COUNT = 1000 };

static int32_t inputs[RING][COUNT], outputs[RING][RING * COUNT];

static void fill(void)
{
	for (int r = 0; r < RING; r++)
		for (int i = 0; i < COUNT; i++)
			inputs[r][i] = 1000000 * r + i;
	memset(outputs, 0x5a, sizeof outputs);
}

static void expect_gathered(void)
{
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, memcmp(outputs[r], inputs, sizeof inputs), 0), "rank %d", r);
}

Test(local, all_ranks_are_made_and_run_with_one_call_each)
{
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING];
	sccl_memory_t *memories[RING];
	const void *in[RING];
	void *out[RING];

	for (int r = 0; r < RING; r++) {
		in[r] = inputs[r];
		out[r] = outputs[r];
	}
	cr_assert(eq(int, sccl_comms_create(comms, RING, NULL, NULL), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccl_memories_create(memories, comms, RING, out, sizeof outputs[0]), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccl_plans_create(plans, comms, RING, &ring_allgather, SCCL_I32, SCCL_SUM, COUNT, NULL), SCCL_OK), "%s",
		  sccl_error_text());
	for (int call = 0; call < 50; call++) {
		fill();
		cr_assert(eq(int, sccl_run_all(plans, RING, in, out, COUNT, NULL), SCCL_OK), "%s", sccl_error_text());
		expect_gathered();
	}
	cr_expect(eq(int, sccl_run_all(plans, RING, in, out, COUNT + 1, NULL), SCCL_INVALID));
	for (int r = 0; r < RING; r++) {
		sccl_plan_free(plans[r]);
		sccl_memory_free(memories[r]);
	}
	sccl_comms_free(comms, RING);
	cr_expect(eq(ptr, comms[0], NULL));
}

Test(local, what_cannot_be_made_leaves_nothing)
{
	sccl_comm_t *comms[RING] = {(sccl_comm_t *)1};
	sccl_plan_t *plans[RING];
	sccl_comm_options_t unknown = {.target = "abacus"};

	cr_expect(eq(int, sccl_comms_create(comms, RING, NULL, &unknown), SCCL_UNSUPPORTED));
	cr_expect(eq(ptr, comms[0], NULL));
	cr_assert(eq(int, sccl_comms_create(comms, RING, NULL, NULL), SCCL_OK));
	cr_expect(eq(int, sccl_plans_create(plans, comms, RING, NULL, SCCL_I32, SCCL_SUM, COUNT, NULL), SCCL_INVALID));
	cr_expect(eq(ptr, plans[RING - 1], NULL));
	sccl_comms_free(comms, RING);
	cr_expect(eq(int, sccl_comms_create(NULL, RING, NULL, NULL), SCCL_INVALID));
}

Test(local, plans_are_those_of_the_ranks_in_order)
{
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING], *swapped[RING];
	const void *in[RING] = {inputs[0], inputs[1], inputs[2], inputs[3]};
	void *out[RING] = {outputs[0], outputs[1], outputs[2], outputs[3]};
	const sccl_comm_options_t few = {.max_blocks = 1};

	cr_assert(eq(int, sccl_comms_create(comms, RING, NULL, &few), SCCL_OK));
	cr_assert(eq(int, sccl_plans_create(plans, comms, RING, &ring_allgather, SCCL_I32, SCCL_SUM, COUNT, NULL), SCCL_OK), "%s",
		  sccl_error_text());
	memcpy(swapped, plans, sizeof plans);
	swapped[2] = NULL;
	cr_expect(eq(int, sccl_run_all(swapped, RING, in, out, COUNT, NULL), SCCL_INVALID));
	swapped[2] = plans[3];
	swapped[3] = plans[2];
	cr_expect(eq(int, sccl_run_all(swapped, RING, in, out, COUNT, NULL), SCCL_INVALID));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "the plan of rank 2 of 4 at 2"), NULL), "%s", sccl_error_text());
	cr_expect(eq(int, sccl_run_all(plans, 3, in, out, COUNT, NULL), SCCL_INVALID));
	fill();
	cr_expect(eq(int, sccl_run_all(plans, RING, in, out, COUNT, NULL), SCCL_OK));
	expect_gathered();
	for (int r = 0; r < RING; r++)
		sccl_plan_free(plans[r]);
	sccl_comms_free(comms, RING);
}
