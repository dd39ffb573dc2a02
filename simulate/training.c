/*
 * Times one training iteration from its layers: computation as given, communication from the fastest of several
 * simulators for each call size, each size simulated once.
 */

#include "simulate/training.h"

#include "core/base/memory.h"
#include "simulate/simulator.h"
#include "simulate/workload.h"

#include <stdlib.h>

struct known_time {
	int64_t bytes;
	double microseconds;
};

struct call_times {
	struct simulator *const *simulators;
	int n_simulators;
	size_t n, capacity;
	struct known_time *known; /* ascending by bytes */
};

struct call_times *call_times_new(struct simulator *const *simulators, int n)
{
	struct call_times *c = new(struct call_times);

	c->simulators = simulators;
	c->n_simulators = n;
	return c;
}

void call_times_free(struct call_times *c)
{
	if (!c)
		return;
	free(c->known);
	free(c);
}

static double fastest(const struct call_times *c, int64_t bytes)
{
	double least = -1;

	for (int i = 0; i < c->n_simulators; i++) {
		struct simulated run;
		simulator_run(c->simulators[i], (double)bytes, &run);
		if (least < 0 || run.microseconds < least)
			least = run.microseconds;
	}
	return least;
}

double call_time(struct call_times *c, int64_t bytes)
{
	size_t low = 0, high = c->n;

	if (bytes == 0)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c->known[middle].bytes < bytes)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < c->n && c->known[low].bytes == bytes)
		return c->known[low].microseconds;
	double time = fastest(c, bytes);
	c->known = grown(c->known, &c->capacity, c->n + 1, sizeof *c->known);
	for (size_t i = c->n++; i > low; i--)
		c->known[i] = c->known[i - 1];
	c->known[low] = (struct known_time){bytes, time};
	return time;
}

int64_t workload_gradient_bytes(const struct workload *w)
{
	int64_t sum = 0;
	for (size_t i = 0; i < w->n_layers; i++)
		sum += w->layers[i].parameters * w->gradient_bytes;
	return sum;
}

static void overlap(const struct workload *w, struct call_times *c, int64_t bucket, struct iteration *out)
{
	double now = out->forward_us, free_at = 0; /* now: of the backward pass; free_at: of the network */
	int64_t waiting = 0;

	for (size_t i = w->n_layers; i-- > 0;) {
		now += w->layers[i].backward_us;
		waiting += w->layers[i].parameters * w->gradient_bytes;
		if (!waiting || (waiting < bucket && i > 0))
			continue;
		double time = call_time(c, waiting);
		free_at = (free_at > now ? free_at : now) + time;
		out->overlapped_communication_us += time;
		out->calls++;
		waiting = 0;
	}
	out->overlapped_us = free_at > now ? free_at : now;
}

void iteration_run(const struct workload *w, struct call_times *c, int64_t bucket, struct iteration *out)
{
	*out = (struct iteration){0};
	for (size_t i = 0; i < w->n_layers; i++) {
		out->forward_us += w->layers[i].forward_us;
		out->backward_us += w->layers[i].backward_us;
	}
	out->communication_us = call_time(c, workload_gradient_bytes(w));
	out->at_once_us = out->forward_us + out->backward_us + out->communication_us;
	overlap(w, c, bucket, out);
}
