/*
 * Each shape of a grid is mapped into the machine by backtracking, one place after the other: a hub is joined, both ways,
 * to all that are placed already and differ from it in one dimension. A grid can be read in many ways that are the same
 * exchange; of these the one is kept whose first hub is the least, and whose hubs ascend along each axis from there.
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
};

/* The search for the cores of one shape. */
struct grid_search {
	const struct network *w;
	struct hub_cores *out;
	int steps, dimensions, size[HUB_DIMENSIONS_MAX];
	int n, of[HUB_NODES_MAX];
	bool used[HUB_NODES_MAX];
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

/* Can hub V stand at PLACE, after all places before it? */
static bool fits(const struct grid_search *g, int place, int v)
{
	if (g->used[v] || v < g->of[0])
		return false;
	for (int d = 0; d < g->dimensions; d++) {
		int stride = stride_of(g, d), at = coordinate(g, place, d);
		for (int k = 0; k < at; k++) {
			int u = g->of[place - (at - k) * stride];
			if (network_edge(g->w, u, v) < 0 || network_edge(g->w, v, u) < 0)
				return false;
		}
		if (place == at * stride && at > 0 && v < g->of[place - stride])
			return false;
	}
	return true;
}

static int hops(const struct network *w, const struct grid_search *g, bool from)
{
	int most = 0;

	for (int v = 0; v < w->nodes; v++) {
		int least = UNREACHABLE;
		for (int i = 0; i < g->n; i++) {
			int d = from ? network_distance(w, g->of[i], v) : network_distance(w, v, g->of[i]);
			least = d < least ? d : least;
		}
		most = least > most ? least : most;
	}
	return most;
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

static void keep(struct grid_search *g)
{
	struct hub_core c = {.dimensions = g->dimensions, .n = g->n, .into = hops(g->w, g, false), .out = hops(g->w, g, true)};

	if (c.into + c.dimensions + c.out > g->steps)
		return;
	c.of = copy_bytes(g->of, (size_t)g->n * sizeof *g->of);
	c.exchange = exchange_of(g);
	g->out->of = grown(g->out->of, &g->out->capacity, g->out->n + 1, sizeof c);
	g->out->of[g->out->n++] = c;
	g->found++;
}

static bool is_over(const struct grid_search *g)
{
	return g->found >= CORES_OF_SHAPE || g->tried >= PLACES_OF_SHAPE;
}

static void place_hubs(struct grid_search *g, int place)
{
	if (place == g->n) {
		keep(g);
		return;
	}
	for (int v = 0; v < g->w->nodes && !is_over(g); v++) {
		if (place ? !fits(g, place, v) : g->used[v])
			continue;
		g->tried++;
		g->of[place] = v;
		g->used[v] = true;
		place_hubs(g, place + 1);
		g->used[v] = false;
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

void hub_cores_find(const struct network *w, int steps, struct hub_cores *out)
{
	struct grid_search g = {.w = w, .out = out, .steps = steps, .n = 1};

	*out = (struct hub_cores){0};
	try_shapes(&g);
}

void hub_cores_free(struct hub_cores *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->of[i].of);
		free(c->of[i].exchange.of);
	}
	free(c->of);
}
