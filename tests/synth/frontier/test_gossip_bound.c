/* Bounds by gossips at prices that differ from link to link, beside trying everything on small machines. */

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/frontier/candidate.h"
#include "synth/frontier/gossip_bound.h"
#include "synth/frontier/gossip_program.h"
#include "synth/problem/problem.h"
#include "tests/support/drawn.h"
#include "tests/support/least_pattern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(gossip_bound, .description = "bounds on an allreduce by gossips", .timeout = 300);

/* A ring in both directions whose links have 1 to 3 units each, and perhaps a chord. */
static struct topology *drawn_ring(int nodes)
{
	struct topology *t = new(struct topology);
	int units[4][4] = {0};

	t->name = copy_string("ring");
	t->nodes = nodes;
	t->links = new_array(struct link, (size_t)(nodes * nodes));
	for (int a = 0; a < nodes; a++) {
		int b = (a + 1) % nodes;
		units[a][b] = units[b][a] = 1 + below(3);
	}
	if (nodes > 3)
		units[0][2] = units[2][0] = below(2);
	for (int a = 0; a < nodes; a++)
		for (int b = 0; b < nodes; b++)
			if (units[a][b])
				t->links[t->n_links++] = (struct link){a, b, units[a][b], -1};
	return t;
}

static bool bound(const struct topology *t, struct step_value *v, struct problem *p)
{
	static const struct collective k = {.kind = ALLREDUCE};
	struct error e = {0};

	cr_assert(problem_open_direct(t, &k, p, &e), "%s", e.what);
	return gossip_bound(p, rational(1, 0), NULL, v);
}

/* The least that a gossip pays at the prices of V, over the most that a round pays in some step. */
static struct rational shown(const struct network *w, const struct step_value *v)
{
	int *price = new_array(int, v->n_prices);
	int64_t most = 0;

	cr_assert(eq(sz, v->n_prices, (size_t)v->steps * w->n_edges));
	for (size_t i = 0; i < v->n_prices; i++) {
		cr_expect(v->prices[i].den == 1 && v->prices[i].num >= 0);
		price[i] = (int)v->prices[i].num;
	}
	for (int s = 0; s < v->steps; s++) {
		int64_t round = 0;
		for (size_t e = 0; e < w->n_edges; e++)
			round += price[(size_t)s * w->n_edges + e] * w->edges[e].bandwidth;
		most = round > most ? round : most;
	}
	int least = least_paid(w, v->steps, price, true);
	free(price);
	return rational_div(rational(least, 1), rational(most, 1));
}

Test(gossip_bound, what_the_cheapest_gossip_pays)
{
	enum { MACHINES = 3 };
	int raised = 0;

	state = 18;
	for (int m = 0; m < MACHINES; m++) {
		struct topology *t = drawn_ring(3 + m % 2);
		struct step_value v = {.steps = 2 + m / 2, .at_least = rational(0, 1), .root = 0};
		struct problem p;
		if (bound(t, &v, &p)) {
			cr_expect(v.patterns && v.root == -1 && v.at_least.num > 0);
			cr_expect(rational_compare(v.at_least, shown(p.network, &v)) == 0, "machine %d: %d/%d", m, (int)v.at_least.num,
				  (int)v.at_least.den);
			/* Nothing above it is raised. */
			struct step_value above = {.steps = v.steps, .at_least = rational(1000, 1), .root = 0};
			cr_expect(not(gossip_bound(&p, rational(1, 0), NULL, &above)));
			cr_expect(above.prices == NULL && !above.patterns && above.root == 0);
			raised++;
		}
		free(v.prices);
		problem_close(&p);
		topology_free(t);
	}
	cr_expect(eq(int, raised, MACHINES));
}

