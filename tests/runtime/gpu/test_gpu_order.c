#include "tests/runtime/gpu/stand_in.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include "runtime/core/clock.h"
#include "runtime/core/plan.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(gpu_order, .description = "calls on GPUs that are slow, far ahead, or of several communicators", .timeout = 60);

enum { COUNT = 1000 };

/* ---- many ranks in one thread ---- */

struct set {
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING];
	const struct gpu_driver *gpu;
	float *in[RING], *out[RING];
	sccl_stream_t streams[RING];
};

static void open_set(struct set *s, const sccl_plan_options_t *how)
{
	static const int devices[RING] = {0, 1, 0, 1};
	sccl_comm_options_t options = {.target = "cuda", .timeout = 5, .max_blocks = 64};

	cr_assert(eq(int, sccl_comms_create(s->comms, RING, devices, &options), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccl_plans_create(s->plans, s->comms, RING, stand_in_program("GPU_PROGRAM"), SCCL_F32, SCCL_SUM, COUNT, how),
		     SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccli_gpu_driver("cuda", &s->gpu), SCCL_OK));
	for (int r = 0; r < RING; r++) {
		s->gpu->set_device(devices[r]);
		cr_assert(eq(int, s->gpu->malloc((void **)&s->in[r], COUNT * sizeof(float), 0), 0));
		cr_assert(eq(int, s->gpu->malloc((void **)&s->out[r], RING * COUNT * sizeof(float), 0), 0));
		cr_assert(eq(int, s->gpu->stream_create(&s->streams[r], GPU_STREAM_APART), 0));
	}
}

static void fill(struct set *s, int value)
{
	for (int r = 0; r < RING; r++)
		for (int i = 0; i < COUNT; i++)
			s->in[r][i] = (float)(value + 100 * r + i % 7);
}

static void run_one(struct set *s, int r, uint64_t count)
{
	cr_assert(eq(int, sccl_run(s->plans[r], s->in[r], s->out[r], count, s->streams[r]), SCCL_OK), "%s", sccl_error_text());
}

static void wait_all(struct set *s)
{
	for (int r = 0; r < RING; r++)
		s->gpu->stream_wait(s->streams[r]);
}

static int wrong(const struct set *s, int r, int value)
{
	int n = 0;
	for (int i = 0; i < RING * COUNT; i++)
		n += s->out[r][i] != (float)(value + 100 * (i / COUNT) + i % COUNT % 7);
	return n;
}

static void close_set(struct set *s)
{
	for (int r = 0; r < RING; r++) {
		s->gpu->stream_destroy(s->streams[r]);
		sccl_plan_free(s->plans[r]);
	}
	sccl_comms_free(s->comms, RING);
}

/* Two calls, the first of which waits for rank 3. The second goes to a stream that has got the handle of the first's. */
Test(gpu_order, a_stream_with_the_handle_of_another_waits_for_it)
{
	static struct set s, second;

	open_set(&s, NULL);
	second = s;
	for (int r = 0; r < RING; r++) {
		cr_assert(eq(int, s.gpu->malloc((void **)&second.in[r], COUNT * sizeof(float), 0), 0));
		cr_assert(eq(int, s.gpu->malloc((void **)&second.out[r], RING * COUNT * sizeof(float), 0), 0));
	}
	fill(&s, 0);
	fill(&second, 1000);
	for (int r = 0; r < 3; r++) {
		sccl_stream_t before = s.streams[r];
		run_one(&s, r, COUNT);
		s.gpu->stream_destroy(before);
		cr_assert(eq(int, s.gpu->stream_create(&s.streams[r], GPU_STREAM_APART), 0));
		cr_assert(eq(ptr, s.streams[r], before));
		second.streams[r] = before;
		run_one(&second, r, COUNT);
	}
	clock_sleep(50000);
	run_one(&s, 3, COUNT);
	run_one(&second, 3, COUNT);
	wait_all(&second);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, sccl_comm_status(s.comms[r], NULL, 0), SCCL_OK), "rank %d: %s", r, sccl_error_text());
		cr_expect(eq(int, wrong(&s, r, 0), 0), "rank %d", r);
		cr_expect(eq(int, wrong(&second, r, 1000), 0), "rank %d", r);
	}
	close_set(&second);
}

/* As if the plan had made that many calls. */
static void set_turn(const struct set *s, uint64_t turn)
{
	for (uint32_t r = 0; r < RING; r++) {
		const struct sccl_plan *p = s->plans[r];
		for (uint32_t b = 0; b < p->blocks; b++) {
			((uint64_t *)(void *)p->turns.base)[b] = turn;
			for (uint32_t source = 0; source < RING; source++)
				memcpy(p->packets.bases[r] + ((uint64_t)source * p->blocks + b) * SCCL_FLAG_STRIDE, &turn, sizeof turn);
		}
	}
}

