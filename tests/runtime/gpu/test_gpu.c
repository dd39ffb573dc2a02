#include "tests/runtime/gpu/stand_in.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"
#include "tests/runtime/spy.h"

#include "runtime/core/clock.h"
#include "runtime/gpu/gpu_driver.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

TestSuite(gpu, .description = "calls on GPUs that do not come to their end, on a driver that stands in for CUDA's", .timeout = 60);

enum { COUNT = 1000 };

static const sccl_program_t *program(void)
{
	return stand_in_program("GPU_PROGRAM");
}

struct rank {
	uint32_t number;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	const struct gpu_driver *gpu;
	sccl_stream_t stream;
	void *in, *out;
};

static sccl_mode_t mode;

static sccl_status_t settle_in(struct rank *r, uint32_t number, const sccl_bootstrap_t *b, double timeout)
{
	sccl_plan_options_t how = {.mode = mode};
	sccl_comm_options_t options = {.target = "cuda", .timeout = timeout, .device = (int)number % 2};
	sccl_status_t status = sccl_comm_create(&r->comm, number, RING, b, &options);

	r->number = number;
	if (status == SCCL_OK)
		status = sccl_plan_create(&r->plan, r->comm, program(), SCCL_F32, SCCL_SUM, COUNT, &how);
	if (status == SCCL_OK)
		status = sccli_gpu_driver("cuda", &r->gpu);
	if (status == SCCL_OK && (r->gpu->stream_create(&r->stream, GPU_STREAM_APART) || r->gpu->malloc(&r->in, COUNT * 4, 0) ||
				  r->gpu->malloc(&r->out, RING * COUNT * 4, 0)))
		status = SCCL_SYSTEM;
	return status;
}

/* Until the communicator ends, at most ten seconds; then the stream must be free again. */
static sccl_status_t await_end(struct rank *r)
{
	char text[1024];

	for (int i = 0; i < 2000 && sccl_comm_status(r->comm, NULL, 0) == SCCL_OK; i++)
		clock_sleep(5000);
	r->gpu->stream_wait(r->stream);
	sccl_status_t status = sccl_comm_status(r->comm, text, sizeof text);
	if (status != SCCL_OK && sccl_run(r->plan, r->in, r->out, COUNT, r->stream) != status)
		status = SCCL_STATUSES; /* what ended it lasts */
	return status;
}

static void leave(struct rank *r)
{
	r->gpu->stream_wait(r->stream);
	r->gpu->stream_destroy(r->stream);
	sccl_plan_free(r->plan);
	sccl_comm_free(r->comm);
}

static sccl_status_t a_rank_stays_away(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_status_t status = settle_in(&r, number, b, 0.5);

	if (status != SCCL_OK)
		return status;
	if (number != 2)
		status = sccl_run(r.plan, r.in, r.out, COUNT, r.stream);
	status = status == SCCL_OK ? await_end(&r) : status;
	leave(&r);
	return status;
}

static sccl_status_t a_rank_dies(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_status_t status = settle_in(&r, number, b, 0);

	if (status != SCCL_OK)
		return status;
	if (number == 1)
		raise(SIGKILL);
	status = sccl_run(r.plan, r.in, r.out, COUNT, r.stream);
	return status == SCCL_OK ? await_end(&r) : status;
}

/* Rank 3 is told another count, in a call that the others are far past. */
static sccl_status_t a_rank_is_told_otherwise(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_status_t status = settle_in(&r, number, b, 20);

	if (number == 3)
		clock_sleep(200000);
	for (int call = 0; call < 100 && status == SCCL_OK; call++)
		status = sccl_run(r.plan, r.in, r.out, COUNT - (number == 3 && call == 5), r.stream);
	if (status == SCCL_OK)
		status = await_end(&r);
	leave(&r);
	return status;
}

