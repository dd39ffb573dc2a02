/* The bound on allreduces through switches that copy and add: its formula, its machines, and its proof on few nodes. */

#include "core/base/error.h"
#include "core/bounds/switch_steps.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

TestSuite(switch_steps, .description = "allreduces in few steps where switches copy and add");

static struct rational bound(const char *machine, int steps)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct network *w = t ? network_new(t, &e) : NULL;

	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	struct rational r = switch_allreduce_bound(w, steps);
	network_free(w);
	topology_free(t);
	return r;
}

Test(switch_steps, falls_towards_one_over_the_port)
{
	static const struct {
		const char *machine;
		int steps;
		struct rational least;
	} rows[] = {
		{"switch:8+nvls", 1, {7, 1}},       {"switch:8+nvls", 2, {5, 3}},      {"switch:8+nvls", 4, {31, 25}},
		{"dgx-h100+nvls", 2, {5, 54}},      {"switch:3+nvls", 2, {5, 4}},      {"gb200-nvl72+nvls", 3, {43, 522}},
		{"switch:5+nvls@widen=0-5x2", 1, {4, 3}}, /* the widest port counts for all */
		{"switch:8", 1, {0, 1}},            {"dgx-h100+nvls*2:ib400", 2, {0, 1}}, {"dgx1", 2, {0, 1}},
		{"switch:4+nvls@add=0-1", 2, {0, 1}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect(eq(int, rational_compare(bound(rows[i].machine, rows[i].steps), rows[i].least), 0), "%s in %d", rows[i].machine,
			  rows[i].steps);
}

/* ---- the cheapest chunk ---- */

enum { NODES = 4, VALUES = 1 << NODES, STATES = 1 << (NODES * NODES) };

/* Values at N nodes as sets of contributions, NODES bits each. COST [state]; INT_MAX: not reached. */
struct chunks {
	int n, steps, step;
	int *cost, *next;
};

static int value_at(int state, int node)
{
	return state >> (node * NODES) & (VALUES - 1);
}

/* What node TO can have after the step, if the nodes of SENDERS multicast: CHEAPEST [value], INT_MAX: not that. */
static void receive(const struct chunks *c, int state, int senders, int to, int *cheapest)
{
	int out = 1 + c->n * (c->steps - c->step), in = c->n * (c->step - 1);

	for (int v = 0; v < VALUES; v++)
		cheapest[v] = INT_MAX;
	for (int from = -1; from < c->n; from++) {
		if (from >= 0 && (from == to || !(senders >> from & 1) || !value_at(state, from)))
			continue;
		for (int adders = 0; adders < 1 << c->n; adders++) {
			int value = from < 0 ? value_at(state, to) : value_at(state, from), price = (from >= 0 ? in : 0) + (adders ? in : 0);
			bool may = !(adders >> to & 1);
			for (int u = 0; u < c->n && may; u++)
				if (adders >> u & 1) {
					may = value_at(state, u) && !(value & value_at(state, u));
					value |= value_at(state, u);
					price += out;
				}
			if (may && price < cheapest[value])
				cheapest[value] = price;
		}
	}
}

/* All that the nodes from NODE on can have, after what those before it get. Only whole sums after the last step. */
static void combine(struct chunks *c, int (*cheapest)[VALUES], int node, int state, int cost)
{
	if (node == c->n) {
		if (cost < c->next[state])
			c->next[state] = cost;
		return;
	}
	int least = c->step == c->steps ? (1 << c->n) - 1 : 0;
	for (int v = least; v < 1 << c->n; v++)
		if (cheapest[node][v] < INT_MAX)
			combine(c, cheapest, node + 1, state | v << (node * NODES), cost + cheapest[node][v]);
}

static void take_step(struct chunks *c)
{
	int cheapest[NODES][VALUES], out = 1 + c->n * (c->steps - c->step);

	for (int s = 0; s < STATES; s++)
		c->next[s] = INT_MAX;
	for (int s = 0; s < STATES; s++)
		for (int senders = 0; senders < 1 << c->n && c->cost[s] < INT_MAX; senders++) {
			for (int to = 0; to < c->n; to++)
				receive(c, s, senders, to, cheapest[to]);
			combine(c, cheapest, 0, 0, c->cost[s] + out * __builtin_popcount((unsigned)senders));
		}
	int *was = c->cost;
	c->cost = c->next;
	c->next = was;
}

static int cheapest_chunk(int n, int steps)
{
	struct chunks c = {n, steps, 0, malloc(STATES * sizeof(int)), malloc(STATES * sizeof(int))};
	int first = 0, least = INT_MAX;

	for (int s = 0; s < STATES; s++)
		c.cost[s] = INT_MAX;
	for (int v = 0; v < n; v++)
		first |= 1 << v << (v * NODES);
	c.cost[first] = 0;
	for (c.step = 1; c.step <= steps; c.step++)
		take_step(&c);
	for (int s = 0; s < STATES; s++)
		least = c.cost[s] < least ? c.cost[s] : least;
	free(c.cost);
	free(c.next);
	return least;
}

Test(switch_steps, no_chunk_costs_less)
{
	static const int most[] = {0, 0, 5, 5, 2}; /* [nodes]: steps */

	for (int n = 2; n <= NODES; n++)
		for (int steps = 1; steps <= most[n]; steps++)
			cr_expect(eq(int, cheapest_chunk(n, steps), n * (n * steps - 1)), "%d nodes, %d steps", n, steps);
}
