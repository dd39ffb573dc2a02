#include "runtime/core/clock.h"
#include "tests/runtime/expect_ok.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(messages, .description = "messages between two ranks", .timeout = 60);

enum { BYTES = 1024 };
#define WRONG SCCL_STATUSES /* data arrived that were not sent */

/* A communicator whose slots have 256 bytes. */
static sccl_status_t join(uint32_t rank, const sccl_bootstrap_t *b, double timeout, sccl_comm_t **comm)
{
	sccl_comm_options_t options = {.timeout = timeout, .message_bytes = BYTES};
	return sccl_comm_create(comm, rank, RING, b, &options);
}

/* Byte I of message NUMBER from one rank to another. */
static uint8_t byte_of(uint32_t from, uint32_t to, uint32_t number, size_t i)
{
	return (uint8_t)(1 + from * 67 + to * 29 + number * 13 + i * 7 + i / 251);
}

static void fill(uint8_t *at, size_t bytes, uint32_t from, uint32_t to, uint32_t number)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = byte_of(from, to, number, i);
}

static bool is_right(const uint8_t *at, size_t bytes, uint32_t from, uint32_t to, uint32_t number)
{
	for (size_t i = 0; i < bytes; i++)
		if (at[i] != byte_of(from, to, number, i))
			return false;
	return true;
}

/* ---- what arrives ---- */

enum { LONGEST = 20011 };
static const size_t sizes[] = {0, 1, 7, 255, 256, 257, 1024, 1025, LONGEST};

static sccl_status_t shifts(uint32_t rank, const sccl_bootstrap_t *b)
{
	uint32_t to = (rank + 1) % RING, from = (rank + RING - 1) % RING;
	static _Thread_local uint8_t out[LONGEST], in[LONGEST + 1];
	sccl_comm_t *comm;
	sccl_status_t status = join(rank, b, 0, &comm);

	for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes && status == SCCL_OK; i++) {
		const sccl_message_t both[] = {{SCCL_SEND, to, out, sizes[i], SCCL_U8}, {SCCL_RECEIVE, from, in, sizes[i], SCCL_U8}};
		fill(out, sizes[i], rank, to, i);
		memset(in, 0, sizeof in);
		status = sccl_exchange(comm, both, 2, NULL);
		if (status == SCCL_OK && (!is_right(in, sizes[i], from, rank, i) || in[sizes[i]] != 0))
			status = WRONG;
	}
	sccl_comm_free(comm);
	return status;
}

Test(messages, go_round_a_ring_in_any_size)
{
	expect_ok(in_processes, shifts);
	expect_ok(in_threads, shifts);
}

/* Message lengths differ from pair to pair, and every rank lists its messages in an order of its own; one is to itself. */
static sccl_status_t meets_all(uint32_t rank, const sccl_bootstrap_t *b)
{
	enum { MOST = 3000, CALLS = 200 };
	static _Thread_local uint8_t out[RING][MOST], in[RING][MOST];
	sccl_comm_t *comm;
	sccl_status_t status = join(rank, b, 0, &comm);

	for (uint32_t call = 0; call < CALLS && status == SCCL_OK; call++) {
		sccl_message_t list[2 * RING];
		for (uint32_t i = 0; i < RING; i++) {
			uint32_t peer = (i * 3 + rank + call) % RING;
			size_t goes = (rank * 531 + peer * 77 + call * 13) % MOST, comes = (peer * 531 + rank * 77 + call * 13) % MOST;
			fill(out[peer], goes, rank, peer, call);
			list[i] = (sccl_message_t){SCCL_SEND, peer, out[peer], goes, SCCL_U8};
			list[2 * RING - 1 - i] = (sccl_message_t){SCCL_RECEIVE, peer, in[peer], comes, SCCL_U8};
		}
		status = sccl_exchange(comm, list, 2 * RING, NULL);
		for (uint32_t peer = 0; peer < RING && status == SCCL_OK; peer++)
			if (!is_right(in[peer], (peer * 531 + rank * 77 + call * 13) % MOST, peer, rank, call))
				status = WRONG;
	}
	sccl_comm_free(comm);
	return status;
}

