#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "prove/check.h"
#include "prove/demand_cost.h"
#include "prove/program.h"
#include "prove/question.h"
#include "prove/tree_ascent.h"
#include "prove/tree_blocks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(program, .description = "programs over timed trees");

static struct proof *empty_proof(const char *machine, const char *kind, int root)
{
	struct error e = {0};
	struct collective k = {0};
	struct topology *t = topology_open(machine, &e);

	cr_assert(t != NULL, "%s", e.what);
	cr_assert(collective_open(kind, t->nodes, root, &k, &e), "%s", e.what);
	struct proof *p = proof_new(t, &k);
	collective_free(&k);
	topology_free(t);
	return p;
}

static struct check_report checked(const struct proof *p)
{
	struct error e = {0};
	struct check_report r;

	cr_assert(proof_check(p, "none.json", &(struct check_options){.budget = check_budget}, &r, &e), "%s", e.what);
	return r;
}

static void add_price(struct step_program *p, int step, int src, int dst, int limit, int64_t price)
{
	p->prices[p->n_prices++] = (struct step_price){step, src, dst, limit, price};
}

/* The limit on all edges out of a node, or into it. */
static int limit_of(const struct network *w, int node, bool out)
{
	for (size_t l = 0; l < w->n_limits; l++) {
		const struct network_limit *limit = &w->limits[l];
		size_t n = 0;
		for (size_t i = 0; i < limit->n_edges; i++)
			n += (out ? w->edges[limit->edges[i]].src : w->edges[limit->edges[i]].dst) == node;
		if (n == limit->n_edges && (int)n == w->nodes - 1)
			return (int)l;
	}
	cr_assert(false, "node %d has no such limit", node);
	return -1;
}

static struct step_program *new_program(struct proof *p, int steps, struct rational at_least, size_t pays)
{
	struct side *s = &p->sides[0];

	s->programs = grown(s->programs, &s->programs_capacity, s->n_programs + 1, sizeof *s->programs);
	struct step_program *x = &s->programs[s->n_programs++];
	*x = (struct step_program){.steps = steps, .root = -1, .at_least = at_least, .n_pays = pays, .prices = new_array(struct step_price, 1000),
				   .pays = new_array(struct step_pay, 100)};
	return x;
}

/*
 * Behind a switch with b units a node and n receivers: all that the root sends in step 1 and in step 2, and all that
 * receivers get in step 2. A tree that uses the first step for k > 0 nodes pays k (n + 1) + (n - k), at least 2 n; one
 * that does not pays 2 n. So R/C is at least 2 n / (b (n + 1)).
 */
static struct proof *two_steps_over_switch(const char *machine)
{
	struct proof *p = empty_proof(machine, "broadcast", 0);
	struct error e = {0};
	struct network *w = network_new(p->topology, &e);
	int n = w->nodes - 1, out = limit_of(w, 0, true), b = w->limits[out].bandwidth;
	struct step_program *x = new_program(p, 2, rational(2 * n, b * (n + 1)), 1);

	add_price(x, 1, 0, 0, out, n + 1);
	add_price(x, 2, 0, 0, out, 1);
	for (int v = 1; v <= n; v++)
		add_price(x, 2, 0, 0, limit_of(w, v, false), 1);
	x->pays[0] = (struct step_pay){2 * n, 1};
	network_free(w);
	return p;
}

Test(program, switches_in_two_steps)
{
	static const char *const machines[] = {"dgx-h100", "switch:4", "dgx-a100", "switch:16", "gb200-nvl72"};

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct proof *p = two_steps_over_switch(machines[i]);
		struct rational *at_least = &p->sides[0].programs[0].at_least;
		struct check_report r = checked(p);
		cr_expect(r.holds, "%s: %s", machines[i], r.fault);
		if (i == 0)
			cr_expect(at_least->num == 7 && at_least->den == 72);
		*at_least = rational_add(*at_least, rational(1, 100000));
		cr_expect(strstr(checked(p).fault, "R/C >= ") != NULL, "%s: more than the prices show", machines[i]);
		proof_free(p);
	}
}

/* From a node to three others: in one step the direct edge carries all; in two, see the prices. */
static struct proof *complete_graph(void)
{
	struct proof *p = empty_proof("complete:4", "broadcast", 0);
	struct step_program *x = new_program(p, 1, rational(1, 1), 1);

