#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/symmetry/machine_orbits.h"
#include "prove/check.h"
#include "prove/make.h"
#include "prove/question.h"
#include "prove/timed.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(timed_allreduce, .description = "timed cuts of an allreduce, which one send crosses together");

/* The cuts that are found for STEPS steps; takes T. */
static struct proof *proof_of(struct topology *t, int steps)
{
	struct error e = {0};
	const struct collective k = {.kind = ALLREDUCE};
	struct question q;
	struct proof *p = proof_new(t, &k);

	topology_free(t);
	cr_assert(question_open(p->topology, &k, &q, &e), "%s", e.what);
	side_add_timed(&p->sides[0], &q, steps, rational(0, 1));
	question_close(&q);
	return p;
}

static struct topology *machine(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);

	cr_assert(t != NULL, "%s", e.what);
	return t;
}

static bool holds(const struct proof *p, char *said, size_t size)
{
	struct error e = {0};
	struct check_report r;

	cr_assert(proof_check(p, "none.json", &(struct check_options){.budget = check_budget}, &r, &e), "%s", e.what);
	snprintf(said, size, "%s", r.gave_up ? "gave up" : r.fault);
	return r.holds;
}

/* As the file says it. */
static bool holds_as_a_file(const struct proof *p, char *said, size_t size)
{
	struct text text = {0};
	struct error e = {0};

	proof_write(p, &text);
	struct json_document *d = json_document_parse(text.bytes, "p", &e);
	struct proof *again = d ? proof_read(d, &e) : NULL;
	bool ok = again && holds(again, said, size);
	if (!again)
		snprintf(said, size, "%s: %s", e.where, e.what);
	proof_free(again);
	json_document_close(d);
	text_free(&text);
	return ok;
}

/* ---- values ---- */

static const struct {
	const char *machine;
	int steps, num, den;
} known[] = {
	{"dgx2x2", 3, 41, 88}, {"dgx2x2", 4, 13, 44}, {"dgx2x2", 5, 13, 59}, {"dgx2x2", 2, 0, 1}, {"line:2", 1, 1, 1}, {"ring:4", 2, 1, 1},
	{"ring:4", 1, 0, 1}, {"complete:4", 2, 1, 2}, {"dgx1", 2, 1, 1},
};

Test(timed_allreduce, known_values)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct proof *p = proof_of(machine(known[i].machine), known[i].steps);
		const struct timed *t = timed_of(&p->sides[0], known[i].steps);
		struct rational shown = t ? t->at_least : rational(0, 1);
		char said[1200];

		cr_expect(rational_compare(shown, rational(known[i].num, known[i].den)) == 0, "%s in %d steps: %lld/%lld", known[i].machine,
			  known[i].steps, (long long)shown.num, (long long)shown.den);
		cr_expect(holds_as_a_file(p, said, sizeof said), "%s", said);
		proof_free(p);
	}
}

/* ---- tampering ---- */

