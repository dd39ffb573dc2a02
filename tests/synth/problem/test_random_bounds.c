/* No bound refuses what a solver finds that knows nothing of bounds: random machines, of one-way links, limits and parallel switches. */

#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "synth/problem/problem.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(random_bounds, .description = "bounds of random machines beside a solver");

static uint64_t state = 20;

static int below(int n)
{
	return random_below(&state, n);
}

/* Among nodes one link of two, of nodes and switches three of four, among switches two of three. */
static bool is_there(const struct topology *t, int a, int b)
{
	int switches = (a >= t->nodes) + (b >= t->nodes);

	return a != b && (switches == 0 ? t->switches < 2 && below(2) : switches == 1 ? below(4) : below(3)) != 0;
}

static void add_limit(struct topology *t)
{
	int at = below(t->nodes + t->switches);
	struct limit l = {copy_string("limit"), (enum limit_of)below(3), at, 0, NULL, 1 + below(3)};

	if (l.of == LIMIT_EDGES) {
		l.edges = new_array(struct edge_ends, t->n_links);
		for (size_t i = 0; i < t->n_links; i++)
			if (below(3) == 0)
				l.edges[l.n_edges++] = (struct edge_ends){t->links[i].src, t->links[i].dst};
	}
	t->limits[t->n_limits++] = l;
}

static struct topology *random_machine(void)
{
	enum { LIMITS = 3 };
	struct topology *t = new(struct topology);

	t->name = copy_string("random");
	t->nodes = 3 + below(3);
	t->switches = below(4);
	int n = t->nodes + t->switches;
	t->links = new_array(struct link, (size_t)(n * n));
	t->limits = new_array(struct limit, LIMITS);
	for (int a = 0; a < n; a++)
		for (int b = 0; b < n; b++)
			if (is_there(t, a, b))
				t->links[t->n_links++] = (struct link){a, b, 1 + below(3), -1};
	for (int limits = below(LIMITS + 1); limits > 0; limits--)
		add_limit(t);
	return t;
}

/* The most chunks that no bound refuses; -1: any. */
static int64_t most_of(const struct problem *p, int steps, int rounds)
{
	struct rational least = problem_bandwidth_in(p, steps, TIMED_QUICK);
	int64_t whole, most;

	problem_most_chunks(p, steps, rounds, rounds, TIMED_QUICK, &whole);
	if (rational_compare(least, p->bounds.bandwidth) < 0)
		least = p->bounds.bandwidth;
	if (least.num == 0)
		return whole;
	most = rational_floor(rational_div(rational(rounds, 1), least)) / p->unit * p->unit;
	return whole >= 0 && whole < most ? whole : most;
}

/* Asks for a chunk more, without bounds. Was it refused? */
static int ask_for_more(const struct problem *p, int steps, int rounds, int machine)
{
	enum { CHUNKS_ASKED = 40, SECONDS = 5 };
	struct error e = {0};
	struct instance asked;
	struct solution got = {0};
	int64_t most = most_of(p, steps, rounds);
	struct candidate c = {(int)most + p->unit, steps, rounds};

	if (most < 0 || most > CHUNKS_ASKED)
		return 0;
	cr_assert(problem_instance(p, c, &asked, &e), "%s", e.what);
	cr_assert(solve(&asked, &(struct solve_options){.engine = "bits", .timeout = SECONDS}, &got, &e), "%s", e.what);
	cr_expect(ne(int, got.answer, ANSWER_FOUND), "machine %d: %s from %d (%d,%d,%d)", machine, collective_name(&p->collective),
		  p->collective.root, c.chunks, steps, rounds);
	steps_free(got.steps, got.n_steps);
	problem_instance_done(&asked);
	return got.answer == ANSWER_NONE;
}

static int try_machine(const struct topology *t, int machine)
{
	static const enum collective_kind kinds[] = {ALLGATHER, BROADCAST, GATHER, SCATTER, ALLTOALL, REDUCE, REDUCESCATTER};
	struct collective k = {.kind = kinds[below(7)]};
	struct problem p;
	struct error e = {0};
	int refused = 0;

	k.root = collective_row(&k)->rooted ? below(t->nodes) : 0;
	if (!problem_open(t, &k, &p, &e))
		return 0; /* not all nodes are reached */
	for (int s = p.bounds.steps; s <= p.bounds.steps + 1; s++)
		for (int r = s; r <= s + 2; r++)
			refused += ask_for_more(&p, s, r, machine);
	problem_close(&p);
	return refused;
}

/* BOUNDS_CASES: so many machines. */
Test(random_bounds, refuse_nothing_that_there_is)
{
	enum { FEW = 25 };
	const char *many = getenv("BOUNDS_CASES");
	int cases = many ? atoi(many) : FEW, refused = 0;

	for (int machine = 0; machine < cases; machine++) {
		struct topology *t = random_machine();
		refused += try_machine(t, machine);
		topology_free(t);
	}
	cr_log_info("%d questions beyond the bounds of %d machines were refused", refused, cases);
	cr_expect(gt(int, refused, cases), "and most can be asked");
}
