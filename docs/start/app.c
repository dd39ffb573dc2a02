#include "quad_allreduce_c4_s2_r4.h"

#include <sccl/sccl.h>
#include <stdio.h>

enum { RANKS = 4, COUNT = 1000000 };

int main(void)
{
	sccl_comm_t *comms[RANKS];
	sccl_memory_t *memories[RANKS];
	sccl_plan_t *plans[RANKS];
	void *buffers[RANKS];
	sccl_status_t status;

	status = sccl_comms_create(comms, RANKS, NULL, NULL);
	if (status == SCCL_OK)
		status = sccl_memories_create(memories, comms, RANKS, NULL, COUNT * sizeof(float));
	if (status == SCCL_OK)
		status = sccl_plans_create(plans, comms, RANKS, &quad_allreduce_c4_s2_r4, SCCL_F32, SCCL_SUM, COUNT, NULL);
	if (status == SCCL_OK) {
		for (int r = 0; r < RANKS; r++) {
			float *x = buffers[r] = sccl_memory_at(memories[r], 0);
			for (int i = 0; i < COUNT; i++)
				x[i] = (float)(r + 1);
		}
		status = sccl_run_all(plans, RANKS, (const void *const *)buffers, buffers, COUNT, NULL);
	}
	if (status != SCCL_OK) {
		fprintf(stderr, "app: %s: %s\n", sccl_status_text(status), sccl_error_text());
		return 1;
	}
	printf("1 + 2 + 3 + 4 = %g\n", ((float *)buffers[3])[COUNT - 1]);
	for (int r = 0; r < RANKS; r++) {
		sccl_plan_free(plans[r]);
		sccl_memory_free(memories[r]);
	}
	sccl_comms_free(comms, RANKS);
	return 0;
}
