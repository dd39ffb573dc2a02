/*
 * A sample application: four processes sum their vectors over two networks at once, NVLink and PCIe. Each network has
 * its own program and communicator, and handles its own part of the same buffer.
 *
 *   usage: beside [COUNT [FIRST]]
 *          beside COUNT measured [SWITCH]
 *
 * The first FIRST of COUNT elements go to the first program; `sccl-synth build --beside` computes the best split. With
 * `measured` the first calls measure it (Blink, MLSys 2020, section 3.4): the rate of either network, and how long it
 * takes until the second may be used. On GPUs that is to switch off peer access; here a sleep of SWITCH microseconds
 * stands for it.
 */

#include "dgx1_pcie_gpus_0_1_2_3_allreduce_c20_s6_r6_ring.h"
#include "p3_8xlarge_allreduce_c16_s6_r6_ring.h"

#include <sccl/sccl.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 4, CALLS = 10, NETWORKS = 2, TRIES = 3 };

static const sccl_program_t *const programs[NETWORKS] = {&p3_8xlarge_allreduce_c16_s6_r6_ring,
							 &dgx1_pcie_gpus_0_1_2_3_allreduce_c20_s6_r6_ring};

/* A rank's state for one of the networks. */
struct share {
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	float *x;        /* start of this part in the buffer */
	uint64_t count;
	long switching;  /* microseconds until the network may be used, each time anew */
	sccl_status_t status;
};

/* What to do: FIRST of COUNT elements by the first program, or as many as is measured with SWITCHING. */
struct task {
	uint64_t count, first;
	bool measured;
	long switching;
};

/* What the first calls tell of a network: microseconds of a call of no elements and of one more element, and to switch to it. */
struct measured {
	float begins, element, switching;
};

