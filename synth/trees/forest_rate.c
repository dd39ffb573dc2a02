/*
 * The rate: of all sets of vertices that leave out some node, the one with the most roots per unit of capacity out of
 * it. Found by Dinkelbach's iteration: guess p/q rounds per chunk, multiply all capacities by p, let each root offer q,
 * and check by maximum flow that all of it reaches each node; a minimum cut where it does not gives the next guess.
 */

#include "synth/trees/forest_graph.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/watch.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static bool unreached(const struct forest_graph *g, int v, struct error *e)
{
	return error_set(e, ERROR_INPUT, g->topology->name, "node %d cannot be reached from every root", v);
}

static void take_cut(const struct forest_graph *g, struct forest *f, int64_t roots, int64_t capacity)
{
	f->bandwidth = rational(roots, capacity);
	f->cut_roots = roots;
	f->cut_capacity = capacity;
	for (int v = 0; v < g->vertices; v++)
		f->cut[v] = flow_on_source_side(g->flow, v);
}

/* First guess: everything except one node, over what that node can receive. */
static bool guess(struct forest_graph *g, struct forest *f, struct error *e)
{
	for (int v = 0; v < g->nodes; v++) {
		int64_t roots = g->n_roots - g->is_root[v], capacity = forest_graph_in(g, v);
		if (roots == 0)
			continue;
		if (capacity == 0)
			return unreached(g, v, e);
		struct rational r = rational(roots, capacity);
		if (f->cut_capacity && rational_compare(r, f->bandwidth) <= 0)
			continue;
		f->bandwidth = r;
		f->cut_roots = roots;
		f->cut_capacity = capacity;
		for (int u = 0; u < g->vertices; u++)
			f->cut[u] = u != v;
	}
	return true;
}

static void widen(struct forest_graph *g, struct rational by)
{
	for (int u = 0; u < g->vertices; u++)
		for (int v = 0; v < g->vertices; v++) {
			size_t pair = forest_pair(g, u, v);
			if (g->capacity[pair])
				flow_set(g->flow, g->arc[pair], g->capacity[pair] * by.num);
		}
	for (int v = 0; v < g->nodes; v++)
		flow_set(g->flow, g->offer[v], g->is_root[v] ? by.den : 0);
}

/* Capacity out of the source's side of the last flow. */
static int64_t leaving(const struct forest_graph *g)
{
	int64_t sum = 0;

	for (int u = 0; u < g->vertices; u++)
		for (int v = 0; v < g->vertices && flow_on_source_side(g->flow, u); v++)
			if (!flow_on_source_side(g->flow, v))
				sum += g->capacity[forest_pair(g, u, v)];
	return sum;
}

static bool raise_for(struct forest_graph *g, int target, struct forest *f, struct error *e)
{
	for (;;) {
		int64_t roots = 0;
		flow_set(g->flow, g->take[target], FOREST_INFINITE);
		int64_t arrived = flow_run(g->flow, g->source, g->sink);
		flow_set(g->flow, g->take[target], 0);
		if (arrived >= f->bandwidth.den * g->n_roots)
			return true;
		for (int v = 0; v < g->nodes; v++)
			roots += g->is_root[v] && flow_on_source_side(g->flow, v);
		int64_t capacity = leaving(g);
		if (capacity == 0)
			return unreached(g, target, e);
		take_cut(g, f, roots, capacity);
		widen(g, f->bandwidth);
	}
}

/*
 * The greatest common divisor d of R/C's denominator q, all capacities and the grain: k = q/d is the fewest trees per
 * root at this rate for which every link carries an integer.
 */
static int64_t divisor(const struct forest_graph *g, struct rational bandwidth)
{
	int64_t d = common_divisor(bandwidth.den, g->grain);

	for (size_t i = 0; i < (size_t)g->vertices * (size_t)g->vertices; i++)
		if (g->capacity[i])
			d = common_divisor(d, g->capacity[i]);
	return d;
}

bool forest_find_rate(struct forest_graph *g, struct forest *f, struct error *e)
{
	f->vertices = g->vertices;
	f->cut = new_array(bool, (size_t)g->vertices);
	if (!guess(g, f, e))
		return false;
	widen(g, f->bandwidth);
	for (int v = 0; v < g->nodes; v++) {
		watch_note("finding the rate, nodes", v, g->nodes);
		if (!raise_for(g, v, f, e) || !forest_in_time(g, e))
			return false;
	}
	int64_t d = divisor(g, f->bandwidth);
	f->chunks = f->bandwidth.den / d;
	f->rounds = rational(f->bandwidth.num, d);
	forest_graph_scale(g, f->bandwidth.num, d, f->chunks);
	return true;
}
