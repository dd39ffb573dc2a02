/*
 * Checks prices in expanded time. A schedule that ends by T sends each byte of a chunk over some routes in some slots; what these
 * cost is at least the sum of what having the byte at the end is worth to each node that wants it from a given one. For let a
 * node that has it in slot i be worth what it is worth at the end, and the tolls of all routes out of it in slot i. Each node but
 * the first gets the byte first by some send over a route r in a slot i, later than the sender had it. If no such send makes its
 * receiver worth more than the toll of r in slot i and the price of the send, then adding up over all of them each toll of a node
 * counts on both sides, with that of the send no larger, as tolls fall. So the sum of the worth at the end is at most that of the
 * prices paid. These are paid at the first link of a route: what crosses a later one may have waited before it.
 */

#include "prove/time_expanded.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

static const char *const too_much = "it needs too much memory or effort";

struct expanded {
	const struct time_checking *k;
	const struct time_claim *claim;
	const struct time_expanded *x;
	size_t n_resources;
	const int64_t **price;   /* [resource]: by slot; NULL: 0 */
	int *arrives;            /* [route * slots + slot]: the slot in which it arrives; slots: too late */
	int64_t *cost;           /* [route * slots + slot] */
	int64_t *paid;           /* likewise: by the goods of one chunk together */
	const int64_t **toll;    /* [route]: of the good at hand, by slot; NULL: 0 */
	int *from_begin, *from;  /* the routes out of node v: from[from_begin[v]] .. from[from_begin[v + 1] - 1] */
};

static size_t at(const struct expanded *z, size_t route, int slot)
{
	return route * (size_t)z->x->slots + (size_t)slot;
}

/* ---- what sends cost ---- */

/* How many of a link and its limits have a price. */
static int priced_at(const struct expanded *z, int link)
{
	const struct time_model *m = &z->k->model;
	int n = z->price[link] != NULL;

	for (int u = m->under_begin[link]; u < m->under_begin[link + 1] && work_spend(1); u++)
		n += z->price[m->n_links + (size_t)m->under[u]] != NULL;
	return n;
}

/* Has each route one price at most, at its first link? */
static bool are_paid_at_once(const struct expanded *z)
{
	const struct time_model *m = &z->k->model;
	bool ok = true;

	for (size_t r = 0; r < m->n_routes && ok; r++)
		for (int h = m->routes[r].begin; h < m->routes[r].end && ok && work_spend(1); h++)
			ok = priced_at(z, m->hops[h].link) <= (h == m->routes[r].begin);
	return ok;
}

static void add_price(struct expanded *z, size_t route, size_t resource)
{
	for (int i = 0; i < z->x->slots && z->price[resource] && work_spend(1); i++)
		z->cost[at(z, route, i)] += z->price[resource][i];
}

static void find_costs(struct expanded *z)
{
	const struct time_model *m = &z->k->model;

	for (size_t r = 0; r < m->n_routes; r++)
		for (int h = m->routes[r].begin; h < m->routes[r].end && work_spend(1); h++) {
			int link = m->hops[h].link;
			add_price(z, r, (size_t)link);
			for (int u = m->under_begin[link]; u < m->under_begin[link + 1]; u++)
				add_price(z, r, m->n_links + (size_t)m->under[u]);
		}
}

/* False: the numbers are too large. */
static bool find_arrivals(struct expanded *z)
{
	const struct time_model *m = &z->k->model;
	bool ok = true;

	for (size_t r = 0; r < m->n_routes && ok; r++)
		for (int i = 0, j = 0; i < z->x->slots && ok && work_spend(1); i++) {
			struct rational when = rational_add(z->x->begin[i], m->routes[r].delay);
			ok = rational_ok(when);
			while (ok && j < z->x->slots && rational_compare(z->x->begin[j + 1], when) <= 0)
				j++;
			z->arrives[at(z, r, i)] = j;
		}
	return ok;
}

static void list_routes(struct expanded *z)
{
	const struct time_model *m = &z->k->model;

	for (size_t r = 0; r < m->n_routes; r++)
		z->from_begin[m->routes[r].src + 1]++;
	for (int v = 0; v < m->nodes; v++)
		z->from_begin[v + 1] += z->from_begin[v];
	int *next = copy_bytes(z->from_begin, ((size_t)m->nodes + 1) * sizeof *next);
	for (size_t r = 0; r < m->n_routes; r++)
		z->from[next[m->routes[r].src]++] = (int)r;
	free(next);
}

