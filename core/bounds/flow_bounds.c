/*
 * Bounds by maximum flow. A set A of nodes that does not contain some receiver must send each of its chunks out: |A|
 * chunks for C of one, over what can leave A. The set with the largest ratio is found by Dinkelbach's iteration: guess
 * p/q, let every node inject q into links p times as wide, and test whether everything arrives; if not, the minimum cut
 * gives a larger ratio.
 */

#include "core/bounds/bounds_parts.h"

#include "core/bounds/cuts.h"
#include "core/graph/max_flow.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/transitive_group.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/*
 * Every node and switch becomes three vertices: incoming flow passes one limit on the way to the core, outgoing flow
 * another.
 */
enum { IN, CORE, OUT, LAYERS };

struct graph {
	const struct topology *t;
	struct flow *flow;
	int n, source;
	int *links, *into, *out_of; /* arcs of links and of each vertex's limits */
	int *offers;                /* arcs from the source to the nodes */
};

static int vertex(int v, int layer)
{
	return v * LAYERS + layer;
}

static struct graph graph_new(const struct topology *t)
{
	struct graph g = {.t = t, .n = t->nodes + t->switches};

	g.source = g.n * LAYERS;
	g.flow = flow_new(g.source + 1);
	g.links = new_array(int, t->n_links);
	g.into = new_array(int, (size_t)g.n);
	g.out_of = new_array(int, (size_t)g.n);
	g.offers = new_array(int, (size_t)t->nodes);
	for (int v = 0; v < g.n; v++) {
		g.into[v] = flow_arc(g.flow, vertex(v, IN), vertex(v, CORE), 0);
		g.out_of[v] = flow_arc(g.flow, vertex(v, CORE), vertex(v, OUT), 0);
	}
	for (size_t i = 0; i < t->n_links; i++)
		g.links[i] = flow_arc(g.flow, vertex(t->links[i].src, OUT), vertex(t->links[i].dst, IN), 0);
	for (int v = 0; v < t->nodes; v++)
		g.offers[v] = flow_arc(g.flow, g.source, vertex(v, CORE), 0);
	return g;
}

static void graph_free(struct graph *g)
{
	flow_free(g->flow);
	free(g->links);
	free(g->into);
	free(g->out_of);
	free(g->offers);
}

static int64_t least_limit(const struct topology *t, enum limit_of of, int v)
{
	int64_t least = FLOW_UNLIMITED;
	for (size_t i = 0; i < t->n_limits; i++)
		if (t->limits[i].of == of && t->limits[i].node == v && t->limits[i].bandwidth < least)
			least = t->limits[i].bandwidth;
	return least;
}

/* Sets all capacities, multiplied by SCALE. */
static void graph_scale(struct graph *g, int64_t scale)
{
	for (int v = 0; v < g->n; v++) {
		flow_set(g->flow, g->into[v], scale * least_limit(g->t, LIMIT_INTO, v));
		flow_set(g->flow, g->out_of[v], scale * least_limit(g->t, LIMIT_OUT_OF, v));
	}
	for (size_t i = 0; i < g->t->n_links; i++)
		flow_set(g->flow, g->links[i], scale * g->t->links[i].bandwidth);
}

static void graph_offer(struct graph *g, int64_t each)
{
	for (int v = 0; v < g->t->nodes; v++)
		flow_set(g->flow, g->offers[v], each);
}

/* Marks the nodes on the source side of the last minimum cut; returns their number. */
static int source_side(const struct graph *g, int *part)
{
	int n = 0;
	for (int v = 0; v < g->t->nodes; v++)
		n += part[v] = flow_on_source_side(g->flow, vertex(v, CORE));
	return n;
}

/* The capacity of the cut as the flow sees it, or less by limits that the flow does not model. */
static int64_t capacity_of(const struct network *w, const int *part, int64_t by_flow)
{
	int64_t by_limits = cut_capacity_out(w, part);
	return by_limits < by_flow ? by_limits : by_flow;
}

