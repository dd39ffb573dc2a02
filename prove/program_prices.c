/* Turns the list of prices of a program into what chunks pay from node to node, and what a round can pay. */

#include "prove/program_prices.h"

#include "core/base/memory.h"
#include "core/base/work.h"
#include "core/machine/network.h"

#include <stdio.h>
#include <stdlib.h>

enum { COSTS_MAX = 1 << 24 };

static int by_place(const void *a, const void *b)
{
	const struct step_price *x = a, *y = b;
	const int of_x[] = {x->step, x->limit, x->src, x->dst}, of_y[] = {y->step, y->limit, y->src, y->dst};

	for (int i = 0; i < 4; i++)
		if (of_x[i] != of_y[i])
			return of_x[i] < of_y[i] ? -1 : 1;
	return 0;
}

static bool no_price_twice(const struct step_program *p, char why[PROGRAM_WHY])
{
	struct step_price *sorted = p->n_prices ? copy_bytes(p->prices, p->n_prices * sizeof *p->prices) : NULL;
	bool fine = true;

	if (sorted)
		qsort(sorted, p->n_prices, sizeof *sorted, by_place);
	for (size_t i = 1; i < p->n_prices && fine && work_spend(8); i++)
		fine = by_place(&sorted[i - 1], &sorted[i]) != 0;
	free(sorted);
	if (!fine)
		snprintf(why, PROGRAM_WHY, "it has two prices of the same edge or limit in the same step");
	return fine;
}

static void add_cost(struct step_costs *c, int step, const struct edge *e, int64_t price)
{
	int64_t *at = &c->of[((size_t)(step - 1) * (size_t)c->nodes + (size_t)e->src) * (size_t)c->nodes + (size_t)e->dst];
	*at = cost_sum(*at, price);
}

static bool add_price(const struct network *w, const struct step_price *p, struct step_costs *c, wide *round,
		      char why[PROGRAM_WHY])
{
	if (p->step < 1 || p->step > c->steps || p->price < 1 || p->price > COST_MAX) {
		snprintf(why, PROGRAM_WHY, "it has a price of %lld in step %d", (long long)p->price, p->step);
		return false;
	}
	if (p->limit < 0) {
		int edge = p->src >= 0 && p->src < w->nodes ? network_edge(w, p->src, p->dst) : -1;
		if (edge < 0) {
			snprintf(why, PROGRAM_WHY, "it has a price from %d to %d, and there is no such edge", p->src, p->dst);
			return false;
		}
		add_cost(c, p->step, &w->edges[edge], p->price);
		round[p->step - 1] += (wide)p->price * (wide)w->edges[edge].bandwidth;
		return true;
	}
	if ((size_t)p->limit >= w->n_limits) {
		snprintf(why, PROGRAM_WHY, "it has a price of limit %d, and the network has %zu limits", p->limit, w->n_limits);
		return false;
	}
	const struct network_limit *l = &w->limits[p->limit];
	for (size_t i = 0; i < l->n_edges && work_spend(1); i++) /* one that is listed twice pays twice */
		add_cost(c, p->step, &w->edges[l->edges[i]], p->price);
	round[p->step - 1] += (wide)p->price * (wide)l->bandwidth;
	return true;
}

bool step_program_expand(const struct network *w, const struct step_program *p, struct expanded_prices *out,
			 char why[PROGRAM_WHY], bool *too_large)
{
	size_t nodes = (size_t)w->nodes, n = (size_t)p->steps * nodes * nodes;

	*out = (struct expanded_prices){0};
	*too_large = n / nodes / nodes != (size_t)p->steps || n > COSTS_MAX;
	if (*too_large || !no_price_twice(p, why) || !work_spend((double)n))
		return false;
	struct step_costs c = {p->steps, w->nodes, new_array(int64_t, n)};
	wide *round = new_array(wide, (size_t)p->steps);
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		c.of[i] = COST_NONE;
	for (int s = 1; s <= p->steps; s++)
		for (size_t e = 0; e < w->n_edges; e++)
			c.of[((size_t)(s - 1) * nodes + (size_t)w->edges[e].src) * nodes + (size_t)w->edges[e].dst] = 0;
	for (size_t i = 0; i < p->n_prices && ok; i++)
		ok = add_price(w, &p->prices[i], &c, round, why);
	for (int s = 0; s < p->steps; s++)
		out->round = round[s] > out->round ? round[s] : out->round;
	free(round);
	out->costs = c;
	if (ok)
		return true;
	free(c.of);
	*out = (struct expanded_prices){0};
	return false;
}
