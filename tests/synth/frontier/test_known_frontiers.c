#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/machine/network_same.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "synth/frontier/compose_frontier.h"
#include "synth/frontier/known_frontiers.h"
#include "synth/frontier/pareto.h"
#include "synth/frontier/relabelled_frontier.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

TestSuite(known_frontiers, .description = "searches that take what others found", .timeout = 100);

struct search {
	struct topology *topology;
	struct collective collective;
	struct problem problem;
	struct frontier *frontier;
};

static struct search open_search(const char *machine, enum collective_kind kind)
{
	struct search s = {.topology = NULL, .collective = {.kind = kind}};
	struct error e = {0};

	s.topology = topology_open(machine, &e);
	cr_assert(s.topology != NULL, "%s: %s", e.where, e.what);
	cr_assert(problem_open(s.topology, &s.collective, &s.problem, &e), "%s: %s", e.where, e.what);
	return s;
}

static struct search search(const char *machine, enum collective_kind kind, struct known_frontiers *known)
{
	const struct pareto_options o = {.k = WITHOUT_K, .jobs = 1, .solve.engine = "auto", .known = known};
	struct search s = open_search(machine, kind);
	struct error e = {0};

	s.frontier = pareto_search(&s.problem, &o, &e);
	cr_assert(s.frontier != NULL, "%s: %s", e.where, e.what);
	return s;
}

static void done(struct search *s)
{
	frontier_free(s->frontier);
	problem_close(&s->problem);
	topology_free(s->topology);
}

/* Values alike, and points that verify, have claims, and are at least as good. */
static void expect_as_good(const struct frontier *got, const struct frontier *alone)
{
	cr_assert(eq(sz, got->values.n, alone->values.n));
	for (size_t i = 0; i < got->values.n; i++) {
		cr_expect(eq(int, got->values.of[i].steps, alone->values.of[i].steps));
		cr_expect(eq(int, rational_compare(got->values.of[i].at_least, alone->values.of[i].at_least), 0));
		cr_expect(eq(int, !got->values.of[i].prices, !alone->values.of[i].prices));
	}
	cr_assert(eq(sz, got->n_points, alone->n_points));
	for (size_t i = 0; i < got->n_points; i++) {
		const struct algorithm *a = got->points[i], *b = alone->points[i];
		cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
		cr_expect(eq(sz, a->n_steps, b->n_steps));
		cr_expect(le(int, rational_compare(algorithm_bandwidth(a), algorithm_bandwidth(b)), 0));
		cr_expect(eq(int, a->optimality.class, b->optimality.class));
		cr_expect(eq(int, a->optimality.proof, b->optimality.proof));
	}
	cr_expect(eq(int, got->ended, alone->ended));
	cr_expect(eq(int, got->last_steps, alone->last_steps));
}

Test(known_frontiers, a_search_run_backwards_is_as_good_as_one_of_its_own)
{
	static const enum collective_kind kinds[][2] = {{ALLGATHER, REDUCESCATTER}, {BROADCAST, REDUCE}};
	static const char *const machines[] = {"dgx1", "dgx-h100"};

	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			struct known_frontiers known = {0};
			struct search first = search(machines[m], kinds[k][0], &known), alone = search(machines[m], kinds[k][1], NULL);
			cr_assert(eq(sz, known.n, 1));
			struct search taken = search(machines[m], kinds[k][1], &known);
			cr_expect(eq(sz, known.n, 2), "both may be asked for again");
			expect_as_good(taken.frontier, alone.frontier);
			known_frontiers_free(&known);
			done(&first);
			done(&alone);
			done(&taken);
		}
}

/* The prices of a limit follow it to its place among those of the reverse, and edges keep theirs. */
Test(known_frontiers, prices_follow_their_limits)
{
	struct search from = search("dgx-h100", BROADCAST, NULL), to = open_search("dgx-h100", REDUCE);
	const struct network *w = from.problem.network;
	int *of = new_array(int, w->n_limits);
	struct error e = {0};
	size_t rows = w->n_edges + w->n_limits, moved = 0, seen = 0;

	cr_assert(network_same(w, to.problem.network, of));
	to.frontier = frontier_transferred(from.frontier, &from.problem, &to.problem, &e);
	cr_assert(to.frontier != NULL, "%s: %s", e.where, e.what);
	for (size_t i = 0; i < from.frontier->values.n; i++) {
		const struct step_value *x = &from.frontier->values.of[i], *y = &to.frontier->values.of[i];
		for (size_t k = 0; x->prices && k < x->n_prices; k++) {
			size_t row = k % rows, there = row < w->n_edges ? row : w->n_edges + (size_t)of[row - w->n_edges];
			cr_expect(eq(int, rational_compare(x->prices[k], y->prices[k - row + there]), 0));
			seen++;
			moved += row != there;
		}
	}
	cr_expect(gt(sz, seen, 0));
	cr_expect(gt(sz, moved, 0), "the order of limits is not that of the reverse");
	free(of);
	done(&from);
	done(&to);
}

