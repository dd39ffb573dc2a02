/*
 * What a pattern of an allreduce pays at least, beside trying everything: dynamic programming over all values at all nodes. The
 * certificate of so much is made, and none of more; the encoding of the search says the same.
 */

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "encode/cnf/pattern.h"
#include "prove/check.h"
#include "prove/patterns.h"
#include "prove/proof.h"
#include "prove/trace.h"
#include "tests/support/drawn.h"
#include "tests/support/least_pattern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(patterns, .description = "the least that a pattern of an allreduce pays", .timeout = 300);

/* ---- the same by formulas ---- */

struct subject {
	struct topology *topology;
	struct proof *proof;
	struct question question;
};

/* Takes T. */
static struct subject subject_of(struct topology *t)
{
	struct error e = {0};
	struct collective k;
	struct subject s = {.topology = t};

	cr_assert(collective_open("allreduce", s.topology->nodes, 0, &k, &e), "%s", e.what);
	s.proof = proof_new(s.topology, &k);
	cr_assert(question_open(s.topology, &k, &s.question, &e), "%s", e.what);
	collective_free(&k);
	return s;
}

static struct subject subject(const char *machine)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);

	cr_assert(t != NULL, "%s", e.what);
	return subject_of(t);
}

static void subject_free(struct subject *s)
{
	question_close(&s->question);
	proof_free(s->proof);
	topology_free(s->topology);
}

/* What a round of the most expensive step pays. */
static int round_of(const struct network *w, int steps, const int *price)
{
	int most = 0;

	for (int s = 0; s < steps; s++) {
		int sum = 0;
		for (size_t e = 0; e < w->n_edges; e++)
			sum += price[(size_t)s * w->n_edges + e] * w->edges[e].bandwidth;
		most = sum > most ? sum : most;
	}
	return most;
}

static enum answer encoded(const struct subject *s, int steps, const int *price, int most, bool gossip)
{
	const struct pattern_limit limit = {.price = price, .most = most, .gossip = gossip};
	struct solution got = {0};
	struct error e = {0};
	struct instance i;

	cr_assert(question_instance(&s->question, (struct candidate){1, steps, steps}, &i, &e), "%s", e.what);
	cr_assert(solve(&i, &(struct solve_options){.pattern = &limit}, &got, &e), "%s", e.what);
	steps_free(got.steps, got.n_steps);
	question_done(&i);
	return got.answer;
}

static int gossip_certificates; /* that were made */

/* False: none is needed, as no pattern pays anything. */
static bool expect_least(struct subject *s, int steps, const int *price, const char *what)
{
	const struct network *w = s->question.network;
	size_t rows = w->n_edges + w->n_limits;
	struct rational *prices = new_array(struct rational, (size_t)steps * rows);
	int least = least_paid(w, steps, price, false), gossips = least_paid(w, steps, price, true), round = round_of(w, steps, price);
	struct side *side = &s->proof->sides[WHOLE];
	struct check_report report;
	struct error e = {0};

	if (least == 0 || least == NEVER_PAID) {
		free(prices);
		return false;
	}
	cr_expect(encoded(s, steps, price, least, false) == ANSWER_FOUND && encoded(s, steps, price, least - 1, false) == ANSWER_NONE, "%s: %d",
		  what, least);
	cr_expect(gossips <= least && encoded(s, steps, price, gossips, true) == ANSWER_FOUND, "%s: %d", what, gossips);
	cr_expect(gossips == 0 || encoded(s, steps, price, gossips - 1, true) == ANSWER_NONE, "%s: %d", what, gossips);
	for (size_t c = 0; c < (size_t)steps * rows; c++)
		prices[c] = rational(c % rows < w->n_edges ? price[c / rows * w->n_edges + c % rows] : 0, 1);
	for (int more = 1; more >= 0; more--) {
		struct trace_limits none = {0};
		bool added = step_patterns_add(side, &s->question, steps, prices, rational(least + more, round), &none, &e);
		cr_expect(added == !more && (added || e.kind == ERROR_INPUT), "%s: %d of %d: %s", what, least + more, round, e.what);
		e = (struct error){0};
	}
	cr_expect(proof_check(s->proof, "none.json", &(struct check_options){.solve_again = true}, &report, &e), "%s", e.what);
	cr_expect(report.holds, "%s: %s", what, report.fault);
	cr_expect(side->n_programs == 1);
	struct patterns *a = side->programs[0].patterns;
	cr_expect(gossips == least || !a->gossip, "%s: a certificate of gossips, some of which pay less", what);
	a->gossip = !a->gossip;
	bool read = proof_check(s->proof, "none.json", &(struct check_options){.solve_again = true}, &report, &e);
	bool refused = !report.holds;
	cr_expect(read, "%s: %s", what, e.what);
	cr_expect(refused, "%s: holds for another formula", what);
	gossip_certificates += !a->gossip;
	step_programs_free(side->programs, side->n_programs);
	side->programs = NULL;
	side->n_programs = side->programs_capacity = 0;
	free(prices);
	return true;
}

