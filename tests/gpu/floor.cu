/*
 * What a GPU can do at best, for the figures of the runtime to be put beside: copies within its memory, and how long a
 * flag takes from one block to another and back. A line a figure: `name value unit`. Nothing here waits for ever.
 */

#include <sccl/device.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const int COPIES = 30, GAMES = 7;
static const uint64_t ROUNDS = 20000;
static const long long PATIENCE = 20000000000LL; /* clocks of the GPU: some ten seconds */

static void check_at(cudaError_t error, int line)
{
	if (error == cudaSuccess)
		return;
	std::fprintf(stderr, "floor: line %d: %s\n", line, cudaGetErrorString(error));
	std::exit(4);
}
#define CHECK(call) check_at(call, __LINE__)

static double median_of(std::vector<double> values)
{
	std::sort(values.begin(), values.end());
	return values[values.size() / 2];
}

/* Events around what LAUNCH puts into streams that start after and end before those of the first. Milliseconds. */
struct clock_of_gpu {
	cudaEvent_t begin, end;

	clock_of_gpu()
	{
		CHECK(cudaEventCreate(&begin));
		CHECK(cudaEventCreate(&end));
	}
	~clock_of_gpu()
	{
		cudaEventDestroy(begin);
		cudaEventDestroy(end);
	}
	double milliseconds() const
	{
		float took;
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&took, begin, end));
		return took;
	}
};

/* Bytes are counted twice, for they are read and written. */
static void copy_figures(size_t bytes)
{
	clock_of_gpu clock;
	std::vector<double> speeds;
	uint8_t *from, *to;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&from, bytes));
	CHECK(cudaMalloc(&to, bytes));
	CHECK(cudaMemsetAsync(from, 1, bytes, stream));
	CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
	for (int i = 0; i < COPIES; i++) {
		CHECK(cudaEventRecord(clock.begin, stream));
		CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaEventRecord(clock.end, stream));
		speeds.push_back(2.0 * static_cast<double>(bytes) / clock.milliseconds() / 1e6);
	}
	std::printf("copy-%zuM-best %.1f GB/s\n", bytes >> 20, *std::max_element(speeds.begin(), speeds.end()));
	std::printf("copy-%zuM-median %.1f GB/s\n", bytes >> 20, median_of(speeds));
	CHECK(cudaFree(from));
	CHECK(cudaFree(to));
	CHECK(cudaStreamDestroy(stream));
}

/* The runtime's own stores and loads: flags as the plain protocol has them, and packets. */
struct by_flag {
	static __device__ void post(uint64_t *at, uint64_t value) { sccl_flag_post(at, value); }
	static __device__ int seen(const uint64_t *at, uint64_t value) { return sccl_flag_seen(at, value); }
};
struct by_packet {
	static __device__ void post(uint64_t *at, uint64_t value)
	{
		sccl_packet_post(reinterpret_cast<uint8_t *>(at), static_cast<uint32_t>(value), value);
	}
	static __device__ int seen(const uint64_t *at, uint64_t value)
	{
		uint64_t carried;
		return sccl_packet_seen(reinterpret_cast<const uint8_t *>(at), static_cast<uint32_t>(value), &carried);
	}
};

/* Side 0 serves. The flag that a side reads is MINE, the one that it writes THEIRS. */
template <typename how>
static __device__ void play(int side, uint64_t first, uint64_t *mine, uint64_t *theirs, uint32_t *gave_up)
{
	long long until = clock64() + PATIENCE;

	for (uint64_t round = first; round < first + ROUNDS; round++) {
		if (side == 0)
			how::post(theirs, round);
		while (!how::seen(mine, round))
			if (clock64() > until) {
				*gave_up = 1;
				return;
			}
		if (side == 1)
			how::post(theirs, round);
	}
}

/* Blocks 0 and 1 are the sides where BOTH, else the only block is side SIDE. */
template <typename how>
static __global__ void game(int both, int side, uint64_t first, uint64_t *flag0, uint64_t *flag1, uint32_t *gave_up)
{
	int me = both ? static_cast<int>(blockIdx.x) : side;

	play<how>(me, first, me == 0 ? flag0 : flag1, me == 0 ? flag1 : flag0, gave_up);
}

/* Where the two sides are: a flag in each one's memory, a stream each. */
struct table {
	int device[2];
	uint64_t *flag[2];
	cudaStream_t stream[2];
	uint32_t *gave_up; /* in memory of the processor, that both see */

