/*
 * dgx1*4: four copies of a box (a server), every node of each linked to one common switch. dgx1*4x2: by links of
 * bandwidth 2.
 */

#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology_rows.h"

#include <stdlib.h>
#include <string.h>

/* The number that node or switch END of ONE has in box B of N: first the nodes of all boxes, then their switches. */
static int end_in(const struct topology *one, int n, int b, int end)
{
	return end < one->nodes ? b * one->nodes + end : n * one->nodes + b * one->switches + end - one->nodes;
}

/*
 * A limit out of or into a node becomes a limit on its links within the box: the link to the common switch is not
 * counted.
 */
static struct limit limit_in(const struct topology *one, int n, int b, const struct limit *was)
{
	struct limit l = {copy_string(was->name), LIMIT_EDGES, 0, 0, NULL, was->bandwidth};
	size_t capacity = 0;

	for (size_t i = 0; was->of != LIMIT_EDGES && i < one->n_links; i++) {
		const struct link *k = &one->links[i];
		if ((was->of == LIMIT_OUT_OF ? k->src : k->dst) != was->node)
			continue;
		l.edges = grown(l.edges, &capacity, l.n_edges + 1, sizeof *l.edges);
		l.edges[l.n_edges++] = (struct edge_ends){end_in(one, n, b, k->src), end_in(one, n, b, k->dst)};
	}
	for (size_t i = 0; i < was->n_edges; i++) {
		l.edges = grown(l.edges, &capacity, l.n_edges + 1, sizeof *l.edges);
		l.edges[l.n_edges++] = (struct edge_ends){end_in(one, n, b, was->edges[i].src), end_in(one, n, b, was->edges[i].dst)};
	}
	return l;
}

static void add_box(struct topology *t, size_t *capacity, const struct topology *one, int n, int b, int width)
{
	int hub = n * (one->nodes + one->switches);

	for (size_t i = 0; i < one->n_links; i++) {
		const struct link *k = &one->links[i];
		topology_add_link(t, capacity, end_in(one, n, b, k->src), end_in(one, n, b, k->dst), k->bandwidth);
		t->links[t->n_links - 1].kind = k->kind;
	}
	for (int node = b * one->nodes; node < (b + 1) * one->nodes; node++) {
		topology_add_link(t, capacity, node, hub, width);
		topology_add_link(t, capacity, hub, node, width);
	}
	for (size_t i = 0; i < one->n_limits; i++) {
		struct limit l = limit_in(one, n, b, &one->limits[i]);
		if (l.n_edges)
			t->limits[t->n_limits++] = l;
		else
			free(l.name);
	}
}

static struct topology *boxes(const struct topology *one, int n, int width, const char *name)
{
	struct topology *t = topology_copy(one);
	size_t capacity = 0;

	for (size_t i = 0; i < t->n_limits; i++) {
		free(t->limits[i].name);
		free(t->limits[i].edges);
	}
	free(t->limits);
	free(t->links);
	free(t->name);
	t->name = copy_string(name);
	t->nodes = n * one->nodes;
	t->switches = n * one->switches + 1;
	t->n_links = t->n_limits = 0;
	t->links = NULL;
	t->limits = new_array(struct limit, (size_t)n * one->n_limits);
	for (int b = 0; b < n; b++)
		add_box(t, &capacity, one, n, b, width);
	topology_sort_links(t);
	return t;
}

/* Parses "4" or "4x2". */
static bool read_number(const char *times, int *n, int *width)
{
	const char *x = strchr(times, 'x');
	struct text digits = {0};
	int64_t many = 0, wide = 1;

	text_add_bytes(&digits, times, x ? (size_t)(x - times) : strlen(times));
	bool ok = parse_integer(digits.bytes, 2, NODES_MAX, &many) && (!x || parse_integer(x + 1, 1, BANDWIDTH_MAX, &wide));
	text_free(&digits);
	*n = (int)many;
	*width = (int)wide;
	return ok;
}

struct topology *topology_boxes(struct topology *one, const char *times, const char *name, struct error *e)
{
	struct topology *t = NULL;
	int n, width;

	if (!read_number(times, &n, &width))
		error_set(e, ERROR_INPUT, name, "\"*%.64s\" is not a number of boxes from 2 to %d; write it as in *4, or *4x2 for wider links to "
			  "their switch", times, NODES_MAX);
	else if ((int64_t)n * one->nodes > NODES_MAX || (int64_t)n * one->switches + 1 > SWITCHES_MAX ||
		 (int64_t)n * ((int64_t)one->n_links + 2 * one->nodes) > LINKS_MAX || (int64_t)n * (int64_t)one->n_limits > LIMITS_MAX)
		error_set(e, ERROR_INPUT, name, "%d boxes of %d nodes are too large a machine: at most %d nodes are supported", n, one->nodes, NODES_MAX);
	else
		t = boxes(one, n, width, name);
	topology_free(one);
	return t;
}