static const struct {
	const char *machine;
	int steps;
} machines[] = {
	{"ring:3", 1}, {"ring:3", 2}, {"ring:3", 3}, {"line:3", 2}, {"line:3", 3}, {"line:4", 3}, {"ring:4", 2}, {"ring:4", 3},
	{"star:3", 2}, {"switch:3", 2}, {"torus:2x2", 2},
};

/* At equal prices all symmetries keep them, and they are the same backwards. */
Test(patterns, equal_prices)
{
	size_t tried = 0;

	for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
		struct subject s = subject(machines[k].machine);
		const struct network *w = s.question.network;
		int *price = new_array(int, (size_t)machines[k].steps * w->n_edges);
		for (size_t c = 0; c < (size_t)machines[k].steps * w->n_edges; c++)
			price[c] = 1;
		if (w->nodes <= NODES)
			tried += expect_least(&s, machines[k].steps, price, machines[k].machine);
		free(price);
		subject_free(&s);
	}
	cr_expect(gt(sz, tried, 6));
}

/* Other prices in each step, and some that are the same backwards. */
Test(patterns, random_prices)
{
	unsigned seed = 7;
	size_t tried = 0;

	for (size_t k = 0; k < 3 * sizeof machines / sizeof *machines; k++) {
		const int steps = machines[k / 3].steps, mirrored = k % 3 == 0;
		struct subject s = subject(machines[k / 3].machine);
		const struct network *w = s.question.network;
		int *price = new_array(int, (size_t)steps * w->n_edges);
		for (int step = 0; step < steps; step++)
			for (size_t e = 0; e < w->n_edges; e++) {
				int back = network_edge(w, w->edges[e].dst, w->edges[e].src);
				size_t at = (size_t)step * w->n_edges + e, other = (size_t)(steps - 1 - step) * w->n_edges + (size_t)back;
				seed = seed * 1103515245u + 12345u;
				price[at] = (int)(seed >> 16) % 4;
				if (mirrored && back >= 0)
					price[other] = price[at];
			}
		if (w->nodes <= NODES)
			tried += expect_least(&s, steps, price, machines[k / 3].machine);
		free(price);
		subject_free(&s);
	}
	cr_expect(gt(sz, tried, 15));
	cr_expect(gt(int, gossip_certificates, 3));
}

/* What a round can pay times what is stated is 2^128, and 0 where a product is cut off there. */
Test(patterns, huge_numbers_do_not_wrap)
{
	struct subject s = subject("ring:32");
	const int64_t large = INT64_C(1) << 60;
	struct step_price prices[64];
	struct step_pay pay = {1, 1};
	struct patterns all = {0};
	struct step_program p = {.steps = 16, .root = -1, .prices = prices, .n_prices = 64, .pays = &pay, .n_pays = 1, .patterns = &all};
	char why[PROGRAM_WHY];
	struct cnf f;

	cr_assert(eq(sz, s.question.network->n_edges, 64));
	for (size_t e = 0; e < 64; e++) {
		const struct edge *of = &s.question.network->edges[e];
		prices[e] = (struct step_price){.step = 1, .src = of->src, .dst = of->dst, .limit = -1, .price = large};
	}
	const struct rational stated[] = {rational(INT64_C(1) << 62, 1), rational(1, INT64_C(1) << 61), rational(1, 1)};
	for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
		p.at_least = stated[i];
		cr_expect(eq(int, patterns_formula(&s.question, &p, &f, why), PROGRAM_FALSE), "%zu", i);
	}
	subject_free(&s);
}

/* ---- claims by chance ---- */

/* Prices by chance of edges and limits, in one case of three the same in each step or backwards. */
static struct step_price *draw_prices(const struct network *w, int steps, size_t *n)
{
	struct step_price *all = new_array(struct step_price, (size_t)steps * (w->n_edges + w->n_limits));
	int alike = below(3), limits = below(2); /* one price for all edges; the step's own; any */

	*n = 0;
	for (int s = 1; s <= steps; s++) {
		int own = 1 + below(3);
		for (size_t q = 0; q < w->n_edges + w->n_limits; q++) {
			bool edge = q < w->n_edges;
			int price = !edge ? limits * below(3) : alike == 0 ? 1 : alike == 1 ? own : below(4);
			if (price)
				all[(*n)++] = (struct step_price){s, edge ? w->edges[q].src : 0, edge ? w->edges[q].dst : 0,
								  edge ? -1 : (int)(q - w->n_edges), price};
		}
	}
	return all;
}