Test(messages, all_pairs_exchange_theirs_at_once)
{
	expect_ok(in_processes, meets_all);
	expect_ok(in_threads, meets_all);
}

/* A token with a count goes round; every rank also has its own elements' type. */
static sccl_status_t passes_a_token(uint32_t rank, const sccl_bootstrap_t *b)
{
	enum { ROUNDS = 2000 };
	sccl_comm_t *comm;
	double token = 0;
	sccl_status_t status = join(rank, b, 0, &comm);

	for (uint32_t i = 0; i < ROUNDS && status == SCCL_OK; i++) {
		double expected = (double)i * RING + rank;
		if (i > 0 || rank > 0)
			status = sccl_receive(comm, &token, 1, SCCL_F64, (rank + RING - 1) % RING, NULL);
		if (status == SCCL_OK && (token < expected || token > expected))
			status = WRONG;
		token++;
		if (status == SCCL_OK && (i + 1 < ROUNDS || rank + 1 < RING))
			status = sccl_send(comm, &token, 1, SCCL_F64, (rank + 1) % RING, NULL);
	}
	sccl_comm_free(comm);
	return status;
}

Test(messages, a_token_goes_round_thousands_of_times)
{
	expect_ok(in_processes, passes_a_token);
}

/* 2500 messages each way between two ranks: more than a book has entries. Rank 1 has all in one call. */
static sccl_status_t has_many(uint32_t rank, const sccl_bootstrap_t *b)
{
	enum { MANY = 2500 };
	static _Thread_local uint32_t out[MANY], in[MANY];
	static _Thread_local sccl_message_t list[2 * MANY];
	sccl_comm_t *comm;
	sccl_status_t status = join(rank, b, 0, &comm);

	for (uint32_t i = 0; i < MANY; i++) {
		out[i] = rank * MANY + i;
		list[i] = (sccl_message_t){SCCL_SEND, 1 - rank % 2, &out[i], 1, SCCL_U32};
		list[MANY + i] = (sccl_message_t){SCCL_RECEIVE, 1 - rank % 2, &in[i], 1, SCCL_U32};
	}
	if (rank == 1 && status == SCCL_OK)
		status = sccl_exchange(comm, list, 2 * MANY, NULL);
	for (uint32_t i = 0; rank == 0 && i < MANY && status == SCCL_OK; i++) {
		status = sccl_send(comm, &out[i], 1, SCCL_U32, 1, NULL);
		if (status == SCCL_OK)
			status = sccl_receive(comm, &in[i], 1, SCCL_U32, 1, NULL);
	}
	for (uint32_t i = 0; rank < 2 && i < MANY && status == SCCL_OK; i++)
		if (in[i] != (1 - rank) * MANY + i)
			status = WRONG;
	sccl_comm_free(comm);
	return status;
}

Test(messages, match_in_the_order_in_which_they_are_given)
{
	expect_ok(in_processes, has_many);
}

/* ---- who waits ---- */

/* Rank 0 receives N messages of rank 1, which sleeps before each for so many microseconds. */
static sccl_status_t takes_from_1(uint32_t rank, sccl_comm_t *comm, uint32_t n, long microseconds)
{
	uint8_t data[200];
	sccl_status_t status = SCCL_OK;

	for (uint32_t i = 0; i < n && rank < 2 && status == SCCL_OK; i++) {
		if (rank == 1 && microseconds > 0)
			clock_sleep(microseconds);
		fill(data, sizeof data, 1, 1, i);
		status = rank == 1 ? sccl_send(comm, data, sizeof data, SCCL_U8, 0, NULL) : SCCL_OK;
		memset(data, 0, sizeof data);
		if (rank == 0)
			status = sccl_receive(comm, data, sizeof data, SCCL_U8, 1, NULL);
		if (rank == 0 && status == SCCL_OK && !is_right(data, sizeof data, 1, 1, i))
			status = WRONG;
	}
	return status;
}