/* Flags belong to a communicator: calls on one communicator run one after another, calls on two run concurrently. */
static sccl_status_t prepare(struct share *s, sccl_group_t *group, uint32_t rank, const sccl_program_t *program,
			     uint64_t most)
{
	static const sccl_comm_options_t options = {.target = "host", .timeout = 30};
	sccl_status_t status = sccl_group_join(group, rank, &s->bootstrap);

	if (status == SCCL_OK)
		status = sccl_comm_create(&s->comm, rank, RANKS, &s->bootstrap, &options);
	if (status == SCCL_OK)
		status = sccl_plan_create(&s->plan, s->comm, program, SCCL_F32, SCCL_SUM, most, NULL);
	return status;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* In place of what makes a network usable, such as cudaDeviceDisablePeerAccess on all pairs. */
static void switch_to(const struct share *s)
{
	struct timespec t = {s->switching / 1000000, s->switching % 1000000 * 1000};

	if (s->switching)
		nanosleep(&t, NULL);
}

/* On the host, a call occupies the calling thread; on GPUs two streams would suffice. */
static void *call(void *of)
{
	struct share *s = of;

	s->status = SCCL_OK;
	if (!s->count)
		return NULL;
	switch_to(s);
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

/* The least time of some calls of COUNT elements. */
static sccl_status_t time_calls(const struct share *s, uint64_t count, double *least)
{
	for (int i = 0; i < TRIES; i++) {
		double begin = now();
		sccl_status_t status = sccl_run(s->plan, s->x, s->x, count, NULL);
		double time = now() - begin;
		if (status != SCCL_OK)
			return status;
		*least = i == 0 || time < *least ? time : *least;
	}
	return SCCL_OK;
}

/* A straight line through the times of a quarter and of all elements, and the time to switch. */
static sccl_status_t measure(const struct share *s, uint64_t count, struct measured *m)
{
	double few = 0, many = 0, begin = now();

	switch_to(s);
	m->switching = (float)(now() - begin);
	sccl_status_t status = time_calls(s, count / 4, &few);
	if (status == SCCL_OK)
		status = time_calls(s, count, &many);
	double element = many > few ? (many - few) / (double)(count - count / 4) : many / (double)count;
	m->element = (float)element;
	m->begins = (float)(many - element * (double)count);
	return status;
}

/* Equation 8: both end at once. All but the second's share is the first's; the times are sums over the ranks. */
static uint64_t first_share(const struct measured *m, uint64_t count)
{
	double rate[] = {1 / (double)m[0].element, 1 / (double)m[1].element}, both = rate[0] + rate[1];
	double wait = (double)m[1].switching + (double)m[1].begins - (double)m[0].switching - (double)m[0].begins;
	double second = (double)count * rate[1] / both - wait * rate[0] * rate[1] / both;

	return second < 1 ? count : second >= (double)count ? 0 : count - (uint64_t)second;
}

/* Measures both networks and splits the buffer. All ranks get the same sums of times, and so the same split. */
static sccl_status_t split(struct share *shares, const struct task *t, uint32_t rank)
{
	struct measured m[NETWORKS];
	sccl_status_t status = SCCL_OK;

	memset(shares[0].x, 0, t->count * sizeof *shares[0].x);
	for (int n = 0; n < NETWORKS && status == SCCL_OK; n++)
		status = measure(&shares[n], t->count, &m[n]);
	if (status == SCCL_OK)
		status = sccl_run(shares[0].plan, m, m, sizeof m / (sizeof(float)), NULL);
	if (status != SCCL_OK)
		return status;
	shares[0].count = first_share(m, t->count);
	shares[1].count = t->count - shares[0].count;
	shares[1].x = shares[0].x + shares[0].count;
	if (rank == 0)
		printf("measured: %.3f and %.3f GB/s, %.0f us to switch: %llu of %llu floats by the first\n", 4 * RANKS / (double)m[0].element / 1e3,
		       4 * RANKS / (double)m[1].element / 1e3, (double)m[1].switching / RANKS, (unsigned long long)shares[0].count,
		       (unsigned long long)t->count);
	return SCCL_OK;
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
static int work(sccl_group_t *const *groups, uint32_t rank, const struct task *t)
{
	float *x = malloc(t->count * sizeof *x);
	struct share shares[NETWORKS] = {{.x = x, .count = t->first}, {.x = x ? x + t->first : NULL, .count = t->count - t->first, .switching = t->switching}};
	sccl_status_t status = x ? SCCL_OK : SCCL_SYSTEM;
	uint64_t wrong = 0;

	if (t->measured)
		shares[1].x = x;
	for (int n = 0; n < NETWORKS && status == SCCL_OK; n++)
		status = prepare(&shares[n], groups[n], rank, programs[n], t->measured ? t->count : shares[n].count);
	if (status == SCCL_OK && t->measured)
		status = split(shares, t, rank);
	if (status == SCCL_OK)
		status = compute(shares, rank, t->count, &wrong);
	if (status != SCCL_OK)
		fprintf(stderr, "rank %u: %s: %s\n", rank, sccl_status_text(status), sccl_error_text());
	else
		printf("rank %u: %d sums of %llu and %llu floats, %llu elements wrong\n", rank, CALLS, (unsigned long long)shares[0].count,
		       (unsigned long long)shares[1].count, (unsigned long long)wrong);
	fflush(stdout);
	for (int n = 0; n < NETWORKS; n++) {
		sccl_plan_free(shares[n].plan);
		sccl_comm_free(shares[n].comm);
	}
	free(x);
	return status != SCCL_OK || wrong != 0;
}

static int start(sccl_group_t *const *groups, const struct task *t)
{
	int failed = 0, status;

	for (uint32_t rank = 0; rank < RANKS; rank++) {
		pid_t child = fork();
		if (child == 0)
			_exit(work(groups, rank, t));
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

static bool number(const char *text, long long least, long long most, long long *out)
{
	char *end;

	*out = strtoll(text, &end, 10);
	return end != text && !*end && *out >= least && *out <= most;
}

int main(int argc, char **argv)
{
	bool measured = argc > 2 && strcmp(argv[2], "measured") == 0;
	long long count = 100000, first = 0, switching = 0;
	sccl_group_t *groups[NETWORKS];

	if (argc > (measured ? 4 : 3) || (argc > 1 && !number(argv[1], measured ? 8 : 1, 1 << 30, &count)) ||
	    (argc > 2 && !measured && !number(argv[2], 0, count, &first)) || (measured && argc > 3 && !number(argv[3], 0, 1000000, &switching))) {
		fprintf(stderr, "usage: beside [COUNT [FIRST]] or beside COUNT measured [SWITCH]; COUNT is a number from 1 (8 if measured) to %d, "
				"FIRST one from 0 to COUNT, SWITCH one up to 1000000\n", 1 << 30);
		return 2;
	}
	if (argc <= 2)
		first = count / 10 * 9;
	const struct task t = {.count = (uint64_t)count, .first = (uint64_t)first, .measured = measured, .switching = (long)switching};
	for (int n = 0; n < NETWORKS; n++)
		if (sccl_group_create(&groups[n], RANKS, 30) != SCCL_OK) { /* before the ranks are forked */
			fprintf(stderr, "beside: %s\n", sccl_error_text());
			return 1;
		}
	int failed = start(groups, &t);
	for (int n = 0; n < NETWORKS; n++)
		sccl_group_free(groups[n]);
	return failed;
}
