#include "runtime/gpu/gpu_virtual.h"
#include "tests/runtime/gpu/stand_in.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(gpu_reach, .description = "how ranks reach each other's GPU memory, and when it is freed", .timeout = 120);

enum { COUNT = 1000 };

struct rank {
	uint32_t number;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	const struct gpu_driver *gpu;
	sccl_stream_t stream;
	float *in, *out;
};

static sccl_status_t make_plan(struct rank *r, sccl_plan_t **plan)
{
	return sccl_plan_create(plan, r->comm, stand_in_program("GPU_PROGRAM"), SCCL_F32, SCCL_SUM, COUNT, NULL);
}

static sccl_status_t settle_in(struct rank *r, uint32_t number, const sccl_bootstrap_t *b)
{
	sccl_comm_options_t options = {.target = "cuda", .timeout = 5, .device = (int)number % 2};
	sccl_status_t status = sccl_comm_create(&r->comm, number, RING, b, &options);

	r->number = number;
	if (status == SCCL_OK)
		status = make_plan(r, &r->plan);
	if (status == SCCL_OK)
		status = sccli_gpu_driver("cuda", &r->gpu);
	if (status == SCCL_OK && (r->gpu->stream_create(&r->stream, GPU_STREAM_APART) || r->gpu->malloc((void **)&r->in, COUNT * 4, 0) ||
				  standInMallocPooled((void **)&r->out, RING * COUNT * 4)))
		status = SCCL_SYSTEM;
	for (int i = 0; status == SCCL_OK && i < COUNT; i++)
		r->in[i] = (float)(1000 * number + (uint32_t)i % 10);
	return status;
}

/* SCCL_STATUSES if the result is wrong. */
static sccl_status_t finish(struct rank *r)
{
	r->gpu->stream_wait(r->stream);
	sccl_status_t status = sccl_comm_status(r->comm, NULL, 0);
	for (int i = 0; status == SCCL_OK && i < RING * COUNT; i++)
		if (r->out[i] != (float)(1000 * (i / COUNT) + i % COUNT % 10))
			return SCCL_STATUSES;
	return status;
}

static sccl_status_t call(struct rank *r)
{
	sccl_status_t status = sccl_run(r->plan, r->in, r->out, COUNT, r->stream);
	return status == SCCL_OK ? finish(r) : status;
}

static void leave(struct rank *r)
{
	sccl_plan_free(r->plan);
	sccl_comm_free(r->comm);
}

static bool describes(const struct rank *r, const char *what)
{
	char text[512];
	bool right = sccl_plan_describe(r->plan, text, sizeof text) == SCCL_OK && strstr(text, what) != NULL;
	if (!right)
		fprintf(stderr, "%s\n", text);
	return right;
}

static void expect_all(const struct outcome out[RING], sccl_status_t status)
{
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, status), "rank %d: %s", r, out[r].text);
}

/* Their output is registered, though it has no IPC handle. */
static sccl_status_t are_threads(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_memory_t *memory = NULL;
	sccl_status_t status = settle_in(&r, number, b);

	if (status == SCCL_OK)
		status = sccl_memory_register(&memory, r.comm, r.out, RING * COUNT * 4);
	if (status == SCCL_OK)
		status = call(&r);
	if (status == SCCL_OK && (standInExports() != 0 || !describes(&r, number ? "; rank 0, " : "; rank 1, 2, 3 by address")))
		status = SCCL_STATUSES;
	sccl_memory_free(memory);
	leave(&r);
	return status;
}

Test(gpu_reach, threads_export_nothing)
{
	struct outcome out[RING];
	in_threads(are_threads, out);
	expect_all(out, SCCL_OK);
}

static const char *route;

static sccl_status_t are_processes(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_status_t status = settle_in(&r, number, b);

	for (int i = 0; i < 5 && status == SCCL_OK; i++)
		status = call(&r);
	if (status == SCCL_OK && !describes(&r, route))
		status = SCCL_STATUSES;
	leave(&r);
	return status;
}

/* What the driver lacks or has, what the user allows, and the way that is left. */
static const struct {
	const char *set[3], *only, *route;
} ways[] = {
	{{NULL}, NULL, " through files of its memory"},
	{{"STAND_IN_FABRIC"}, NULL, " through files of its memory"},
	{{"STAND_IN_FABRIC", "STAND_IN_NO_IMEX"}, NULL, " through files of its memory"},
	{{"STAND_IN_FABRIC", "STAND_IN_NO_FILES"}, NULL, " through fabric handles"},
	{{"STAND_IN_NO_FILES"}, NULL, " through IPC"},
	{{"STAND_IN_NO_VIRTUAL"}, NULL, " through IPC"},
	{{"STAND_IN_FABRIC", "STAND_IN_NO_IMEX", "STAND_IN_NO_FILES"}, NULL, " through IPC"},
	{{"STAND_IN_NO_VIRTUAL", "STAND_IN_NO_IPC"}, NULL, " through memory of the host"},
	{{"STAND_IN_FABRIC"}, "fabric", " through fabric handles"},
	{{NULL}, "fabric", " through memory of the host"},
	{{NULL}, "ipc", " through IPC"},
	{{NULL}, "host", " through memory of the host"},
};

