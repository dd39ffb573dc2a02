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

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(patterns, .description = "the least that a pattern of an allreduce pays", .timeout = 300);

enum { NODES = 4, STATES = 1 << (NODES * NODES), NEVER_PAID = 1 << 20 };

/* ---- trying everything ---- */

struct trial {
	const struct network *w;
	const int *price; /* of the step's edges */
	int *next;        /* [state]: the least that is paid */
};

static int value_of(int state, int nodes, int node)
{
	return state >> (node * nodes) & ((1 << nodes) - 1);
}

/* All ways in which the nodes from NODE on get their next values. */
static void try_nodes(const struct trial *t, int state, int node, int made, int paid)
{
	const struct network *w = t->w;

	if (node == w->nodes) {
		t->next[made] = paid < t->next[made] ? paid : t->next[made];
		return;
	}
	int n = w->in_begin[node + 1] - w->in_begin[node];
	for (int ways = 0; ways < 2 << n; ways++) { /* the last bit: the value is kept */
		int sum = ways >> n ? value_of(state, w->nodes, node) : 0, cost = 0, fits = 1;
		for (int i = 0; i < n; i++) {
			int e = w->in[w->in_begin[node] + i], brought = value_of(state, w->nodes, w->edges[e].src);
			if (!(ways >> i & 1))
				continue;
			fits = fits && !(sum & brought);
			sum |= brought;
			cost += t->price[e];
		}
		if (fits && ways)
			try_nodes(t, state, node + 1, made | sum << (node * w->nodes), paid + cost);
	}
}

static int least_paid(const struct network *w, int steps, const int *price)
{
	int *now = new_array(int, STATES), *next = new_array(int, STATES), size = 1 << (w->nodes * w->nodes), start = 0, least;

	for (int v = 0; v < w->nodes; v++)
		start |= 1 << (v * w->nodes + v);
	for (int k = 0; k < size; k++)
		now[k] = k == start ? 0 : NEVER_PAID;
	for (int s = 0; s < steps; s++) {
		const struct trial t = {w, price + (size_t)s * w->n_edges, next};
		for (int k = 0; k < size; k++)
			next[k] = NEVER_PAID;
		for (int k = 0; k < size; k++)
			if (now[k] < NEVER_PAID)
				try_nodes(&t, k, 0, 0, now[k]);
		memcpy(now, next, (size_t)size * sizeof *now);
	}
	least = now[size - 1];
	free(now);
	free(next);
	return least;
}

/* ---- the same by formulas ---- */

struct subject {
	struct topology *topology;
	struct proof *proof;
	struct question question;
};

static struct subject subject(const char *machine)
{
	struct error e = {0};
	struct collective k;
	struct subject s = {.topology = topology_open(machine, &e)};

	cr_assert(s.topology != NULL, "%s", e.what);
	cr_assert(collective_open("allreduce", s.topology->nodes, 0, &k, &e), "%s", e.what);
	s.proof = proof_new(s.topology, &k);
	cr_assert(question_open(s.topology, &k, &s.question, &e), "%s", e.what);
	collective_free(&k);
	return s;
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

static enum answer encoded(const struct subject *s, int steps, const int *price, int most)
{
	const struct pattern_limit limit = {.price = price, .most = most};
	struct solution got = {0};
	struct error e = {0};
	struct instance i;

	cr_assert(question_instance(&s->question, (struct candidate){1, steps, steps}, &i, &e), "%s", e.what);
	cr_assert(solve(&i, &(struct solve_options){.pattern = &limit}, &got, &e), "%s", e.what);
	steps_free(got.steps, got.n_steps);
	question_done(&i);
	return got.answer;
}

/* False: none is needed, as no pattern pays anything. */
static bool expect_least(struct subject *s, int steps, const int *price, const char *what)
{
	const struct network *w = s->question.network;
	size_t rows = w->n_edges + w->n_limits;
	struct rational *prices = new_array(struct rational, (size_t)steps * rows);
	int least = least_paid(w, steps, price), round = round_of(w, steps, price);
	struct side *side = &s->proof->sides[WHOLE];
	struct check_report report;
	struct error e = {0};

	if (least == 0 || least == NEVER_PAID) {
		free(prices);
		return false;
	}
	cr_expect(encoded(s, steps, price, least) == ANSWER_FOUND && encoded(s, steps, price, least - 1) == ANSWER_NONE, "%s: %d", what, least);
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
	unsigned state = 7;
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
				state = state * 1103515245u + 12345u;
				price[at] = (int)(state >> 16) % 4;
				if (mirrored && back >= 0)
					price[other] = price[at];
			}
		if (w->nodes <= NODES)
			tried += expect_least(&s, steps, price, machines[k / 3].machine);
		free(price);
		subject_free(&s);
	}
	cr_expect(gt(sz, tried, 15));
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
