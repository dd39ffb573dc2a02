/*
 * Each shape of a grid is mapped into the machine by backtracking, one place after the other: a hub is joined, both ways,
 * to all that are placed already and differ from it in one dimension. Many ways to place the same hubs are the same exchange.
 * Of these the one is kept whose first hub has the lowest number, and whose hubs ascend along each axis from there.
 */

#include "synth/program/hub_cores.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <stdlib.h>

enum {
	SIZE_MAX_OF_DIMENSION = 8,
	CORES_OF_SHAPE = 512,     /* that are kept */
	PLACES_OF_SHAPE = 200000, /* that are tried */
	CROSSINGS = 512,          /* pairs of one-way links that are kept */
	PAIR_HUBS = 4,            /* at most on each side, where those with the result differ from those that add up */
};

/* What is near enough on a machine, as bits of nodes. */
struct hub_reach {
	int steps, nodes;
	uint64_t all, *joined; /* [node]: those joined to it both ways */
	uint64_t *to, *from;   /* [hops * nodes + node]: those from which it, or that from it, so many hops reach */
};

/* The search for the cores of one shape. */
struct grid_search {
	const struct network *w;
	const struct hub_reach *r;
	struct hub_cores *out;
	int steps, dimensions, size[HUB_DIMENSIONS_MAX];
	int n, of[HUB_NODES_MAX];
	uint64_t used;
	int found, tried;
};

/* The stride of dimension D: places that differ by it, in one row of the grid, are neighbours. */
static int stride_of(const struct grid_search *g, int d)
{
	int stride = 1;

	while (d-- > 0)
		stride *= g->size[d];
	return stride;
}

static int coordinate(const struct grid_search *g, int place, int d)
{
	return place / stride_of(g, d) % g->size[d];
}

static uint64_t bit(int v)
{
	return UINT64_C(1) << v;
}

/* The hubs that can stand at PLACE, after all places before it, as bits. */
static uint64_t candidates(const struct grid_search *g, int place)
{
	uint64_t can = g->r->all & ~g->used & ~(bit(g->of[0]) - 1);

	for (int d = 0; d < g->dimensions; d++) {
		int stride = stride_of(g, d), at = coordinate(g, place, d);
		for (int k = 0; k < at; k++)
			can &= g->r->joined[g->of[place - (at - k) * stride]];
		if (place == at * stride && at > 0)
			can &= ~(bit(g->of[place - stride]) - 1);
	}
	return can;
}

static struct hub_reach reach_of(const struct network *w, int steps)
{
	size_t nodes = (size_t)w->nodes;
	struct hub_reach r = {.steps = steps, .nodes = w->nodes, .joined = new_array(uint64_t, nodes),
			      .to = new_array(uint64_t, ((size_t)steps + 1) * nodes), .from = new_array(uint64_t, ((size_t)steps + 1) * nodes)};

	for (int u = 0; u < w->nodes; u++) {
		r.all |= bit(u);
		for (int v = 0; v < w->nodes; v++) {
			if (network_edge(w, u, v) >= 0 && network_edge(w, v, u) >= 0)
				r.joined[u] |= bit(v);
			for (int k = network_distance(w, u, v); k <= steps; k++) {
				r.to[(size_t)k * nodes + (size_t)v] |= bit(u);
				r.from[(size_t)k * nodes + (size_t)u] |= bit(v);
			}
		}
	}
	return r;
}

static void reach_free(struct hub_reach *r)
{
	free(r->joined);
	free(r->to);
	free(r->from);
}

/*
 * The hops from the farthest node to the nearest of N hubs, or, with BACK, from that hub to the node; more than the steps where
 * these are too few.
 */
static int hops(const struct hub_reach *r, const int *hubs, int n, bool back)
{
	for (int k = 0; k <= r->steps; k++) {
		uint64_t near = 0;
		for (int i = 0; i < n; i++)
			near |= (back ? r->from : r->to)[(size_t)k * (size_t)r->nodes + (size_t)hubs[i]];
		if (near == r->all)
			return k;
	}
	return r->steps + 1;
}

static struct timed_tree exchange_of(const struct grid_search *g)
{
	struct timed_tree t = {0};
	size_t capacity = 0;