/* ---- goods ---- */

static bool holds(const struct expanded *z, int chunk, int node)
{
	return collective_pre(&z->k->collective, z->k->model.nodes, chunk, node);
}

/* Must V get what only FROM has of the chunk, a copy or a contribution? */
static bool must_get(const struct expanded *z, const struct expanded_good *g, int v)
{
	const struct collective *k = &z->k->collective;
	int nodes = z->k->model.nodes;

	if (v == g->from || !collective_post(k, nodes, g->chunk, v))
		return false;
	return z->k->combines ? collective_wants_part(k, nodes, g->chunk, v, g->from) : !holds(z, g->chunk, v);
}

static const char *fault_of_good(const struct expanded *z, size_t number)
{
	const struct expanded_good *g = &z->x->goods[number];

	if (g->chunk >= z->k->global_chunks || !holds(z, g->chunk, g->from))
		return "a chunk does not begin where it says";
	for (size_t i = 0; i < number && work_spend(1); i++)
		if (z->x->goods[i].chunk == g->chunk && z->x->goods[i].from == g->from)
			return "a chunk is counted twice";
	for (int v = 0; v < z->k->model.nodes && work_spend(1); v++) {
		if (g->at_end[v] && !must_get(z, g, v))
			return "a chunk is worth something to a node that does not need it";
		if (!z->k->combines && v != g->from && holds(z, g->chunk, v))
			return "a chunk begins at several nodes";
	}
	return NULL;
}

/* What having the good in a slot is worth to node V. */
static int64_t worth_of(const struct expanded *z, const struct expanded_good *g, int v, int slot)
{
	int64_t sum = g->at_end[v];

	for (int i = z->from_begin[v]; i < z->from_begin[v + 1] && work_spend(1); i++)
		sum += z->toll[z->from[i]] ? z->toll[z->from[i]][slot] : 0;
	return sum;
}

/* Adds what the good's sends must cost. */
static void pay(struct expanded *z, const struct expanded_good *g)
{
	const struct time_model *m = &z->k->model;

	for (size_t r = 0; r < m->n_routes; r++)
		for (int i = 0; i < z->x->slots && m->routes[r].dst != g->from && work_spend(1); i++) {
			int j = z->arrives[at(z, r, i)];
			if (j == z->x->slots)
				break; /* and so are later ones */
			int64_t toll = z->toll[r] ? z->toll[r][i] : 0, worth = worth_of(z, g, m->routes[r].dst, j);
			z->paid[at(z, r, i)] += worth > toll ? worth - toll : 0;
		}
}

/* Sets the tolls of a good. */
static const char *set_tolls(struct expanded *z, const struct expanded_good *g)
{
	const struct time_model *m = &z->k->model;

	for (size_t r = 0; r < m->n_routes; r++)
		z->toll[r] = NULL;
	for (size_t i = 0; i < g->n_tolls && work_spend(1); i++) {
		const struct expanded_toll *t = &g->tolls[i];
		int found = -1;
		for (int k = z->from_begin[t->src]; k < z->from_begin[t->src + 1] && work_spend(1); k++)
			found = m->routes[z->from[k]].dst == t->dst ? z->from[k] : found;
		if (found < 0)
			return "a toll is for no route";
		if (t->src == g->from)
			return "a toll is asked where the chunk begins";
		if (z->toll[found])
			return "a toll is listed twice";
		for (int s = 1; s < z->x->slots; s++)
			if (t->of[s] > t->of[s - 1])
				return "a toll rises";
		z->toll[found] = t->of;
	}
	return NULL;
}