/* What a send over each edge pays, its limits included; *ROUND: what a round of the most expensive step can pay. */
static int *sum_prices(const struct network *w, int steps, const struct step_price *all, size_t n, int *round)
{
	int *price = new_array(int, (size_t)steps * w->n_edges), *rounds = new_array(int, (size_t)steps);

	*round = 0;
	for (size_t i = 0; i < n; i++) {
		int *of = price + (size_t)(all[i].step - 1) * w->n_edges, of_limit = all[i].limit;
		if (of_limit < 0)
			of[network_edge(w, all[i].src, all[i].dst)] += (int)all[i].price;
		for (size_t k = 0; of_limit >= 0 && k < w->limits[of_limit].n_edges; k++)
			of[w->limits[of_limit].edges[k]] += (int)all[i].price;
		rounds[all[i].step - 1] += (int)all[i].price * (of_limit < 0 ? w->edges[network_edge(w, all[i].src, all[i].dst)].bandwidth
									      : w->limits[of_limit].bandwidth);
		*round = rounds[all[i].step - 1] > *round ? rounds[all[i].step - 1] : *round;
	}
	free(rounds);
	return price;
}

static void draw_permutation(int *to, int nodes)
{
	for (int v = 0; v < nodes; v++)
		to[v] = v;
	for (int v = nodes - 1; v > 0; v--) {
		int other = below(v + 1), here = to[v];
		to[v] = to[other];
		to[other] = here;
	}
}

enum { CLAIMS = 4 };

/* Is it refuted that a pattern pays less than PAY, by a formula that is accepted for so much? */
static bool is_shown(const struct subject *s, struct step_program *p, int pay, struct rational at_least)
{
	const struct trace_limits none = {0};
	char why[PROGRAM_WHY];
	struct step_pay pays = {pay, 1};
	struct error e = {0};
	struct trace t;
	struct cnf f;

	p->pays = &pays;
	p->n_pays = 1;
	p->at_least = at_least;
	if (patterns_formula(&s->question, p, &f, why) != PROGRAM_HOLDS)
		return false;
	cr_assert(trace_solve(&f, &none, &t, &e), "%s", e.what);
	cnf_free(&f);
	text_free(&t.bytes);
	return t.answer == TRACE_REFUTED;
}

/* Whatever is claimed of symmetries and of the way back, on machines with limits and one-way links: no more than the least is shown. */
Test(patterns, no_claim_shows_more_than_the_least)
{
	enum { MACHINES = 150 };
	int least_shown = 0, with_symmetries = 0, with_mirror = 0;

	state = 99;
	for (int m = 0; m < MACHINES; m++) {
		struct subject s = subject_of(random_machine(m % 8 == 0 ? 2 : 1, 2, 3));
		const struct network *w = s.question.network;
		int steps = 2 + below(2), round, symmetries[CLAIMS * NODES];
		struct patterns claims = {.mirrored = below(2), .n_symmetries = (size_t)below(CLAIMS), .symmetries = symmetries};
		struct step_program p = {.steps = steps, .root = -1, .patterns = &claims};
		p.prices = draw_prices(w, steps, &p.n_prices);
		int *price = sum_prices(w, steps, p.prices, p.n_prices, &round), least = least_paid(w, steps, price, false);
		for (int k = 0; k < CLAIMS; k++)
			draw_permutation(symmetries + k * w->nodes, w->nodes);
		if (least > 0 && least < NEVER_PAID && round) {
			bool shown = is_shown(&s, &p, least, rational(least, round));
			cr_expect(not(is_shown(&s, &p, least + 1, rational(least + 1, round))), "machine %d: %d is the least", m, least);
			cr_expect(not(is_shown(&s, &p, least, rational(2 * least + 1, 2 * round))), "machine %d: %d of %d", m, least, round);
			least_shown += shown;
			with_symmetries += shown && claims.n_symmetries;
			with_mirror += shown && claims.mirrored;
		}
		free(price);
		free(p.prices);
		subject_free(&s);
	}
	cr_log_info("the least is shown %d times, %d by symmetries, %d mirrored", least_shown, with_symmetries, with_mirror);
	cr_expect(gt(int, least_shown, MACHINES / 8), "%d", least_shown);
	cr_expect(gt(int, with_symmetries, 5), "%d", with_symmetries);
	cr_expect(gt(int, with_mirror, 5), "%d", with_mirror);
}