	add_price(x, 1, 0, 2, -1, 5);
	x->pays[0] = (struct step_pay){5, 1};
	x = new_program(p, 2, rational(1, 2), 1);
	for (int from = 0; from < 4; from++)
		for (int to = 1; to < 4; to++)
			if (from != to) {
				if (from == 0)
					add_price(x, 1, from, to, -1, 4);
				add_price(x, 2, from, to, -1, from == 0 ? 2 : 1);
			}
	x->pays[0] = (struct step_pay){6, 1};
	return p;
}

/* All chunks but its own must enter node 0 over one of two links, whatever the number of steps. */
static struct proof *ring(const char *kind, int steps)
{
	struct proof *p = empty_proof("ring:4", kind, 0);
	bool backwards = strcmp(kind, "reducescatter") == 0;
	struct step_program *x = new_program(p, steps, backwards ? rational(3, 8) : rational(3, 2), 2);

	for (int s = 1; s <= steps; s++) {
		add_price(x, s, 1, 0, -1, 1);
		add_price(x, s, 3, 0, -1, 1);
	}
	x->pays[0] = (struct step_pay){0, 1};
	x->pays[1] = (struct step_pay){1, 3};
	return p;
}

Test(program, small_machines_by_hand)
{
	struct proof *all[] = {complete_graph(), ring("allgather", 2), ring("allgather", 9), ring("reducescatter", 3)};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct check_report r = checked(all[i]);
		cr_expect(r.holds, "%zu: %s", i, r.fault);
		proof_free(all[i]);
	}
}

Test(program, candidates_are_refuted_in_as_many_steps_or_fewer)
{
	struct proof *p = two_steps_over_switch("dgx-h100");
	struct side *s = &p->sides[0];
	const struct candidate refuted[] = {{72, 2, 6}, {72, 1, 6}, {11, 2, 1}}, not_refuted[] = {{72, 2, 7}, {72, 3, 6}, {144, 2, 14}};

	for (size_t i = 0; i < 3; i++)
		refusal_add(&s->refused, &s->n_refused, &s->capacity, (struct refusal){.candidate = refuted[i], .by = BY_PROGRAM});
	cr_expect(checked(p).holds, "%s", checked(p).fault);
	for (size_t i = 0; i < 3; i++) {
		s->refused[0].candidate = not_refuted[i];
		cr_expect(strstr(checked(p).fault, "is not below a program") != NULL, "%zu", i);
		cr_expect(not(side_below(s, not_refuted[i])));
		cr_expect(side_below(s, refuted[i]));
	}
	proof_free(p);
}

/* ---- tampering ---- */

static struct step_program *program0(struct proof *p)
{
	return &p->sides[0].programs[0];
}