/* Rank 1 comes late with each message: what rank 0 receives must not be what was in the slot before. */
static sccl_status_t receives_early(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	sccl_status_t status = join(rank, b, 0, &comm);

	if (status == SCCL_OK)
		status = takes_from_1(rank, comm, 6, 20000);
	sccl_comm_free(comm);
	return status;
}

Test(messages, a_receive_waits_for_its_send)
{
	expect_ok(in_processes, receives_early);
	expect_ok(in_threads, receives_early);
}

/* Rank 0 comes late: what rank 1 sends must not overwrite what has not been received. */
static sccl_status_t receives_late(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	sccl_status_t status = join(rank, b, 0, &comm);

	if (rank == 0)
		clock_sleep(100000);
	if (status == SCCL_OK)
		status = takes_from_1(rank, comm, 20, 0);
	sccl_comm_free(comm); /* rank 1 may have left long before */
	return status;
}

Test(messages, a_send_waits_until_there_is_room)
{
	expect_ok(in_processes, receives_late);
	expect_ok(in_threads, receives_late);
}

/* Both send first: what fits into the slots waits for nobody. */
static sccl_status_t sends_first(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	uint8_t out[BYTES], in[BYTES];
	sccl_status_t status = join(rank, b, 10, &comm);

	fill(out, sizeof out, rank, rank ^ 1, 0);
	if (status == SCCL_OK)
		status = sccl_send(comm, out, sizeof out, SCCL_U8, rank ^ 1, NULL);
	if (status == SCCL_OK)
		status = sccl_receive(comm, in, sizeof in, SCCL_U8, rank ^ 1, NULL);
	if (status == SCCL_OK && !is_right(in, sizeof in, rank ^ 1, rank, 0))
		status = WRONG;
	sccl_comm_free(comm);
	return status;
}

Test(messages, a_send_that_fits_waits_for_nobody)
{
	expect_ok(in_processes, sends_first);
}

/* Rank 1 takes rank 0's long message only when rank 2 has got all of its own and said so: within a call, nothing waits for
 * what stands before it. */
static sccl_status_t waits_for_a_third(uint32_t rank, const sccl_bootstrap_t *b)
{
	static _Thread_local uint8_t data[2][LONGEST];
	const sccl_message_t both[] = {{SCCL_SEND, 1, data[0], LONGEST, SCCL_U8}, {SCCL_SEND, 2, data[1], LONGEST, SCCL_U8}};
	sccl_comm_t *comm;
	sccl_status_t status = join(rank, b, 10, &comm);

	if (rank == 0)
		for (uint32_t i = 0; i < 2; i++)
			fill(data[i], LONGEST, 0, i + 1, 0);
	if (status == SCCL_OK && rank == 0)
		status = sccl_exchange(comm, both, 2, NULL);
	if (status == SCCL_OK && rank == 1)
		status = sccl_receive(comm, NULL, 0, SCCL_F32, 2, NULL);
	if (status == SCCL_OK && (rank == 1 || rank == 2))
		status = sccl_receive(comm, data[0], LONGEST, SCCL_U8, 0, NULL);
	if (status == SCCL_OK && (rank == 1 || rank == 2) && !is_right(data[0], LONGEST, 0, rank, 0))
		status = WRONG;
	if (status == SCCL_OK && rank == 2)
		status = sccl_send(comm, NULL, 0, SCCL_F32, 1, NULL);
	sccl_comm_free(comm);
	return status;
}

Test(messages, none_waits_for_one_that_stands_before_it)
{
	expect_ok(in_processes, waits_for_a_third);
}

