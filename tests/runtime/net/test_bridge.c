#include "tests/runtime/net/post.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include "runtime/core/clock.h"
#include "runtime/net/bridge_inside.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(bridge, .description = "ranks on other servers", .timeout = 60);

enum { MOST = 3000 };

static struct post *post;
static uint32_t ranks_a_server;
static const sccl_program_t *program;
static int calls;
static void (*before_call)(uint32_t rank); /* NULL: nothing */

/* Makes the calls; the input differs from call to call. Right results are SCCL_OK. */
static sccl_status_t call(sccl_comm_t *comm, uint32_t rank, uint64_t count)
{
	sccl_plan_options_t how = {.blocks = 3};
	sccl_plan_t *plan = NULL;
	int32_t *in = calloc(RING * MOST, sizeof *in), *out = calloc(RING * MOST, sizeof *out);
	sccl_status_t status = sccl_plan_create(&plan, comm, program, SCCL_I32, SCCL_SUM, MOST, &how);
	bool gathers = !program->combining;

	for (int n = 0; n < calls && status == SCCL_OK; n++) {
		for (uint64_t i = 0; i < count; i++)
			in[i] = (int32_t)((uint64_t)(rank + 1) * (1000 + i) + (uint64_t)n);
		if (before_call)
			before_call(rank);
		status = sccl_run(plan, in, out, count, NULL);
		uint64_t share = program->output_count(rank, count);
		for (uint64_t i = 0; i < share && status == SCCL_OK; i++) {
			uint64_t at = gathers ? i % count : i + count * rank / RING;
			uint64_t wanted = gathers ? (i / count + 1) * (1000 + at) + (uint64_t)n : 10 * (1000 + at) + 4 * (uint64_t)n;
			if (out[i] != (int32_t)wanted)
				status = SCCL_STATUSES;
		}
	}
	sccl_plan_free(plan);
	free(in);
	free(out);
	return status;
}

static sccl_status_t over_servers(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_carrier_t carrier = post_carrier(post, rank);
	sccl_comm_options_t options = {.timeout = 1, .carrier = &carrier, .server = rank / ranks_a_server};
	sccl_comm_t *comm = NULL;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);

	for (uint64_t count = 4; count <= MOST && status == SCCL_OK; count = count * 3 / 4 * 4)
		status = call(comm, rank, count);
	/* A rank that was through before another failed hears of it later. */
	for (int i = 0; i < 2000000 && status == SCCL_OK && post_failed(post); i++)
		status = sccl_comm_status(comm, NULL, 0);
	sccl_comm_free(comm);
	return status;
}

static void run(const sccl_program_t *p, uint32_t each, struct post_faults faults, struct outcome out[RING])
{
	program = p;
	ranks_a_server = each;
	calls = 20;
	post = post_open(faults);
	in_threads(over_servers, out);
	post_close(post);
}

Test(bridge, carries_what_is_gathered_and_what_is_reduced)
{
	static const sccl_program_t *const programs[] = {&ring_allgather, &ring_reducescatter};
	struct outcome out[RING];

	for (uint32_t each = 1; each <= RING; each++)
		for (int p = 0; p < 2; p++) {
			run(programs[p], each, (struct post_faults){0}, out);
			for (int r = 0; r < RING; r++)
				cr_expect(eq(int, out[r].status, SCCL_OK), "%s, %u a server, rank %d: %s", programs[p]->name, each, r,
					  out[r].text);
		}
}

/* Every rank gets an error of these, none hangs. */
static void fails(struct post_faults faults, sccl_status_t status, const char *text)
{
	struct outcome out[RING];
	int told = 0;

	run(&ring_allgather, 2, faults, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(ne(int, out[r].status, SCCL_OK), "rank %d", r);
		told += out[r].status == status && strstr(out[r].text, text) != NULL;
	}
	cr_expect(gt(int, told, 0), "\"%s\", not \"%s\"", text, out[0].text);
}

Test(bridge, a_lost_message_is_told_by_who_waits)
{
	fails((struct post_faults){.lost = 40}, SCCL_TIMEOUT, "waits for rank");
}

Test(bridge, a_message_for_other_memory_is_refused)
{
	fails((struct post_faults){.spoilt = 41}, SCCL_SYSTEM, "from another server is");
	fails((struct post_faults){.spoilt = 42}, SCCL_SYSTEM, "another server");
}

Test(bridge, a_flag_moves_only_as_far_as_the_call_does)
{
	fails((struct post_faults){.hasty = 41}, SCCL_SYSTEM, "is not what was asked for");
}

Test(bridge, half_a_message_is_refused)
{
	fails((struct post_faults){.cut = 43}, SCCL_SYSTEM, "another server");
}

Test(bridge, a_carrier_that_fails_ends_the_communicator)
{
	fails((struct post_faults){.refused = 44}, SCCL_SYSTEM, "the transport to other servers fails");
}

static sccl_status_t abort_on_one(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_carrier_t carrier = post_carrier(post, rank);
	sccl_comm_options_t options = {.carrier = &carrier, .server = rank};
	sccl_comm_t *comm = NULL;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);

	if (status == SCCL_OK && rank == 3)
		sccl_comm_abort(comm);
	if (status == SCCL_OK)
		status = call(comm, rank, 100);
	sccl_comm_free(comm);
	return status;
}