#define TAMPER(name, ...) static void name(struct proof *p) { struct timed *x = p->sides[0].timed; const int n = p->topology->nodes; (void)n; __VA_ARGS__; }
TAMPER(value_raised, x->at_least = rational(1, 2))
TAMPER(value_hardly_raised, x->at_least = rational(466, 1000))
TAMPER(value_huge, x->at_least = rational(INT64_MAX, 1))
TAMPER(value_negative, x->at_least = rational(-1, 2))
TAMPER(weight_raised, x->cuts[0].weight++)
TAMPER(weight_of_the_last_raised, x->cuts[x->n_cuts - 1].weight++)
TAMPER(weight_huge, x->cuts[0].weight = INT64_MAX)
TAMPER(weight_negative, x->cuts[0].weight = -1)
TAMPER(weight_lowered, x->cuts[0].weight = 0)
TAMPER(cut_missing, free(x->cuts[--x->n_cuts].until))
TAMPER(cut_twice, memcpy(x->cuts[1].until, x->cuts[0].until, (size_t)n * sizeof(int)))
TAMPER(no_cuts, while (x->n_cuts) free(x->cuts[--x->n_cuts].until))
TAMPER(nothing_is_outside, for (int v = 0; v < n; v++) x->cuts[0].until[v] += x->cuts[0].until[v] < 0)
TAMPER(nothing_is_inside, for (int v = 0; v < n; v++) x->cuts[0].until[v] -= x->cuts[0].until[v] == x->steps)
TAMPER(all_is_inside, for (int v = 0; v < n; v++) x->cuts[0].until[v] = x->steps)
TAMPER(until_after_the_steps, x->cuts[0].until[0] = x->steps + 1)
TAMPER(until_before_all_steps, x->cuts[0].until[0] = -2)
TAMPER(cuts_backwards, for (size_t k = 0; k < x->n_cuts; k++) for (int v = 0; v < n; v++) x->cuts[k].until[v] = x->steps - 1 - x->cuts[k].until[v])
TAMPER(nodes_exchanged, int *u = x->cuts[0].until; int a = u[0]; u[0] = u[16]; u[16] = a; a = u[1]; u[1] = u[17]; u[17] = a)
TAMPER(price_raised, x->prices[0].price++)
TAMPER(price_lowered, x->prices[0].price--)
TAMPER(price_huge, x->prices[0].price = INT64_MAX)
TAMPER(price_of_another_step, x->prices[0].step = 2)
TAMPER(price_before_the_steps, x->prices[0].step = 0)
TAMPER(price_of_another_limit, x->prices[0].limit ^= 32)
TAMPER(price_of_no_limit, x->prices[0].limit = 1000)
TAMPER(price_missing, x->n_prices--)
TAMPER(no_prices, x->n_prices = 0)
TAMPER(steps_raised, x->steps++)
TAMPER(steps_none, x->steps = 0)
TAMPER(no_symmetries, x->n_symmetries = 0)
TAMPER(symmetry_missing, x->n_symmetries /= 2)
TAMPER(no_permutation, x->symmetries[0] = x->symmetries[1])
TAMPER(symmetry_of_no_node, x->symmetries[0] = n)
TAMPER(symmetry_of_a_negative_node, x->symmetries[0] = -1)
TAMPER(a_rotation, for (int v = 0; v < n; v++) x->symmetries[v] = (v + 1) % n)
TAMPER(a_swap_of_ends, for (int v = 0; v < n; v++) x->symmetries[v] = v ^ 1)
TAMPER(a_swap_of_two, for (int v = 0; v < n; v++) x->symmetries[v] = v == 0 ? 2 : v == 2 ? 0 : v)
TAMPER(another_collective, (void)x; p->collective.kind = p->sides[0].collective.kind = ALLGATHER)
TAMPER(another_machine, (void)x; struct error e = {0}; topology_free(p->topology); p->topology = topology_open("dgx2*2", &e))
TAMPER(a_wider_link, (void)x; p->topology->links[1].bandwidth++)

static void (*const tampering[])(struct proof *) = {
	value_raised, value_hardly_raised, value_huge, value_negative, weight_raised, weight_of_the_last_raised, weight_huge, weight_negative,
	weight_lowered, cut_missing, cut_twice, no_cuts, nothing_is_outside, nothing_is_inside, all_is_inside, until_after_the_steps,
	until_before_all_steps, cuts_backwards, nodes_exchanged, price_raised, price_lowered, price_huge, price_of_another_step,
	price_before_the_steps, price_of_another_limit, price_of_no_limit, price_missing, no_prices, steps_raised, steps_none, no_symmetries,
	symmetry_missing, no_permutation, symmetry_of_no_node, symmetry_of_a_negative_node, a_rotation, a_swap_of_ends, a_swap_of_two,
	another_collective, another_machine, a_wider_link,
};