/* An exchange of nothing waits for nobody, with messages before and after it. */
static sccl_status_t exchanges_nothing(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	uint32_t got = 0;
	sccl_status_t status = join(rank, b, 0, &comm);

	for (uint32_t i = 0; i < 3 && status == SCCL_OK; i++) {
		const uint32_t mine = 10 * i + rank;
		status = sccl_exchange(comm, NULL, 0, NULL);
		if (status == SCCL_OK)
			status = sccl_send(comm, &mine, 1, SCCL_U32, rank ^ 1, NULL);
		if (status == SCCL_OK)
			status = sccl_receive(comm, &got, 1, SCCL_U32, rank ^ 1, NULL);
		if (status == SCCL_OK && got != 10 * i + (rank ^ 1))
			status = WRONG;
	}
	sccl_comm_free(comm);
	return status;
}

Test(messages, none_at_all_are_an_exchange)
{
	expect_ok(in_threads, exchanges_nothing);
}

/* ---- beside other calls ---- */

static sccl_status_t also_gathers(uint32_t rank, const sccl_bootstrap_t *b)
{
	enum { COUNT = 10, CALLS = 300 };
	int32_t in[COUNT], out[RING * COUNT], got = 0;
	sccl_comm_t *comm;
	sccl_plan_t *plan = NULL;
	sccl_status_t status = join(rank, b, 0, &comm);

	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_I32, SCCL_SUM, COUNT, NULL);
	for (int32_t call = 0; call < CALLS && status == SCCL_OK; call++) {
		for (int i = 0; i < COUNT; i++)
			in[i] = 1000 * (int32_t)rank + call + i;
		status = sccl_run(plan, in, out, COUNT, NULL);
		const sccl_message_t both[] = {{SCCL_RECEIVE, rank ^ 2, &got, 1, SCCL_I32}, {SCCL_SEND, rank ^ 2, &out[COUNT * (rank ^ 1)], 1, SCCL_I32}};
		if (status == SCCL_OK)
			status = sccl_exchange(comm, both, 2, NULL);
		if (status == SCCL_OK && got != 1000 * (int32_t)(rank ^ 3) + call)
			status = WRONG;
	}
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	return status;
}

Test(messages, and_collective_calls_take_turns)
{
	expect_ok(in_processes, also_gathers);
}

/* The odd ranks and the even ones have communicators of their own. */
static sccl_status_t talks_within_a_part(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm, *part = NULL;
	uint32_t mine = rank, got = 0;
	sccl_status_t status = join(rank, b, 0, &comm);

	if (status == SCCL_OK)
		status = sccl_comm_split(&part, comm, (int)rank % 2, (int)rank);
	const sccl_message_t both[] = {{SCCL_RECEIVE, 1 - rank / 2, &got, 1, SCCL_U32}, {SCCL_SEND, 1 - rank / 2, &mine, 1, SCCL_U32}};
	if (status == SCCL_OK)
		status = sccl_exchange(part, both, 2, NULL);
	if (status == SCCL_OK && got != (rank ^ 2))
		status = WRONG;
	sccl_comm_free(part);
	sccl_comm_free(comm);
	return status;
}

Test(messages, a_part_has_them_too)
{
	expect_ok(in_processes, talks_within_a_part);
}

/* ---- what goes wrong ---- */

/* Ends a rank's part: what ended the communicator, STATUS, lasts, and nothing was written to DATA. */
static sccl_status_t ended(sccl_comm_t *comm, sccl_status_t status, uint8_t data[300])
{
	if (status != sccl_comm_status(comm, NULL, 0) || status != sccl_send(comm, data, 1, SCCL_U8, 1, NULL))
		status = WRONG;
	for (size_t i = 0; i < 300; i++)
		if (data[i] != 0)
			status = WRONG;
	sccl_comm_free(comm);
	return status;
}

/* Every rank receives from rank 1, which does something else, and returns what the communicator says thereafter. Its receive has
 * begun when its message without elements reaches rank 1. */