/* All ranks but 1, which follows when the others have had time to read what is old. */
static void run_late(struct set *s, uint64_t count, long late)
{
	for (int r = 0; r < RING; r++)
		if (r != 1)
			run_one(s, r, count);
	clock_sleep(late);
	run_one(s, 1, count);
	wait_all(s);
}

/* Packets of a long call must not be taken for those of the call 2^33 - 2 later, which has the same marks. In the calls between, each
 * block has a shorter part. */
Test(gpu_order, no_packet_of_billions_of_calls_ago_is_read)
{
	enum { EARLY = 4, SHORTER = 490 };
	const uint64_t period = 2 * (uint64_t)0xffffffffu;
	sccl_plan_options_t how = {.protocol = SCCL_PACKETS};
	static struct set s;

	open_set(&s, &how);
	set_turn(&s, EARLY);
	fill(&s, 1);
	run_late(&s, COUNT, 0);
	set_turn(&s, ((uint64_t)1 << 31) - 2);
	for (int call = 0; call < 3; call++)
		run_late(&s, SHORTER, 0);
	set_turn(&s, EARLY + period);
	fill(&s, 2000);
	run_late(&s, COUNT, 100000);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, wrong(&s, r, 2000), 0), "rank %d", r);
	close_set(&s);
}

static uint64_t turn_of(const struct set *s, int r, uint32_t block)
{
	return ((const uint64_t *)(const void *)s->plans[r]->turns.base)[block] & ~SCCL_WHOLE;
}

/* Of 16 blocks one has a part of a call of one element: to the others it does not exist. */
Test(gpu_order, a_block_without_a_part_leaves_the_call_out)
{
	sccl_plan_options_t how = {.protocol = SCCL_PACKETS, .blocks = 16};
	static struct set s;

	open_set(&s, &how);
	for (int call = 0; call < 9; call++) {
		fill(&s, 10 * call);
		run_late(&s, call % 3 == 2 ? COUNT : 1, 0);
		for (int r = 0; r < RING && call % 3 == 2; r++)
			cr_expect(eq(int, wrong(&s, r, 10 * call), 0), "call %d, rank %d", call, r);
		for (int r = 0; r < RING; r++) {
			cr_expect(eq(u64, turn_of(&s, r, 0), (uint64_t)call + 1));
			cr_expect(eq(u64, turn_of(&s, r, 1), (uint64_t)(call + 1) / 3));
			cr_expect(eq(u64, turn_of(&s, r, 15), (uint64_t)(call + 1) / 3));
		}
	}
	close_set(&s);
}

enum { ONLY_THIS_THREAD = 1, PARAMETERS = 248 }; /* docs/concepts/lowering.md has the latter */

static void expect_parameters(const struct set *s, unsigned char all[RING][PARAMETERS], bool first)
{
	for (int r = 0; r < RING; r++) {
		unsigned char now[PARAMETERS] = {0};
		cr_expect(eq(sz, standInParameters(s->streams[r], now, sizeof now), PARAMETERS));
		cr_expect(first || memcmp(now, all[r], sizeof now) == 0, "rank %d", r);
		memcpy(all[r], now, sizeof now);
	}
}

/* Nothing in them tells one call from the next, so that a graph can repeat what it has captured. */
Test(gpu_order, all_calls_have_the_same_parameters_also_in_a_graph)
{
	static unsigned char all[RING][PARAMETERS];
	void *graphs[RING], *made[RING];
	static struct set s;

	cr_expect(eq(sz, sizeof(sccl_launch_t), PARAMETERS));
	open_set(&s, NULL);
	for (int call = 0; call < 3; call++) {
		fill(&s, call);
		for (int r = 0; r < RING; r++)
			run_one(&s, r, COUNT);
		wait_all(&s);
		expect_parameters(&s, all, call == 0);
	}
	for (int r = 0; r < RING; r++) {
		cr_assert(eq(int, s.gpu->capture_begin(s.streams[r], ONLY_THIS_THREAD), 0));
		run_one(&s, r, COUNT);
		cr_assert(eq(int, s.gpu->capture_end(s.streams[r], &graphs[r]), 0));
		cr_assert(eq(int, s.gpu->graph_make(&made[r], graphs[r], 0), 0));
	}
	for (int call = 0; call < 3; call++) {
		fill(&s, 100 + call);
		for (int r = 0; r < RING; r++)
			cr_assert(eq(int, s.gpu->graph_launch(made[r], s.streams[r]), 0));
		wait_all(&s);
		expect_parameters(&s, all, false);
		for (int r = 0; r < RING; r++)
			cr_expect(eq(int, wrong(&s, r, 100 + call), 0), "rank %d", r);
	}
	for (int r = 0; r < RING; r++) {
		s.gpu->graph_exec_destroy(made[r]);
		s.gpu->graph_destroy(graphs[r]);
	}
	close_set(&s);
}

