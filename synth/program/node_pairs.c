/*
 * Two nodes that only two others tell apart are exchanged together with these: one of them is the partner of the first, the
 * node that tells it from most others.
 */

#include "synth/program/node_pairs.h"

#include "synth/program/commodities.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

enum { ALONE = -1, STATES_MAX = 1 << 20 };
static const double growths_most = 5e8; /* pairs of a state and one that it grows to */

static void fill_prices(struct pair_table *g)
{
	const struct network *w = g->q->w;
	size_t all = (size_t)g->q->steps * (size_t)g->nodes * (size_t)g->nodes;

	g->price = new_array(double, all);
	g->left_of = new_array(double, all);
	for (size_t i = 0; i < all; i++)
		g->price[i] = INFINITY;
	for (int s = 0; s < g->q->steps; s++)
		for (size_t e = 0; e < w->n_edges; e++) {
			size_t at = pair_cell(g, s, w->edges[e].src, w->edges[e].dst);
			g->price[at] = g->q->prices[(size_t)s * w->n_edges + e];
			g->left_of[at] = g->q->left ? fmin(g->q->left[(size_t)s * w->n_edges + e], g->price[at]) : 0;
		}
}

/* ---- pairs ---- */

static bool alike_to(const struct pair_table *g, int a, int b, int v)
{
	for (int s = 0; s < g->q->steps; s++)
		if (g->price[pair_cell(g, s, a, v)] != g->price[pair_cell(g, s, b, v)] || g->price[pair_cell(g, s, v, a)] != g->price[pair_cell(g, s, v, b)])
			return false;
	return true;
}

/* Those of the other nodes to which A and B are not alike: how many, the first two in WHO. */
static int unlike_to(const struct pair_table *g, int a, int b, int who[2])
{
	int n = 0;

	for (int v = 0; v < g->nodes && n < 3; v++)
		if (v != a && v != b && !alike_to(g, a, b, v)) {
			if (n < 2)
				who[n] = v;
			n++;
		}
	return n;
}

static int image(const int *a, const int *b, int size, int v)
{
	for (int i = 0; i < size; i++)
		if (v == a[i] || v == b[i])
			return v == a[i] ? b[i] : a[i];
	return v;
}

/* May the pairs A and B be exchanged? */
static bool exchangeable(const struct pair_table *g, const int *a, const int *b, int size)
{
	for (int i = 0; i < size; i++)
		if (g->q->k->role[a[i]] != g->q->k->role[b[i]])
			return false;
	for (int s = 0; s < g->q->steps; s++)
		for (int u = 0; u < g->nodes; u++)
			for (int v = 0; v < g->nodes; v++)
				if (u != v && g->price[pair_cell(g, s, u, v)] != g->price[pair_cell(g, s, image(a, b, size, u), image(a, b, size, v))])
					return false;
	return true;
}

/* The node that most often tells A from another; ALONE: none does. */
static int partner_of(const struct pair_table *g, int a, const bool *used)
{
	int *often = new_array(int, (size_t)g->nodes), who[2], best = ALONE;

	for (int b = 0; b < g->nodes; b++)
		if (b != a && !used[b] && g->q->k->role[a] == g->q->k->role[b] && unlike_to(g, a, b, who) == 2)
			for (int i = 0; i < 2; i++)
				often[who[i]] += !used[who[i]];
	for (int v = 0; v < g->nodes; v++)
		if (often[v] && (best == ALONE || often[v] > often[best]))
			best = v;
	free(often);
	return best;
}

static void add_pair(struct exchanged_pairs *k, int a, int b, bool *used)
{
	k->pair[k->n][0] = a;
	k->pair[k->n++][1] = b;
	used[a] = true;
	if (b != ALONE)
		used[b] = true;
}

static void find_kind(const struct pair_table *g, int a, struct exchanged_pairs *k, bool *used)
{
	int partner = partner_of(g, a, used), first[2] = {a, partner}, who[2];

	*k = (struct exchanged_pairs){.size = partner == ALONE ? 1 : 2};
	k->pair = zeroed((size_t)g->nodes, sizeof *k->pair);
	add_pair(k, a, partner, used);
	for (int b = a + 1; b < g->nodes; b++) {
		if (used[b] || unlike_to(g, a, b, who) != (k->size == 2 ? 2 : 0))
			continue;
		int with[2] = {b, k->size == 1 ? ALONE : who[0] == partner ? who[1] : who[0]};
		bool joined = k->size == 1 || ((who[0] == partner || who[1] == partner) && !used[with[1]]);
		if (joined && exchangeable(g, first, with, k->size))
			add_pair(k, with[0], with[1], used);
	}
	if (k->size == 2 && k->n == 1) {
		used[partner] = false;
		k->size = 1;
	}
}