Test(gpu, the_guard_says_who_waits_for_whom)
{
	struct outcome out[RING];
	in_processes(a_rank_stays_away, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, SCCL_TIMEOUT), "rank %d: %s", r, out[r].text);
		cr_expect(ne(ptr, strstr(out[r].text, "waits for rank 2"), NULL), "%s", out[r].text);
		cr_expect(ne(ptr, strstr(out[r].text, "rank 2 waits for no rank; it was given 0 calls"), NULL), "%s", out[r].text);
	}
}

Test(gpu, a_rank_that_dies_is_named_without_any_timeout)
{
	struct outcome out[RING];
	in_processes(a_rank_dies, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, r == 1 ? SCCL_STATUSES : SCCL_DEAD_RANK), "rank %d: %s", r, out[r].text);
		cr_expect(r == 1 || strstr(out[r].text, "rank 1 has died") != NULL, "%s", out[r].text);
	}
}

Test(gpu, streams_that_wait_without_a_kernel_are_freed_too)
{
	struct outcome out[RING];
	mode = SCCL_COPY_ENGINES;
	in_processes(a_rank_dies, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, r == 1 ? SCCL_STATUSES : SCCL_DEAD_RANK), "rank %d: %s", r, out[r].text);
	in_processes(a_rank_stays_away, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_TIMEOUT), "rank %d: %s", r, out[r].text);
}

Test(gpu, another_order_is_found_though_calls_lie_ahead)
{
	struct outcome out[RING];
	in_processes(a_rank_is_told_otherwise, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_MISMATCH), "rank %d: %s", r, out[r].text);
}

/* One process, no thread of its own: all calls go from this thread to four streams. */
static void run_locally(uint32_t in_place)
{
	const int devices[RING] = {0, 1, 0, 1};
	sccl_comm_options_t options = {.target = "cuda"};
	const struct gpu_driver *gpu;
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING];
	void *out[RING];
	const void *in[RING];
	sccl_stream_t streams[RING];

	cr_assert(eq(int, sccl_comms_create(comms, RING, devices, &options), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccl_plans_create(plans, comms, RING, program(), SCCL_F32, SCCL_SUM, COUNT, NULL), SCCL_OK), "%s",
		  sccl_error_text());
	cr_assert(eq(int, sccli_gpu_driver("cuda", &gpu), SCCL_OK));
	for (int r = 0; r < RING; r++) {
		float *at;
		cr_assert(eq(int, gpu->malloc(&out[r], RING * COUNT * sizeof(float), 0), 0));
		at = out[r];
		in[r] = at + (in_place ? r * COUNT : 0);
		if (!in_place)
			cr_assert(eq(int, gpu->malloc((void **)&in[r], COUNT * sizeof(float), 0), 0));
		for (int i = 0; i < COUNT; i++)
			((float *)(uintptr_t)in[r])[i] = (float)(10000 * r + i);
		cr_assert(eq(int, gpu->stream_create(&streams[r], GPU_STREAM_APART), 0));
	}
	for (int call = 0; call < 20; call++)
		cr_assert(eq(int, sccl_run_all(plans, RING, in, out, COUNT, streams), SCCL_OK), "%s", sccl_error_text());
	for (int r = 0; r < RING; r++)
		gpu->stream_wait(streams[r]);
	for (int r = 0; r < RING; r++)
		for (int i = 0; i < RING * COUNT; i++)
			cr_assert(eq(flt, ((float *)out[r])[i], (float)(10000 * (i / COUNT) + i % COUNT)), "rank %d, %d", r, i);
	for (int r = 0; r < RING; r++)
		sccl_plan_free(plans[r]);
	sccl_comms_free(comms, RING);
}

static sccl_status_t spied_on(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r = {0};
	struct spy spy;
	sccl_bootstrap_t spied = spy_on(&spy, b);
	sccl_status_t status = settle_in(&r, number, &spied, 20);

	leave(&r);
	return status == SCCL_OK && spy.addresses > 0 ? SCCL_STATUSES : status;
}

