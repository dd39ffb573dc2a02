/*
 * Newton's iteration (Dinkelbach 1967) over partitions: at a quotient p/q, the partition that minimizes q times the
 * capacity between its parts, less p times the number of parts, gives the next quotient, until there is no smaller one.
 * With f(S) = q times the capacity out of S, less 2p, twice that expression is the sum of f over the parts. f is
 * submodular on intersecting sets, and a greedy algorithm assigns to each node v in turn y(v) = min f(S) - y(S - v)
 * over the sets S of v and earlier nodes, one minimum cut each (Cunningham 1985, Barahona 1992). Tight sets that
 * intersect have a tight union; these unions are the partition.
 */

#include "synth/trees/strength.h"

#include "core/graph/max_flow.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

int64_t joint_width(const struct network *w, size_t edge)
{
	const struct edge *e = &w->edges[edge];
	int back = network_edge(w, e->dst, e->src);

	if (back < 0)
		return 0;
	return e->bandwidth < w->edges[back].bandwidth ? e->bandwidth : w->edges[back].bandwidth;
}

struct joint *joints_of(const struct network *w, size_t *n)
{
	struct joint *joints = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t i = 0; i < w->n_edges; i++) {
		const struct edge *e = &w->edges[i];
		int64_t width = e->src < e->dst ? joint_width(w, i) : 0;
		if (!width)
			continue;
		joints = grown(joints, &room, *n + 1, sizeof *joints);
		joints[(*n)++] = (struct joint){e->src, e->dst, width};
	}
	return joints;
}

struct greedy {
	int nodes;
	struct flow *flow;  /* nodes, then source and sink */
	int *from, *to;     /* [node]: arcs from the source and to the sink */
	int64_t *y;
	int64_t positive;   /* sum of the positive y of earlier nodes */
	int64_t unlimited;
	struct rational at; /* p/q */
};

static struct greedy greedy_new(int nodes, const struct joint *joints, size_t n, struct rational at)
{
	size_t count = (size_t)nodes;
	struct greedy g = {.nodes = nodes, .flow = flow_new(nodes + 2), .from = new_array(int, count), .to = new_array(int, count),
			   .y = new_array(int64_t, count), .unlimited = at.den * FLOW_UNLIMITED, .at = at};

	for (size_t i = 0; i < n; i++) {
		flow_arc(g.flow, joints[i].a, joints[i].b, joints[i].width * at.den);
		flow_arc(g.flow, joints[i].b, joints[i].a, joints[i].width * at.den);
	}
	for (int v = 0; v < nodes; v++) {
		g.from[v] = flow_arc(g.flow, nodes, v, 0);
		g.to[v] = flow_arc(g.flow, v, nodes + 1, g.unlimited); /* keeps nodes after the current one out of S */
	}
	return g;
}

static void greedy_free(struct greedy *g)
{
	flow_free(g->flow);
	free(g->from);
	free(g->to);
	free(g->y);
}

/* Computes y(v). The tight set is the source's side of the cut. */
static void give(struct greedy *g, int v)
{
	flow_set(g->flow, g->from[v], g->unlimited);
	flow_set(g->flow, g->to[v], 0);
	int64_t y = flow_run(g->flow, g->nodes, g->nodes + 1) - g->positive - 2 * g->at.num;
	g->y[v] = y;
	g->positive += y > 0 ? y : 0;
	flow_set(g->flow, g->from[v], y > 0 ? y : 0);
	flow_set(g->flow, g->to[v], y < 0 ? -y : 0);
}

/* Merges all parts that the tight set intersects. */
static void merge(const struct greedy *g, int v, int *part)
{
	for (int u = 0; u < v; u++) {
		int old = part[u];
		if (old == v || !flow_on_source_side(g->flow, u))
			continue;
		for (int x = 0; x < v; x++)
			part[x] = part[x] == old ? v : part[x];
	}
	part[v] = v;
}

/* Renumbers parts from 0; so far each has the number of a node. */
static int number(int nodes, int *part)
{
	int n = 0, *now = new_array(int, (size_t)nodes);

	for (int v = 0; v < nodes; v++)
		now[v] = -1;
	for (int v = 0; v < nodes; v++) {
		if (now[part[v]] < 0)
			now[part[v]] = n++;
		part[v] = now[part[v]];
	}
	free(now);
	return n;
}

static int64_t crossing(const struct joint *joints, size_t n, const int *part)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (part[joints[i].a] != part[joints[i].b])
			sum += joints[i].width;
	return sum;
}

/* The minimizing partition at that quotient; returns its number of parts. */
static int least_partition(int nodes, const struct joint *joints, size_t n, struct rational at, int *part)
{
	struct greedy g = greedy_new(nodes, joints, n, at);

	for (int v = 0; v < nodes; v++) {
		give(&g, v);
		merge(&g, v, part);
	}
	greedy_free(&g);
	return number(nodes, part);
}

struct rational strength(int nodes, const struct joint *joints, size_t n, int *part, int *parts)
{
	int *next = new_array(int, (size_t)nodes);
	struct rational best, now;

	for (int v = 0; v < nodes; v++)
		part[v] = v;
	*parts = nodes;
	best = rational(crossing(joints, n, part), nodes - 1);
	for (;;) {
		int many = least_partition(nodes, joints, n, best, next);
		now = many > 1 ? rational(crossing(joints, n, next), many - 1) : best;
		if (rational_compare(now, best) >= 0)
			break;
		best = now;
		*parts = many;
		memcpy(part, next, (size_t)nodes * sizeof *part);
	}
	free(next);
	return best;
}