	table(int first, int second) : device{first, second}
	{
		for (int i = 0; i < 2; i++) {
			CHECK(cudaSetDevice(device[i]));
			CHECK(cudaMalloc(&flag[i], 256));
			CHECK(cudaMemset(flag[i], 0, 256));
			CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
			CHECK(cudaDeviceSynchronize());
		}
		CHECK(cudaHostAlloc(&gave_up, sizeof *gave_up, cudaHostAllocPortable | cudaHostAllocMapped));
		*gave_up = 0;
		CHECK(cudaSetDevice(device[0]));
	}
	~table()
	{
		for (int i = 0; i < 2; i++) {
			cudaSetDevice(device[i]);
			cudaFree(flag[i]);
			cudaStreamDestroy(stream[i]);
		}
		cudaFreeHost(gave_up);
		cudaSetDevice(device[0]);
	}
};

/* Two blocks of one kernel, or a kernel in each of two streams. Microseconds one way. */
template <typename how> static double play_once(const table &t, bool one_kernel, uint64_t first)
{
	clock_of_gpu clock;
	uint64_t *flag0 = t.flag[0], *flag1 = t.flag[1];
	uint32_t *gave_up = t.gave_up;
	int both = one_kernel, side = 0;
	void *arguments[] = {&both, &side, &first, &flag0, &flag1, &gave_up};

	CHECK(cudaEventRecord(clock.begin, t.stream[0]));
	if (one_kernel) { /* cooperative, so that both blocks are there at once */
		CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(game<how>), dim3(2), dim3(1), arguments, 0,
						  t.stream[0]));
	} else {
		game<how><<<1, 1, 0, t.stream[0]>>>(0, 0, first, flag0, flag1, gave_up);
		CHECK(cudaGetLastError());
		CHECK(cudaSetDevice(t.device[1]));
		game<how><<<1, 1, 0, t.stream[1]>>>(0, 1, first, flag0, flag1, gave_up);
		CHECK(cudaGetLastError());
		CHECK(cudaSetDevice(t.device[0]));
	}
	CHECK(cudaEventRecord(clock.end, t.stream[0]));
	double took = clock.milliseconds();
	CHECK(cudaStreamSynchronize(t.stream[1]));
	return took * 1e3 / static_cast<double>(ROUNDS) / 2;
}

template <typename how> static void game_figure(const char *name, int second, bool one_kernel)
{
	table t(0, second);
	std::vector<double> times;
	uint64_t first = 1;

	if (!one_kernel) { /* code is loaded when it is first used, which may wait for kernels that run: not for these */
		cudaFuncAttributes attributes;
		for (int i = 1; i >= 0; i--) {
			CHECK(cudaSetDevice(t.device[i]));
			CHECK(cudaFuncGetAttributes(&attributes, game<how>));
		}
	}
	for (int i = 0; i < GAMES; i++, first += ROUNDS)
		times.push_back(play_once<how>(t, one_kernel, first));
	if (*t.gave_up) {
		std::fprintf(stderr, "floor: %s: the two sides were not there at once\n", name);
		return;
	}
	std::printf("%s-best %.3f us\n%s-median %.3f us\n", name, *std::min_element(times.begin(), times.end()), name,
		    median_of(times));
}

/* The first GPU's first peer that both can reach, 0 where there is none. */
static int find_peer(int devices)
{
	for (int i = 1; i < devices; i++) {
		int there = 0, back = 0;
		CHECK(cudaDeviceCanAccessPeer(&there, 0, i));
		CHECK(cudaDeviceCanAccessPeer(&back, i, 0));
		if (!there || !back)
			continue;
		CHECK(cudaSetDevice(i));
		CHECK(cudaDeviceEnablePeerAccess(0, 0));
		CHECK(cudaSetDevice(0));
		CHECK(cudaDeviceEnablePeerAccess(i, 0));
		return i;
	}
	return 0;
}

int main()
{
	int devices;
	size_t room, all;

	CHECK(cudaGetDeviceCount(&devices));
	CHECK(cudaSetDevice(0));
	CHECK(cudaMemGetInfo(&room, &all));
	for (size_t bytes = static_cast<size_t>(64) << 20; bytes <= static_cast<size_t>(1) << 30 && 2 * bytes < room / 2; bytes *= 2)
		copy_figures(bytes);
	game_figure<by_flag>("flag-blocks", 0, true);
	game_figure<by_flag>("flag-streams", 0, false);
	game_figure<by_packet>("packet-streams", 0, false);
	int peer = find_peer(devices);
	if (peer > 0) {
		game_figure<by_flag>("flag-gpus", peer, false);
		game_figure<by_packet>("packet-gpus", peer, false);
	}
	return 0;
}