static sccl_status_t receives_from_1(uint32_t rank, const sccl_bootstrap_t *b, double timeout, sccl_status_t (*instead)(sccl_comm_t *))
{
	sccl_comm_t *comm;
	uint8_t data[300] = {0};
	const sccl_message_t both[] = {{SCCL_RECEIVE, 1, data, sizeof data, SCCL_U8}, {SCCL_SEND, 1, NULL, 0, SCCL_U8}};
	sccl_status_t status = join(rank, b, timeout, &comm);

	if (status != SCCL_OK)
		return status;
	return ended(comm, rank == 1 ? instead(comm) : sccl_exchange(comm, both, 2, NULL), data);
}

static sccl_status_t loses_a_rank(uint32_t rank, const sccl_bootstrap_t *b);

static void expect_end(part_t part, bool processes, sccl_status_t status, const char *text)
{
	struct outcome out[RING];

	(processes ? in_processes : in_threads)(part, out);
	for (int r = 0; r < RING; r++) {
		if (r == 1 && part == loses_a_rank) /* it is dead itself */
			continue;
		cr_expect(eq(int, out[r].status, (int)status), "rank %d: %s", r, out[r].text);
		cr_expect(ne(ptr, strstr(out[r].text, text), NULL), "rank %d: %s", r, out[r].text);
	}
}

/* The end that another rank brings about. */
static sccl_status_t wait_for_the_end(sccl_comm_t *comm)
{
	while (sccl_comm_status(comm, NULL, 0) == SCCL_OK)
		clock_sleep(1000);
	return sccl_comm_status(comm, NULL, 0);
}

/* What rank 1 sends to rank 0 fits, so that it has begun, and waits for nobody, when rank 0 hears of it through rank 2. */
static sccl_status_t other_counts(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	uint8_t data[300] = {0}, sent[300];
	sccl_status_t status = join(rank, b, 0, &comm);

	memset(sent, 0xee, sizeof sent);
	if (status == SCCL_OK && rank == 1)
		status = sccl_send(comm, sent, 299, SCCL_U8, 0, NULL);
	if (status == SCCL_OK && rank == 1)
		status = sccl_send(comm, NULL, 0, SCCL_U8, 2, NULL);
	if (status == SCCL_OK && rank == 2)
		status = sccl_receive(comm, NULL, 0, SCCL_U8, 1, NULL);
	if (status == SCCL_OK && rank == 2)
		status = sccl_send(comm, NULL, 0, SCCL_U8, 0, NULL);
	if (status == SCCL_OK && rank == 0)
		status = sccl_receive(comm, NULL, 0, SCCL_U8, 2, NULL);
	if (status == SCCL_OK && rank == 0)
		status = sccl_receive(comm, data, 300, SCCL_U8, 1, NULL);
	if (status == SCCL_OK && rank == 3)
		status = sccl_receive(comm, data, 1, SCCL_U8, 1, NULL);
	return ended(comm, status == SCCL_OK ? wait_for_the_end(comm) : status, data);
}

static sccl_status_t send_other_type_late(sccl_comm_t *comm)
{
	int8_t data[300];
	memset(data, 0xee, sizeof data);
	sccl_status_t status = sccl_receive(comm, NULL, 0, SCCL_U8, 3, NULL);
	return status == SCCL_OK ? sccl_send(comm, data, 300, SCCL_I8, 3, NULL) : status;
}

static sccl_status_t other_types(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, send_other_type_late);
}

Test(messages, whose_ends_differ_are_named_and_nothing_is_received)
{
	expect_end(other_counts, true, SCCL_MISMATCH, "message 1 from rank 1 to rank 0 has 300 elements of u8 on rank 0, and 299 of u8 on rank 1");
	expect_end(other_counts, false, SCCL_MISMATCH, "message 1 from rank 1 to rank 0 has 300 elements of u8 on rank 0, and 299 of u8 on rank 1");
	expect_end(other_types, true, SCCL_MISMATCH,
	           "message 1 from rank 1 to rank 3 has 300 elements of i8 on rank 1, and 300 of u8 on rank 3");
}

