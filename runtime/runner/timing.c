/*
 * Measures calls in batches; for each batch the time of the slowest rank counts. Reports the minimum and median over
 * the batches.
 */
#include "runtime/runner/timing.h"

#include "runtime/core/clock.h"
#include "runtime/runner/buffers.h"
#include "runtime/runner/report.h"

#include <stdlib.h>

/* A stream takes about a thousand launches before it makes its caller wait, who may then be waited for by another rank. */
enum { BATCHES = 7, IN_FLIGHT = 700 };

sccl_status_t call_start(struct session *x, uint64_t count)
{
	return x->settings->graph ? machine_replay(&x->machine)
				  : sccl_run(x->plan, x->run_in, x->run_out, count, x->machine.stream);
}

/* Microseconds per call in a batch of N, on the slowest rank. */
static sccl_status_t time_batch(struct session *x, uint64_t count, uint64_t n, double *slowest)
{
	uint32_t ranks = x->program->ranks;
	sccl_status_t status = SCCL_OK;
	double *all = calloc(ranks, sizeof *all);

	if (!all)
		return SCCL_NO_MEMORY;
	if (x->bootstrap.barrier(x->bootstrap.context) != 0)
		status = SCCL_BOOTSTRAP;
	uint64_t begin = clock_nanoseconds();
	uint64_t launches = x->settings->mode == SCCL_KERNEL_A_STEP && x->program->steps ? x->program->steps : 1;
	uint64_t most = launches < IN_FLIGHT ? IN_FLIGHT / launches : 1;
	for (uint64_t i = 0; i < n && status == SCCL_OK; i++) {
		status = call_start(x, count);
		if (status == SCCL_OK && (i + 1) % most == 0)
			status = machine_wait(&x->machine);
	}
	if (status == SCCL_OK)
		status = machine_wait(&x->machine);
	double mine = (double)(clock_nanoseconds() - begin) * 1e-3 / (double)n;
	if (status == SCCL_OK && x->bootstrap.allgather(x->bootstrap.context, &mine, all, sizeof mine) != 0)
		status = SCCL_BOOTSTRAP;
	*slowest = 0;
	for (uint32_t r = 0; r < ranks; r++)
		*slowest = all[r] > *slowest ? all[r] : *slowest;
	free(all);
	return status;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* With checking, batches are shortened to a brief measurement; otherwise as many calls are timed as requested. */
sccl_status_t time_calls(struct session *x, uint64_t count, struct placed_calls *at)
{
	const double moment = 1000; /* microseconds per batch */
	double times[BATCHES], one = 0;
	uint64_t n = x->settings->calls / BATCHES + 1;

	sccl_status_t status = x->settings->warmups ? time_batch(x, count, x->settings->warmups, &one) : SCCL_OK;
	if (status != SCCL_OK)
		return status;
	if (x->settings->check && one * (double)n > moment)
		n = one >= moment ? 1 : (uint64_t)(moment / one);
	for (int i = 0; i < BATCHES; i++) {
		status = time_batch(x, count, n, &times[i]);
		if (status != SCCL_OK)
			return status;
	}
	qsort(times, BATCHES, sizeof *times, by_size);
	at->least = times[0];
	at->median = times[BATCHES / 2];
	return SCCL_OK;
}
