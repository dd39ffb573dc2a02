#include "tests/runtime/gpu/stand_in.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(gpu_multimem, .description = "memory for switches that copy and add", .timeout = 60);

enum { COUNT = 10007 };

struct rank {
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	sccl_memory_t *in, *out;
	const struct gpu_driver *gpu;
	sccl_stream_t stream;
};

static sccl_status_t settle_in(struct rank *r, uint32_t number, const sccl_bootstrap_t *b)
{
	sccl_comm_options_t options = {.target = "cuda", .timeout = 5, .device = (int)number};
	sccl_status_t status = sccl_comm_create(&r->comm, number, RING, b, &options);

	if (status == SCCL_OK)
		status = sccli_gpu_driver("cuda", &r->gpu);
	if (status == SCCL_OK && (r->gpu->set_device((int)number) != 0 || r->gpu->stream_create(&r->stream, GPU_STREAM_APART) != 0))
		status = SCCL_SYSTEM;
	return status;
}

static sccl_status_t make_plan(struct rank *r)
{
	sccl_plan_options_t options = {.protocol = SCCL_MULTIMEM};
	return sccl_plan_create(&r->plan, r->comm, stand_in_program("GPU_SWITCHED"), SCCL_F32, SCCL_SUM, COUNT, &options);
}

static sccl_status_t call(struct rank *r, uint32_t number)
{
	float *in = sccl_memory_at(r->in, 0), *out = sccl_memory_at(r->out, 0);

	for (int i = 0; i < COUNT; i++)
		in[i] = (float)(number + (uint32_t)i % 10);
	sccl_status_t status = sccl_run(r->plan, in, out, COUNT, r->stream);
	r->gpu->stream_wait(r->stream);
	for (int i = 0; i < COUNT && status == SCCL_OK; i++)
		if (out[i] != (float)(6 + 4 * (i % 10)))
			status = SCCL_STATUSES;
	return status == SCCL_OK ? sccl_comm_status(r->comm, NULL, 0) : status;
}

/* Memory that is older than the plan joins when that is made, and younger memory at once. */
static sccl_status_t all_by_switches(uint32_t number, const sccl_bootstrap_t *b)
{
	struct rank r = {0};
	sccl_status_t status = settle_in(&r, number, b);

	if (status == SCCL_OK)
		status = sccl_memory_create(&r.in, r.comm, COUNT * 4);
	if (status == SCCL_OK)
		status = make_plan(&r);
	if (status == SCCL_OK)
		status = sccl_memory_create(&r.out, r.comm, COUNT * 4);
	unsigned before = standInMulticasts();
	for (int i = 0; i < 5 && status == SCCL_OK; i++)
		status = call(&r, number);
	if (status == SCCL_OK && standInMulticasts() - before < 5 * COUNT / 4 / RING)
		status = SCCL_STATUSES;
	sccl_plan_free(r.plan);
	sccl_memory_free(r.out);
	sccl_memory_free(r.in);
	sccl_comm_free(r.comm);
	return status;
}

static void expect_all(void (*run)(part_t part, struct outcome *), sccl_status_t status, const char *text)
{
	struct outcome out[RING];

	setenv("STAND_IN_GPUS", "4", 1);
	run(all_by_switches, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, status), "rank %d: %s", r, out[r].text);
	cr_expect(ne(ptr, strstr(out[1].text, text), NULL), "%s", out[1].text);
}

Test(gpu_multimem, processes_pass_the_object_as_a_file)
{
	expect_all(in_processes, SCCL_OK, "");
}

Test(gpu_multimem, or_as_a_fabric_handle)
{
	setenv("STAND_IN_FABRIC", "1", 1);
	setenv("STAND_IN_NO_FILES", "1", 1);
	expect_all(in_processes, SCCL_OK, "");
}

Test(gpu_multimem, threads_do_so_too)
{
	expect_all(in_threads, SCCL_OK, "");
}

Test(gpu_multimem, all_ranks_learn_what_one_lacks)
{
	setenv("STAND_IN_NO_MULTICAST", "1", 1);
	expect_all(in_processes, SCCL_UNSUPPORTED, "at no switch that copies and adds");
}

Test(gpu_multimem, without_memory_of_cuMemCreate_there_is_no_binding)
{
	setenv("STAND_IN_NO_VIRTUAL", "1", 1);
	expect_all(in_processes, SCCL_SYSTEM, "cannot ");
}