/* The goods of one chunk share its sends if values are added up; else each has its own. From number FIRST on, if it is the first. */
static const char *fault_of_chunk(struct expanded *z, size_t first)
{
	const struct expanded_good *all = z->x->goods;
	size_t cells = z->k->model.n_routes * (size_t)z->x->slots;

	for (size_t i = 0; i < first && z->k->combines && work_spend(1); i++)
		if (all[i].chunk == all[first].chunk)
			return NULL; /* it was looked at with that */
	for (size_t i = 0; i < cells; i++)
		z->paid[i] = 0;
	for (size_t g = first; g < z->x->n_goods && (g == first || z->k->combines) && work_spend(1); g++) {
		if (all[g].chunk != all[first].chunk)
			continue;
		const char *why = set_tolls(z, &all[g]);
		if (why)
			return why;
		pay(z, &all[g]);
	}
	for (size_t i = 0; i < cells && work_spend(1); i++)
		if (z->paid[i] > z->cost[i])
			return "a send is worth more than it costs";
	return NULL;
}

/* ---- the sums ---- */

/* What all resources take in at most until T. */
static struct rational room_of(const struct expanded *z)
{
	const struct time_model *m = &z->k->model;
	struct rational sum = rational(0, 1);

	for (size_t q = 0; q < z->n_resources; q++)
		for (int i = 0; i < z->x->slots && z->price[q] && work_spend(1); i++) {
			struct rational rate = q < m->n_links ? m->link_rate[q] : m->limit_rate[q - m->n_links];
			struct rational bytes = rational_mul(rate, rational_sub(z->x->begin[i + 1], z->x->begin[i]));
			sum = rational_add(sum, rational_mul(bytes, rational(z->price[q][i], 1)));
		}
	return sum;
}

static const char *fault_of_sums(const struct expanded *z)
{
	struct rational worth = rational(0, 1);

	for (size_t g = 0; g < z->x->n_goods; g++)
		for (int v = 0; v < z->k->model.nodes && work_spend(1); v++)
			worth = rational_add(worth, rational(z->x->goods[g].at_end[v], 1));
	struct rational room = room_of(z);
	struct rational asked = rational_mul(rational_div(z->x->bytes, rational(z->k->chunks, 1)), worth);
	if (!rational_ok(room) || !rational_ok(asked))
		return "its numbers are too large for exact arithmetic";
	return rational_compare(asked, room) > 0 ? NULL : "so many bytes can be paid for";
}

static const char *fault_of(struct expanded *z)
{
	const char *why = NULL;

	if (!are_paid_at_once(z))
		return "a route has several prices, or one after its first link";
	if (!find_arrivals(z))
		return "its numbers are too large for exact arithmetic";
	find_costs(z);
	list_routes(z);
	for (size_t g = 0; g < z->x->n_goods && !why; g++)
		why = fault_of_good(z, g);
	for (size_t g = 0; g < z->x->n_goods && !why && !work_is_over(); g++)
		why = fault_of_chunk(z, g);
	return why ? why : fault_of_sums(z);
}

const char *time_expanded_fault(const struct time_checking *k, const struct time_claim *c)
{
	enum { CELLS_MAX = 1 << 24 };
	const struct time_model *m = &k->model;
	const struct time_expanded *x = &c->expanded;
	struct expanded z = {.k = k, .claim = c, .x = x, .n_resources = m->n_links + m->n_limits};
	size_t cells = m->n_routes * (size_t)x->slots;

	if (k->shares)
		return "switches that copy or add may count several sends once";
	if (rational_compare(c->latency, x->begin[x->slots]) > 0)
		return "its latency is more than its slots";
	if (c->per_megabyte.num)
		return "its time per byte is more than is shown";
	if (cells > CELLS_MAX || !work_spend((double)cells))
		return too_much;
	z.price = new_array(const int64_t *, z.n_resources);
	for (size_t i = 0; i < x->n_prices; i++)
		z.price[x->prices[i].is_limit ? m->n_links + (size_t)x->prices[i].resource : (size_t)x->prices[i].resource] = x->prices[i].of;
	z.arrives = new_array(int, cells);
	z.cost = new_array(int64_t, cells);
	z.paid = new_array(int64_t, cells);
	z.toll = new_array(const int64_t *, m->n_routes);
	z.from_begin = new_array(int, (size_t)m->nodes + 1);
	z.from = new_array(int, m->n_routes);
	const char *why = fault_of(&z);
	free(z.price);
	free(z.arrives);
	free(z.cost);
	free(z.paid);
	free(z.toll);
	free(z.from_begin);
	free(z.from);
	return why;
}