Test(gpu, no_address_leaves_a_process)
{
	struct outcome out[RING];
	in_threads(spied_on, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
	in_processes(spied_on, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

static size_t forged_word;

static void change_word(unsigned char *blob, size_t bytes)
{
	uint64_t word = (uint64_t)1 << 40;
	if (bytes == 192) /* a handle of memory */
		memcpy(blob + forged_word, &word, sizeof word);
}

/* Rank 1 changes a word of its handles. The others must hear of it, or find that the word is of no importance. */
static sccl_status_t lies(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r = {0};
	struct spy spy;
	sccl_bootstrap_t spied = spy_on(&spy, b);

	spy.lie = number == 1 ? change_word : NULL;
	sccl_status_t status = settle_in(&r, number, &spied, 0.2);
	if (status == SCCL_OK)
		status = sccl_run(r.plan, r.in, r.out, COUNT, r.stream);
	if (status == SCCL_OK)
		status = await_end(&r);
	if (status != SCCL_OK) /* nothing of it is freed: memory of other ranks may be in use */
		return status;
	leave(&r);
	return status;
}

Test(gpu, no_word_of_a_handle_leads_out_of_memory)
{
	for (forged_word = 0; forged_word < 160; forged_word += 8) {
		struct outcome out[RING];
		in_processes(lies, out);
		for (int r = 0; r < RING; r++)
			cr_expect(r == 1 || out[r].status != SCCL_STATUSES, "rank %d died of word %zu", r, forged_word);
	}
}

Test(gpu, one_thread_runs_all_ranks)
{
	run_locally(0);
	run_locally(1);
}

/* Freeing memory waits for the GPU, whose kernel waits for calls that this thread has not made yet. */
Test(gpu, a_plan_is_freed_while_another_waits_for_this_thread)
{
	static const int devices[RING] = {0, 1, 0, 1};
	sccl_comm_options_t options = {.target = "cuda", .timeout = 20};
	const struct gpu_driver *gpu;
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING], *others[RING];
	sccl_stream_t streams[RING];
	void *in[RING], *out[RING];

	cr_assert(eq(int, sccl_comms_create(comms, RING, devices, &options), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccl_plans_create(plans, comms, RING, program(), SCCL_F32, SCCL_SUM, COUNT, NULL), SCCL_OK));
	cr_assert(eq(int, sccl_plans_create(others, comms, RING, program(), SCCL_F32, SCCL_SUM, COUNT, NULL), SCCL_OK));
	cr_assert(eq(int, sccli_gpu_driver("cuda", &gpu), SCCL_OK));
	for (int r = 0; r < RING; r++) {
		cr_assert(eq(int, gpu->malloc(&in[r], COUNT * sizeof(float), 0) | gpu->malloc(&out[r], RING * COUNT * sizeof(float), 0), 0));
		cr_assert(eq(int, gpu->stream_create(&streams[r], GPU_STREAM_APART), 0));
		for (int i = 0; i < COUNT; i++)
			((float *)in[r])[i] = (float)(100 * r + i % 100);
	}
	for (int r = 0; r < RING; r++) {
		cr_assert(eq(int, sccl_run(plans[r], in[r], out[r], COUNT, streams[r]), SCCL_OK), "%s", sccl_error_text());
		sccl_plan_free(others[r]);
	}
	/* What was freed serves a new plan, which is not to be disturbed by the other. */
	cr_assert(eq(int, sccl_plans_create(others, comms, RING, program(), SCCL_F32, SCCL_SUM, COUNT, NULL), SCCL_OK));
	for (int r = 0; r < RING; r++)
		cr_assert(eq(int, sccl_run(others[r], in[r], out[r], COUNT, streams[r]), SCCL_OK), "%s", sccl_error_text());
	for (int r = 0; r < RING; r++)
		gpu->stream_wait(streams[r]);
	for (int r = 0; r < RING; r++)
		for (int i = 0; i < RING * COUNT; i++)
			cr_assert(eq(flt, ((float *)out[r])[i], (float)(100 * (i / COUNT) + i % COUNT % 100)), "rank %d, %d", r, i);
	for (int r = 0; r < RING; r++) {
		sccl_plan_free(plans[r]);
		sccl_plan_free(others[r]);
	}
	sccl_comms_free(comms, RING);
}

static sccl_status_t wrong_memory(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_memory_t *memory;
	static char mine[4096];
	sccl_status_t status = settle_in(&r, number, b, 0);

	return status == SCCL_OK ? sccl_memory_register(&memory, r.comm, number == 2 ? mine : r.out, COUNT) : status;
}

Test(gpu, memory_that_is_not_the_gpus_is_not_registered)
{
	struct outcome out[RING];
	in_processes(wrong_memory, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, SCCL_SYSTEM), "rank %d: %s", r, out[r].text);
		cr_expect(ne(ptr, strstr(out[r].text, "cannot export GPU memory"), NULL), "%s", out[r].text);
	}
}