Test(bridge, an_abort_reaches_all_servers)
{
	struct outcome out[RING];

	program = &ring_allgather;
	calls = 1;
	post = post_open((struct post_faults){0});
	in_threads(abort_on_one, out);
	post_close(post);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_ABORTED), "rank %d: %s", r, out[r].text);
}

/* ---- a hostile rank ---- */

static struct parcel untimely;
static uint32_t letters;

/* Rank 3 sends rank 0 letters for calls that nobody makes. */
static sccl_status_t send_untimely(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_carrier_t carrier = post_carrier(post, rank);
	sccl_comm_options_t options = {.max_blocks = 4, .carrier = &carrier, .server = rank};
	sccl_comm_t *comm = NULL;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);
	void *ticket;

	for (uint32_t i = 0; rank == 3 && status == SCCL_OK && i < letters; i++)
		status = carrier.send(carrier.context, 0, &untimely, sizeof untimely, &ticket) == 0 ? SCCL_OK : SCCL_STATUSES;
	for (int i = 0; i < 1000 && status == SCCL_OK; i++) {
		status = sccl_comm_status(comm, NULL, 0);
		clock_sleep(1000);
	}
	sccl_comm_free(comm);
	return status;
}

static void expect_untimely(int kind, uint32_t n, sccl_status_t status)
{
	struct outcome out[RING];

	untimely = (struct parcel){.value = 1, .call = UINT64_MAX - 5};
	memcpy(&untimely.kind, &kind, sizeof kind);
	letters = n;
	post = post_open((struct post_faults){0});
	in_threads(send_untimely, out);
	post_close(post);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, (int)status), "kind %d, %u letters, rank %d: %s", kind, n, r, out[r].text);
}

Test(bridge, only_offers_wait_for_a_call_and_one_a_block)
{
	expect_untimely(PARCEL_READY, 4, SCCL_OK);
	expect_untimely(PARCEL_READY, 5, SCCL_SYSTEM);
	expect_untimely(PARCEL_READY, 10000, SCCL_SYSTEM);
	expect_untimely(PARCEL_DATA, 1, SCCL_SYSTEM);
	expect_untimely(77, 1, SCCL_SYSTEM);
}

static unsigned seed;

static uint64_t odd_number(void)
{
	static const uint64_t all[] = {0, 1, 2, 3, 4, 64, 400, 1600, 4096, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 15, (uint64_t)1 << 63};
	return all[(size_t)rand_r(&seed) % (sizeof all / sizeof *all)];
}

/* A letter of the first call, in which all may be wrong but what the call is. */
static void send_odd(sccl_carrier_t *carrier)
{
	enum { PIECES = 3, DATA = 400 };
	unsigned char letter[sizeof(struct parcel) + PIECES * sizeof(struct parcel_piece) + DATA] = {0};
	struct parcel p = {.block = (uint32_t)odd_number(), .n_pieces = (uint32_t)odd_number(), .value = odd_number(), .call = 1,
			   .order = {.plan = 1 | (uint64_t)3 << 40, .count = 100}};
	uint32_t kind = seed % 8 ? seed % 2 : (uint32_t)odd_number();
	void *ticket;

	if (seed % 3)
		p.block %= 3, p.n_pieces %= PIECES + 1, p.value = 1 + p.value % 3;
	memcpy(&p.kind, &kind, sizeof kind);
	memcpy(letter, &p, sizeof p);
	for (int i = 0; i < PIECES; i++) {
		struct parcel_piece piece = {odd_number() % 3, odd_number(), odd_number()};
		memcpy(letter + sizeof p + (size_t)i * sizeof piece, &piece, sizeof piece);
	}
	(void)carrier->send(carrier->context, 0, letter, (size_t)rand_r(&seed) % (sizeof letter + 1), &ticket);
}

/* While rank 0 is in the call already, and waits for this rank. */
static void send_odd_ones_first(uint32_t rank)
{
	sccl_carrier_t carrier = post_carrier(post, rank);

	if (rank != 3)
		return;
	clock_sleep(3000);
	for (int i = 0; i < 4; i++)
		send_odd(&carrier);
	clock_sleep(3000);
}

static sccl_status_t send_odd_ones(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_carrier_t carrier = post_carrier(post, rank);
	sccl_comm_options_t options = {.timeout = 0.3, .carrier = &carrier, .server = rank};
	sccl_comm_t *comm = NULL;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);

	if (status == SCCL_OK)
		(void)call(comm, rank, 100);
	sccl_comm_free(comm);
	return status;
}

Test(bridge, no_letter_leads_out_of_memory)
{
	struct outcome out[RING];

	program = &ring_allgather;
	calls = 1;
	before_call = send_odd_ones_first;
	for (unsigned i = 0; i < 200; i++) {
		seed = i;
		post = post_open((struct post_faults){0});
		in_threads(send_odd_ones, out);
		post_close(post);
		for (int r = 0; r < RING; r++)
			cr_expect(eq(int, out[r].status, SCCL_OK), "seed %u, rank %d: %s", i, r, out[r].text);
	}
}

static sccl_status_t without_carrier(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_carrier_t carrier = post_carrier(post, rank);
	sccl_comm_options_t options = {.carrier = rank == 2 ? NULL : &carrier};
	sccl_comm_t *comm = NULL;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);

	sccl_comm_free(comm);
	return status;
}

Test(bridge, all_ranks_have_a_carrier_or_none_has)
{
	struct outcome out[RING];

	post = post_open((struct post_faults){0});
	in_threads(without_carrier, out);
	post_close(post);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_MISMATCH), "rank %d: %s", r, out[r].text);
}
