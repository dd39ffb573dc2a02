/*
 * A sample application: four processes sum their vectors over two networks at once, NVLink and PCIe. Each network has
 * its own program and communicator, and handles its own part of the same buffer.
 *
 *   usage: beside [COUNT [FIRST]]
 *
 * The first FIRST of COUNT elements go to the first program; `sccl-synth build --beside` computes the best split.
 */

#include "dgx1_pcie_gpus_0_1_2_3_allreduce_c20_s6_r6_ring.h"
#include "p3_8xlarge_allreduce_c16_s6_r6_ring.h"

#include <sccl/sccl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 4, CALLS = 10, NETWORKS = 2 };

static const sccl_program_t *const programs[NETWORKS] = {&p3_8xlarge_allreduce_c16_s6_r6_ring,
							 &dgx1_pcie_gpus_0_1_2_3_allreduce_c20_s6_r6_ring};

/* A rank's state for one of the networks. */
struct share {
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	float *x;        /* start of this part in the buffer */
	uint64_t count;
	sccl_status_t status;
};

/* Flags belong to a communicator: calls on one communicator run one after another, calls on two run concurrently. */
static sccl_status_t prepare(struct share *s, sccl_group_t *group, uint32_t rank, const sccl_program_t *program)
{
	static const sccl_comm_options_t options = {.target = "host", .timeout = 30};
	sccl_status_t status = sccl_group_join(group, rank, &s->bootstrap);

	if (status == SCCL_OK)
		status = sccl_comm_create(&s->comm, rank, RANKS, &s->bootstrap, &options);
	if (status == SCCL_OK)
		status = sccl_plan_create(&s->plan, s->comm, program, SCCL_F32, SCCL_SUM, s->count, NULL);
	return status;
}

/* On the host, a call occupies the calling thread; on GPUs two streams would suffice. */
static void *call(void *of)
{
	struct share *s = of;

	s->status = sccl_run(s->plan, s->x, s->x, s->count, NULL);
	return NULL;
}

static sccl_status_t call_both(struct share *shares)
{
	pthread_t other;

	if (pthread_create(&other, NULL, call, &shares[1]))
		return SCCL_SYSTEM;
	call(&shares[0]);
	pthread_join(other, NULL);
	return shares[0].status != SCCL_OK ? shares[0].status : shares[1].status;
}

static sccl_status_t compute(struct share *shares, uint32_t rank, uint64_t count, uint64_t *wrong)
{
	float *x = shares[0].x;

	for (int n = 0; n < CALLS; n++) {
		for (uint64_t i = 0; i < count; i++)
			x[i] = (float)((rank + 1) * (i % 1000));
		sccl_status_t status = call_both(shares);
		if (status != SCCL_OK)
			return status;
		for (uint64_t i = 0; i < count; i++)
			*wrong += x[i] != (float)(10 * (i % 1000));
	}
	return SCCL_OK;
}

/* Returns a rank's exit status. */
static int work(sccl_group_t *const *groups, uint32_t rank, uint64_t count, uint64_t first)
{
	float *x = malloc(count * sizeof *x);
	struct share shares[NETWORKS] = {{.x = x, .count = first}, {.x = x ? x + first : NULL, .count = count - first}};
	sccl_status_t status = x ? SCCL_OK : SCCL_SYSTEM;
	uint64_t wrong = 0;

	for (int n = 0; n < NETWORKS && status == SCCL_OK; n++)
		status = prepare(&shares[n], groups[n], rank, programs[n]);
	if (status == SCCL_OK)
		status = compute(shares, rank, count, &wrong);
	if (status != SCCL_OK)
		fprintf(stderr, "rank %u: %s: %s\n", rank, sccl_status_text(status), sccl_error_text());
	else
		printf("rank %u: %d sums of %llu and %llu floats, %llu elements wrong\n", rank, CALLS, (unsigned long long)first,
		       (unsigned long long)(count - first), (unsigned long long)wrong);
	fflush(stdout);
	for (int n = 0; n < NETWORKS; n++) {
		sccl_plan_free(shares[n].plan);
		sccl_comm_free(shares[n].comm);
	}
	free(x);
	return status != SCCL_OK || wrong != 0;
}

static int start(sccl_group_t *const *groups, uint64_t count, uint64_t first)
{
	int failed = 0, status;

	for (uint32_t rank = 0; rank < RANKS; rank++) {
		pid_t child = fork();
		if (child == 0)
			_exit(work(groups, rank, count, first));
		if (child < 0) { /* the ranks already started give up after their 30-second timeout */
			perror("beside: fork");
			failed = 1;
			break;
		}
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}

int main(int argc, char **argv)
{
	char *end = "", *first_end = "";
	long long count = argc > 1 ? strtoll(argv[1], &end, 10) : 100000;
	long long first = argc > 2 ? strtoll(argv[2], &first_end, 10) : count / 10 * 9;
	sccl_group_t *groups[NETWORKS];

	if (*end || *first_end || count < 1 || count > 1 << 30 || first < 0 || first > count) {
		fprintf(stderr, "beside: COUNT is a number from 1 to %d, FIRST one from 0 to COUNT\n", 1 << 30);
		return 2;
	}
	for (int n = 0; n < NETWORKS; n++)
		if (sccl_group_create(&groups[n], RANKS, 30) != SCCL_OK) { /* before the ranks are forked */
			fprintf(stderr, "beside: %s\n", sccl_error_text());
			return 1;
		}
	int failed = start(groups, (uint64_t)count, (uint64_t)first);
	for (int n = 0; n < NETWORKS; n++)
		sccl_group_free(groups[n]);
	return failed;
}
