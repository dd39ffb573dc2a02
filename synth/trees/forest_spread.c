/*
 * Plans how edges through a switch are joined, as a transportation problem solved by maximum flow: each port sends what
 * enters the switch to the ports of other groups. Bisection finds the least cap on what a port gives to one group, then
 * on what it gives to one port; the capped flow is the plan.
 */

#include "synth/trees/forest_spread.h"

#include "core/base/memory.h"

#include <stdlib.h>

/* A neighbour of the switch, its part of the machine, and its place there. */
struct port {
	int vertex, group, rank;
	int64_t in, out; /* capacity to the switch, and from it */
};

struct split_plan {
	struct port *ports;
	int n, groups;
	int *size;           /* [group] */
	int *of;             /* [group * n + rank]: the port */
	struct flow *flow;
	int *to_group;       /* [port * groups + group]: arcs, -1: none */
	int *to_port;        /* [from * n + to]: arcs, -1: none */
	int64_t total;
};

/* The number of each vertex's component in the graph without W; -1 for W itself. */
static int *parts_without(const struct forest_graph *g, int w)
{
	int *part = new_array(int, (size_t)g->vertices), *queue = new_array(int, (size_t)g->vertices), parts = 0;

	for (int v = 0; v < g->vertices; v++)
		part[v] = -1;
	for (int first = 0; first < g->vertices; first++) {
		int head = 0, tail = 0;
		if (first == w || part[first] >= 0)
			continue;
		part[first] = parts++;
		queue[tail++] = first;
		while (head < tail) {
			int u = queue[head++];
			for (int v = 0; v < g->vertices; v++)
				if (v != w && part[v] < 0 &&
				    (g->capacity[forest_pair(g, u, v)] || g->capacity[forest_pair(g, v, u)])) {
					part[v] = part[first];
					queue[tail++] = v;
				}
		}
	}
	free(queue);
	return part;
}

/* Groups are renumbered in the order in which they occur. */
static struct split_plan find_ports(const struct forest_graph *g, int w, bool apart)
{
	struct split_plan s = {.ports = new_array(struct port, (size_t)g->vertices), .size = new_array(int, (size_t)g->vertices)};
	int *part = parts_without(g, w), *group = new_array(int, (size_t)g->vertices);

	for (int v = 0; v < g->vertices; v++)
		group[v] = -1;
	for (int v = 0; v < g->vertices; v++) {
		int64_t in = g->capacity[forest_pair(g, v, w)], out = g->capacity[forest_pair(g, w, v)];
		int of = apart ? part[v] : v;
		if (!in && !out)
			continue;
		if (group[of] < 0)
			group[of] = s.groups++;
		s.ports[s.n++] = (struct port){v, group[of], s.size[group[of]]++, in, out};
		s.total += in;
	}
	free(part);
	free(group);
	s.of = new_array(int, (size_t)s.groups * (size_t)s.n);
	for (int i = 0; i < s.n; i++)
		s.of[s.ports[i].group * s.n + s.ports[i].rank] = i;
	return s;
}

/* Adds the arcs out of a port, those to be preferred last: groups, and places in them, in cyclic order from its own. */
static void add_arcs_from(struct split_plan *s, int i, int first_group)
{
	const struct port *p = &s->ports[i];
	int group_vertex = first_group + i * s->groups;

	for (int k = s->groups - 1; k >= 1; k--) {
		int j = (p->group + k) % s->groups;
		s->to_group[i * s->groups + j] = flow_arc(s->flow, 1 + i, group_vertex + j, 0);
		for (int turn = s->size[j] - 1; turn >= 0; turn--) {
			int t = s->of[j * s->n + (p->rank + turn) % s->size[j]];
			if (s->ports[t].out)
				s->to_port[i * s->n + t] = flow_arc(s->flow, group_vertex + j, 1 + s->n + t, 0);
		}
	}
}

enum { SOURCE = 0 };

static void build(struct split_plan *s)
{
	int first_group = 1 + 2 * s->n, sink = first_group + s->n * s->groups;

	s->flow = flow_new(sink + 1);
	s->to_group = new_array(int, (size_t)s->n * (size_t)s->groups);
	s->to_port = new_array(int, (size_t)s->n * (size_t)s->n);
	for (int i = 0; i < s->n * s->groups; i++)
		s->to_group[i] = -1;
	for (int i = 0; i < s->n * s->n; i++)
		s->to_port[i] = -1;
	for (int i = 0; i < s->n; i++) {
		flow_arc(s->flow, SOURCE, 1 + i, s->ports[i].in);
		flow_arc(s->flow, 1 + s->n + i, sink, s->ports[i].out);
		if (s->ports[i].in)
			add_arcs_from(s, i, first_group);
	}
}

static bool fits(struct split_plan *s, int64_t a_group, int64_t a_port)
{
	for (int i = 0; i < s->n * s->groups; i++)
		if (s->to_group[i] >= 0)
			flow_set(s->flow, s->to_group[i], a_group);
	for (int i = 0; i < s->n * s->n; i++)
		if (s->to_port[i] >= 0)
			flow_set(s->flow, s->to_port[i], a_port);
	return flow_run(s->flow, SOURCE, 1 + 2 * s->n + s->n * s->groups) == s->total;
}

/*
 * Minimizes what a port must give to one group, then to one port; the latter not below WHOLE, so that equal trees need
 * not split.
 */
static bool even_out(struct split_plan *s, int64_t whole)
{
	int64_t least[2] = {s->total, s->total};

	if (!fits(s, s->total, s->total))
		return false;
	for (int k = 0; k < 2; k++) {
		int64_t low = k ? whole : 1;
		while (low < least[k]) {
			int64_t middle = low + (least[k] - low) / 2;
			if (fits(s, k ? least[0] : middle, k ? middle : s->total))
				least[k] = middle;
			else
				low = middle + 1;
		}
	}
	return fits(s, least[0], least[1]);
}

static struct forest_split_way *plan(const struct split_plan *s, size_t *n)
{
	struct forest_split_way *splits = NULL;
	size_t room = 0;

	for (int i = 0; i < s->n; i++)
		for (int t = 0; t < s->n; t++) {
			int arc = s->to_port[i * s->n + t];
			int64_t count = arc >= 0 ? flow_on_arc(s->flow, arc) : 0;
			if (!count)
				continue;
			splits = grown(splits, &room, *n + 1, sizeof *splits);
			splits[(*n)++] = (struct forest_split_way){s->ports[i].vertex, s->ports[t].vertex, count};
		}
	return splits;
}

struct forest_split_way *forest_spread(const struct forest_graph *g, int w, bool apart, size_t *n)
{
	struct split_plan s = find_ports(g, w, apart);
	struct forest_split_way *splits = NULL;

	*n = 0;
	build(&s);
	if (even_out(&s, g->fine ? 1 : g->each))
		splits = plan(&s, n);
	flow_free(s.flow);
	free(s.ports);
	free(s.size);
	free(s.of);
	free(s.to_group);
	free(s.to_port);
	return splits;
}