enum { STREAMS = 2, MANY = 50000 };

struct both {
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING];
	const struct gpu_driver *gpu;
	const void *in[STREAMS][RING];
	void *out[STREAMS][RING];
	sccl_stream_t streams[STREAMS][RING];
};

static void open_both(struct both *b, uint32_t max_blocks)
{
	static const int devices[RING] = {0, 1, 0, 1};
	sccl_comm_options_t options = {.target = "cuda", .timeout = 20, .max_blocks = max_blocks};

	cr_assert(eq(int, sccl_comms_create(b->comms, RING, devices, &options), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccl_plans_create(b->plans, b->comms, RING, program(), SCCL_F32, SCCL_SUM, MANY, NULL), SCCL_OK), "%s",
		  sccl_error_text());
	cr_assert(eq(int, sccli_gpu_driver("cuda", &b->gpu), SCCL_OK));
	for (int s = 0; s < STREAMS; s++)
		for (int r = 0; r < RING; r++) {
			cr_assert(eq(int, b->gpu->malloc(&b->out[s][r], RING * MANY * sizeof(float), 0), 0));
			cr_assert(eq(int, b->gpu->malloc((void **)&b->in[s][r], MANY * sizeof(float), 0), 0));
			cr_assert(eq(int, b->gpu->stream_create(&b->streams[s][r], GPU_STREAM_APART), 0));
		}
}

static void close_both(struct both *b)
{
	for (int r = 0; r < RING; r++)
		sccl_plan_free(b->plans[r]);
	sccl_comms_free(b->comms, RING);
}

static void call_on_both(struct both *b, int call)
{
	for (int s = 0; s < STREAMS; s++)
		for (int r = 0; r < RING; r++)
			for (int i = 0; i < MANY; i++)
				((float *)(uintptr_t)b->in[s][r])[i] = (float)(r * 1000 + call * STREAMS + s);
	for (int s = 0; s < STREAMS; s++)
		cr_assert(eq(int, sccl_run_all(b->plans, RING, b->in[s], b->out[s], MANY, b->streams[s]), SCCL_OK), "%s", sccl_error_text());
	for (int s = 0; s < STREAMS; s++)
		for (int r = 0; r < RING; r++) {
			int wrong = 0;
			b->gpu->stream_wait(b->streams[s][r]);
			for (int i = 0; i < RING * MANY; i++)
				wrong += ((float *)b->out[s][r])[i] != (float)(i / MANY * 1000 + call * STREAMS + s);
			cr_assert(eq(int, wrong, 0), "call %d, stream %d, rank %d", call, s, r);
		}
}

Test(gpu, calls_on_two_streams_come_one_after_another)
{
	static struct both b;

	open_both(&b, 0);
	for (int call = 0; call < 10; call++)
		call_on_both(&b, call);
	close_both(&b);
}

Test(gpu, ranks_that_share_a_gpu_and_a_stream_are_refused)
{
	static struct both b;

	open_both(&b, 4); /* fewer blocks than a GPU would have */
	cr_expect(eq(int, sccl_run_all(b.plans, RING, b.in[0], b.out[0], MANY, NULL), SCCL_INVALID));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "share GPU 0 and a stream"), NULL), "%s", sccl_error_text());
	close_both(&b);
}