Test(known_frontiers, what_asks_something_else_is_not_taken)
{
	struct known_frontiers known = {0};
	struct search gathered = search("ring:4", ALLGATHER, &known), scattered = open_search("ring:4", REDUCESCATTER),
		      other = open_search("ring:5", REDUCESCATTER), reduce = open_search("ring:4", REDUCE);
	struct known_extent x = {gathered.problem.bounds.steps + 4, 1024};
	struct error e = {0};
	bool afresh;

	struct frontier *f = known_frontiers_find(&known, &scattered.problem, x, &afresh);
	cr_assert(f != NULL);
	cr_expect(not(afresh), "without limits the programs are the same");
	frontier_free(f);
	cr_expect(eq(ptr, known_frontiers_find(&known, &other.problem, x, &afresh), NULL), "another machine");
	cr_expect(eq(ptr, known_frontiers_find(&known, &reduce.problem, x, &afresh), NULL), "another collective");
	cr_expect(eq(ptr, known_frontiers_find(&known, &scattered.problem, (struct known_extent){x.last + 1, x.most}, &afresh), NULL), "more steps");
	cr_expect(eq(ptr, known_frontiers_find(&known, &scattered.problem, (struct known_extent){x.last, 1}, &afresh), NULL), "fewer chunks");
	cr_expect(eq(ptr, frontier_transferred(gathered.frontier, &gathered.problem, &reduce.problem, &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_SYSTEM));
	known_frontiers_free(&known);
	done(&gathered);
	done(&scattered);
	done(&other);
	done(&reduce);
}

struct begun {
	int steps, searches;
};

static void follow(void *context, const struct pareto_news *news)
{
	struct begun *b = context;

	b->searches += b->steps == 0 || news->steps < b->steps;
	b->steps = news->steps;
}

/* A half that takes nothing from others is not searched where it is the other one run backwards. */
Test(known_frontiers, of_halves_that_mirror_each_other_one_is_searched)
{
	static const struct {
		int k;
		double seconds;
	} cases[] = {{0, INFINITY}, {WITHOUT_K, 0}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct known_frontiers known = {0};
		struct begun begun = {0};
		const struct pareto_options o = {.k = cases[i].k, .jobs = 1, .solve.engine = "auto", .max_steps = 6, .progress = follow,
						 .context = &begun, .known = &known};
		struct search s = open_search("ring:4", ALLREDUCE);
		struct error e = {0};

		double before = stop_within(cases[i].seconds);
		s.frontier = compose_search(&s.problem, &o, &e);
		stop_restore(before);
		cr_assert(s.frontier != NULL, "%s: %s", e.where, e.what);
		cr_expect(gt(int, begun.steps, 2), "one search that begins anew would be seen");
		cr_expect(eq(int, begun.searches, 1));
		known_frontiers_free(&known);
		done(&s);
	}
}

/* A machine may be isomorphic by what is looked at, and yet have other bounds, or none of the compositions. */
Test(known_frontiers, what_does_not_fit_is_not_relabelled)
{
	static const struct collective k = {.kind = ALLREDUCE};
	static const int same[] = {0, 1, 2};
	const struct pareto_options o = {.k = WITHOUT_K, .jobs = 1, .max_steps = 4, .solve.engine = "auto"}, all = {.k = WITHOUT_K};
	struct search s = open_search("line:3", ALLREDUCE);
	struct error e = {0};
	struct problem direct;

	cr_assert(problem_open_direct(s.topology, &k, &direct, &e), "%s", e.what);
	s.frontier = pareto_search_both(&s.problem, &direct, &o, &e);
	cr_assert(s.frontier && s.frontier->composed, "%s", e.what);
	struct frontier *f = frontier_relabelled(s.frontier, &s.problem, &direct, same, &all, &e);
	cr_assert(f != NULL, "%s", e.what);
	cr_expect(eq(sz, f->n_points, s.frontier->n_points));
	frontier_free(f);

	struct frontier *const changed[] = {s.frontier, s.frontier->composed};
	for (size_t i = 0; i < 2; i++) {
		e = (struct error){0};
		changed[i]->bound_steps++;
		cr_expect(eq(ptr, frontier_relabelled(s.frontier, &s.problem, &direct, same, &all, &e), NULL));
		cr_expect(eq(int, e.kind, ERROR_INPUT));
		changed[i]->bound_steps--;
	}
	e = (struct error){0};
	size_t n = s.frontier->composed->n_points;
	s.frontier->composed->n_points = 0;
	cr_expect(eq(ptr, frontier_relabelled(s.frontier, &s.problem, &direct, same, &all, &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_INPUT), "a point of the compositions that is none of theirs");
	s.frontier->composed->n_points = n;
	problem_close(&direct);
	done(&s);
}

Test(known_frontiers, what_is_known_needs_no_time)
{
	struct known_frontiers known = {0};
	struct search first = search("dgx1", ALLGATHER, &known), alone = search("dgx1", REDUCESCATTER, NULL);

	cr_assert(gt(sz, alone.frontier->n_points, 1));
	double before = stop_within(0);
	struct search late = search("dgx1", REDUCESCATTER, &known);
	stop_restore(before);
	expect_as_good(late.frontier, alone.frontier);
	known_frontiers_free(&known);
	done(&first);
	done(&alone);
	done(&late);
}