Test(gpu_reach, processes_reach_memory_in_the_best_way_that_there_is)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct outcome out[RING];
		for (int k = 0; k < 3 && ways[i].set[k]; k++)
			setenv(ways[i].set[k], "1", 1);
		if (ways[i].only)
			setenv("SCCL_GPU_EXPORT", ways[i].only, 1);
		route = ways[i].route;
		in_processes(are_processes, out);
		for (int r = 0; r < RING; r++)
			cr_expect(eq(int, out[r].status, SCCL_OK), "%s: rank %d: %s", route, r, out[r].text);
		for (int k = 0; k < 3 && ways[i].set[k]; k++)
			unsetenv(ways[i].set[k]);
		unsetenv("SCCL_GPU_EXPORT");
	}
}

/* The caller's own memory of cuMemCreate has no IPC handle. */
static sccl_status_t register_virtual(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_memory_t *memory = NULL;
	struct gpu_virtual mine = {0};
	sccl_status_t status = settle_in(&r, number, b);

	if (status == SCCL_OK && sccli_gpu_virtual_create(r.gpu, (int)number % 2, 2 << 20, &mine) != 0)
		status = SCCL_SYSTEM;
	r.out = mine.at;
	if (status == SCCL_OK)
		status = sccl_memory_register(&memory, r.comm, r.out, RING * COUNT * 4);
	for (int i = 0; i < 3 && status == SCCL_OK; i++)
		status = call(&r);
	sccl_memory_free(memory);
	leave(&r);
	return status;
}

Test(gpu_reach, memory_of_cuMemCreate_is_registered_as_a_file)
{
	struct outcome out[RING];
	in_processes(register_virtual, out);
	expect_all(out, SCCL_OK);
}

static sccl_status_t register_a_pool(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_memory_t *memory;
	sccl_status_t status = settle_in(&r, number, b);

	return status == SCCL_OK ? sccl_memory_register(&memory, r.comm, r.out, RING * COUNT * 4) : status;
}

Test(gpu_reach, memory_of_a_pool_is_not_registered_for_other_processes)
{
	struct outcome out[RING];
	in_processes(register_a_pool, out);
	expect_all(out, SCCL_SYSTEM);
	cr_expect(ne(ptr, strstr(out[0].text, "cannot export GPU memory"), NULL), "%s", out[0].text);
}

/* Rank 0 frees a plan and a communicator while its call waits for the others, who make theirs only once it has done so. */
static sccl_status_t frees_before_the_others_call(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_plan_t *other;
	sccl_comm_t *second;
	sccl_comm_options_t options = {.target = "cuda", .device = (int)number % 2};
	sccl_status_t status = settle_in(&r, number, b);

	if (status == SCCL_OK)
		status = make_plan(&r, &other);
	if (status == SCCL_OK)
		status = sccl_comm_create(&second, number, RING, b, &options);
	if (status == SCCL_OK && number == 0)
		status = sccl_run(r.plan, r.in, r.out, COUNT, r.stream);
	if (status != SCCL_OK)
		return status;
	sccl_plan_free(other);
	sccl_comm_free(second);
	if (b->barrier(b->context) != 0)
		return SCCL_BOOTSTRAP;
	status = number == 0 ? finish(&r) : call(&r);
	leave(&r);
	return status;
}

Test(gpu_reach, nothing_is_unmapped_while_a_call_waits)
{
	struct outcome out[RING];
	in_processes(frees_before_the_others_call, out);
	expect_all(out, SCCL_OK);
}

/* Four ranks of one process on one GPU: with a stream to every peer they would have more streams than it has queues. */
static sccl_status_t use_copy_engines(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r;
	sccl_plan_options_t how = {.mode = SCCL_COPY_ENGINES};
	sccl_comm_options_t options = {.target = "cuda", .timeout = 5};
	sccl_status_t status = sccl_comm_create(&r.comm, number, RING, b, &options);

	if (status == SCCL_OK)
		status = sccl_plan_create(&r.plan, r.comm, stand_in_program("GPU_PROGRAM"), SCCL_F32, SCCL_SUM, COUNT, &how);
	if (status == SCCL_OK)
		status = sccli_gpu_driver("cuda", &r.gpu);
	if (status != SCCL_OK)
		return status;
	r.gpu->stream_create(&r.stream, GPU_STREAM_APART);
	r.gpu->malloc((void **)&r.in, COUNT * 4, 0);
	r.gpu->malloc((void **)&r.out, RING * COUNT * 4, 0);
	for (int i = 0; i < COUNT; i++)
		r.in[i] = (float)(1000 * number + (uint32_t)i % 10);
	for (int i = 0; i < 20 && status == SCCL_OK; i++)
		status = call(&r);
	leave(&r);
	return status;
}

Test(gpu_reach, copy_engines_have_no_more_streams_than_queues)
{
	struct outcome out[RING];
	setenv("STAND_IN_GPUS", "1", 1);
	setenv("STAND_IN_QUEUES", "8", 1);
	in_threads(use_copy_engines, out);
	expect_all(out, SCCL_OK);
}

Test(gpu_reach, too_few_queues_are_named)
{
	struct outcome out[RING];
	setenv("STAND_IN_GPUS", "1", 1);
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "7", 1);
	in_threads(use_copy_engines, out);
	expect_all(out, SCCL_UNSUPPORTED);
	cr_expect(ne(ptr, strstr(out[0].text, "GPU 0 has 7 hardware queues"), NULL), "%s", out[0].text);
}