#define TAMPER(name, ...) static void name(struct proof *p) { struct step_program *x = program0(p); __VA_ARGS__; }
TAMPER(value_raised, x->at_least = rational(7, 71))
TAMPER(value_hardly_raised, x->at_least = rational(700000001, 7200000000))
TAMPER(value_huge, x->at_least = rational(INT64_MAX, 1))
TAMPER(price_lowered, x->prices[0].price = 7)
TAMPER(price_of_a_receiver_lowered, x->prices[2].price = 0)
TAMPER(price_raised, x->prices[0].price = 9)
TAMPER(price_of_step_2_raised, x->prices[1].price = 9)
TAMPER(price_negative, x->prices[1].price = -1)
TAMPER(price_overflows_costs, for (size_t i = 0; i < x->n_prices; i++) x->prices[i].price = INT64_MAX)
TAMPER(price_beyond_the_most, x->prices[0].price = ((int64_t)1 << 60) + 1)
TAMPER(price_moved_to_step_2, x->prices[0].step = 2; x->prices[1].step = 1)
TAMPER(price_beyond_the_steps, x->prices[0].step = 3)
TAMPER(price_before_the_steps, x->prices[0].step = 0)
TAMPER(price_moved_to_a_limit, x->prices[0].limit = x->prices[2].limit)
TAMPER(price_moved_to_an_edge, x->prices[0] = (struct step_price){1, 0, 1, -1, 8})
TAMPER(price_of_no_edge, x->prices[0] = (struct step_price){1, 3, 3, -1, 8})
TAMPER(price_of_no_node, x->prices[0] = (struct step_price){1, 0, 8, -1, 8})
TAMPER(price_of_no_limit, x->prices[0].limit = 16)
TAMPER(price_twice, x->prices[x->n_prices++] = x->prices[0])
TAMPER(price_twice_in_part, x->prices[x->n_prices] = x->prices[0]; x->prices[0].price = 4; x->prices[x->n_prices++].price = 4)
TAMPER(price_left_out, x->n_prices--)
TAMPER(no_prices, x->n_prices = 0)
TAMPER(pay_raised, x->pays[0].pay = 15)
TAMPER(pay_lowered, x->pays[0].pay = 13)
TAMPER(pay_negative, x->pays[0].pay = -14)
TAMPER(pay_huge, x->pays[0].pay = INT64_MAX)
TAMPER(pay_missing, x->n_pays = 0)
TAMPER(pay_of_two, x->pays[0].count = 2)
TAMPER(pay_of_none, x->pays[0].count = 0)
TAMPER(pay_of_many, x->pays[0].count = SIZE_MAX / 2)
TAMPER(two_pays, x->pays[1] = x->pays[0]; x->n_pays = 2)
TAMPER(steps_raised, x->steps = 3)
TAMPER(steps_lowered, x->steps = 1)
TAMPER(steps_none, x->steps = 0)
TAMPER(steps_many, x->steps = 1 << 20)
TAMPER(steps_twice, struct step_program *y = new_program(p, 2, x->at_least, 1); x = program0(p);
       memcpy(y->prices, x->prices, x->n_prices * sizeof *x->prices); y->n_prices = x->n_prices; y->pays[0] = x->pays[0])
TAMPER(another_root, (void)x; p->collective.root = p->sides[0].collective.root = 1)
TAMPER(another_collective, (void)x; p->collective.kind = p->sides[0].collective.kind = SCATTER)
TAMPER(backwards, (void)x; p->collective.kind = p->sides[0].collective.kind = REDUCESCATTER)
TAMPER(another_machine, (void)x; struct error e = {0}; topology_free(p->topology); p->topology = topology_open("dgx2", &e))
TAMPER(a_wider_link, (void)x; p->topology->links[0].bandwidth++)

static void (*const tampering[])(struct proof *) = {
	value_raised, value_hardly_raised, value_huge, price_lowered, price_of_a_receiver_lowered, price_raised, price_of_step_2_raised,
	price_negative, price_overflows_costs, price_beyond_the_most, price_moved_to_step_2, price_beyond_the_steps,
	price_before_the_steps, price_moved_to_a_limit, price_moved_to_an_edge, price_of_no_edge, price_of_no_node, price_of_no_limit,
	price_twice, price_twice_in_part, price_left_out, no_prices, pay_raised, pay_lowered, pay_negative, pay_huge, pay_missing,
	pay_of_two, pay_of_none, pay_of_many, two_pays, steps_raised, steps_lowered, steps_none, steps_many, steps_twice, another_root,
	another_collective, backwards, another_machine, a_wider_link,
};

/* As the file says it: does it hold? */
static bool holds_as_a_file(const struct proof *p, char *said, size_t size)
{
	struct text text = {0};
	struct error e = {0};

	proof_write(p, &text);
	struct json_document *d = json_document_parse(text.bytes, "p", &e);
	struct proof *again = d ? proof_read(d, &e) : NULL;
	bool holds = false;
	if (again) {
		struct check_report r = checked(again);
		holds = r.holds;
		snprintf(said, size, "%s", r.gave_up ? "gave up" : r.fault);
	} else {
		snprintf(said, size, "%s: %s", e.where, e.what);
	}
	proof_free(again);
	json_document_close(d);
	text_free(&text);
	return holds;
}

Test(program, what_is_changed_in_it_is_found)
{
	char said[1200];

	for (size_t i = 0; i < sizeof tampering / sizeof *tampering; i++) {
		struct proof *p = two_steps_over_switch("dgx-h100");
		cr_assert(holds_as_a_file(p, said, sizeof said), "%s", said);
		tampering[i](p);
		cr_expect(not(holds_as_a_file(p, said, sizeof said)), "%zu", i);
		cr_expect(strlen(said) > 0, "%zu says nothing", i);
		cr_log_info("%zu: %s", i, said);
		if (p->sides[0].programs[0].steps >= 1) { /* also where the reader would refuse it, except for a division by no steps */
			struct check_report r = checked(p);
			cr_expect(r.holds == false || tampering[i] == steps_twice || tampering[i] == pay_of_none, "%zu in memory", i);
		}
		proof_free(p);
	}
}