static void find_kinds(struct pair_table *g)
{
	bool *used = new_array(bool, (size_t)g->nodes);

	g->kinds = new_array(struct exchanged_pairs, (size_t)g->nodes);
	for (int v = 0; v < g->nodes; v++)
		used[v] = g->q->k->role[v] == ROLE_HAS;
	for (int v = 0; v < g->nodes; v++)
		if (!used[v])
			find_kind(g, v, &g->kinds[g->n++], used);
	free(used);
}

/*
 * Dual ascent does not leave the same of prices that are the same. A state does not say which pairs it is about: so the least
 * that is left of any price that can be exchanged with it counts.
 */
static void even_out_left(struct pair_table *g)
{
	size_t nodes = (size_t)g->nodes, types = 2 * (size_t)g->n + nodes;
	size_t *type = new_array(size_t, nodes);
	int *pair = new_array(int, nodes);
	double *least = new_array(double, 2 * types * types);

	for (size_t v = 0; v < nodes; v++)
		type[v] = 2 * (size_t)g->n + v; /* has the commodity: no other is like it */
	for (int i = 0; i < g->n; i++)
		for (int p = 0; p < g->kinds[i].n; p++)
			for (int end = 0; end < g->kinds[i].size; end++) {
				type[g->kinds[i].pair[p][end]] = 2 * (size_t)i + (size_t)end;
				pair[g->kinds[i].pair[p][end]] = p;
			}
	for (int s = 0; s < g->q->steps; s++) {
		for (size_t i = 0; i < 2 * types * types; i++)
			least[i] = INFINITY;
		for (size_t put = 0; put < 2; put++)
			for (size_t u = 0; u < nodes; u++)
				for (size_t v = 0; v < nodes; v++) {
					bool same = pair[u] == pair[v] && type[u] / 2 == type[v] / 2;
					double *left = &g->left_of[pair_cell(g, s, (int)u, (int)v)], *of = &least[(type[u] * types + type[v]) * 2 + same];
					*of = fmin(*of, *left);
					*left = put ? *of : *left;
				}
	}
	free(type);
	free(pair);
	free(least);
}

/* ---- states ---- */

static void add_number(struct exchanged_pairs *k, int a, int b, int both, size_t *capacity)
{
	k->count = grown(k->count, capacity, k->states + 1, sizeof *k->count);
	int *count = k->count[k->states];
	count[0] = k->n - a - b - both;
	count[1] = a;
	count[2] = b;
	count[3] = both;
	*pair_number(k, count) = k->states++;
}

static void number_states(struct exchanged_pairs *k)
{
	size_t side = (size_t)k->n + 1, capacity = 0;
	int most = k->size == 2 ? k->n : 0;

	k->number = new_array(size_t, side * side * side);
	for (int a = 0; a <= k->n; a++)
		for (int b = 0; b <= most && a + b <= k->n; b++)
			for (int both = 0; both <= most && a + b + both <= k->n; both++)
				add_number(k, a, b, both, &capacity);
	k->listed = new_array(size_t, k->states);
}

/* False: there are too many. */
static bool number_all(struct pair_table *g)
{
	double growths = 1;

	g->states = 1;
	for (int i = 0; i < g->n; i++) {
		struct exchanged_pairs *k = &g->kinds[i];
		double n = k->n, states = k->size == 2 ? (n + 1) * (n + 2) * (n + 3) / 6 : n + 1;
		growths *= states * (states + 1) / 2;
		if ((double)g->states * states > STATES_MAX || growths > growths_most)
			return false;
		number_states(k);
		k->place = g->states;
		g->states *= k->states;
	}
	return true;
}

bool pair_table_new(const struct tree_question *q, struct pair_table *out)
{
	*out = (struct pair_table){.q = q, .nodes = q->w->nodes};
	fill_prices(out);
	find_kinds(out);
	even_out_left(out);
	return number_all(out);
}

void pair_table_free(struct pair_table *g)
{
	for (int i = 0; i < g->n; i++) {
		free(g->kinds[i].pair);
		free(g->kinds[i].count);
		free(g->kinds[i].number);
		free(g->kinds[i].changes);
		free(g->kinds[i].listed);
	}
	free(g->kinds);
	free(g->price);
	free(g->left_of);
}