Test(timed_allreduce, what_is_changed_in_it_is_found)
{
	char said[1200];

	for (size_t i = 0; i < sizeof tampering / sizeof *tampering; i++) {
		struct proof *p = proof_of(machine("dgx2x2"), 3);
		cr_assert(holds_as_a_file(p, said, sizeof said), "%s", said);
		tampering[i](p);
		cr_expect(not(holds_as_a_file(p, said, sizeof said)), "%zu", i);
		cr_expect(strlen(said) > 0, "%zu says nothing", i);
		cr_log_info("%zu: %s", i, said);
		proof_free(p);
	}
}

/* What the cuts show is a lower bound for other machines with the same nodes only if these are no faster. */
Test(timed_allreduce, slower_machines_keep_the_bound)
{
	struct proof *p = proof_of(machine("dgx2x2"), 3);
	char said[1200];

	for (size_t l = 0; l < p->topology->n_links; l++)
		p->topology->links[l].bandwidth = 1;
	cr_expect(holds_as_a_file(p, said, sizeof said), "%s", said);
	proof_free(p);
}

/* ---- against all patterns of small machines in two parts ---- */

enum { PARTS_NODES = 4, STATES = 1 << PARTS_NODES * PARTS_NODES, FULL = (1 << PARTS_NODES) - 1 };

static uint64_t state = 77;

static int below(int n)
{
	return random_below(&state, n);
}

/* Nodes 0, 1 and 2, 3 joined both ways; a ring through both parts and other links across by chance; some limits. */
static struct topology *two_parts(void)
{
	struct topology *t = new(struct topology);

	t->name = copy_string("parts");
	t->nodes = PARTS_NODES;
	t->links = new_array(struct link, PARTS_NODES * PARTS_NODES);
	for (int a = 0; a < PARTS_NODES; a++)
		for (int b = 0; b < PARTS_NODES; b++) {
			bool within = a / 2 == b / 2, ring = (a == 1 && b == 2) || (a == 3 && b == 0);
			if (a != b && (within || ring || below(4) == 0))
				t->links[t->n_links++] = (struct link){a, b, within ? 1 + below(4) : 1, -1};
		}
	t->limits = new_array(struct limit, 2);
	t->n_limits = (size_t)below(3);
	for (size_t i = 0; i < t->n_limits; i++)
		t->limits[i] = (struct limit){copy_string("limit"), i ? LIMIT_INTO : LIMIT_OUT_OF, below(PARTS_NODES), 0, NULL, 1 + below(3)};
	return t;
}

/* What a send over each edge pays in each step, [(step - 1) * n_edges + edge]: the averages of its orbit. */
static double *pays_of(const struct network *w, const struct timed *t)
{
	struct machine_orbits o;
	double *pays = new_array(double, (size_t)t->steps * w->n_edges);

	machine_orbits_new(w, t->symmetries, t->n_symmetries, &o);
	for (int s = 1; s <= t->steps; s++) {
		double *paid = new_array(double, w->n_edges), *worth = new_array(double, w->n_edges), *size = new_array(double, w->n_edges);
		for (size_t i = 0; i < t->n_prices; i++)
			for (size_t k = 0; t->prices[i].step == s && k < w->limits[t->prices[i].limit].n_edges; k++)
				paid[o.edge[w->limits[t->prices[i].limit].edges[k]]] += (double)t->prices[i].price;
		for (size_t e = 0; e < w->n_edges; e++) {
			size[o.edge[e]]++;
			for (size_t k = 0; k < t->n_cuts; k++)
				if (t->cuts[k].until[w->edges[e].src] < s - 1 && t->cuts[k].until[w->edges[e].dst] >= s)
					worth[o.edge[e]] += (double)t->cuts[k].weight;
		}
		for (size_t e = 0; e < w->n_edges; e++)
			pays[(size_t)(s - 1) * w->n_edges + e] = fmax(worth[o.edge[e]], paid[o.edge[e]]) / size[o.edge[e]];
		free(paid);
		free(worth);
		free(size);
	}
	machine_orbits_free(&o);
	return pays;
}

static int value_at(int values, int v)
{
	return values >> PARTS_NODES * v & FULL;
}

