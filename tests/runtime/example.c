/*
 * An application, to copy from: four processes that sum their vectors with a generated program. Built as
 *
 *   sccl-synth solve -t complete:4 -c allreduce -C 4 -S 2 -R 2 -o sum.json
 *   sccl-synth lower sum.json --target host -o .
 *   cc example.c complete_4_allreduce_c4_s2_r2.c $(pkg-config --cflags --libs sccl)
 */

#include "complete_4_allreduce_c4_s2_r2.h"

#include <sccl/sccl.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 4, COUNT = 100000, CALLS = 10 };

static void check(sccl_status_t status)
{
	if (status == SCCL_OK)
		return;
	fprintf(stderr, "%s: %s\n", sccl_status_text(status), sccl_error_text());
	exit(1);
}

static void work(uint32_t rank, sccl_group_t *group)
{
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	sccl_memory_t *memory;
	sccl_comm_options_t options = {.timeout = 10};

	/* Once: the ranks meet; memory that all can write into; the program made ready for a type, an operation, a size. */
	check(sccl_group_join(group, rank, &bootstrap));
	check(sccl_comm_create(&comm, rank, RANKS, &bootstrap, &options));
	check(sccl_plan_create(&plan, comm, &complete_4_allreduce_c4_s2_r2, SCCL_F32, SCCL_SUM, COUNT, NULL));
	check(sccl_memory_create(&memory, comm, COUNT * sizeof(float)));

	float *in = calloc(COUNT, sizeof *in), *out = sccl_memory_at(memory, 0);
	for (int call = 0; call < CALLS && in; call++) {
		for (int i = 0; i < COUNT; i++)
			in[i] = (float)(rank + 1);
		check(sccl_run(plan, in, out, COUNT, NULL));
		if (out[0] != 10 || out[COUNT - 1] != 10)
			exit(1);
	}
	if (rank == 0)
		printf("1 + 2 + 3 + 4 = %g\n", (double)out[COUNT - 1]);
	free(in);
	sccl_memory_free(memory);
	sccl_plan_free(plan);
	sccl_comm_free(comm);
}

int main(void)
{
	sccl_group_t *group;
	int failed = 0, status;

	check(sccl_group_create(&group, RANKS, 10)); /* before the ranks are born */
	for (uint32_t rank = 0; rank < RANKS; rank++)
		if (fork() == 0) {
			work(rank, group);
			return 0;
		}
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