/* Two communicators on the same two GPUs, which begin their calls in opposite order: the blocks of both must fit. */
Test(gpu_order, two_communicators_fit_on_a_gpu)
{
	sccl_plan_options_t how = {.blocks = 64};
	static struct set a, b;

	open_set(&a, &how);
	open_set(&b, &how);
	fill(&a, 0);
	fill(&b, 5000);
	for (int call = 0; call < 3; call++) {
		for (int r = 0; r < RING; r++)
			run_one(r % 2 ? &b : &a, r, COUNT);
		clock_sleep(20000);
		for (int r = 0; r < RING; r++)
			run_one(r % 2 ? &a : &b, r, COUNT);
		wait_all(&a);
		wait_all(&b);
	}
	for (int r = 0; r < RING; r++) {
		char text[256] = "";
		cr_expect(eq(int, sccl_comm_status(a.comms[r], text, sizeof text), SCCL_OK), "rank %d: %s", r, text);
		cr_expect(eq(int, wrong(&a, r, 0), 0), "rank %d", r);
		cr_expect(eq(int, wrong(&b, r, 5000), 0), "rank %d", r);
		cr_expect(a.plans[r]->resident + b.plans[r]->resident <= 24, "two ranks of each share the 48 places");
	}
	close_set(&a);
	close_set(&b);
}

/* Communicator after communicator, until there is no room; then one is freed, and there is some again. */
Test(gpu_order, a_full_gpu_is_named)
{
	static struct set sets[6], more;
	sccl_comm_options_t options = {.target = "cuda"};
	sccl_plan_options_t how = {.blocks = 32};
	const sccl_program_t *p = stand_in_program("GPU_PROGRAM");
	sccl_status_t status = SCCL_OK;
	int n = 0;

	for (; n < 6; n++) {
		cr_assert(eq(int, sccl_comms_create(sets[n].comms, RING, NULL, &options), SCCL_OK));
		if ((status = sccl_plans_create(sets[n].plans, sets[n].comms, RING, p, SCCL_F32, SCCL_SUM, COUNT, &how)) != SCCL_OK)
			break;
	}
	cr_assert(eq(int, status, SCCL_UNSUPPORTED));
	cr_expect(ne(ptr, strstr(sccl_error_text(), "has no room for a block of the kernel: its GPU holds 48"), NULL), "%s", sccl_error_text());
	for (int r = 0; r < RING; r++)
		sccl_plan_free(sets[0].plans[r]);
	more = sets[n];
	cr_expect(eq(int, sccl_plans_create(more.plans, more.comms, RING, p, SCCL_F32, SCCL_SUM, COUNT, &how), SCCL_OK), "%s",
		  sccl_error_text());
}

/* ---- a process for every rank ---- */

struct rank {
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	const struct gpu_driver *gpu;
	sccl_stream_t stream;
	float *in, *out, *other;
};

static sccl_status_t settle_in(struct rank *r, const char *program, uint32_t number, const sccl_bootstrap_t *b)
{
	sccl_comm_options_t options = {.target = "cuda", .timeout = 20, .device = (int)number % 2};
	sccl_plan_options_t how = {.blocks = 4}; /* all run at once */
	sccl_status_t status = sccl_comm_create(&r->comm, number, RING, b, &options);

	if (status == SCCL_OK)
		status = sccl_plan_create(&r->plan, r->comm, stand_in_program(program), SCCL_F32, SCCL_SUM, COUNT, &how);
	if (status == SCCL_OK)
		status = sccli_gpu_driver("cuda", &r->gpu);
	if (status == SCCL_OK && (r->gpu->stream_create(&r->stream, GPU_STREAM_APART) || r->gpu->malloc((void **)&r->in, COUNT * 4, 0) ||
				  r->gpu->malloc((void **)&r->out, RING * COUNT * 4, 0) ||
				  r->gpu->malloc((void **)&r->other, RING * COUNT * 4, 0)))
		status = SCCL_SYSTEM;
	return status;
}

/* Rank 3 comes late, when the others are a hundred calls ahead, and gives call 5 another count: it must notice before it
 * writes. */
static sccl_status_t is_late_and_differs(uint32_t number, const sccl_bootstrap_t *b)
{
	enum { CALLS = 100, OTHER = 5 };
	struct rank r;
	sccl_status_t status = settle_in(&r, "GPU_PROGRAM", number, b);

	for (int i = 0; status == SCCL_OK && i < RING * COUNT; i++)
		r.other[i] = -1;
	if (number == 3)
		clock_sleep(400000);
	for (int call = 0; call < CALLS && status == SCCL_OK; call++)
		status = sccl_run(r.plan, r.in, call < OTHER ? r.out : r.other, COUNT - (number == 3 && call >= OTHER), r.stream);
	for (int i = 0; i < 2000 && sccl_comm_status(r.comm, NULL, 0) == SCCL_OK; i++)
		clock_sleep(5000);
	r.gpu->stream_wait(r.stream);
	status = sccl_comm_status(r.comm, NULL, 0);
	for (int i = 0; number == 3 && i < RING * COUNT; i++)
		if (r.other[i] != -1)
			status = SCCL_STATUSES;
	return status;
}

