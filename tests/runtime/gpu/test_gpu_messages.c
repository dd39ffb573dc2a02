#include "tests/runtime/gpu/stand_in.h"
#include "tests/runtime/expect_ok.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include "runtime/core/clock.h"
#include "runtime/core/messages.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

TestSuite(gpu_messages, .description = "messages between two ranks on GPUs, by streams that copy and signal", .timeout = 60);

enum { BYTES = 1024, MOST = 3000 };

/* One rank on a GPU, with a buffer for what it sends to each other one and for what it receives. */
struct seat {
	uint32_t rank;
	sccl_comm_t *comm;
	const struct gpu_driver *gpu;
	sccl_stream_t stream;
	uint8_t *out[RING], *in[RING];
};

static sccl_status_t equip(struct seat *s, uint32_t rank)
{
	s->rank = rank;
	sccl_status_t status = sccli_gpu_driver("cuda", &s->gpu);
	if (status != SCCL_OK)
		return status;
	s->gpu->set_device((int)rank % 2);
	for (int i = 0; i < RING; i++)
		if (s->gpu->malloc((void **)&s->out[i], MOST, 0) != 0 || s->gpu->malloc((void **)&s->in[i], MOST, 0) != 0)
			return SCCL_NO_MEMORY;
	return s->gpu->stream_create(&s->stream, GPU_STREAM_APART) == 0 ? SCCL_OK : SCCL_SYSTEM;
}

static void leave(struct seat *s)
{
	if (s->stream) {
		s->gpu->stream_wait(s->stream);
		s->gpu->stream_destroy(s->stream);
	}
	sccl_comm_free(s->comm);
}

static uint8_t byte_of(uint32_t from, uint32_t to, uint32_t call, size_t i)
{
	return (uint8_t)(1 + from * 67 + to * 29 + call * 13 + i * 7 + i / 251);
}

static size_t length_of(uint32_t from, uint32_t to, uint32_t call)
{
	return (from * 531 + to * 77 + call * 13) % MOST;
}

static void fill(const struct seat *s, uint32_t call)
{
	for (uint32_t to = 0; to < RING; to++) {
		for (size_t i = 0; i < length_of(s->rank, to, call); i++)
			s->out[to][i] = byte_of(s->rank, to, call, i);
		memset(s->in[to], 0, MOST);
	}
}

/* All messages of the rank in one call, in an order of its own. */
static sccl_status_t exchange(const struct seat *s, uint32_t call)
{
	sccl_message_t list[2 * RING];

	for (uint32_t i = 0; i < RING; i++) {
		uint32_t peer = (i * 3 + s->rank + call) % RING;
		list[i] = (sccl_message_t){SCCL_SEND, peer, s->out[peer], length_of(s->rank, peer, call), SCCL_U8};
		list[2 * RING - 1 - i] = (sccl_message_t){SCCL_RECEIVE, peer, s->in[peer], length_of(peer, s->rank, call), SCCL_U8};
	}
	return sccl_exchange(s->comm, list, 2 * RING, s->stream);
}

static int wrong(const struct seat *s, uint32_t call)
{
	int n = 0;

	for (uint32_t from = 0; from < RING; from++)
		for (size_t i = 0; i < MOST; i++)
			n += s->in[from][i] != (i < length_of(from, s->rank, call) ? byte_of(from, s->rank, call, i) : 0);
	return n;
}

static void open_all(struct seat seats[RING], double timeout)
{
	static const int devices[RING] = {0, 1, 0, 1};
	sccl_comm_options_t options = {.target = "cuda", .timeout = timeout, .message_bytes = BYTES};
	sccl_comm_t *comms[RING];

	cr_assert(eq(int, sccl_comms_create(comms, RING, devices, &options), SCCL_OK), "%s", sccl_error_text());
	for (uint32_t r = 0; r < RING; r++) {
		seats[r].comm = comms[r];
		cr_assert(eq(int, equip(&seats[r], r), SCCL_OK));
	}
}

