/*
 * Bounds on point-to-point demands by prices of links and limits: the dual of multicommodity flow. Any prices give a
 * sound bound, which is computed in integers; floating point (core/bounds/prices_search.c) only suggests the prices.
 */

#include "core/bounds/bounds_parts.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/prices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- integers ---- */

static bool scale_prices(const double *prices, int n, int scale, int64_t *scaled)
{
	double largest = 0;
	bool whole = true;

	for (int i = 0; i < n; i++)
		largest = fmax(largest, prices[i]);
	for (int i = 0; i < n && largest > 0; i++) {
		double price = fmax(0, prices[i]) / largest * scale;
		scaled[i] = llround(price);
		whole = whole && fabs(price - round(price)) < 1e-5;
	}
	return whole;
}

static void name_price(const struct price_list *f, int number, struct price *out)
{
	bool of_edge = number < f->n_edges;
	const struct edge *e = of_edge ? &f->w->edges[f->edge[number]] : NULL;
	const char *name = of_edge ? NULL : f->w->limits[number - f->n_edges].name;

	*out = (struct price){of_edge ? e->src : -1, of_edge ? e->dst : -1, of_edge ? -1 : number - f->n_edges, out->price, ""};
	snprintf(out->name, sizeof out->name, "%s", name ? name : "");
}

/* Ratios in files have numerators and denominators of 31 bits. */
static bool can_be_stated(int64_t paid, int64_t round, int unit)
{
	struct rational ratio = rational_div(rational(paid, unit), rational(round, 1));
	return rational_ok(ratio) && ratio.num <= INT32_MAX && ratio.den <= INT32_MAX;
}

/* Takes the bound that the prices prove if it is better. */
static void take(const struct price_list *f, const int64_t *prices, const struct demands *d, struct bounds *b)
{
	int64_t paid, round;
	int *apart = new_array(int, (size_t)f->w->nodes);

	for (int v = 0; v < f->w->nodes; v++)
		apart[v] = v;
	if (price_list_show(f, prices, d, &paid, &round) && can_be_stated(paid, round, d->unit) &&
	    bounds_take(b, apart, 0, rational(paid, d->unit), round, CROSSING_BOTH)) {
		b->prices = new_array(struct price, (size_t)f->n);
		for (int i = 0; i < f->n; i++)
			if (prices[i]) {
				b->prices[b->n_prices].price = prices[i];
				name_price(f, i, &b->prices[b->n_prices++]);
			}
	}
	free(apart);
}

/*
 * Tries several integer scalings of the prices: first the smallest that makes all integers, or nearly so, then some
 * others. All are sound.
 */
static void take_scaled(const struct price_list *f, const double *prices, const struct demands *d, struct bounds *b)
{
	static const int scales[] = {1, 2, 3, 4, 6, 12, 60, 420, 5040, 100000};
	enum { FINEST = 5040 };
	int64_t *scaled = new_array(int64_t, (size_t)f->n);
	int least = 1;

	while (!scale_prices(prices, f->n, least, scaled) && least < FINEST)
		least++;
	take(f, scaled, d, b);
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
		scale_prices(prices, f->n, scales[i], scaled);
		take(f, scaled, d, b);
	}
	free(scaled);
}

static void look(const struct network *w, const struct demands *d, struct bounds *b)
{
	enum { LOOKS_MAX = 1 << 22 }; /* edges times sources */
	struct price_list f;

	if ((double)w->n_edges * w->nodes > LOOKS_MAX || (double)w->nodes * w->nodes * w->nodes > 4 * LOOKS_MAX)
		return;
	price_list_new(w, false, &f);
	double *prices = new_array(double, (size_t)f.n);
	if (prices_search(&f, d, rational_double(b->bandwidth) * d->unit, prices) != SEARCH_IN_VAIN)
		take_scaled(&f, prices, d, b);
	free(prices);
	price_list_free(&f);
}

static void take_stated(const struct network *w, const struct stated_prices *stated, const struct demands *d, struct bounds *b)
{
	struct price_list f;

	price_list_new(w, true, &f);
	int64_t *prices = new_array(int64_t, (size_t)f.n);
	if (price_list_fill(&f, stated->list, stated->n, prices))
		take(&f, prices, d, b);
	free(prices);
	price_list_free(&f);
}

/* ---- demands ---- */

/*
 * For each chunk with a single initial holder, the demand from there to the farthest node that wants it: a part of what
 * the chunk needs.
 */
static void demand_listed(const struct network *w, const struct custom *c, int *demand)
{
	size_t i = 0, k = 0;

	for (int chunk = 0; chunk < c->global_chunks; chunk++) {
		int holders = 0, from = 0, to = -1;
		for (; i < c->n_pre && c->pre[i].chunk == chunk; i++, holders++)
			from = c->pre[i].node;
		for (; k < c->n_post && c->post[k].chunk == chunk; k++)
			if (to < 0 || network_distance(w, from, c->post[k].node) > network_distance(w, from, to))
				to = c->post[k].node;
		if (holders == 1 && to >= 0 && to != from)
			demand[from * w->nodes + to]++;
	}
}

static struct demands demands_of(const struct network *w, const struct collective *k)
{
	struct demands d = {new_array(int, (size_t)w->nodes * (size_t)w->nodes), 1, k->kind == ALLTOALL};

	if (k->kind == CUSTOM) {
		demand_listed(w, k->custom, d.of);
		return d;
	}
	d.unit = w->nodes;
	for (int i = 0; i < w->nodes * w->nodes; i++)
		d.of[i] = i / w->nodes != i % w->nodes;
	return d;
}

void bounds_pricing(const struct network *w, const struct collective *k, const struct stated_prices *stated, struct bounds *b)
{
	if (!collective_takes_prices(k) || (stated && stated->n == 0))
		return;
	struct demands d = demands_of(w, k);
	if (stated)
		take_stated(w, stated, &d, b);
	else
		look(w, &d, b);
	free(d.of);
}
