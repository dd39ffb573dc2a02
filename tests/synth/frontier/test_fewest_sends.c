/*
 * Bounds that count the sends of a chunk, beside trying everything on small machines; on amd-z52-pcie what they show is attained,
 * and its certificates hold and show no more.
 */

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "prove/check.h"
#include "prove/patterns.h"
#include "prove/proof.h"
#include "prove/trace.h"
#include "synth/frontier/fewest_sends.h"
#include "synth/problem/problem.h"
#include "tests/support/drawn.h"
#include "tests/support/least_pattern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(fewest_sends, .description = "bounds on an allreduce that count sends", .timeout = 300);

/* Opens the allreduce, directly; all of it lives as long as T. */
static struct problem open_allreduce(const struct topology *t)
{
	struct collective k = {.kind = ALLREDUCE};
	struct error e = {0};
	struct problem p;

	cr_assert(problem_open_direct(t, &k, &p, &e), "%s", e.what);
	return p;
}

/* What a send over each edge pays in each step, and what a round pays, at the prices of V, which are the same in each step. */
static int *paid_at(const struct network *w, const struct step_value *v, int64_t *round)
{
	size_t rows = w->n_edges + w->n_limits;
	int *price = new_array(int, (size_t)v->steps * w->n_edges);

	*round = 0;
	cr_assert(eq(sz, v->n_prices, (size_t)v->steps * rows));
	for (size_t i = 0; i < v->n_prices; i++) {
		size_t step = i / rows, row = i % rows;
		int64_t one = v->prices[i].num;
		int *of = price + step * w->n_edges;
		cr_assert(rational_compare(v->prices[i], v->prices[row]) == 0);
		if (row < w->n_edges)
			of[row] += (int)one;
		for (size_t k = 0; row >= w->n_edges && k < w->limits[row - w->n_edges].n_edges; k++)
			of[w->limits[row - w->n_edges].edges[k]] += (int)one;
		if (step == 0)
			*round += one * (row < w->n_edges ? w->edges[row].bandwidth : w->limits[row - w->n_edges].bandwidth);
	}
	return price;
}

Test(fewest_sends, no_more_than_any_gossip_pays)
{
	enum { MACHINES = 40 };
	int raised = 0, by_limits = 0;

	state = 31;
	for (int m = 0; m < MACHINES; m++) {
		struct topology *t = random_machine(2, 2, 3);
		struct problem p = open_allreduce(t);
		struct step_value v = {.steps = 2 + below(2), .at_least = rational(0, 1), .root = -1};
		if (fewest_sends_bound(&p, rational(4, 1), &v)) {
			int64_t round;
			int *price = paid_at(p.network, &v, &round), least = least_paid(p.network, v.steps, price, true);
			struct rational shown = rational(least < 4 * round ? least : 4 * round, round); /* BEST is no bound that is searched beyond */
			cr_expect(least != 0 && rational_compare(v.at_least, shown) == 0, "machine %d: %d in %lld", m, least, (long long)round);
			cr_expect(v.patterns && v.root == -1);
			raised++;
			by_limits += p.network->n_limits && v.prices[p.network->n_edges].num;
			free(price);
		}
		free(v.prices);
		problem_close(&p);
		topology_free(t);
	}
	cr_expect(gt(int, raised, MACHINES / 4), "%d", raised);
	cr_expect(gt(int, by_limits, 3), "%d", by_limits);
}

/* ---- two islands behind PCIe ---- */

struct island_bound {
	int steps, pays;
	struct rational least, flows; /* flows show so much */
};
static const struct island_bound islands[] = {{3, 6, {1, 3}, {5, 18}}, {4, 4, {2, 9}, {34, 189}}};

/* Does the certificate hold? */
static bool holds(const struct proof *p)
{
	struct check_report report;
	struct error e = {0};
	bool read = proof_check(p, "none.json", &(struct check_options){.solve_again = true}, &report, &e);

	return read && report.holds;
}

/* Each changes a certificate that holds, and then it does not. */
static void more_is_paid(struct step_program *p) { p->pays[0].pay++; }
static void less_is_carried(struct step_program *p) { p->at_least.num++; }
static void a_limit_is_free(struct step_program *p) { p->n_prices--; }
static void a_step_is_dearer(struct step_program *p) { p->prices[0].price++; }
static void another_limit(struct step_program *p) { p->prices[0].limit += 2; }
static void fewer_steps_are_priced(struct step_program *p) { p->steps++; }
static void links_alone(struct step_program *p)
{
	for (size_t i = 0; i < p->n_prices; i++)
		p->prices[i] = (struct step_price){.step = p->prices[i].step, .limit = -1, .src = 0, .dst = 1 + p->prices[i].limit, .price = 1};
}

static void expect_faults_refused(struct proof *proof)
{
	static void (*const faults[])(struct step_program *) = {more_is_paid, less_is_carried, a_limit_is_free, a_step_is_dearer,
								 another_limit, fewer_steps_are_priced, links_alone};
	struct step_program *p = &proof->sides[WHOLE].programs[0];

	for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
		struct step_program before = *p;
		struct step_pay pay = p->pays[0];
		struct step_price prices[16];
		cr_assert(before.n_prices <= 16);
		memcpy(prices, before.prices, before.n_prices * sizeof *prices);
		faults[k](p);
		cr_expect(not(holds(proof)), "fault %zu", k);
		*p = before;
		p->pays[0] = pay;
		memcpy(p->prices, prices, before.n_prices * sizeof *prices);
		cr_expect(holds(proof), "after fault %zu", k);
	}
}

Test(fewest_sends, islands_behind_pcie)
{
	struct error e = {0};
	struct topology *t = topology_open("amd-z52-pcie", &e);
	struct collective k = {.kind = ALLREDUCE};

	cr_assert(t != NULL, "%s", e.what);
	struct problem p = open_allreduce(t);
	for (size_t i = 0; i < sizeof islands / sizeof *islands; i++) {
		const struct island_bound *of = &islands[i];
		struct step_value v = {.steps = of->steps, .at_least = of->flows, .root = -1};
		struct proof *proof = proof_new(t, &k);
		struct question q;
		cr_assert(question_open(t, &k, &q, &e), "%s", e.what);
		cr_expect(fewest_sends_bound(&p, of->least, &v));
		cr_assert(rational_compare(v.at_least, of->least) == 0, "%d steps", of->steps);
		cr_assert(step_patterns_add(&proof->sides[WHOLE], &q, of->steps, v.prices, v.at_least, &(struct trace_limits){0}, &e), "%s", e.what);
		cr_expect(eq(i64, proof->sides[WHOLE].programs[0].pays[0].pay, of->pays));
		if (i == 0)
			expect_faults_refused(proof);
		question_close(&q);
		proof_free(proof);
		free(v.prices);
	}
	problem_close(&p);
	topology_free(t);
}