/* One thread gives all ranks their messages; the streams do the rest. */
Test(gpu_messages, of_all_pairs_from_one_thread)
{
	static struct seat seats[RING];

	open_all(seats, 10);
	for (uint32_t call = 0; call < 20; call++) {
		for (int r = 0; r < RING; r++)
			fill(&seats[r], call);
		for (int r = 0; r < RING; r++)
			cr_assert(eq(int, exchange(&seats[r], call), SCCL_OK), "%s", sccl_error_text());
		for (int r = 0; r < RING; r++) {
			seats[r].gpu->stream_wait(seats[r].stream);
			cr_expect(eq(int, sccl_comm_status(seats[r].comm, NULL, 0), SCCL_OK));
			cr_expect(eq(int, wrong(&seats[r], call), 0), "rank %d, call %u", r, call);
		}
	}
	for (int r = 0; r < RING; r++)
		leave(&seats[r]);
}

/* A receive is enqueued long before its send, and 20 sends, which do not fit, long before their receives. */
Test(gpu_messages, wait_for_each_other_in_streams)
{
	static struct seat seats[RING];
	struct seat *a = &seats[0], *b = &seats[1];

	open_all(seats, 10);
	memset(a->in[1], 0, MOST);
	memset(b->out[0], 7, 200);
	cr_assert(eq(int, sccl_receive(a->comm, a->in[1], 200, SCCL_U8, 1, a->stream), SCCL_OK), "%s", sccl_error_text());
	clock_sleep(50000);
	cr_expect(eq(int, a->in[1][0], 0));
	cr_assert(eq(int, sccl_send(b->comm, b->out[0], 200, SCCL_U8, 0, b->stream), SCCL_OK), "%s", sccl_error_text());
	a->gpu->stream_wait(a->stream);
	cr_expect(eq(int, a->in[1][199], 7));

	for (int i = 0; i < 20; i++)
		b->out[1][i] = (uint8_t)(100 + i);
	for (int i = 0; i < 20; i++)
		cr_assert(eq(int, sccl_send(b->comm, b->out[1] + i, 1, SCCL_U8, 0, b->stream), SCCL_OK), "%s", sccl_error_text());
	clock_sleep(50000);
	for (int i = 0; i < 20; i++)
		cr_assert(eq(int, sccl_receive(a->comm, a->in[1] + i, 1, SCCL_U8, 1, a->stream), SCCL_OK), "%s", sccl_error_text());
	a->gpu->stream_wait(a->stream);
	for (int i = 0; i < 20; i++)
		cr_expect(eq(int, a->in[1][i], 100 + i));
	for (int r = 0; r < RING; r++)
		leave(&seats[r]);
}

/* More than a book has entries. */
enum { MANY = MESSAGE_ENTRIES + 10 };

static void *send_many(void *of)
{
	struct seat *s = of;
	sccl_status_t status = SCCL_OK;

	for (int i = 0; i < MANY && status == SCCL_OK; i++)
		status = sccl_send(s->comm, s->out[0] + i, 1, SCCL_U8, 0, s->stream);
	return status == SCCL_OK ? s : NULL;
}

/* Until rank 1 has filled its book of messages to rank 0, and a little longer. */
static void wait_until_full(const struct seat *s)
{
	while (__atomic_load_n(&message_book(s->comm, 1, SCCL_SEND, 0)->begun, __ATOMIC_ACQUIRE) < MESSAGE_ENTRIES &&
	       sccl_comm_status(s->comm, NULL, 0) == SCCL_OK)
		clock_sleep(1000);
	clock_sleep(20000);
}

/* The sends wait in a call for the first receives. */
Test(gpu_messages, wait_for_room_in_the_book)
{
	static struct seat seats[RING];
	struct seat *a = &seats[0], *b = &seats[1];
	pthread_t sender;
	void *sent;

	open_all(seats, 10);
	for (int i = 0; i < MANY; i++)
		b->out[0][i] = byte_of(1, 0, 0, (size_t)i);
	cr_assert(eq(int, pthread_create(&sender, NULL, send_many, b), 0));
	wait_until_full(a);
	for (int i = 0; i < MANY; i++)
		cr_assert(eq(int, sccl_receive(a->comm, a->in[1] + i, 1, SCCL_U8, 1, a->stream), SCCL_OK), "%s", sccl_error_text());
	pthread_join(sender, &sent);
	cr_expect(ne(ptr, sent, NULL));
	a->gpu->stream_wait(a->stream);
	for (int i = 0; i < MANY; i++)
		cr_expect(eq(int, a->in[1][i], byte_of(1, 0, 0, (size_t)i)));
	for (int r = 0; r < RING; r++)
		leave(&seats[r]);
}