	for (int d = 0; d < g->dimensions; d++) {
		int stride = stride_of(g, d);
		for (int p = 0; p < g->n; p++)
			for (int k = 0; k < g->size[d]; k++) {
				int other = p + (k - coordinate(g, p, d)) * stride;
				if (other == p)
					continue;
				t.of = grown(t.of, &capacity, (size_t)t.n + 1, sizeof *t.of);
				t.of[t.n++] = (struct timed_edge){d, network_edge(g->w, g->of[p], g->of[other])};
			}
	}
	return t;
}

/* Keeps a core whose hubs are near enough to all nodes: copies the hubs. Takes the exchange either way. Was it kept? */
static bool keep(struct hub_cores *out, const struct hub_reach *r, struct hub_core c)
{
	c.into = hops(r, c.from, c.n_from, false);
	c.out = hops(r, c.to, c.n_to, true);
	bool twice_far = (c.n_beside && (c.into > 1 || hops(r, c.beside, c.n_beside, false) > 1)) ||
			 (c.n_beyond && (c.out > 1 || hops(r, c.beyond, c.n_beyond, true) > 1));
	if (twice_far || c.into + c.dimensions + c.out > r->steps) {
		free(c.exchange.of);
		return false;
	}
	c.from = copy_bytes(c.from, (size_t)c.n_from * sizeof *c.from);
	c.beside = copy_bytes(c.beside, (size_t)c.n_beside * sizeof *c.beside);
	c.to = copy_bytes(c.to, (size_t)c.n_to * sizeof *c.to);
	c.beyond = copy_bytes(c.beyond, (size_t)c.n_beyond * sizeof *c.beyond);
	out->of = grown(out->of, &out->capacity, out->n + 1, sizeof c);
	out->of[out->n++] = c;
	return true;
}

/* ---- grids ---- */

static bool is_over(const struct grid_search *g)
{
	return g->found >= CORES_OF_SHAPE || g->tried >= PLACES_OF_SHAPE;
}

static void place_hubs(struct grid_search *g, int place)
{
	if (place == g->n) {
		g->found += keep(g->out, g->r, (struct hub_core){.dimensions = g->dimensions, .n_from = g->n, .from = g->of,
									   .n_to = g->n, .to = g->of, .exchange = exchange_of(g)});
		return;
	}
	uint64_t can = place ? candidates(g, place) : g->r->all;
	for (int v = 0; v < g->w->nodes && !is_over(g); v++) {
		if (!(can & bit(v)))
			continue;
		g->tried++;
		g->of[place] = v;
		g->used |= bit(v);
		place_hubs(g, place + 1);
		g->used &= ~bit(v);
	}
}

/* All shapes with dimensions after those that are there. */
static void try_shapes(struct grid_search *g)
{
	g->found = g->tried = 0;
	place_hubs(g, 0);
	if (g->dimensions == HUB_DIMENSIONS_MAX || g->dimensions == g->steps)
		return;
	int n = g->n;
	for (int size = 2; size <= SIZE_MAX_OF_DIMENSION && n * size <= g->w->nodes && !stop_is_due(); size++) {
		g->size[g->dimensions++] = size;
		g->n = n * size;
		try_shapes(g);
		g->dimensions--;
	}
	g->n = n;
}

/* ---- hubs in one step to others ---- */

/* The search for two sets of hubs, where each of the first is joined to each of the second, or is the same node. */
struct pair_search {
	const struct network *w;
	const struct hub_reach *r;
	struct hub_cores *out;
	int found, tried;
	int n_from, from[PAIR_HUBS], n_to, to[PAIR_HUBS];
};

/* Is hub V joined to W, or the same? */
static bool reaches(const struct network *w, int v, int to)
{
	return v == to || network_edge(w, v, to) >= 0;
}

static struct timed_tree sends_of_pair(const struct pair_search *p)
{
	struct timed_tree t = {.of = new_array(struct timed_edge, (size_t)p->n_from * (size_t)p->n_to)};

