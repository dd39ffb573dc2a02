#include "quad_allreduce_c4_s2_r4.h"

#include <sccl/sccl.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

enum { RANKS = 4, COUNT = 1000000 };

int main()
{
	const int devices[RANKS] = {0, 1, 2, 3};
	sccl_comm_options_t options = {};
	sccl_comm_t *comms[RANKS];
	sccl_memory_t *memories[RANKS];
	sccl_plan_t *plans[RANKS];
	void *buffers[RANKS];
	sccl_stream_t streams[RANKS];
	sccl_status_t status;
	float sum = 0;

	options.target = "cuda";
	status = sccl_comms_create(comms, RANKS, devices, &options);
	if (status == SCCL_OK)
		status = sccl_memories_create(memories, comms, RANKS, NULL, COUNT * sizeof(float));
	if (status == SCCL_OK)
		status = sccl_plans_create(plans, comms, RANKS, &quad_allreduce_c4_s2_r4, SCCL_F32, SCCL_SUM, COUNT, NULL);
	if (status == SCCL_OK) {
		for (int r = 0; r < RANKS; r++) {
			std::vector<float> x(COUNT, (float)(r + 1));
			cudaStream_t stream;
			cudaSetDevice(devices[r]);
			cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
			streams[r] = stream;
			buffers[r] = sccl_memory_at(memories[r], 0);
			cudaMemcpy(buffers[r], x.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice);
		}
		status = sccl_run_all(plans, RANKS, buffers, buffers, COUNT, streams);
	}
	if (status != SCCL_OK) {
		std::fprintf(stderr, "app: %s: %s\n", sccl_status_text(status), sccl_error_text());
		return 1;
	}
	for (int r = 0; r < RANKS; r++)
		cudaStreamSynchronize((cudaStream_t)streams[r]);
	cudaMemcpy(&sum, (float *)buffers[3] + COUNT - 1, sizeof sum, cudaMemcpyDeviceToHost);
	std::printf("1 + 2 + 3 + 4 = %g\n", sum);
	return 0;
}