/* Raises the bound until everything arrives at TARGET. */
static void gather_at(struct graph *g, const struct network *w, int target, int *part, struct bounds *b)
{
	int nodes = g->t->nodes;

	for (;;) {
		struct rational guess = b->bandwidth;
		graph_scale(g, guess.num);
		graph_offer(g, guess.den);
		int64_t arrived = flow_run(g->flow, g->source, vertex(target, CORE));
		int side = source_side(g, part);
		if (arrived >= nodes * guess.den || side == 0)
			return;
		/* arrived = den * (nodes - side) + num * capacity */
		int64_t by_flow = (arrived - guess.den * (nodes - side)) / guess.num;
		bounds_take(b, part, 2, rational(side, 1), capacity_of(w, part, by_flow), CROSSING_OUT);
		if (rational_compare(b->bandwidth, guess) <= 0)
			return;
	}
}

/*
 * Every how many nodes one is tried as the receiver: a single one on vertex-transitive machines, a sample on other
 * large machines. Any subset gives a sound bound.
 */
static int stride(const struct network *w)
{
	enum { ALL_UP_TO = 512, LIKENESS_FROM = 32, TRIED = 64 };
	struct transitive_group g;

	if (w->nodes >= LIKENESS_FROM && transitive_group_find(w, &g)) {
		transitive_group_free(&g);
		return w->nodes;
	}
	return w->nodes <= ALL_UP_TO ? 1 : w->nodes / TRIED;
}

static bool is_tried(int root, int every, int target)
{
	return root >= 0 ? target == root : target % every == 0;
}

void bounds_gathering(const struct topology *t, const struct network *w, int root, struct bounds *b)
{
	struct graph g = graph_new(t);
	int *part = new_array(int, (size_t)t->nodes), every = root < 0 ? stride(w) : 1;

	/* First guess: all chunks except one node's own, over what that node can take in. */
	for (int target = 0; target < t->nodes && !bounds_tried_enough(b); target++) {
		if (!is_tried(root, every, target))
			continue;
		for (int v = 0; v < t->nodes; v++)
			part[v] = v != target;
		bounds_take(b, part, 2, rational(t->nodes - 1, 1), cut_capacity_out(w, part), CROSSING_OUT);
	}
	for (int target = 0; target < t->nodes && b->bandwidth.num > 0 && !bounds_tried_enough(b); target++)
		if (is_tried(root, every, target))
			gather_at(&g, w, target, part, b);
	free(part);
	graph_free(&g);
}

/* A lower bound on the flow to the target: direct links, and paths of two links. */
static int64_t sure_flow(const struct topology *t, const struct link *from_root, int target)
{
	int64_t sum = 0;

	for (const struct link *l = from_root; l < t->links + t->n_links && l->src == from_root->src; l++) {
		const struct link *on = l->dst == target ? l : topology_link(t, l->dst, target);
		if (on)
			sum += on->bandwidth < l->bandwidth ? on->bandwidth : l->bandwidth;
	}
	return sum;
}

/*
 * Is the flow to the target certainly too large to raise the bound? Decided without computing it, and only where there
 * are no switches and no limits.
 */
static bool is_surely_wide(const struct topology *t, int root, int target, const struct bounds *b)
{
	const struct link *first = t->links;

	if (t->switches || t->n_limits || b->bandwidth.num == 0)
		return false;
	while (first < t->links + t->n_links && first->src != root)
		first++;
	int64_t sure = first < t->links + t->n_links ? sure_flow(t, first, target) : 0;
	return sure > 0 && rational_compare(rational(1, sure), b->bandwidth) <= 0;
}

void bounds_broadcasting(const struct topology *t, const struct network *w, int root, struct bounds *b)
{
	struct graph g = graph_new(t);
	int *part = new_array(int, (size_t)t->nodes);

	graph_scale(&g, 1);
	for (int target = 0; target < t->nodes && !bounds_tried_enough(b); target++) {
		if (target == root || is_surely_wide(t, root, target, b))
			continue;
		int64_t most = flow_run(g.flow, vertex(root, CORE), vertex(target, CORE));
		source_side(&g, part);
		bounds_take(b, part, 2, rational(1, 1), capacity_of(w, part, most), CROSSING_OUT);
		for (int v = 0; v < t->nodes; v++)
			part[v] = v != target; /* binds where the flow does not model the target's limits */
		bounds_take(b, part, 2, rational(1, 1), cut_capacity_out(w, part), CROSSING_OUT);
	}
	free(part);
	graph_free(&g);
}
