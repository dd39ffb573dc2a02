/*
 * A program as any that uses NCCL, on GPUs: one process, N ranks, a GPU each (in turn where there are fewer, which only a
 * library that stands in for NCCL accepts). Whole numbers, so that every order of summation gives the same. It knows
 * nothing of this project; whoever serves the calls, results must be right.
 */

#include "runtime/nccl/abi.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int n, const int *devices);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
ncclResult_t ncclAllReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, ncclStream_t);
ncclResult_t ncclAllGather(const void *, void *, size_t, ncclDataType_t, ncclComm_t, ncclStream_t);
ncclResult_t ncclReduceScatter(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, ncclStream_t);
ncclResult_t ncclBroadcast(const void *, void *, size_t, ncclDataType_t, int, ncclComm_t, ncclStream_t);
ncclResult_t ncclReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t, ncclStream_t);
}

static const size_t MOST = 1 << 20;
static const int RANKS_MAX = 64, CALLS = 20;

static void check_at(cudaError_t error, int line)
{
	if (error == cudaSuccess)
		return;
	std::fprintf(stderr, "nccl: line %d: %s\n", line, cudaGetErrorString(error));
	std::exit(4);
}
static void check_at(ncclResult_t result, int line)
{
	if (result == ncclSuccess)
		return;
	std::fprintf(stderr, "nccl: line %d: NCCL's error %d\n", line, static_cast<int>(result));
	std::exit(4);
}
#define CHECK(call) check_at(call, __LINE__)

struct rank {
	int number, device;
	ncclComm_t comm;
	cudaStream_t stream;
	int32_t *in, *out;
};

static std::vector<rank> ranks;
static int failures;

static int32_t value(size_t number, size_t i)
{
	return static_cast<int32_t>(number * 1000 + i % 997);
}

static int32_t sum_of(size_t i)
{
	int32_t sum = 0;
	for (size_t r = 0; r < ranks.size(); r++)
		sum += value(r, i);
	return sum;
}

static void settle(rank &r)
{
	std::vector<int32_t> values(MOST);

	for (size_t i = 0; i < MOST; i++)
		values[i] = value(static_cast<size_t>(r.number), i);
	CHECK(cudaSetDevice(r.device));
	CHECK(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&r.in, MOST * sizeof *r.in));
	CHECK(cudaMalloc(&r.out, MOST * sizeof *r.out));
	CHECK(cudaMemcpy(r.in, values.data(), MOST * sizeof *r.in, cudaMemcpyHostToDevice));
}

/* The call of every rank in a group, CALLS times; then what each has of N elements. EXPECTED(rank, i). */
template <typename call_t, typename expected_t>
static void expect(const char *what, size_t n, call_t call, expected_t expected, int only)
{
	std::vector<int32_t> values(MOST);

	for (rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		CHECK(cudaMemset(r.out, 0xff, MOST * sizeof *r.out));
		CHECK(cudaDeviceSynchronize());
	}
	for (int i = 0; i < CALLS; i++) {
		CHECK(ncclGroupStart());
		for (rank &r : ranks)
			CHECK(call(r));
		CHECK(ncclGroupEnd());
	}
	for (rank &r : ranks) {
		size_t wrong = 0;
		CHECK(cudaSetDevice(r.device));
		CHECK(cudaStreamSynchronize(r.stream));
		CHECK(cudaMemcpy(values.data(), r.out, n * sizeof *r.out, cudaMemcpyDeviceToHost));
		for (size_t i = 0; i < n && (only < 0 || r.number == only); i++)
			wrong += values[i] != expected(static_cast<size_t>(r.number), i);
		if (wrong > 0)
			std::fprintf(stderr, "nccl: %s of %zu, rank %d: %zu elements wrong\n", what, n, r.number, wrong);
		failures += wrong > 0;
	}
	std::printf("%s of %zu\n", what, n);
}

static void work(size_t n)
{
	size_t share = n / ranks.size();
	auto summed = [](size_t, size_t i) { return sum_of(i); };

	expect("allreduce", n, [=](rank &r) { return ncclAllReduce(r.in, r.out, n, ncclInt32, ncclSum, r.comm, r.stream); },
	       summed, -1);
	expect("allgather", share * ranks.size(),
	       [=](rank &r) { return ncclAllGather(r.in, r.out, share, ncclInt32, r.comm, r.stream); },
	       [=](size_t, size_t i) { return value(i / share, i % share); }, -1);
	expect("reducescatter", share,
	       [=](rank &r) { return ncclReduceScatter(r.in, r.out, share, ncclInt32, ncclSum, r.comm, r.stream); },
	       [=](size_t me, size_t i) { return sum_of(me * share + i); }, -1);
	expect("broadcast", n, [=](rank &r) { return ncclBroadcast(r.in, r.out, n, ncclInt32, 0, r.comm, r.stream); },
	       [](size_t, size_t i) { return value(0, i); }, -1);
	expect("reduce", n, [=](rank &r) { return ncclReduce(r.in, r.out, n, ncclInt32, ncclSum, 0, r.comm, r.stream); }, summed, 0);
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? std::atoi(argv[1]) : 0, devices;

	if (n < 1 || n > RANKS_MAX) {
		std::fprintf(stderr, "usage: nccl RANKS\n");
		return 2;
	}
	CHECK(cudaGetDeviceCount(&devices));
	std::vector<ncclComm_t> comms(static_cast<size_t>(n));
	std::vector<int> places;
	for (int i = 0; i < n; i++)
		places.push_back(i % devices);
	CHECK(ncclCommInitAll(comms.data(), n, places.data()));
	for (int i = 0; i < n; i++)
		ranks.push_back({i, places[static_cast<size_t>(i)], comms[static_cast<size_t>(i)], nullptr, nullptr, nullptr});
	for (rank &r : ranks)
		settle(r);
	for (size_t amount : {static_cast<size_t>(64), static_cast<size_t>(1000), MOST})
		work(amount);
	for (rank &r : ranks)
		CHECK(ncclCommDestroy(r.comm));
	return failures ? 1 : 0;
}