static sccl_status_t join(struct seat *s, uint32_t rank, const sccl_bootstrap_t *b, double timeout)
{
	sccl_comm_options_t options = {.target = "cuda", .timeout = timeout, .device = (int)rank % 2, .message_bytes = BYTES};
	sccl_status_t status = sccl_comm_create(&s->comm, rank, RING, b, &options);

	return status == SCCL_OK ? equip(s, rank) : status;
}

static sccl_status_t meets_all(uint32_t rank, const sccl_bootstrap_t *b)
{
	struct seat s = {0};
	sccl_status_t status = join(&s, rank, b, 0);

	for (uint32_t call = 0; call < 10 && status == SCCL_OK; call++) {
		fill(&s, call);
		status = exchange(&s, call);
		if (status == SCCL_OK)
			s.gpu->stream_wait(s.stream);
		if (status == SCCL_OK && wrong(&s, call))
			status = SCCL_STATUSES;
	}
	leave(&s);
	return status;
}

/* Messages and collective calls follow each other in two streams; nobody waits for any of them before the last. */
static sccl_status_t also_gathers(uint32_t rank, const sccl_bootstrap_t *b)
{
	enum { COUNT = 100, CALLS = 12 };
	struct seat s = {0};
	sccl_plan_t *plan = NULL;
	sccl_stream_t second = NULL;
	float *from, *all;
	sccl_status_t status = join(&s, rank, b, 0);

	if (status == SCCL_OK)
		status = sccl_plan_create(&plan, s.comm, stand_in_program("GPU_PROGRAM"), SCCL_F32, SCCL_SUM, COUNT, NULL);
	if (status != SCCL_OK)
		return status;
	s.gpu->stream_create(&second, GPU_STREAM_APART);
	from = (float *)(void *)s.out[0];
	all = (float *)(void *)s.in[0];
	for (int i = 0; i < COUNT; i++)
		from[i] = (float)(rank + 1);
	for (uint32_t call = 0; call < CALLS && status == SCCL_OK; call++) { /* the ranks' values go round */
		const sccl_message_t both[] = {{SCCL_SEND, (rank + 1) % RING, from, COUNT, SCCL_F32},
		                               {SCCL_RECEIVE, (rank + RING - 1) % RING, s.in[3], COUNT, SCCL_F32}};
		status = sccl_exchange(s.comm, both, 2, s.stream);
		if (status == SCCL_OK)
			status = sccl_run(plan, s.in[3], all, COUNT, second);
		from = all + COUNT * rank;
	}
	s.gpu->stream_wait(s.stream);
	s.gpu->stream_wait(second);
	for (uint32_t i = 0; i < RING && status == SCCL_OK; i++) {
		uint32_t value = (i + RING * 4 - CALLS) % RING + 1;
		if (all[COUNT * i] < (float)value || all[COUNT * i + COUNT - 1] > (float)value)
			status = SCCL_STATUSES;
	}
	s.gpu->stream_destroy(second);
	sccl_plan_free(plan);
	leave(&s);
	return status;
}

Test(gpu_messages, of_processes)
{
	expect_ok(in_processes, meets_all);
	expect_ok(in_processes, also_gathers);
}

/* ---- what goes wrong ---- */

/* Every rank but 1 enqueues a receive from it, and waits for the end. */
static sccl_status_t receives_from_1(uint32_t rank, const sccl_bootstrap_t *b, double timeout, void (*instead)(struct seat *))
{
	struct seat s = {0};
	char text[256];
	sccl_status_t status = join(&s, rank, b, timeout);

	if (status == SCCL_OK && rank == 1)
		instead(&s);
	else if (status == SCCL_OK)
		(void)sccl_receive(s.comm, s.in[1], 300, SCCL_U8, 1, s.stream);
	s.gpu->stream_wait(s.stream); /* it is released */
	while (sccl_comm_status(s.comm, text, sizeof text) == SCCL_OK)
		clock_sleep(1000);
	status = sccl_send(s.comm, s.out[1], 1, SCCL_U8, 1, s.stream); /* which says the same */
	leave(&s);
	return status;
}

static void die(struct seat *s)
{
	(void)s;
	raise(SIGKILL);
}

static void do_nothing(struct seat *s)
{
	(void)s;
}

static void send_other_count(struct seat *s)
{
	clock_sleep(50000);
	(void)sccl_send(s->comm, s->out[2], 299, SCCL_U8, 2, s->stream);
}

static void stop(struct seat *s)
{
	clock_sleep(50000);
	sccl_comm_abort(s->comm);
}