/* The least that V pays in a step for each value it can have afterwards: it keeps its value or not, and sums disjoint parts. */
static void options_of(const struct network *w, int values, int v, const double *pays, double *least)
{
	for (int x = 0; x <= FULL; x++)
		least[x] = INFINITY;
	for (int senders = 0; senders <= FULL; senders++)
		for (int keeps = 0; keeps < 2; keeps++) {
			int sum = keeps ? value_at(values, v) : 0;
			double cost = 0;
			for (int u = 0; u < PARTS_NODES; u++) {
				int e = u == v ? -1 : network_edge(w, u, v);
				if (!(senders >> u & 1))
					continue;
				cost += e < 0 || (sum & value_at(values, u)) ? INFINITY : pays[e];
				sum |= value_at(values, u);
			}
			least[sum] = fmin(least[sum], cost);
		}
}

/* The least that all sends of a chunk pay, over all patterns of an allreduce. */
static double cheapest_pattern(const struct network *w, int steps, const double *pays)
{
	double *now = new_array(double, STATES), *next = new_array(double, STATES), least[PARTS_NODES][FULL + 1];
	int start = 0, end = 0;

	for (int v = 0; v < PARTS_NODES; v++) {
		start |= 1 << v << PARTS_NODES * v;
		end |= FULL << PARTS_NODES * v;
	}
	for (int x = 0; x < STATES; x++)
		now[x] = x == start ? 0 : INFINITY;
	for (int s = 0; s < steps; s++) {
		for (int x = 0; x < STATES; x++)
			next[x] = INFINITY;
		for (int x = 0; x < STATES; x++) {
			if (isinf(now[x]))
				continue;
			for (int v = 0; v < PARTS_NODES; v++)
				options_of(w, x, v, pays + (size_t)s * w->n_edges, least[v]);
			for (int a = s + 1 < steps ? 1 : FULL; a <= FULL; a++)
				for (int b = s + 1 < steps ? 1 : FULL; b <= FULL && least[0][a] < INFINITY; b++)
					for (int c = s + 1 < steps ? 1 : FULL; c <= FULL && least[1][b] < INFINITY; c++)
						for (int d = s + 1 < steps ? 1 : FULL; d <= FULL && least[2][c] < INFINITY; d++) {
							int y = a | b << PARTS_NODES | c << 2 * PARTS_NODES | d << 3 * PARTS_NODES;
							next[y] = fmin(next[y], now[x] + least[0][a] + least[1][b] + least[2][c] + least[3][d]);
						}
		}
		double *spare = now;
		now = next;
		next = spare;
	}
	double cost = now[end];
	free(now);
	free(next);
	return cost;
}

Test(timed_allreduce, no_pattern_pays_less_than_the_cuts_weigh)
{
	enum { MACHINES = 24 };
	int shown = 0, tight = 0;

	for (int m = 0; m < MACHINES; m++) {
		int steps = 3 + (m % 12 == 0);
		struct proof *p = proof_of(two_parts(), steps);
		const struct timed *t = timed_of(&p->sides[0], steps);
		struct error e = {0};
		struct network *w = network_new(p->topology, &e);
		char said[1200];

		cr_assert(w != NULL, "%s", e.what);
		cr_expect(holds_as_a_file(p, said, sizeof said), "%s", said);
		if (t) {
			double *pays = pays_of(w, t), weights = 0, least = cheapest_pattern(w, steps, pays);
			for (size_t k = 0; k < t->n_cuts; k++)
				weights += (double)t->cuts[k].weight;
			cr_expect(ge(dbl, least, weights * (1 - 1e-9)), "machine %d in %d steps", m, steps);
			shown++;
			tight += least < weights * (1 + 1e-9);
			free(pays);
		}
		network_free(w);
		proof_free(p);
	}
	cr_expect(gt(int, shown, MACHINES / 2), "%d", shown);
	cr_expect(gt(int, tight, MACHINES / 4), "%d", tight); /* a bound any larger would be found wrong there */
}