/* ---- against trying everything ---- */

static uint64_t seed = 1;

static int below(int n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int)((seed >> 33) % (uint64_t)n);
}

/* The least cost from the set of informed nodes before the step on; NONE: there is no tree. */
static int64_t least_from(const struct step_costs *c, const uint8_t *role, int step, unsigned informed)
{
	int64_t best = COST_NONE;
	unsigned wanted = 0, all = (1u << c->nodes) - 1;

	for (int v = 0; v < c->nodes; v++)
		wanted |= (unsigned)(role[v] == ROLE_WANTS) << v;
	if (step == c->steps)
		return wanted & ~informed ? COST_NONE : 0;
	for (unsigned more = 0; more <= all; more++) {
		int64_t cost = 0;
		if (more & informed)
			continue;
		for (int v = 0; v < c->nodes; v++) {
			int64_t cheapest = COST_NONE;
			for (int u = 0; u < c->nodes; u++) {
				int64_t by = c->of[(step * c->nodes + u) * c->nodes + v];
				if (informed >> u & 1 && by < cheapest)
					cheapest = by;
			}
			if (more >> v & 1)
				cost = cost_sum(cost, cheapest);
		}
		if (cost < COST_NONE) {
			int64_t rest = cost_sum(cost, least_from(c, role, step + 1, informed | more));
			best = rest < best ? rest : best;
		}
	}
	return best;
}

/* Few different prices, and often equal ones for groups of nodes, so that classes of several nodes are frequent. */
static void draw_costs(struct step_costs *c)
{
	int group[8], groups = 1 + below(c->nodes), by[4][8][8], most = 1 + below(6);

	for (int s = 0; s < 4; s++)
		for (int i = 0; i < 64; i++)
			by[s][i / 8][i % 8] = below(most);
	for (int v = 0; v < c->nodes; v++)
		group[v] = below(groups);
	for (int s = 0; s < c->steps; s++)
		for (int u = 0; u < c->nodes; u++)
			for (int v = 0; v < c->nodes; v++) {
				bool edge = u != v && below(12) > 0;
				c->of[(s * c->nodes + u) * c->nodes + v] = edge ? by[s][group[u]][group[v]] : COST_NONE;
			}
}

static struct demand draw_demand(int nodes, uint8_t *role)
{
	struct demand d = {0, 1, 1, role};
	int has = below(nodes), wants = (has + 1 + below(nodes - 1)) % nodes;

	for (int v = 0; v < nodes; v++) {
		role[v] = (uint8_t)(v == has ? ROLE_HAS : v == wants || below(4) ? ROLE_WANTS : below(2) * ROLE_HAS);
		d.receivers += v != wants && role[v] == ROLE_WANTS;
	}
	return d;
}

static int bounds_met; /* by the least that trying all shows */

static void expect_least(struct demand_costs *costs, const struct demand *d)
{
	unsigned informed = 0;

	for (int v = 0; v < costs->costs->nodes; v++)
		informed |= (unsigned)(d->role[v] == ROLE_HAS) << v;
	int64_t least = least_from(costs->costs, d->role, 0, informed), most = least < COST_NONE ? least : COST_MAX;
	bool exact;
	for (int64_t cap = 0; cap < 12; cap++) {
		cr_expect(eq(i64, demand_least(costs, d, cap, &exact), cap < most ? cap : most), "cap %d", (int)cap);
		cr_expect(exact);
		cr_expect(eq(i64, tree_blocks_least(costs->costs, d, cap), cap < most ? cap : most), "blocks, cap %d", (int)cap);
	}
	cr_expect(eq(i64, demand_least(costs, d, COST_MAX, &exact), most));
	cr_expect(eq(i64, tree_blocks_least(costs->costs, d, COST_MAX), most));
	int64_t bound = tree_ascent(costs->costs, d);
	cr_expect(le(i64, bound, least), "a bound is above the least");
	cr_expect(eq(int, bound >= COST_NONE, least >= COST_NONE), "what cannot be is found out");
	bounds_met += bound == least;
}

