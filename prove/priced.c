/*
 * Recomputes a bound by prices in exact rational arithmetic: Dijkstra's algorithm from every node, then the sum of what
 * chunks pay.
 */

#include "prove/priced.h"

#include "core/schedule/instance.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/work.h"

#include <stdlib.h>

struct priced_check {
	const struct instance *i;
	const struct network *w;
	struct rational *pays; /* [edge] */
	struct rational round; /* the most that can be paid in a round */
	struct rational *way;  /* [from * nodes + to]: least price of a path; not a number: none */
};

enum { RATIO = 8 }; /* work of adding two rationals */

/* False: the edge or limit does not exist, or has a price already. */
static bool add_price(struct priced_check *k, const struct price *p, bool *seen)
{
	int edge = p->limit < 0 ? network_edge(k->w, p->src, p->dst) : -1;
	size_t at = p->limit < 0 ? (size_t)edge : k->w->n_edges + (size_t)p->limit;
	struct rational price = rational(p->price, 1);

	if (p->price < 0 || (p->limit < 0 && edge < 0) || at >= k->w->n_edges + k->w->n_limits || seen[at])
		return false;
	seen[at] = true;
	if (edge >= 0) {
		k->pays[edge] = rational_add(k->pays[edge], price);
		k->round = rational_add(k->round, rational_mul(price, rational(k->w->edges[edge].bandwidth, 1)));
		return true;
	}
	const struct network_limit *l = &k->w->limits[p->limit];
	for (size_t e = 0; e < l->n_edges && work_spend(RATIO); e++)
		k->pays[l->edges[e]] = rational_add(k->pays[l->edges[e]], price);
	k->round = rational_add(k->round, rational_mul(price, rational(l->bandwidth, 1)));
	return true;
}

static bool add_prices(struct priced_check *k, const struct price *list, size_t n)
{
	bool *seen = new_array(bool, k->w->n_edges + k->w->n_limits), fine = true;

	for (size_t e = 0; e < k->w->n_edges; e++)
		k->pays[e] = rational(0, 1);
	for (size_t p = 0; p < n && fine; p++)
		fine = add_price(k, &list[p], seen);
	free(seen);
	return fine && rational_ok(k->round) && k->round.num > 0;
}

static bool is_less(struct rational a, struct rational b)
{
	return rational_ok(a) && (!rational_ok(b) || rational_compare(a, b) < 0);
}

/* The unsettled node with the least distance; -1: no reachable one is left. */
static int next_of(const struct rational *way, const bool *settled, int nodes)
{
	int next = -1;

	for (int v = 0; v < nodes; v++)
		if (!settled[v] && rational_ok(way[v]) && (next < 0 || is_less(way[v], way[next])))
			next = v;
	return next;
}

static void measure_from(struct priced_check *k, int from, bool *settled)
{
	const struct network *w = k->w;
	struct rational *way = k->way + (size_t)from * (size_t)w->nodes;

	for (int v = 0; v < w->nodes; v++) {
		way[v] = (struct rational){0, v == from};
		settled[v] = false;
	}
	for (int v; work_spend(2 * w->nodes) && (v = next_of(way, settled, w->nodes)) >= 0;) {
		settled[v] = true;
		work_spend(RATIO * (w->out_begin[v + 1] - w->out_begin[v]));
		for (int i = w->out_begin[v]; i < w->out_begin[v + 1]; i++) {
			struct rational on = rational_add(way[v], k->pays[w->out[i]]);
			if (is_less(on, way[w->edges[w->out[i]].dst]))
				way[w->edges[w->out[i]].dst] = on;
		}
	}
}

/*
 * What the chunk must pay at least: from the nearest initial holder to the farthest node that wants it. AT is scratch
 * space for one int per node.
 */
static struct rational pays(struct priced_check *k, int chunk, int *at)
{
	struct rational most = rational(0, 1);
	int nodes = k->w->nodes, n = 0;

	for (int from = 0; from < nodes; from++)
		if (instance_pre(k->i, chunk, from))
			at[n++] = from;
	work_spend(2 * nodes);
	for (int to = 0; to < nodes; to++) {
		struct rational least = {0, 0};
		for (int i = 0; i < n && instance_post(k->i, chunk, to) && work_spend(2); i++)
			if (is_less(k->way[at[i] * nodes + to], least))
				least = k->way[at[i] * nodes + to];
		if (rational_ok(least) && rational_compare(least, most) > 0)
			most = least;
	}
	return most;
}

static struct rational all_pay(struct priced_check *k)
{
	struct rational all = rational(0, 1);
	bool *settled = new_array(bool, (size_t)k->w->nodes);
	int *at = new_array(int, (size_t)k->w->nodes);

	for (int from = 0; from < k->w->nodes && !work_is_over(); from++)
		measure_from(k, from, settled);
	for (int c = 0; c < k->i->global_chunks && rational_ok(all) && !work_is_over(); c++)
		all = rational_add(all, pays(k, c, at));
	free(settled);
	free(at);
	return all;
}

struct rational priced_rounds(const struct instance *i, const struct price *list, size_t n)
{
	struct priced_check k = {.i = i, .w = i->network, .round = rational(0, 1)};
	struct rational rounds = rational(0, 1);

	k.pays = new_array(struct rational, k.w->n_edges);
	k.way = new_array(struct rational, (size_t)k.w->nodes * (size_t)k.w->nodes);
	if (add_prices(&k, list, n))
		rounds = rational_div(all_pay(&k), k.round);
	free(k.pays);
	free(k.way);
	return rational_ok(rounds) ? rounds : rational(0, 1);
}
