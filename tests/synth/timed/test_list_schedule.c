#include "core/base/error.h"
#include "core/bounds/bounds.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "simulate/simulator.h"
#include "simulate/time_bound.h"
#include "synth/builder/method.h"
#include "synth/problem/problem.h"
#include "synth/timed/list_schedule.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

TestSuite(list_schedule, .description = "schedules in time", .timeout = 100);

static const double rounding = 1e-9;
static const struct simulation flows = {.start = START_DATAFLOW, .alpha = 1, .beta = 1e-3};

static struct topology *machine(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(t != NULL, "%s: %s", e.where, e.what);
	return t;
}

static double play(const struct algorithm *a, const struct simulation *how, int64_t bytes)
{
	struct error e = {0};
	struct simulated run;
	struct simulator *s = simulator_new(a, how, &e);
	cr_assert(s != NULL, "%s: %s", e.where, e.what);
	simulator_run(s, (double)bytes, &run);
	simulator_free(s);
	return run.microseconds;
}

static struct algorithm *scheduled(const struct topology *t, struct collective k, const struct simulation *how, int64_t bytes,
				   int max_chunks, struct error *e)
{
	const struct timed_question q = {1, &bytes, 1, how};
	struct problem p;
	cr_assert(problem_open(t, &k, &p, e), "%s: %s", e->where, e->what);
	struct algorithm *a = timed_schedule(&p, &q, 0, max_chunks, e);
	problem_close(&p);
	return a;
}

static double bound_of(const struct topology *t, struct collective k, const struct simulation *how, int64_t bytes)
{
	const struct speeds speeds = {.alpha = how->alpha, .beta = how->beta};
	struct bounds cuts;
	struct time_bound b;
	struct error e = {0};
	cr_assert(bounds_compute(t, &k, &cuts, &e) && time_bound_new(t, &k, &speeds, &cuts, &b, &e), "%s", e.what);
	double bound = time_bound_at(&b, (double)bytes);
	bounds_free(&cuts);
	time_bound_free(&b);
	return bound;
}

static double direct_takes(const struct topology *t, struct collective k, const struct simulation *how, int64_t bytes)
{
	struct error e = {0};
	struct text report = {0};
	struct algorithm *a = method_build(method_find("direct", &e), t, &k, &(struct method_options){0}, &report, &e);
	cr_assert(a != NULL, "%s", e.what);
	double time = play(a, how, bytes);
	text_free(&report);
	algorithm_free(a);
	return time;
}

Test(list_schedule, is_between_the_bound_and_direct)
{
	static const char *const machines[] = {"ring:4", "line:3", "mesh:2x3", "dgx1"};
	static const struct collective kinds[] = {{.kind = ALLGATHER}, {.kind = ALLTOALL}, {.kind = BROADCAST, .root = 1},
						  {.kind = GATHER}, {.kind = REDUCESCATTER}, {.kind = SCATTER, .root = 2}, {.kind = REDUCE}};
	static const int64_t sizes[] = {24, 100000};

	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
		struct topology *t = machine(machines[m]);
		for (size_t c = 0; c < sizeof kinds / sizeof *kinds; c++)
			for (size_t s = 0; s < 2; s++)
				for (int sharing = 0; sharing < 2; sharing++) {
					struct simulation how = flows;
					struct error e = {0};
					how.sharing = (enum simulation_sharing)sharing;
					struct algorithm *a = scheduled(t, kinds[c], &how, sizes[s], 16, &e);
					cr_assert(a != NULL, "%s: %s", e.where, e.what);
					cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
					double time = play(a, &how, sizes[s]);
					cr_expect(ge(dbl, time, bound_of(t, kinds[c], &how, sizes[s]) * (1 - rounding)), "%s", a->name);
					cr_expect(le(dbl, time, direct_takes(t, kinds[c], &how, sizes[s]) * (1 + rounding)), "%s", a->name);
					algorithm_free(a);
				}
		topology_free(t);
	}
}

/* Two boxes whose links differ: direct loads some of those between the boxes more than others. */
Test(list_schedule, an_alltoall_over_two_boxes_is_at_the_bound)
{
	static const struct simulation as_linked = {.start = START_DATAFLOW, .alpha = -1};
	const struct collective alltoall = {.kind = ALLTOALL};
	struct topology *t = machine("dgx2x2");
	struct error e = {0};
	struct algorithm *a = scheduled(t, alltoall, &as_linked, 1000000, 32, &e);

	cr_assert(a != NULL, "%s: %s", e.where, e.what);
	cr_expect(epsilon_eq(dbl, play(a, &as_linked, 1000000), bound_of(t, alltoall, &as_linked, 1000000), 1e-6));
	cr_expect(direct_takes(t, alltoall, &as_linked, 1000000) > 1.2 * play(a, &as_linked, 1000000));
	algorithm_free(a);
	topology_free(t);
}

Test(list_schedule, is_the_same_every_time)
{
	struct topology *t = machine("dgx1");
	struct error e = {0};
	struct text of[2] = {{0}, {0}};

	for (int i = 0; i < 2; i++) {
		struct algorithm *a = scheduled(t, (struct collective){.kind = ALLGATHER}, &flows, 5000, 4, &e);
		cr_assert(a != NULL, "%s", e.what);
		algorithm_write(a, &of[i]);
		algorithm_free(a);
	}
	cr_expect(eq(str, of[0].bytes, of[1].bytes));
	text_free(&of[0]);
	text_free(&of[1]);
	topology_free(t);
}

Test(list_schedule, refuses_what_it_does_not_serve)
{
	struct topology *t = machine("ring:4");
	struct error e = {0};

	cr_expect(scheduled(t, (struct collective){.kind = ALLREDUCE}, &flows, 1000, 0, &e) == NULL);
	cr_expect(eq(int, e.kind, ERROR_INPUT), "%s", e.what);
	e = (struct error){0};
	cr_expect(scheduled(t, (struct collective){.kind = ALLTOALL}, &flows, 1000, 3, &e) == NULL, "a block for each node");
	cr_expect(eq(int, e.kind, ERROR_LIMIT), "%s", e.what);
	topology_free(t);
}