/* Several demands share what is known of a machine. */
Test(program, trees_cost_what_trying_all_of_them_shows)
{
	enum { DEMANDS = 4 };
	int64_t of[4 * 36];
	uint8_t roles[DEMANDS][8];

	for (int round = 0; round < 4000; round++) {
		struct step_costs c = {1 + below(3), 2 + below(round < 3900 ? 4 : 5), of};
		struct demand_costs costs = {.costs = &c};
		draw_costs(&c);
		for (int i = 0; i < DEMANDS; i++) {
			struct demand d = draw_demand(c.nodes, roles[i]);
			expect_least(&costs, &d);
		}
		demand_costs_free(&costs);
	}
	cr_expect(gt(int, bounds_met, 12000), "of 16000 bounds only %d are the least", bounds_met);
}

/* Prices of nodes in pairs: PAIRS of them after node 0, which are interchangeable, and perhaps a last node. */
static void draw_pairs(struct step_costs *c, int pairs)
{
	enum { ROLES = 4, MOST = 6 }; /* the source; the first and the second of a pair; the last node */

	for (int s = 0; s < c->steps; s++) {
		int64_t by[ROLES][ROLES], own[2];
		for (int i = 0; i < ROLES * ROLES; i++)
			by[i / ROLES][i % ROLES] = below(8) ? below(MOST) : COST_NONE;
		for (int i = 0; i < 2; i++)
			own[i] = below(4) ? below(MOST) : COST_NONE;
		for (int u = 0; u < c->nodes; u++)
			for (int v = 0; v < c->nodes; v++) {
				int from = u == 0 ? 0 : u > 2 * pairs ? 3 : 2 - u % 2, to = v == 0 ? 0 : v > 2 * pairs ? 3 : 2 - v % 2;
				bool partners = from % 3 && to % 3 && (u - 1) / 2 == (v - 1) / 2;
				c->of[(s * c->nodes + u) * c->nodes + v] = u == v ? COST_NONE : partners ? own[from - 1] : by[from][to];
			}
	}
}

Test(program, pairs_of_nodes_cost_what_trying_all_shows)
{
	int64_t of[3 * 64];
	uint8_t role[8];
	int found = 0;

	for (int round = 0; round < 400; round++) {
		int pairs = 2 + below(2), nodes = 1 + 2 * pairs + below(pairs == 2 ? 2 : 1);
		struct step_costs c = {2 + below(pairs == 2 ? 2 : 1), nodes, of};
		struct demand d = {0, 1, nodes - 1, role};
		draw_pairs(&c, pairs);
		for (int v = 0; v < nodes; v++)
			role[v] = v == 0 ? ROLE_HAS : ROLE_WANTS;
		if (below(4) == 0) /* the second nodes only pass on */
			for (int v = 2; v <= 2 * pairs; v += 2)
				role[v] = ROLE_NONE;
		int64_t least = least_from(&c, role, 0, 1), most = least < COST_NONE ? least : COST_MAX;
		found += most < COST_MAX;
		for (int64_t cap = most > 2 && most < COST_MAX ? most - 2 : 0; cap < 40; cap++)
			cr_expect(eq(i64, tree_blocks_least(&c, &d, cap), cap < most ? cap : most), "round %d, cap %d", round, (int)cap);
	}
	cr_expect(gt(int, found, 200));
}

/* The first limit of edges that all leave NODE. */
static int limit_out_of(const struct network *w, int node)
{
	for (size_t l = 0; l < w->n_limits; l++) {
		size_t n = 0;
		while (n < w->limits[l].n_edges && w->edges[w->limits[l].edges[n]].src == node)
			n++;
		if (n == w->limits[l].n_edges)
			return (int)l;
	}
	cr_assert(false, "node %d has no such limit", node);
	return -1;
}

/*
 * Two boxes of 16 nodes, of which every odd node is joined to an even one of the other: no two nodes are interchangeable, and
 * their sets are too many. A tree from an odd node crosses in step 1 for 11. One from an even node crosses in step 2 for 11, and
 * pays 1 for each of the 15 others there, which even nodes must send to in step 3. A round can pay 16 x 11.
 */
