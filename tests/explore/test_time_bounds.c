#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/bounds/bounds.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"
#include "simulate/simulator.h"
#include "simulate/time_bound.h"
#include "synth/builder/method.h"
#include "tests/support/drawn.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

TestSuite(time_bounds, .description = "no schedule of any method is below the bounds", .timeout = 300);

/* Simulates A in each way for several sizes, and returns how often. */
static int check(const struct algorithm *a, const struct simulation *how, const struct time_bound *b)
{
	struct error e = {0};
	struct simulator *s = simulator_new(a, how, &e);
	int times = 0;

	cr_assert(ne(ptr, s, NULL), "%s", e.what);
	for (double bytes = 1; bytes < 1e9; bytes *= 30, times++) {
		struct simulated r;
		simulator_run(s, bytes, &r);
		cr_expect(r.microseconds >= time_bound_at(b, bytes) * (1 - 1e-9), "%s, start %d, sharing %d: %g us for %g bytes, bound %g",
			  a->name, (int)how->start, (int)how->sharing, r.microseconds, bytes, time_bound_at(b, bytes));
	}
	simulator_free(s);
	return times;
}

enum { MANY_SENDS = 20000, SLOW = 2, MODES = 12 }; /* SLOW: of those with small buffers, in which a step costs 3 us */

static struct simulation mode(int i)
{
	enum simulation_start flows = i & SLOW ? START_LOCKSTEP : START_DATAFLOW;

	return (struct simulation){.start = i & 1 ? flows : START_STEPS, .sharing = (enum simulation_sharing)(i / 4), .alpha = -1,
				   .buffer = i & SLOW ? 4096 : 0, .step.us = rational(i & SLOW ? 3 : 0, 1)};
}

/* BOUNDS: of modes that are not slow, and of those that are. */
static int check_method(const struct method *m, const struct topology *t, const struct collective *k, const struct time_bound bounds[2])
{
	const struct method_options o = {0};
	struct error e = {0};
	struct text report = {0};
	struct algorithm *a = method_serves(m, k->kind) ? method_build(m, t, k, &o, &report, &e) : NULL;
	int times = 0;

	text_free(&report);
	if (!a || !algorithm_expand(a, &e))
		return 0;
	bool many = algorithm_listed(a) > MANY_SENDS;
	for (int i = 0; i < (many ? MODES / 3 : MODES); i++) { /* of many, one sharing */
		const struct simulation how = mode(i);
		if (simulation_serves(&how, t, &e))
			times += check(a, &how, &bounds[(i & SLOW) != 0]);
	}
	algorithm_free(a);
	return times;
}

static const int64_t expanded = 900; /* bytes for which programs over expanded time are solved */

static struct time_bound bound_in(int i, const struct topology *t, const struct collective *k, const struct bounds *b)
{
	const struct simulation how = mode(i);
	const struct speeds speeds = {.alpha = how.alpha, .beta = how.beta, .buffer = (double)how.buffer, .step = &how.step};
	struct time_bound bound;
	struct error e = {0};
	cr_assert(time_bound_new(t, k, &speeds, b, &bound, &e), "%s", e.what);
	if (t->nodes <= 4)
		time_bound_expand(&bound, &(struct time_subject){t, k, &speeds, b}, 1, &expanded);
	return bound;
}

/* All quick methods for all collectives; takes T. Returns how many times were compared. */
static int check_machine(struct topology *t)
{
	size_t n;
	const struct method *all = methods_all(&n);
	int times = 0;

	draw_kinds(t);
	for (int kind = 0; kind < CUSTOM; kind++) {
		const struct collective k = {.kind = (enum collective_kind)kind, .root = collective_rows()[kind].rooted ? below(t->nodes) : 0};
		struct bounds b;
		struct error e = {0};
		cr_assert(bounds_compute(t, &k, &b, &e), "%s", e.what);
		struct time_bound bounds[2] = {bound_in(0, t, &k, &b), bound_in(SLOW, t, &k, &b)};
		for (size_t m = 0; m < n; m++)
			if (!all[m].slow)
				times += check_method(&all[m], t, &k, bounds);
		time_bound_free(&bounds[0]);
		time_bound_free(&bounds[1]);
		bounds_free(&b);
	}
	topology_free(t);
	return times;
}

Test(time_bounds, hold_on_random_machines)
{
	int times = 0;

	for (int i = 0; i < 12; i++)
		times += check_machine(random_machine(4, 3, 3));
	cr_expect(gt(int, times, 5000), "%d comparisons", times);
}

/* Each hop of a route has a latency of its own, and routes of different latencies share links. */
Test(time_bounds, hold_behind_switches)
{
	static const char *const names[] = {"switch:5", "switch:4", "bigraph:2x4", "fat-tree:2x3", "dragonfly:2x2x2", "star:4", "switch:5+nvls", "fat-tree:2x3+nvls"};
	int times = 0;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct error e = {0};
		struct topology *t = topology_open(names[i], &e);
		cr_assert(ne(ptr, t, NULL), "%s: %s", names[i], e.what);
		times += check_machine(t);
	}
	cr_expect(gt(int, times, 2000), "%d comparisons", times);
}

/* Where a method is known to be the fastest of all, the bound says so: it is not too low to be of use. */
Test(time_bounds, are_met_where_one_step_suffices)
{
	struct error e = {0};
	const struct method *m = method_find("direct", &e);

	for (int kind = 0; kind < CUSTOM; kind++) {
		const struct collective k = {.kind = (enum collective_kind)kind};
		struct topology *t = topology_open("complete:5", &e);
		struct text report = {0};
		struct bounds b;
		struct time_bound bound;
		if (kind != ALLGATHER && kind != ALLTOALL && kind != GATHER && kind != SCATTER && kind != REDUCESCATTER) {
			topology_free(t);
			continue;
		}
		struct algorithm *a = method_build(m, t, &k, &(struct method_options){0}, &report, &e);
		cr_assert(a && bounds_compute(t, &k, &b, &e), "%s", e.what);
		const struct simulation how = {.alpha = 2, .beta = 1};
		cr_assert(time_bound_new(t, &k, &(struct speeds){.alpha = 2, .beta = 1}, &b, &bound, &e), "%s", e.what);
		struct simulator *s = simulator_new(a, &how, &e);
		struct simulated r;
		simulator_run(s, 1000, &r);
		cr_expect(r.microseconds <= time_bound_at(&bound, 1000) * (1 + 1e-9), "%s: %g, bound %g", a->name, r.microseconds,
			  time_bound_at(&bound, 1000));
		simulator_free(s);
		time_bound_free(&bound);
		bounds_free(&b);
		algorithm_free(a);
		text_free(&report);
		topology_free(t);
	}
}