/* The chunks of an algorithm are gossips like others: the bound is as sure with them, and no higher than what they cost. */
Test(gossip_bound, begins_with_the_chunks_of_what_is_known)
{
	struct candidate c = {2, 2, 4};
	struct step_value v = {.steps = c.steps, .at_least = rational(0, 1), .root = 0};
	static const struct collective k = {.kind = ALLREDUCE};
	struct candidate_answer known;
	struct error e = {0};
	struct problem p;

	state = 18;
	struct topology *t = drawn_ring(4);
	cr_assert(problem_open_direct(t, &k, &p, &e), "%s", e.what);
	cr_assert(candidate_solve(&p, c, &(struct solve_options){.engine = "bits"}, &known, &e), "%s", e.what);
	cr_assert(eq(int, known.answer, ANSWER_FOUND));
	struct algorithm *twice = algorithm_scaled(known.algorithm, 2, &e);
	cr_assert(gossip_bound(&p, algorithm_bandwidth(twice), twice, &v));
	cr_expect(rational_compare(v.at_least, shown(p.network, &v)) == 0);
	cr_expect(le(int, rational_compare(v.at_least, algorithm_bandwidth(known.algorithm)), 0));
	algorithm_free(twice);
	algorithm_free(known.algorithm);
	free(v.prices);
	problem_close(&p);
	topology_free(t);
}

/* Does everything reach everyone? */
static bool is_gossip(const struct network *w, const struct gossip_sends *x, int steps)
{
	uint64_t at[4], before[4];
	bool all = true;

	for (int v = 0; v < w->nodes; v++)
		at[v] = UINT64_C(1) << v;
	for (int s = 0; s < steps; s++) {
		memcpy(before, at, sizeof at);
		for (size_t e = 0; e < w->n_edges; e++)
			if (x->on[s] >> e & 1)
				at[w->edges[e].dst] |= before[w->edges[e].src];
	}
	for (int v = 0; v < w->nodes; v++)
		all = all && at[v] == (UINT64_C(1) << w->nodes) - 1;
	return all;
}

Test(gossip_bound, what_is_pruned_needs_all_that_is_left)
{
	enum { STEPS = 3 };
	static const struct collective k = {.kind = ALLREDUCE};
	struct gossip_sends x = {0};
	struct gossip_program g;
	struct error e = {0};
	struct problem p;

	state = 18;
	struct topology *t = drawn_ring(4);
	cr_assert(problem_open_direct(t, &k, &p, &e), "%s", e.what);
	gossip_program_new(&g, p.network, STEPS);
	cr_assert(gossip_program_generate(&g, NULL));
	for (int s = 0; s < STEPS; s++)
		x.on[s] = (UINT64_C(1) << p.network->n_edges) - 1;
	gossip_program_prune(&g, &x);
	cr_expect(is_gossip(p.network, &x, STEPS));
	for (int s = 0; s < STEPS; s++)
		for (size_t i = 0; i < p.network->n_edges; i++)
			if (x.on[s] >> i & 1) {
				struct gossip_sends less = x;
				less.on[s] ^= UINT64_C(1) << i;
				cr_expect(not(is_gossip(p.network, &less, STEPS)), "edge %zu in step %d", i, s);
			}
	gossip_program_free(&g);
	problem_close(&p);
	topology_free(t);
}

Test(gossip_bound, not_where_links_go_one_way_or_share)
{
	for (int limited = 0; limited < 2; limited++) {
		struct topology *t = drawn_ring(3);
		struct step_value v = {.steps = 2, .at_least = rational(0, 1), .root = 0};
		struct problem p;
		if (limited) {
			t->limits = new_array(struct limit, 1);
			t->limits[t->n_limits++] = (struct limit){copy_string("limit"), LIMIT_INTO, 0, 0, NULL, 1};
		} else {
			t->links[0].bandwidth++; /* and not its way back */
		}
		cr_expect(not(bound(t, &v, &p)));
		cr_expect(v.prices == NULL && v.at_least.num == 0);
		problem_close(&p);
		topology_free(t);
	}
}