Test(program, what_no_table_holds_is_bounded)
{
	struct proof *p = empty_proof("dgx2x2", "allgather", 0);
	struct step_program *x = new_program(p, 3, rational(37, 11), 32);
	struct error e = {0};
	struct network *w = network_new(p->topology, &e);

	for (int from = 1; from < 32; from += 2) {
		int to = from < 16 ? from + 15 : from - 17;
		add_price(x, 1, from, to, -1, 11);
		add_price(x, 2, from, to, -1, 11);
		add_price(x, 3, from, to, -1, 1);
	}
	for (int v = 0; v < 32; v++) {
		if (v % 2 == 0)
			add_price(x, 3, 0, 0, limit_out_of(w, v), 1);
		x->pays[v] = (struct step_pay){v % 2 ? 11 : 26, 1};
	}
	struct check_report r = checked(p);
	cr_expect(r.holds, "%s", r.fault);
	x->pays[0].pay++;
	r = checked(p);
	cr_expect(r.too_large == true && r.holds == false, "more than the bound is neither shown nor refuted");
	x->pays[0].pay -= 2;
	cr_expect(strstr(checked(p).fault, "R/C >= ") != NULL, "less is true, but does not show the value");
	x->pays[0].pay++;
	x->prices[2].price++; /* a round of step 3 could pay more */
	cr_expect(not(checked(p).holds));
	network_free(w);
	proof_free(p);
}

/* All prices differ, so that no two nodes are interchangeable. */
static struct proof *irregular(const char *machine, int64_t pay)
{
	struct proof *p = empty_proof(machine, "broadcast", 0);
	struct step_program *x = new_program(p, 3, rational(1, 1000), 1);
	int nodes = p->topology->nodes;

	for (int from = 0; from < nodes; from++)
		for (int to = 0; to < nodes && x->n_prices < 1000; to++)
			if (from != to)
				add_price(x, 1 + below(3), from, to, -1, 1 + below(1000));
	x->pays[0] = (struct step_pay){pay, 1};
	return p;
}

Test(program, what_is_too_large_is_not_taken_for_proved)
{
	struct error e = {0};
	struct check_report r;
	struct proof *p = irregular("complete:30", COST_MAX);

	r = checked(p);
	cr_expect(r.gave_up == true && r.too_large == true && r.holds == false);
	proof_free(p);
	p = irregular("complete:20", COST_MAX);
	cr_assert(proof_check(p, "none.json", &(struct check_options){.budget = 1e6}, &r, &e));
	cr_expect(r.gave_up == true && r.too_large == false && r.holds == false, "the budget is exhausted");
	proof_free(p);
}

/* ---- made from prices ---- */

Test(program, what_is_added_is_the_most_that_the_prices_show)
{
	struct proof *hand = two_steps_over_switch("dgx-h100"), *p = empty_proof("dgx-h100", "broadcast", 0);
	const struct step_program *x = program0(hand), *y;
	struct error e = {0};
	struct question q;
	char said[1200];

	cr_assert(question_open(p->topology, &p->collective, &q, &e));
	size_t rows = q.network->n_edges + q.network->n_limits;
	struct rational *prices = new_array(struct rational, 2 * rows);
	for (size_t i = 0; i < 2 * rows; i++)
		prices[i] = rational(0, 1);
	for (size_t i = 0; i < x->n_prices; i++)
		prices[(size_t)(x->prices[i].step - 1) * rows + q.network->n_edges + (size_t)x->prices[i].limit] = rational(x->prices[i].price, 144);
	cr_assert(step_program_add(&p->sides[0], &q, 2, -1, prices, &e), "%s", e.what);
	y = program0(p);
	cr_expect(y->at_least.num == 7 && y->at_least.den == 72);
	cr_expect(y->n_prices == x->n_prices && y->n_pays == 1 && y->pays[0].pay == 14);
	cr_expect(holds_as_a_file(p, said, sizeof said), "%s", said);
	cr_expect(not(step_program_add(&p->sides[0], &q, 2, -1, prices, &e)), "twice");
	e = (struct error){0};
	cr_expect(step_program_add(&p->sides[0], &q, 1, -1, prices, &e), "%s", e.what);
	cr_expect(p->sides[0].programs[1].at_least.num == 7 && p->sides[0].programs[1].at_least.den == 18);
	prices[0].num = -1;
	e = (struct error){0};
	cr_expect(not(step_program_add(&p->sides[0], &q, 3, -1, prices, &e)), "a negative price");
	free(prices);
	question_close(&q);
	proof_free(hand);
	proof_free(p);
}
