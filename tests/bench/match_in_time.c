/*
 * Allgathers by synth/timed/matched_sends.h alone, for scripts/tacos.py: without a search, other methods, or files.
 * usage: match_in_time TOPOLOGY CHUNKS BYTES REPEATS [busy], BYTES of a node's whole output. Prints the shortest time of that
 * many seeds in microseconds, a lower bound, and the CPU seconds of all. The schedule is verified, and simulated with --sharing
 * order. busy: a link is busy for the latency of a message, too, as TACOS has it; every route must be a link. The bound then is
 * of a machine whose links are not.
 */

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"
#include "simulate/fabric.h"
#include "simulate/simulator.h"
#include "simulate/time_bound.h"
#include "synth/problem/problem.h"
#include "synth/timed/matched_sends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct speeds speeds = {.alpha = -1};
static const double rounding = 1e-9;
static const struct collective allgather = {.kind = ALLGATHER};

/* What is asked. */
struct asked {
	struct topology *topology;
	struct fabric fabric;
	int chunks, repeats;
	double bytes; /* of one node's input */
};

/* Adds the latencies of links to the time of a message on them, where no route has more than a link. */
static void keep_links_busy(struct asked *a)
{
	double bytes = a->bytes / a->chunks;

	for (size_t i = 0; i < a->fabric.n_resources; i++) {
		struct resource *r = &a->fabric.resources[i];
		r->rate = bytes / (r->latency + bytes / r->rate);
		r->latency = 0;
	}
	for (size_t i = 0; i < a->fabric.n_routes; i++) {
		a->fabric.routes[i].rate = a->fabric.resources[a->fabric.over[a->fabric.begin[i]]].rate;
		a->fabric.routes[i].latency = 0;
	}
}

/* µs of the simulation; negative with *e set: it does not verify. */
static double simulated(const struct asked *a, struct timed_sends *s, struct error *e)
{
	const struct simulation how = {.start = START_DATAFLOW, .sharing = SHARING_ORDER, .alpha = -1};
	struct problem p;
	struct simulated run = {.microseconds = -1};

	if (!problem_open(a->topology, &allgather, &p, e))
		return -1;
	struct algorithm *made = timed_sends_algorithm(s, a->topology, p.network, &a->fabric, &allgather, a->chunks, TURNS_OF_RESOURCES, "matched", e);
	struct verdict v = made ? algorithm_verify(made) : (struct verdict){.fault = FAULT_NONE};
	if (v.fault != FAULT_NONE)
		error_set(e, ERROR_SYSTEM, "matched", "does not verify: %s", v.why);
	struct simulator *simulator = made && v.fault == FAULT_NONE ? simulator_new(made, &how, e) : NULL;
	if (simulator)
		simulator_run(simulator, a->bytes, &run);
	simulator_free(simulator);
	algorithm_free(made);
	problem_close(&p);
	return run.microseconds;
}

/* The shortest time of all repeats; negative with *e set: a fault. */
static double match(const struct asked *a, struct timed_sends *best, double *seconds, struct error *e)
{
	enum { RATES = 3 };
	double rates[RATES], least = INFINITY;
	int n = matched_rates(&a->fabric, rates, RATES);

	for (int i = 0; i < a->repeats; i++) {
		const struct matched_style style = {rates[n - 1 - i % n], i / n % 2, (uint64_t)(i / n)};
		struct timed_sends s;
		double microseconds;
		clock_t begin = clock();
		if (!matched_sends_new(&a->fabric, &allgather, a->chunks, a->bytes / a->chunks, &style, &s, &microseconds, e))
			return -1;
		*seconds += (double)(clock() - begin) / CLOCKS_PER_SEC;
		struct timed_sends worse = microseconds < least ? *best : s;
		*best = microseconds < least ? s : *best;
		least = fmin(least, microseconds);
		timed_sends_free(&worse);
	}
	return least;
}

static bool answer(struct asked *a, bool busy, struct error *e)
{
	struct timed_sends best = {0};
	struct time_bound bound;
	double seconds = 0, least, played;

	if (busy)
		keep_links_busy(a);
	least = match(a, &best, &seconds, e);
	played = least >= 0 ? simulated(a, &best, e) : -1;
	timed_sends_free(&best);
	if (played < 0 || !time_bound_new(a->topology, &allgather, &speeds, NULL, &bound, e))
		return false;
	printf("%.6f %.6f %.6f\n", least, time_bound_at(&bound, a->bytes), seconds);
	time_bound_free(&bound);
	/* What was planned with busy links is not slower where they are free meanwhile. */
	return (busy ? played <= least * (1 + rounding) : fabs(played - least) <= rounding * least) ||
	       error_set(e, ERROR_SYSTEM, "matched", "is simulated as %.9g us, planned as %.9g", played, least);
}

int main(int argc, char **argv)
{
	struct error e = {0};

	if (argc != 5 && (argc != 6 || strcmp(argv[5], "busy") != 0))
		return 2;
	struct asked a = {.topology = topology_open(argv[1], &e), .chunks = atoi(argv[2]), .repeats = atoi(argv[4])};
	bool ok = a.topology && fabric_open(a.topology, &speeds, &a.fabric, &e);
	a.bytes = ok ? atof(argv[3]) / a.topology->nodes : 0;
	ok = ok && answer(&a, argc == 6, &e);
	if (!ok)
		fprintf(stderr, "%s: %s\n", e.where, e.what);
	fabric_close(&a.fabric);
	topology_free(a.topology);
	return !ok;
}
