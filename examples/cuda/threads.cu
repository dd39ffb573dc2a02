/*
 * A sample application: one process with four ranks, one thread each, distributed over the available GPUs. They sum
 * vectors with a generated program: `make`, then `./threads`. Several ranks may share a GPU.
 */

#include "complete_4_allreduce_c4_s2_r2.h"

#include <sccl/sccl.h>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static const uint32_t RANKS = 4;
static const size_t COUNT = 1 << 20;
static const int CALLS = 10;

/* Any failure ends all ranks, since they are one process. */
static void check(sccl_status_t status)
{
	if (status == SCCL_OK)
		return;
	std::fprintf(stderr, "%s: %s\n", sccl_status_text(status), sccl_error_text());
	std::exit(1);
}

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
	std::exit(1);
}

struct rank {
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	sccl_memory_t *memory;
	cudaStream_t stream;
	float *in, *out;
};

/* All memory is allocated before the first call: an allocation may make the driver wait for running kernels, and those
 * for their peers. */
static void prepare(struct rank &r, sccl_group_t *group, uint32_t rank, int device)
{
	sccl_comm_options_t options = {};

	options.target = "cuda";
	options.timeout = 30;
	options.device = device;
	check(cudaSetDevice(device));
	check(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
	check(cudaMalloc(&r.in, COUNT * sizeof(float)));

	check(sccl_group_join(group, rank, &r.bootstrap));
	check(sccl_comm_create(&r.comm, rank, RANKS, &r.bootstrap, &options));
	check(sccl_plan_create(&r.plan, r.comm, &complete_4_allreduce_c4_s2_r2, SCCL_F32, SCCL_SUM, COUNT, nullptr));
	check(sccl_memory_create(&r.memory, r.comm, COUNT * sizeof(float)));
	r.out = static_cast<float *>(sccl_memory_at(r.memory, 0)); /* peers write here directly: no copy at the end */
}

/* Nothing is freed until the calls of all ranks have ended. */
static void leave(struct rank &r)
{
	if (r.bootstrap.barrier(r.bootstrap.context) != 0)
		std::exit(1);
	sccl_memory_free(r.memory);
	sccl_plan_free(r.plan);
	sccl_comm_free(r.comm);
	check(cudaFree(r.in));
	check(cudaStreamDestroy(r.stream));
}

/* Calls follow each other on the stream; the CPU waits only once, at the end. */
static void work(sccl_group_t *group, uint32_t rank, int device)
{
	struct rank r = {};
	std::vector<float> values(COUNT, static_cast<float>(rank + 1));
	char what[256];
	size_t wrong = 0;

	prepare(r, group, rank, device);
	check(cudaMemcpyAsync(r.in, values.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice, r.stream));
	for (int call = 0; call < CALLS; call++)
		check(sccl_run(r.plan, r.in, r.out, COUNT, r.stream));
	check(cudaMemcpyAsync(values.data(), r.out, COUNT * sizeof(float), cudaMemcpyDeviceToHost, r.stream));
	check(cudaStreamSynchronize(r.stream));
	if (sccl_comm_status(r.comm, what, sizeof what) != SCCL_OK) { /* errors that occurred on the device */
		std::fprintf(stderr, "rank %u: %s\n", rank, what);
		std::exit(1);
	}
	for (float value : values)
		wrong += value != 10;
	std::printf("rank %u on GPU %d: %d sums of %zu floats, %zu elements wrong\n", rank, device, CALLS, COUNT, wrong);
	leave(r);
	if (wrong != 0)
		std::exit(1);
}

int main()
{
	std::vector<std::thread> ranks;
	sccl_group_t *group;
	int devices;

	check(cudaGetDeviceCount(&devices));
	check(sccl_group_create(&group, RANKS, 60));
	for (uint32_t rank = 0; rank < RANKS; rank++)
		ranks.emplace_back(work, group, rank, static_cast<int>(rank) % devices);
	for (std::thread &rank : ranks)
		rank.join();
	sccl_group_free(group);
	return 0;
}