static sccl_status_t send_nowhere(sccl_comm_t *comm)
{
	uint8_t byte = 0;
	return sccl_send(comm, &byte, 1, SCCL_U8, RING, NULL);
}

static sccl_status_t send_nothing(sccl_comm_t *comm)
{
	return sccl_send(comm, NULL, 1, SCCL_U8, 0, NULL);
}

static sccl_status_t send_no_type(sccl_comm_t *comm)
{
	uint8_t byte = 0;
	return sccl_send(comm, &byte, 1, SCCL_DTYPES, 0, NULL);
}

static sccl_status_t send_to_itself(sccl_comm_t *comm)
{
	uint8_t byte = 0;
	return sccl_send(comm, &byte, 1, SCCL_U8, 1, NULL);
}

static sccl_status_t send_other_count_to_itself(sccl_comm_t *comm)
{
	uint8_t bytes[8] = {0};
	const sccl_message_t both[] = {{SCCL_SEND, 1, bytes, 4, SCCL_U8}, {SCCL_RECEIVE, 1, bytes + 4, 3, SCCL_U8}};
	return sccl_exchange(comm, both, 2, NULL);
}

static sccl_status_t send_other_type_to_itself(sccl_comm_t *comm)
{
	uint8_t bytes[8] = {0};
	const sccl_message_t both[] = {{SCCL_SEND, 1, bytes, 4, SCCL_U8}, {SCCL_RECEIVE, 1, bytes + 4, 4, SCCL_I8}};
	return sccl_exchange(comm, both, 2, NULL);
}

static sccl_status_t send_too_much(sccl_comm_t *comm)
{
	uint8_t byte = 0;
	return sccl_send(comm, &byte, ((uint64_t)1 << 40) + 1, SCCL_U8, 0, NULL);
}

static sccl_status_t neither_send_nor_receive(sccl_comm_t *comm)
{
	uint8_t byte = 0;
	return sccl_exchange(comm, &(const sccl_message_t){SCCL_DIRECTIONS, 0, &byte, 1, SCCL_U8}, 1, NULL);
}

static sccl_status_t (*mistake)(sccl_comm_t *);

static sccl_status_t mistaken(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, mistake);
}

Test(messages, a_mistake_of_one_rank_ends_the_wait_of_all)
{
	static const struct {
		sccl_status_t (*of)(sccl_comm_t *), status;
		const char *text;
	} rows[] = {
		{send_nowhere, SCCL_INVALID, "rank 1: there is no rank 4 of 4 to send to"},
		{send_nothing, SCCL_INVALID, "rank 1: the buffer of 1 elements to send to rank 0 is missing"},
		{send_no_type, SCCL_INVALID, "rank 1: there is no data type 12 to send to rank 0"},
		{send_too_much, SCCL_INVALID, "rank 1: a message of 1099511627777 elements has more than 2^40"},
		{neither_send_nor_receive, SCCL_INVALID, "rank 1: there is no direction 2 of a message"},
		{send_to_itself, SCCL_INVALID, "rank 1: a message of a rank to itself is sent and received in the same call; this one is only sent"},
		{send_other_count_to_itself, SCCL_MISMATCH, "rank 1: 4 elements of u8 to the rank itself, which receives 3 of u8"},
		{send_other_type_to_itself, SCCL_MISMATCH, "rank 1: 4 elements of u8 to the rank itself, which receives 4 of i8"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		mistake = rows[i].of;
		expect_end(mistaken, i % 2 == 0, rows[i].status, rows[i].text);
	}
}

static sccl_status_t die(sccl_comm_t *comm)
{
	(void)comm;
	clock_sleep(50000);
	raise(SIGKILL);
	return SCCL_OK;
}

static sccl_status_t loses_a_rank(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, die);
}

Test(messages, a_rank_that_dies_is_named_without_any_timeout)
{
	expect_end(loses_a_rank, true, SCCL_DEAD_RANK, "rank 1 has died in message 1 from rank 1 to rank ");
}

