#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include "runtime/core/clock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <sccl/device.h>
#include <string.h>

TestSuite(split, .description = "communicators made from others", .timeout = 60);

/* Two ranks give each other their number. */
static const sccl_chunk_t whole[] = {{0, 1, 0, 1}, {0, 1, 0, 1}};
#define SWAP(me, other)                                                                              \
	{                                                                                            \
		SCCL_OFFER(0, other),                                                                \
		SCCL_CREDIT(1, other),                                                               \
		SCCL_COPY(1, me, 2), SCCL_INPUT(0), SCCL_OUTPUT(other, me), SCCL_OUTPUT(me, me),     \
		SCCL_SIGNAL(1, other, 1),                                                            \
		SCCL_WAIT(1, other, 1),                                                              \
		SCCL_END,                                                                            \
	}
static const uint32_t swap_0[] = SWAP(0, 1), swap_1[] = SWAP(1, 0);
static const uint32_t *const swap_words[] = {swap_0, swap_1};
static const uint32_t swap_lengths[] = {sizeof swap_0 / 4, sizeof swap_1 / 4};
static const uint32_t swap_connections[][2] = {{0, 1}, {1, 0}};
static const sccl_place_t swap_in[] = {{0, 0, 0, 1, 0, 1}, {1, 1, 0, 1, 0, 1}};
static const sccl_place_t swap_out[] = {{0, 0, 0, 2, 0, 1}, {0, 1, 1, 2, 0, 1}, {1, 0, 0, 2, 0, 1}, {1, 1, 1, 2, 0, 1}};

SCCL_COPYING_KERNELS(swapping)

static uint64_t all(uint64_t count)
{
	return count;
}

static uint64_t own(uint32_t rank, uint64_t count)
{
	(void)rank;
	return count;
}

static uint64_t both(uint32_t rank, uint64_t count)
{
	(void)rank;
	return 2 * count;
}

static const sccl_program_t swap = {.abi = SCCL_ABI, .name = "swap", .target = "host", .collective = "allgather", .root = -1, .ranks = 2,
	.chunks = 1, .global_chunks = 2, .steps = 1, .rounds = 1, .width = 1, .tables = {{swap_words, swap_lengths, 1, 0, 0, 0}},
	.cuts = whole, .chunk_limit = all, .input_count = own, .output_count = both, .n_connections = 2,
	.connections = swap_connections, .n_inputs = 2, .n_outputs = 4, .inputs = swap_in, .outputs = swap_out,
	.kernels = SCCL_COPYING_ROWS(swapping)};

/* SCCL_STATUSES: the numbers are not FIRST and SECOND. */
static sccl_status_t swaps(sccl_comm_t *comm, uint32_t number, int32_t first, int32_t second)
{
	int32_t in = (int32_t)number, out[2] = {-1, -1};
	sccl_plan_t *plan;
	sccl_status_t status = sccl_plan_create(&plan, comm, &swap, SCCL_I32, SCCL_SUM, 1, NULL);

	for (int call = 0; call < 3 && status == SCCL_OK; call++)
		status = sccl_run(plan, &in, out, 1, NULL);
	if (status == SCCL_OK && (out[0] != first || out[1] != second))
		status = SCCL_STATUSES;
	sccl_plan_free(plan);
	return status;
}

static sccl_status_t create(sccl_comm_t **comm, uint32_t number, const sccl_bootstrap_t *b)
{
	sccl_comm_options_t options = {.timeout = 5};
	return sccl_comm_create(comm, number, RING, b, &options);
}

/* Ranks 3 and 0 in this order, and 1 and 2; the whole is freed before its parts are used. */
static sccl_status_t two_halves(uint32_t number, const sccl_bootstrap_t *b)
{
	static const int colors[] = {5, 0, 0, 5}, keys[] = {1, 0, 0, -1};
	static const int32_t pairs[][2] = {{3, 0}, {1, 2}, {1, 2}, {3, 0}};
	sccl_comm_t *whole_comm = NULL, *half = NULL;
	sccl_status_t status = create(&whole_comm, number, b);

	if (status == SCCL_OK)
		status = sccl_comm_split(&half, whole_comm, colors[number], keys[number]);
	sccl_comm_free(whole_comm);
	if (status == SCCL_OK)
		status = swaps(half, number, pairs[number][0], pairs[number][1]);
	sccl_comm_free(half);
	return status;
}

