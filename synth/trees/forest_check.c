/*
 * Checks a forest. Trees, routes and loads are checked against the topology itself; only the vertices of the cut are
 * those of the method's graph (forest_graph.h).
 */

#include "synth/trees/forest_graph.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct forest_check_state {
	const struct topology *t;
	const struct forest *f;
	int64_t *uses;  /* [src * nodes + dst]: trees that use the edge, then less what routes carry */
	int64_t *loads; /* [link] */
	char *why;
	size_t size;
};

static bool fault(const struct forest_check_state *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fault(const struct forest_check_state *c, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(c->why, c->size, format, arguments);
	va_end(arguments);
	return false;
}

/* Parents lead every node to the root in at most as many hops as the depth, and some node in exactly that many. */
static bool check_tree(const struct forest_check_state *c, const struct tree *t)
{
	int nodes = c->f->nodes, deepest = 0;

	if (t->root < 0 || t->root >= nodes || t->weight < 1 || t->parent[t->root] != -1)
		return fault(c, "a tree of root %d has no root or no count", t->root);
	for (int v = 0; v < nodes; v++) {
		int hops = 0;
		for (int u = v; u != t->root; u = t->parent[u], hops++) {
			if (t->parent[u] < 0 || t->parent[u] >= nodes || hops >= nodes)
				return fault(c, "a tree of root %d does not reach node %d", t->root, v);
		}
		deepest = hops > deepest ? hops : deepest;
		if (v != t->root)
			c->uses[(size_t)t->parent[v] * (size_t)nodes + (size_t)v] += t->weight;
	}
	return deepest == t->depth || fault(c, "a tree of root %d has depth %d, not %d", t->root, deepest, t->depth);
}

static bool check_trees(const struct forest_check_state *c)
{
	const struct forest *f = c->f;
	int64_t *count = new_array(int64_t, (size_t)f->nodes);
	bool ok = true;

	for (size_t i = 0; i < f->trees.n && ok; i++) {
		ok = check_tree(c, &f->trees.of[i]);
		if (ok)
			count[f->trees.of[i].root] += f->trees.of[i].weight;
	}
	for (int v = 0; v < f->nodes && ok; v++) {
		int64_t wanted = f->root < 0 || f->root == v ? f->chunks : 0;
		if (count[v] != wanted)
			ok = fault(c, "node %d is the root of %lld trees, not %lld", v, (long long)count[v], (long long)wanted);
	}
	free(count);
	return ok;
}

static bool check_route(const struct forest_check_state *c, const struct forest_route *r)
{
	int at = r->src;

	for (int i = 0; i <= r->n_via; i++) {
		int to = i < r->n_via ? r->via[i] : r->dst;
		const struct link *l = topology_link(c->t, at, to);
		if (!l || (i < r->n_via && to < c->t->nodes))
			return fault(c, "the route from %d to %d uses no link, or passes a node, at %d-%d", r->src, r->dst, at, to);
		c->loads[l - c->t->links] += r->count;
		at = to;
	}
	c->uses[(size_t)r->src * (size_t)c->f->nodes + (size_t)r->dst] -= r->count;
	return true;
}

/* LOAD is at most ROUNDS times BANDWIDTH. */
static bool is_carried(const struct forest_check_state *c, int64_t load, int64_t bandwidth)
{
	return rational_compare(rational(load, 1), rational_mul(c->f->rounds, rational(bandwidth, 1))) <= 0;
}

static bool check_limit(const struct forest_check_state *c, const struct limit *l)
{
	int64_t load = 0;

	for (size_t i = 0; i < c->t->n_links; i++)
		if ((l->of == LIMIT_INTO ? c->t->links[i].dst : c->t->links[i].src) == l->node)
			load += c->loads[i];
	return l->of == LIMIT_EDGES || is_carried(c, load, l->bandwidth) ||
	       fault(c, "the limit at %d carries %lld chunks", l->node, (long long)load);
}

static bool check_loads(const struct forest_check_state *c)
{
	const struct forest *f = c->f;

	for (size_t i = 0; i < f->n_routes; i++)
		if (!check_route(c, &f->routes[i]))
			return false;
	for (size_t i = 0; i < (size_t)f->nodes * (size_t)f->nodes; i++)
		if (c->uses[i] > 0)
			return fault(c, "edge %zu-%zu has more trees than routes", i / (size_t)f->nodes, i % (size_t)f->nodes);
	for (size_t i = 0; i < c->t->n_links; i++)
		if (!is_carried(c, c->loads[i], c->t->links[i].bandwidth))
			return fault(c, "link %d-%d carries %lld chunks", c->t->links[i].src, c->t->links[i].dst,
				     (long long)c->loads[i]);
	for (size_t i = 0; i < c->t->n_limits; i++)
		if (!check_limit(c, &c->t->limits[i]))
			return false;
	return true;
}

static bool cut_is_right(const struct forest_graph *g, const struct forest *f)
{
	int64_t roots = 0, capacity = 0;
	bool leaves_out = false;

	if (g->vertices != f->vertices)
		return false;
	for (int u = 0; u < g->vertices; u++) {
		if (u < g->nodes && !f->cut[u])
			leaves_out = true;
		if (!f->cut[u])
			continue;
		roots += u < g->nodes && g->is_root[u];
		for (int v = 0; v < g->vertices; v++)
			capacity += f->cut[v] ? 0 : g->capacity[forest_pair(g, u, v)];
	}
	return leaves_out && capacity > 0 && roots == f->cut_roots && capacity == f->cut_capacity &&
	       rational_compare(rational(roots, capacity), f->bandwidth) == 0;
}

static bool check_cut(const struct forest_check_state *c)
{
	struct forest_graph g;
	struct error e = {0};
	bool right = forest_graph_new(c->t, c->f->root, &g, &e) && cut_is_right(&g, c->f);

	forest_graph_free(&g);
	if (!right)
		return fault(c, "the cut does not show the rate");
	struct rational used = rational_div(c->f->rounds, rational(c->f->chunks, 1));
	int order = rational_compare(used, c->f->bandwidth);
	return (c->f->above ? order > 0 : order == 0) || fault(c, "the trees do not use the rate");
}

bool forest_check(const struct topology *t, const struct forest *f, char *why, size_t size)
{
	struct forest_check_state c = {t, f, new_array(int64_t, (size_t)f->nodes * (size_t)f->nodes), new_array(int64_t, t->n_links), why, size};
	bool ok = check_cut(&c) && check_trees(&c) && check_loads(&c);

	free(c.uses);
	free(c.loads);
	return ok;
}