	for (int i = 0; i < p->n_from; i++)
		for (int k = 0; k < p->n_to; k++)
			if (p->from[i] != p->to[k])
				t.of[t.n++] = (struct timed_edge){0, network_edge(p->w, p->from[i], p->to[k])};
	return t;
}

static bool enough(const struct pair_search *p)
{
	return p->found >= CORES_OF_SHAPE || p->tried >= PLACES_OF_SHAPE;
}

/* Adds hubs with the result, from node V on. */
static void extend_to(struct pair_search *p, int v)
{
	if (p->n_to > 1)
		p->found += keep(p->out, p->r, (struct hub_core){
			.dimensions = 1, .n_from = p->n_from, .from = p->from, .n_to = p->n_to, .to = p->to, .exchange = sends_of_pair(p)});
	for (; p->n_to < PAIR_HUBS && v < p->w->nodes && !enough(p); v++) {
		bool all = true;
		for (int i = 0; i < p->n_from; i++)
			all = all && reaches(p->w, p->from[i], v);
		p->tried++;
		if (!all)
			continue;
		p->to[p->n_to++] = v;
		extend_to(p, v + 1);
		p->n_to--;
	}
}

/* Adds hubs that add up, from node V on. */
static void extend_from(struct pair_search *p, int v)
{
	if (p->n_from > 1)
		extend_to(p, 0);
	for (; p->n_from < PAIR_HUBS && v < p->w->nodes && !enough(p); v++) {
		p->from[p->n_from++] = v;
		extend_from(p, v + 1);
		p->n_from--;
	}
}

/* ---- one-way links ---- */

static bool leads_one_way(const struct network *w, size_t e)
{
	return network_edge(w, w->edges[e].dst, w->edges[e].src) < 0;
}

static struct timed_tree two_sends(size_t one, size_t other)
{
	struct timed_tree t = {.n = 2, .of = new_array(struct timed_edge, 2)};

	t.of[0] = (struct timed_edge){0, (int)one};
	t.of[1] = (struct timed_edge){0, (int)other};
	return t;
}

/* The cores whose results, or halves of them, are at the ends of two links: how many. */
static int keep_crossing(struct hub_cores *out, const struct network *w, const struct hub_reach *r, size_t one, size_t other)
{
	const struct edge *a = &w->edges[one], *b = &w->edges[other];
	int first[] = {a->src, a->dst}, second[] = {b->src, b->dst}, begins[] = {a->src, b->src}, ends[] = {a->dst, b->dst};

	return keep(out, r, (struct hub_core){.dimensions = 1, .n_from = 2, .from = first, .n_beside = 2, .beside = second,
						     .n_to = 2, .to = ends, .exchange = two_sends(one, other)}) +
	       keep(out, r, (struct hub_core){.dimensions = 1, .n_from = 2, .from = begins, .n_to = 2, .to = first, .n_beyond = 2,
						     .beyond = second, .exchange = two_sends(one, other)});
}

static void find_crossings(const struct network *w, const struct hub_reach *r, struct hub_cores *out)
{
	int found = 0;

	for (size_t i = 0; i < w->n_edges && found < CROSSINGS && !stop_is_due(); i++)
		for (size_t j = i + 1; leads_one_way(w, i) && j < w->n_edges && found < CROSSINGS; j++) {
			const struct edge *a = &w->edges[i], *b = &w->edges[j];
			if (leads_one_way(w, j) && a->src != b->src && a->src != b->dst && a->dst != b->src && a->dst != b->dst)
				found += keep_crossing(out, w, r, i, j);
		}
}

void hub_cores_find(const struct network *w, int steps, struct hub_cores *out)
{
	struct hub_reach r = reach_of(w, steps);
	struct grid_search g = {.w = w, .r = &r, .out = out, .steps = steps, .n = 1};
	struct pair_search p = {.w = w, .r = &r, .out = out};

	*out = (struct hub_cores){0};
	try_shapes(&g);
	extend_from(&p, 0);
	find_crossings(w, &r, out);
	reach_free(&r);
}

void hub_cores_free(struct hub_cores *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->of[i].from);
		free(c->of[i].beside);
		free(c->of[i].to);
		free(c->of[i].beyond);
		free(c->of[i].exchange.of);
	}
	free(c->of);
}