Test(gpu_order, a_rank_that_is_far_behind_writes_nothing_if_its_call_differs)
{
	struct outcome out[RING];
	in_processes(is_late_and_differs, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_MISMATCH), "rank %d: %s", r, out[r].text);
}

/* Rank 0 sends what the others wait for, and ends; their GPUs are given to something else in the meantime. */
static sccl_status_t ends_in_order(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_status_t status = settle_in(&r, "GPU_BROADCAST", number, b);

	if (status != SCCL_OK)
		return status;
	if (number == 0)
		clock_sleep(300000);
	status = sccl_run(r.plan, r.in, r.out, COUNT, r.stream);
	if (number != 0) {
		clock_sleep(200000); /* their waits are told by now */
		standInFreeze(1);
		clock_sleep(800000);
		standInFreeze(0);
	}
	r.gpu->stream_wait(r.stream);
	if (status == SCCL_OK)
		status = sccl_comm_status(r.comm, NULL, 0);
	sccl_plan_free(r.plan);
	sccl_comm_free(r.comm);
	return status;
}

Test(gpu_order, a_rank_that_ends_in_order_kills_nobody)
{
	struct outcome out[RING];
	in_processes(ends_in_order, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

/* ---- the default number of blocks ---- */

/* WIDTH: the bandwidth of the program's widest link, which needs as many blocks; 0: as generated. */
static void expect_blocks(const char *capabilities, bool by_nvlink, uint32_t width, uint32_t asked, uint32_t most, uint32_t expected)
{
	static const int devices[RING] = {0, 1, 0, 1};
	sccl_comm_options_t options = {.target = "cuda", .timeout = 5, .max_blocks = most};
	sccl_plan_options_t how = {.blocks = asked};
	sccl_program_t program = *stand_in_program("GPU_PROGRAM");
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING];

	if (width)
		program.width = width;
	(void)(capabilities ? setenv("STAND_IN_CAPABILITIES", capabilities, 1) : unsetenv("STAND_IN_CAPABILITIES"));
	(void)(by_nvlink ? unsetenv("STAND_IN_PCIE") : setenv("STAND_IN_PCIE", "1", 1));
	cr_assert(eq(int, sccl_comms_create(comms, RING, devices, &options), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(int, sccl_plans_create(plans, comms, RING, &program, SCCL_F32, SCCL_SUM, COUNT, &how), SCCL_OK),
	          "%s", sccl_error_text());
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(u32, plans[r]->blocks, expected));
		sccl_plan_free(plans[r]);
	}
	sccl_comms_free(comms, RING);
}

Test(gpu_order, the_number_of_blocks_is_the_machine_s_unless_it_is_given)
{
	expect_blocks(NULL, true, 0, 0, 0, 16);
	expect_blocks("80,80", true, 0, 0, 0, 16);
	expect_blocks("90,90", true, 0, 0, 0, 32);
	expect_blocks("90,90", false, 0, 0, 0, 16);  /* PCIe */
	expect_blocks("100,90", true, 0, 0, 0, 32);
	expect_blocks("90,80", true, 0, 0, 0, 16);   /* the same on all ranks */
	expect_blocks("90,90", true, 0, 5, 0, 5);
	expect_blocks("90,90", true, 0, 0, 24, 24);
	expect_blocks(NULL, true, 20, 0, 0, 20);     /* wide links */
	expect_blocks(NULL, true, 20, 0, 18, 18);
	expect_blocks(NULL, true, 20, 5, 0, 5);
	expect_blocks("90,90", true, 20, 0, 0, 32);
}

/* More blocks than the GPU holds at once take turns. */
Test(gpu_order, as_many_blocks_as_fit_run_at_once)
{
	static struct set s;

	setenv("STAND_IN_CAPABILITIES", "90,90", 1);
	open_set(&s, NULL);
	cr_expect(eq(u32, s.plans[0]->blocks, 32));
	cr_expect(lt(u32, s.plans[0]->resident, 32));
	for (int call = 0; call < 3; call++) {
		fill(&s, 10 * call);
		run_late(&s, COUNT, 0);
		for (int r = 0; r < RING; r++)
			cr_expect(eq(int, wrong(&s, r, 10 * call), 0), "call %d, rank %d", call, r);
	}
	close_set(&s);
}