/* Rank 1 sends one message to each and leaves; that is no reason to lose it. A second one never comes. */
static sccl_status_t is_left(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	uint8_t data[300];
	sccl_status_t status = join(rank, b, 0, &comm);

	for (uint32_t to = 0; rank == 1 && to < RING && status == SCCL_OK; to++)
		if (to != 1)
			status = sccl_send(comm, data, sizeof data, SCCL_U8, to, NULL);
	if (rank != 1)
		clock_sleep(100000);
	if (rank != 1 && status == SCCL_OK)
		status = sccl_receive(comm, data, sizeof data, SCCL_U8, 1, NULL);
	if (rank == 0 && status == SCCL_OK && sccl_receive(comm, data, sizeof data, SCCL_U8, 1, NULL) != SCCL_DEAD_RANK)
		status = WRONG;
	else if (rank == 0)
		status = strstr(sccl_error_text(), "during message 2 from rank 1 to rank 0 of the others") ? SCCL_OK : WRONG;
	if (rank != 1 && rank != 0)
		clock_sleep(100000);
	sccl_comm_free(comm);
	return status;
}

Test(messages, of_a_rank_that_left_are_received)
{
	expect_ok(in_processes, is_left);
	expect_ok(in_threads, is_left);
}

static sccl_status_t abort_late(sccl_comm_t *comm)
{
	clock_sleep(100000);
	sccl_comm_abort(comm);
	return sccl_comm_status(comm, NULL, 0);
}

static sccl_status_t is_aborted(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, abort_late);
}

static sccl_status_t waits_too_long(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0.3, wait_for_the_end);
}

/* More than fits. */
static sccl_status_t sends_too_long(uint32_t rank, const sccl_bootstrap_t *b)
{
	static uint8_t data[LONGEST];
	sccl_comm_t *comm;
	sccl_status_t status = join(rank, b, 0.3, &comm);

	if (status == SCCL_OK)
		status = rank == 2 ? sccl_send(comm, data, LONGEST, SCCL_U8, 3, NULL) : wait_for_the_end(comm);
	if (status == SCCL_TIMEOUT)
		status = sccl_send(comm, data, 1, SCCL_U8, 3, NULL); /* for its text */
	sccl_comm_free(comm);
	return status;
}

Test(messages, end_by_an_abort_or_a_timeout_that_says_who_waits)
{
	expect_end(is_aborted, true, SCCL_ABORTED, "rank 1 aborted");
	expect_end(is_aborted, false, SCCL_ABORTED, "rank 1 aborted");
	expect_end(waits_too_long, true, SCCL_TIMEOUT, "rank 2 waits for message 1 from rank 1 to rank 2 to be sent");
	expect_end(sends_too_long, true, SCCL_TIMEOUT, "rank 2 waits for message 1 from rank 2 to rank 3 to be received");
}

/* Without message_bytes: refused, and the communicator goes on. */
static sccl_status_t has_none(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	uint8_t byte = 0;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);

	if (status == SCCL_OK && sccl_send(comm, &byte, 1, SCCL_U8, rank ^ 1, NULL) != SCCL_UNSUPPORTED)
		status = WRONG;
	if (status == SCCL_OK && sccl_exchange(comm, NULL, 1, NULL) != SCCL_INVALID)
		status = WRONG;
	if (status == SCCL_OK)
		status = sccl_comm_status(comm, NULL, 0);
	sccl_comm_free(comm);
	return status;
}

static sccl_status_t has_other_bytes(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm = NULL;
	sccl_comm_options_t options = {.message_bytes = 100 + rank};
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, &options);

	sccl_comm_free(comm);
	return status;
}

Test(messages, need_room_of_the_same_size_on_all_ranks)
{
	expect_ok(in_threads, has_none);
	expect_end(has_other_bytes, false, SCCL_MISMATCH, "bytes for messages: 100 on rank 0, 101 on rank 1");
}
