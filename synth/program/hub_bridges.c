/*
 * At given prices the nodes aside are those for which this is cheapest; the others join forests as around any hubs
 * (synth/program/hub_forest.h), where sends that would spoil what stays aside are given a prohibitive price: a node aside
 * is no part of a forest, and one that passes on what another sends across holds nothing else meanwhile.
 */

#include "synth/program/hub_bridges.h"

#include "synth/program/hub_cores.h"
#include "synth/program/hub_forest.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/machine_orbits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double prohibitive = 1e12;

static bool joined(const struct network *w, int a, int b)
{
	return network_edge(w, a, b) >= 0;
}

/* The part of each node; NULL: the nodes are not in two such parts. */
static int *find_parts(const struct network *w)
{
	int *part = new_array(int, (size_t)w->nodes), size[2] = {0, 0};
	bool ok = true;

	for (int v = 0; v < w->nodes; v++) {
		part[v] = v > 0 && !(joined(w, 0, v) && joined(w, v, 0));
		size[part[v]]++;
	}
	for (int a = 0; a < w->nodes && ok; a++)
		for (int b = 0; b < w->nodes && ok; b++)
			ok = a == b || (joined(w, a, b) && joined(w, b, a)) == (part[a] == part[b]);
	if (ok && size[0] > 1 && size[1] > 1)
		return part;
	free(part);
	return NULL;
}

void hub_bridges_find(const struct network *w, struct hub_bridges *out)
{
	enum { BRIDGES_MAX = 4096 };

	*out = (struct hub_bridges){.part = w->nodes <= HUB_NODES_MAX ? find_parts(w) : NULL};
	for (size_t e = 0; out->part && e < w->n_edges; e++)
		for (size_t f = 0; f < w->n_edges && out->n < BRIDGES_MAX; f++) {
			const struct edge *there = &w->edges[e], *back = &w->edges[f];
			if (out->part[there->src] != 0 || out->part[there->dst] != 1 || out->part[back->src] != 1 || out->part[back->dst] != 0 ||
			    there->src == back->dst || back->src == there->dst)
				continue;
			out->of = grown(out->of, &out->capacity, out->n + 1, sizeof *out->of);
			out->of[out->n++] = (struct hub_bridge){{there->src, back->src}, {back->dst, there->dst}};
		}
}

void hub_bridges_free(struct hub_bridges *b)
{
	free(b->of);
	free(b->part);
	*b = (struct hub_bridges){0};
}

/* Which bridge the nodes map to; the parts may be exchanged. */
static size_t image_of(const struct hub_bridges *b, const struct hub_bridge *x, const int *to)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct hub_bridge *y = &b->of[i];
		for (int other = 0; other < 2; other++)
			if (y->sum[other] == to[x->sum[0]] && y->sum[!other] == to[x->sum[1]] && y->result[other] == to[x->result[0]] &&
			    y->result[!other] == to[x->result[1]])
				return i;
	}
	return b->n;
}

size_t hub_bridges_apart(const struct network *w, const struct hub_bridges *b, const int *generators, size_t n, size_t *which)
{
	int *up = orbits_apart((int)b->n);
	size_t apart = 0;
	int next = 0;

	for (size_t g = 0; g < n; g++)
		for (size_t i = 0; i < b->n; i++) {
			size_t image = image_of(b, &b->of[i], generators + g * (size_t)w->nodes);
			if (image < b->n)
				orbits_join(up, (int)i, (int)image);
		}
	orbits_number(up, (int)b->n);
	for (size_t i = 0; i < b->n; i++)
		if (up[i] == next) {
			which[apart++] = i;
			next++;
		}
	free(up);
	return apart;
}

/* ---- prices ---- */

/* A node aside, and the node that passes on what crosses for it. */
struct aside {
	int node, beyond, step; /* step: of the send across */
	double cost;
};

/* A pattern that is being priced. */
struct bridging {
	const struct network *w;
	const int *part;
	const struct bridge_pattern *p;
	int steps, effort;
	const double *prices;
	double *barred;             /* the same, with prohibitive prices */
	int n_aside;
	struct aside aside[HUB_NODES_MAX];
};

static double price_of(const struct bridging *b, int step, int src, int dst)
{
	return b->prices[(size_t)step * b->w->n_edges + (size_t)network_edge(b->w, src, dst)];
}

static bool is_hub(const struct hub_bridge *h, int v)
{
	return v == h->sum[0] || v == h->sum[1] || v == h->result[0] || v == h->result[1];
}

static int by_cost(const void *va, const void *vb)
{
	const struct aside *a = va, *b = vb;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->node - b->node;
}

/* What it costs that NODE stays aside, with its link to or from BEYOND in the other part. */
static struct aside aside_by(const struct bridging *b, int node, int beyond)
{
	const struct hub_bridge *h = b->p->bridge;
	int at = b->p->at, own = b->part[node], first = b->p->later ? at + 1 : 0, end = b->p->later ? b->steps : at;
	struct aside a = {node, beyond, first, INFINITY};

	for (int s = first; s < end; s++) {
		double cost = b->p->later ? price_of(b, s, beyond, node) : price_of(b, s, node, beyond);
		if (cost < a.cost)
			a = (struct aside){node, beyond, s, cost};
	}
	a.cost += b->p->later ? price_of(b, at, h->sum[own], node) + price_of(b, at, h->sum[!own], beyond) :
				price_of(b, at, node, h->result[own]) + price_of(b, at, beyond, h->result[!own]);
	return a;
}

