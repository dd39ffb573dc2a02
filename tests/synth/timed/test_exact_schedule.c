/* Schedules in time by a solver: none is slower than a list schedule of as many chunks, and hand-made optima are met. */
#include "core/base/error.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "simulate/simulator.h"
#include "synth/problem/problem.h"
#include "synth/timed/exact_schedule.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(exact_schedule, .timeout = 100);

static const double precision = 1e-5;
static const struct simulation plainly = {.start = START_DATAFLOW, .sharing = SHARING_ORDER, .alpha = 1, .beta = 1e-3};

static double play(const struct algorithm *a, int64_t bytes)
{
	struct error e = {0};
	struct simulated run;
	struct simulator *s = simulator_new(a, &plainly, &e);

	cr_assert(s != NULL, "%s: %s", e.where, e.what);
	simulator_run(s, (double)bytes, &run);
	simulator_free(s);
	return run.microseconds;
}

/* A machine, a collective, and the times of a schedule: EXACT by the solver, as planned and played; LISTED by list scheduling. */
struct compared {
	struct exact_times planned;
	double exact, listed;
};

static struct compared compare(const char *machine, struct collective k, int64_t bytes, int times)
{
	const struct timed_question q = {.n = 1, .sizes = &bytes, .share = 1, .how = &plainly};
	struct compared c;
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct problem p;
	bool is_cut = false;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s: %s: %s", machine, e.where, e.what);
	struct algorithm *exact = exact_schedule(&p, &q, 0, times * p.unit, &c.planned, &e);
	struct algorithm *listed = timed_schedule(&p, &q, 0, times * p.unit, &is_cut, &e);
	cr_assert(exact && listed, "%s: %s: %s", machine, e.where, e.what);
	cr_expect(eq(int, algorithm_verify(exact).fault, FAULT_NONE));
	c.exact = play(exact, bytes);
	c.listed = play(listed, bytes);
	algorithm_free(exact);
	algorithm_free(listed);
	problem_close(&p);
	topology_free(t);
	return c;
}

Test(exact_schedule, is_never_above_list_scheduling)
{
	static const char *const machines[] = {"complete:3", "mesh:2x2@drop=0-1"};
	static const struct collective kinds[] = {{.kind = ALLGATHER}, {.kind = BROADCAST, .root = 1}, {.kind = GATHER}, {.kind = REDUCESCATTER}};

	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			struct compared c = compare(machines[m], kinds[k], 100 + 4900 * (int64_t)m, 1);
			cr_expect(le(dbl, c.exact, c.listed * (1 + precision)), "%s, %s", machines[m], collective_name(&kinds[k]));
			cr_expect(epsilon_eq(dbl, c.exact, c.planned.microseconds, precision * c.exact), "%s: it is played as planned", machines[m]);
			cr_expect(ge(dbl, c.planned.at_least, c.exact * (1 - precision)), "%s: the rest is refuted", machines[m]);
			cr_expect(le(dbl, c.planned.at_least, c.exact * (1 + precision)), "%s: and no more", machines[m]);
		}
}

/* A pipeline of two chunks over two hops, of 1 µs and 2 µs each. */
Test(exact_schedule, meets_the_optimum_of_a_pipeline)
{
	struct compared c = compare("line:3", (struct collective){.kind = BROADCAST}, 4000, 2);

	cr_expect(epsilon_eq(dbl, c.exact, 2 * (1 + 2) + 2, 8 * precision));
	cr_expect(epsilon_eq(dbl, c.planned.at_least, 8, 8 * precision));
}

/* Three chunks from one corner of a square: the fourth node takes one over the one way, and two over the other. */
Test(exact_schedule, divides_an_odd_number_of_chunks)
{
	struct compared c = compare("ring:4", (struct collective){.kind = BROADCAST}, 3000, 3);

	cr_expect(le(dbl, c.exact, c.listed * (1 + precision)));
	cr_expect(ge(dbl, c.planned.at_least, c.exact * (1 - precision)));
}

/* Without time nothing is claimed. */
Test(exact_schedule, claims_nothing_that_it_has_not_refuted)
{
	static const int64_t bytes = 1000;
	const struct timed_question q = {.n = 1, .sizes = &bytes, .share = 1, .how = &plainly};
	const struct collective k = {.kind = ALLGATHER};
	struct exact_times times;
	struct error e = {0};
	struct topology *t = topology_open("ring:4", &e);
	struct problem p;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s", e.what);
	double before = stop_within(0);
	cr_expect(eq(ptr, exact_schedule(&p, &q, 0, 1, &times, &e), NULL));
	cr_expect(times.at_least == 0 && e.kind == ERROR_LIMIT, "%s", e.what);
	stop_restore(before);
	problem_close(&p);
	topology_free(t);
}

static enum error_kind refused(const char *machine, enum collective_kind kind, int chunks, enum simulation_sharing sharing)
{
	static const int64_t bytes = 1000;
	struct simulation how = plainly;
	const struct timed_question q = {.n = 1, .sizes = &bytes, .share = 1, .how = &how};
	const struct collective k = {.kind = kind};
	struct exact_times times;
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct problem p;

	how.sharing = sharing;
	cr_assert(t && problem_open(t, &k, &p, &e), "%s", e.what);
	struct algorithm *a = exact_schedule(&p, &q, 0, chunks, &times, &e);
	cr_expect(eq(ptr, a, NULL));
	problem_close(&p);
	topology_free(t);
	return e.kind;
}

Test(exact_schedule, refuses_what_it_does_not_serve)
{
	cr_expect(eq(int, refused("ring:4", ALLREDUCE, 4, SHARING_ORDER), ERROR_INPUT));
	cr_expect(eq(int, refused("ring:4", ALLGATHER, 1, SHARING_FAIR), ERROR_INPUT), "messages have not their full rate");
	cr_expect(eq(int, refused("ring:4", ALLTOALL, 3, SHARING_ORDER), ERROR_INPUT), "a block for each node");
	cr_expect(eq(int, refused("torus:4x4", ALLTOALL, 16, SHARING_ORDER), ERROR_LIMIT));
}