static void capture(struct seat *s)
{
	enum { ONLY_THIS_THREAD = 1 };
	void *graph;

	s->gpu->capture_begin(s->stream, ONLY_THIS_THREAD);
	(void)sccl_send(s->comm, s->out[2], 300, SCCL_U8, 2, s->stream);
	s->gpu->capture_end(s->stream, &graph);
}

static sccl_status_t loses_a_rank(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, die);
}

static sccl_status_t waits_too_long(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0.3, do_nothing);
}

static sccl_status_t other_counts(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, send_other_count);
}

static sccl_status_t is_aborted(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, stop);
}

static sccl_status_t is_captured(uint32_t rank, const sccl_bootstrap_t *b)
{
	return receives_from_1(rank, b, 0, capture);
}

/* Rank 1 fills its book of messages to rank 0, which ends instead of receiving one. */
static sccl_status_t sends_many(uint32_t rank, const sccl_bootstrap_t *b, void (*instead)(struct seat *))
{
	struct seat s = {0};
	sccl_status_t status = join(&s, rank, b, 0);

	if (status != SCCL_OK)
		return status;
	if (rank == 0) {
		wait_until_full(&s);
		instead(&s);
	} else if (rank == 1) {
		(void)send_many(&s);
	}
	while (sccl_comm_status(s.comm, NULL, 0) == SCCL_OK)
		clock_sleep(1000);
	status = sccl_send(s.comm, s.out[1], 1, SCCL_U8, 1, s.stream);
	leave(&s);
	return status;
}

static sccl_status_t sends_many_to_one_that_dies(uint32_t rank, const sccl_bootstrap_t *b)
{
	return sends_many(rank, b, die);
}

static sccl_status_t sends_many_to_one_that_aborts(uint32_t rank, const sccl_bootstrap_t *b)
{
	return sends_many(rank, b, stop);
}

Test(gpu_messages, end_on_all_ranks)
{
	static const struct {
		part_t part;
		sccl_status_t status;
		const char *text;
	} rows[] = {
		{loses_a_rank, SCCL_DEAD_RANK, "rank 1 has died in message 1 from rank 1 to rank "},
		{waits_too_long, SCCL_TIMEOUT, "rank 2 waits for message 1 from rank 1 to rank 2 to be sent"},
		{other_counts, SCCL_MISMATCH, "message 1 from rank 1 to rank 2 has "},
		{is_aborted, SCCL_ABORTED, "rank 1 aborted"},
		{is_captured, SCCL_UNSUPPORTED, "rank 1: messages cannot be captured in a graph"},
		{sends_many_to_one_that_dies, SCCL_DEAD_RANK, "rank 0 has died in message "},
		{sends_many_to_one_that_aborts, SCCL_ABORTED, "rank 0 aborted"},
	};
	struct outcome out[RING];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		in_processes(rows[i].part, out);
		for (int r = 0; r < RING; r++) {
			if ((rows[i].part == loses_a_rank && r == 1) || (rows[i].part == sends_many_to_one_that_dies && r == 0))
				continue; /* it is dead itself */
			cr_expect(eq(int, out[r].status, (int)rows[i].status), "row %zu, rank %d: %s", i, r, out[r].text);
			cr_expect(ne(ptr, strstr(out[r].text, rows[i].text), NULL), "row %zu, rank %d: %s", i, r, out[r].text);
		}
	}
}

/* Where the driver has no such function, as HIP's has none for all memory. */
Test(gpu_messages, need_streams_that_signal)
{
	static const int devices[RING] = {0, 1, 0, 1};
	sccl_comm_options_t options = {.target = "cuda", .message_bytes = BYTES};
	sccl_comm_t *comms[RING];
	const struct gpu_driver *gpu;

	cr_assert(eq(int, sccli_gpu_driver("cuda", &gpu), SCCL_OK), "%s", sccl_error_text());
	((struct gpu_driver *)(uintptr_t)gpu)->wait_value = NULL;
	cr_expect(eq(int, sccl_comms_create(comms, RING, devices, &options), SCCL_UNSUPPORTED));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "streams cannot signal each other through cuda here, so there are no messages"), NULL), "%s",
	          sccl_error_text());
	options.message_bytes = 0;
	cr_assert(eq(int, sccl_comms_create(comms, RING, devices, &options), SCCL_OK), "%s", sccl_error_text());
	sccl_comms_free(comms, RING);
}
