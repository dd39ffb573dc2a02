/*
 * A sample application: four processes sum their vectors in place with a generated program. README.md has the commands.
 *
 *   usage: processes [COUNT]
 */

#include "complete_4_allreduce_c4_s2_r2.h"

#include <sccl/sccl.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 4, CALLS = 10 };

/* A rank's objects, all NULL until created. */
struct rank {
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	sccl_memory_t *memory;
	sccl_plan_t *plan;
};

/* Setup, done once: the ranks meet, allocate memory that all of them can write into, and prepare the program for a
 * type, an operation and a maximum count. Each step succeeds on all ranks or fails on all of them, so no rank waits for
 * one that has given up. */
static sccl_status_t prepare(struct rank *r, sccl_group_t *group, uint32_t rank, uint64_t count)
{
	static const sccl_comm_options_t options = {.target = "host", .timeout = 30};
	sccl_status_t status = sccl_group_join(group, rank, &r->bootstrap);

	if (status == SCCL_OK)
		status = sccl_comm_create(&r->comm, rank, RANKS, &r->bootstrap, &options);
	if (status == SCCL_OK)
		status = sccl_memory_create(&r->memory, r->comm, (size_t)count * sizeof(float));
	if (status == SCCL_OK)
		status = sccl_plan_create(&r->plan, r->comm, &complete_4_allreduce_c4_s2_r2, SCCL_F32, SCCL_SUM, count, NULL);
	return status;
}

/* May be repeated any number of times. An error that ends the call on one rank ends it on all, so no rank is left
 * waiting. */
static sccl_status_t compute(struct rank *r, uint32_t rank, uint64_t count, uint64_t *wrong)
{
	float *x = sccl_memory_at(r->memory, 0);

	for (int call = 0; call < CALLS; call++) {
		for (uint64_t i = 0; i < count; i++)
			x[i] = (float)((rank + 1) * (i % 1000));
		sccl_status_t status = sccl_run(r->plan, x, x, count, NULL);
		if (status != SCCL_OK)
			return status;
		for (uint64_t i = 0; i < count; i++)
			*wrong += x[i] != (float)(10 * (i % 1000));
	}
	return SCCL_OK;
}

/* Returns a rank's exit status. */
static int work(sccl_group_t *group, uint32_t rank, uint64_t count)
{
	struct rank r = {0};
	uint64_t wrong = 0;
	sccl_status_t status = prepare(&r, group, rank, count);

	if (status == SCCL_OK)
		status = compute(&r, rank, count, &wrong);
	if (status != SCCL_OK)
		fprintf(stderr, "rank %u: %s: %s\n", rank, sccl_status_text(status), sccl_error_text());
	else
		printf("rank %u: %d sums of %llu floats, %llu elements wrong\n", rank, CALLS, (unsigned long long)count,
		       (unsigned long long)wrong);
	fflush(stdout);
	sccl_plan_free(r.plan);
	sccl_memory_free(r.memory);
	sccl_comm_free(r.comm);
	return status != SCCL_OK || wrong != 0;
}

int main(int argc, char **argv)
{
	char *end = "";
	long long count = argc > 1 ? strtoll(argv[1], &end, 10) : 100000;
	sccl_group_t *group;
	int failed = 0, status;

	if (*end || count < 1 || count > 1 << 30) {
		fprintf(stderr, "processes: COUNT is a number from 1 to %d\n", 1 << 30);
		return 2;
	}
	if (sccl_group_create(&group, RANKS, 30) != SCCL_OK) { /* before the ranks are forked */
		fprintf(stderr, "processes: %s\n", sccl_error_text());
		return 1;
	}
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		pid_t child = fork();
		if (child == 0)
			_exit(work(group, rank, (uint64_t)count));
		if (child < 0) { /* the ranks already started give up after their 30-second timeout */
			perror("processes: fork");
			failed = 1;
			break;
		}
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	sccl_group_free(group);
	return failed;
}