Test(split, halves_call_on_their_own)
{
	struct outcome out[RING];
	in_processes(two_halves, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
	in_threads(two_halves, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

static sccl_status_t some_without_color(uint32_t number, const sccl_bootstrap_t *b)
{
	sccl_comm_t *whole_comm = NULL, *part = NULL, *again = NULL;
	sccl_status_t status = create(&whole_comm, number, b);
	int color = number % 2 ? 1 : SCCL_NO_COLOR;

	if (status == SCCL_OK)
		status = sccl_comm_split(&part, whole_comm, color, 0);
	if (status == SCCL_OK && (part != NULL) != (color == 1))
		status = SCCL_STATUSES;
	if (status == SCCL_OK && part) /* a part of a part */
		status = sccl_comm_split(&again, part, 0, -(int)number);
	if (status == SCCL_OK && again)
		status = swaps(again, number, 3, 1);
	sccl_comm_free(again);
	sccl_comm_free(part);
	if (status == SCCL_OK && sccl_comm_split(&part, whole_comm, number == 2 ? -7 : 0, 0) != SCCL_INVALID)
		status = SCCL_STATUSES;
	sccl_comm_free(whole_comm);
	return status;
}

Test(split, a_rank_may_be_in_no_part)
{
	struct outcome out[RING];
	in_processes(some_without_color, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

/* Rank 2 dies in a call, which ends the communicator; 0 and 1 and 3 go on, then 3 leaves too. */
static sccl_status_t survive(uint32_t number, const sccl_bootstrap_t *b)
{
	static const uint32_t dead[] = {2}, last[] = {2};
	sccl_comm_t *comm = NULL, *rest = NULL, *two = NULL;
	sccl_plan_t *plan = NULL;
	int32_t in = 0, out[RING];
	sccl_status_t status = create(&comm, number, b);

	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_I32, SCCL_SUM, 1, NULL);
	if (status != SCCL_OK)
		return status;
	if (number == 2)
		raise(SIGKILL);
	if (sccl_run(plan, &in, out, 1, NULL) != SCCL_DEAD_RANK)
		return SCCL_STATUSES;
	sccl_plan_free(plan);
	status = sccl_comm_shrink(&rest, comm, dead, 1);
	if (status == SCCL_OK && sccl_comm_shrink(&two, comm, dead, 1) != SCCL_INVALID)
		status = SCCL_STATUSES;
	sccl_comm_free(comm);
	if (status == SCCL_OK && number != 3)
		status = sccl_comm_shrink(&two, rest, last, 1);
	if (status == SCCL_OK && two)
		status = swaps(two, number, 0, 1);
	sccl_comm_free(two);
	sccl_comm_free(rest);
	return status;
}

Test(split, the_survivors_go_on_without_a_dead_rank)
{
	struct outcome out[RING];
	in_processes(survive, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, r == 2 ? SCCL_STATUSES : SCCL_OK), "rank %d: %s", r, out[r].text);
}

static sccl_status_t leave_out_what_is_not(uint32_t number, const sccl_bootstrap_t *b)
{
	uint32_t wrong[] = {number, RING};
	sccl_comm_t *comm = NULL, *rest = NULL;
	sccl_status_t status = create(&comm, number, b);

	if (status == SCCL_OK && (sccl_comm_shrink(&rest, comm, wrong, 1) != SCCL_INVALID ||
				  sccl_comm_shrink(&rest, comm, wrong + 1, 1) != SCCL_INVALID || rest))
		status = SCCL_STATUSES;
	sccl_comm_free(comm);
	return status;
}

Test(split, only_other_ranks_can_be_left_out)
{
	struct outcome out[RING];
	in_threads(leave_out_what_is_not, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}