/* The nodes that may stand aside, cheapest first, each by one link, and each link for one of them. */
static void find_aside(struct bridging *b)
{
	struct aside all[HUB_NODES_MAX];
	bool used[HUB_NODES_MAX] = {false};
	int n = 0;

	for (int v = 0; v < b->w->nodes; v++) {
		all[n] = (struct aside){.node = -1, .cost = INFINITY};
		for (int u = 0; u < b->w->nodes && !is_hub(b->p->bridge, v); u++) {
			if (b->part[u] == b->part[v] || is_hub(b->p->bridge, u) || !(b->p->later ? joined(b->w, u, v) : joined(b->w, v, u)))
				continue;
			struct aside a = aside_by(b, v, u);
			if (a.cost < all[n].cost)
				all[n] = a;
		}
		n += all[n].node >= 0;
	}
	if (n)
		qsort(all, (size_t)n, sizeof *all, by_cost);
	for (int i = 0; i < n && b->n_aside < b->p->aside; i++)
		if (!used[all[i].node] && !used[all[i].beyond]) {
			used[all[i].node] = used[all[i].beyond] = true;
			b->aside[b->n_aside++] = all[i];
		}
}

/* Bars the sends out of V, or into it, in the steps FIRST to LAST. */
static void bar(struct bridging *b, int v, bool out, int first, int last)
{
	const struct network *w = b->w;
	const int *begin = out ? w->out_begin : w->in_begin, *edges = out ? w->out : w->in;

	for (int s = first; s <= last; s++)
		for (int i = begin[v]; i < begin[v + 1]; i++)
			b->barred[(size_t)s * w->n_edges + (size_t)edges[i]] = prohibitive;
}

/* What is aside gets nothing before, or sends nothing afterwards; what passes it on has sent its own by then. */
static void bar_aside(struct bridging *b)
{
	int at = b->p->at;

	for (int i = 0; i < b->n_aside; i++) {
		const struct aside *a = &b->aside[i];
		if (b->p->later) {
			bar(b, a->node, true, at + 1, b->steps - 1);
			bar(b, a->beyond, false, at + 1, a->step - 1);
		} else {
			bar(b, a->node, false, 0, at - 1);
			bar(b, a->beyond, true, a->step + 1, at - 1);
		}
	}
}

static void add(const struct bridging *b, struct timed_tree *to, int step, int src, int dst)
{
	to->of[to->n++] = (struct timed_edge){step, network_edge(b->w, src, dst)};
}

static void add_exchange(const struct bridging *b, struct timed_tree *to)
{
	const struct hub_bridge *h = b->p->bridge;
	int at = b->p->at;

	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			add(b, to, at, h->sum[i], h->result[j]);
	for (int i = 0; i < b->n_aside; i++) {
		const struct aside *a = &b->aside[i];
		int own = b->part[a->node];
		if (b->p->later) {
			add(b, to, at, h->sum[own], a->node);
			add(b, to, at, h->sum[!own], a->beyond);
			add(b, to, a->step, a->beyond, a->node);
		} else {
			add(b, to, a->step, a->node, a->beyond);
			add(b, to, at, a->node, h->result[own]);
			add(b, to, at, a->beyond, h->result[!own]);
		}
	}
}

/* The forest into the hubs and the nodes aside, or out of them. */
static double find_forest(const struct bridging *b, bool into, struct timed_tree *out)
{
	int hubs[HUB_NODES_MAX], n = 0, at = b->p->at;
	const int *two = into ? b->p->bridge->sum : b->p->bridge->result;
	struct hub_core core = {0};

	hubs[n++] = two[0];
	hubs[n++] = two[1];
	for (int i = 0; i < b->n_aside && into != b->p->later; i++)
		hubs[n++] = b->aside[i].node;
	core.from = core.to = hubs;
	core.n_from = core.n_to = n;
	return into ? hub_forest_find(b->w, &core, true, 0, at, b->barred, b->effort, out) :
		      hub_forest_find(b->w, &core, false, at + 1, b->steps - at - 1, b->barred, b->effort, out);
}

static int by_step(const void *va, const void *vb)
{
	const struct timed_edge *a = va, *b = vb;

	return a->step != b->step ? a->step - b->step : a->edge - b->edge;
}

static void append(struct timed_tree *to, struct timed_tree *from)
{
	for (int i = 0; i < from->n; i++)
		to->of[to->n++] = from->of[i];
	free(from->of);
}

double hub_bridge_price(const struct network *w, const int *part, const struct bridge_pattern *p, int steps, const double *prices,
			int effort, struct timed_tree *out)
{
	size_t cells = (size_t)steps * w->n_edges;
	struct bridging b = {.w = w, .part = part, .p = p, .steps = steps, .effort = effort, .prices = prices};
	struct timed_tree into = {0}, from = {0}, all = {0};
	double cost = INFINITY;

	b.barred = copy_bytes(prices, cells * sizeof *prices);
	find_aside(&b);
	bar_aside(&b);
	if (b.n_aside == p->aside)
		cost = find_forest(&b, true, out ? &into : NULL) + find_forest(&b, false, out ? &from : NULL);
	if (cost >= prohibitive) {
		free(b.barred);
		free(into.of);
		free(from.of);
		return INFINITY;
	}
	all.of = new_array(struct timed_edge, 3 * (size_t)w->nodes + 4 + 3 * HUB_NODES_MAX);
	add_exchange(&b, &all);
	for (int i = 0; i < all.n; i++)
		cost += prices[(size_t)all.of[i].step * w->n_edges + (size_t)all.of[i].edge];
	free(b.barred);
	if (!out) {
		free(all.of);
		return cost;
	}
	append(&all, &into);
	append(&all, &from);
	qsort(all.of, (size_t)all.n, sizeof *all.of, by_step);
	*out = all;
	return cost;
}
