/*
 * The capacity graph and its flow network. Each ordered pair of vertices has one capacity, at most one flow arc (added
 * when first needed), and a list of pieces that records over which removed vertices that capacity runs. Questions about
 * all nodes ask first the node that was short last time, which is usually short again.
 */

#include "synth/trees/forest_graph.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/* The least limit of one kind on what a vertex receives or sends; -1: none, or none below the sum of its links. */
static int64_t binding_limit(const struct topology *t, enum limit_of of, int v)
{
	int64_t least = -1, sum = 0;

	for (size_t i = 0; i < t->n_limits; i++)
		if (t->limits[i].of == of && t->limits[i].node == v && (least < 0 || t->limits[i].bandwidth < least))
			least = t->limits[i].bandwidth;
	for (size_t i = 0; i < t->n_links && least >= 0; i++)
		if ((of == LIMIT_INTO ? t->links[i].dst : t->links[i].src) == v)
			sum += t->links[i].bandwidth;
	return sum > least ? least : -1;
}

/* The vertices at which links into and out of each vertex attach: that of a binding limit, or the vertex itself. */
struct doors {
	int64_t *into, *out_of; /* limits; -1: none */
	int *in, *out;          /* [vertex] */
	int vertices;
};

static struct doors find_doors(const struct topology *t)
{
	int real = t->nodes + t->switches;
	struct doors d = {new_array(int64_t, (size_t)real), new_array(int64_t, (size_t)real), new_array(int, (size_t)real),
			  new_array(int, (size_t)real), real};

	for (int v = 0; v < real; v++) {
		d.into[v] = binding_limit(t, LIMIT_INTO, v);
		d.out_of[v] = binding_limit(t, LIMIT_OUT_OF, v);
		d.in[v] = d.into[v] >= 0 ? d.vertices++ : v;
		d.out[v] = d.out_of[v] >= 0 ? d.vertices++ : v;
	}
	return d;
}

static void doors_free(struct doors *d)
{
	free(d->into);
	free(d->out_of);
	free(d->in);
	free(d->out);
}

static void allocate(struct forest_graph *g)
{
	size_t n = (size_t)g->vertices;

	g->capacity = new_array(int64_t, n * n);
	g->pieces = new_array(struct pieces, n * n);
	g->arc = new_array(int, n * n);
	for (size_t i = 0; i < n * n; i++)
		g->arc[i] = -1;
	g->is_root = new_array(bool, (size_t)g->nodes);
	g->source = g->vertices;
	g->sink = g->vertices + 1;
	g->flow = flow_new(g->vertices + 2);
	g->offer = new_array(int, n);
	g->take = new_array(int, n);
	for (int v = 0; v < g->vertices; v++) {
		g->offer[v] = flow_arc(g->flow, g->source, v, 0);
		g->take[v] = flow_arc(g->flow, v, g->sink, 0);
	}
}

static void add_links(struct forest_graph *g, const struct doors *d)
{
	const struct topology *t = g->topology;

	for (size_t i = 0; i < t->n_links; i++)
		forest_graph_set(g, d->out[t->links[i].src], d->in[t->links[i].dst], t->links[i].bandwidth);
	for (int v = 0; v < g->real; v++) {
		if (d->into[v] >= 0)
			forest_graph_set(g, d->in[v], v, d->into[v]);
		if (d->out_of[v] >= 0)
			forest_graph_set(g, v, d->out[v], d->out_of[v]);
	}
	for (size_t i = 0; i < t->n_limits; i++)
		g->limits_left_out += t->limits[i].of == LIMIT_EDGES;
}

bool forest_graph_new(const struct topology *t, int root, struct forest_graph *out, struct error *e)
{
	struct doors d = find_doors(t);

	*out = (struct forest_graph){.topology = t, .nodes = t->nodes, .real = t->nodes + t->switches, .vertices = d.vertices};
	if (d.vertices > FOREST_VERTICES_MAX || t->nodes < 2) {
		doors_free(&d);
		return t->nodes < 2 ? error_set(e, ERROR_INPUT, t->name, "has one node, which needs no trees")
				    : error_set(e, ERROR_LIMIT, t->name, "has more than %d nodes, switches and limits: too many "
						"for trees", FOREST_VERTICES_MAX);
	}
	allocate(out);
	add_links(out, &d);
	doors_free(&d);
	for (int v = 0; v < t->nodes; v++)
		out->n_roots += out->is_root[v] = root < 0 || v == root;
	return true;
}

void forest_pieces_free(struct pieces *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->of[i].via);
	free(p->of);
	*p = (struct pieces){0};
}

void forest_graph_free(struct forest_graph *g)
{
	size_t n = (size_t)g->vertices;

	for (size_t i = 0; g->pieces && i < n * n; i++)
		forest_pieces_free(&g->pieces[i]);
	free(g->pieces);
	free(g->capacity);
	free(g->arc);
	free(g->is_root);
	free(g->offer);
	free(g->take);
	flow_free(g->flow);
}

void forest_graph_set(struct forest_graph *g, int from, int to, int64_t capacity)
{
	size_t pair = forest_pair(g, from, to);

	g->capacity[pair] = capacity;
	if (g->arc[pair] >= 0)
		flow_set(g->flow, g->arc[pair], capacity);
	else if (capacity > 0)
		g->arc[pair] = flow_arc(g->flow, from, to, capacity);
}

int64_t forest_graph_in(const struct forest_graph *g, int vertex)
{
	int64_t sum = 0;
	for (int v = 0; v < g->vertices; v++)
		sum += g->capacity[forest_pair(g, v, vertex)];
	return sum;
}

int64_t forest_graph_out(const struct forest_graph *g, int vertex)
{
	int64_t sum = 0;
	for (int v = 0; v < g->vertices; v++)
		sum += g->capacity[forest_pair(g, vertex, v)];
	return sum;
}

void forest_pieces_add(struct pieces *p, int64_t count, const int *via, int n_via)
{
	p->of = grown(p->of, &p->room, p->n + 1, sizeof *p->of);
	p->of[p->n++] = (struct graph_piece){count, n_via, n_via ? copy_bytes(via, (size_t)n_via * sizeof *via) : NULL};
}

static void offer(struct forest_graph *g, int v)
{
	flow_set(g->flow, g->offer[v], v < g->nodes && g->is_root[v] ? g->each : 0);
}

void forest_graph_scale(struct forest_graph *g, int64_t num, int64_t den, int64_t each)
{
	g->each = each;
	for (int u = 0; u < g->vertices; u++) {
		offer(g, u);
		for (int v = 0; v < g->vertices; v++) {
			size_t pair = forest_pair(g, u, v);
			if (!g->capacity[pair])
				continue;
			forest_graph_set(g, u, v, g->capacity[pair] / den * num);
			forest_pieces_add(&g->pieces[pair], g->capacity[pair], NULL, 0);
		}
	}
}

/* Does node V receive less than all that is offered? */
static bool is_short(struct forest_graph *g, int v)
{
	flow_set(g->flow, g->take[v], FOREST_INFINITE);
	int64_t all = g->each * g->n_roots, got = flow_run_up_to(g->flow, g->source, g->sink, all);
	flow_set(g->flow, g->take[v], 0);
	if (got == all)
		return false;
	g->hint = v;
	return true;
}

bool forest_in_time(const struct forest_graph *g, struct error *e)
{
	return !stop_is_due() || error_set(e, ERROR_LIMIT, g->topology->name, "gave up: there was not enough time to pack trees");
}

bool forest_graph_feasible(struct forest_graph *g)
{
	int first = g->hint;

	if (is_short(g, first))
		return false;
	for (int v = 0; v < g->nodes; v++)
		if (stop_is_due() || (v != first && is_short(g, v)))
			return false;
	return true;
}

static bool is_in(struct ends s, int v)
{
	return (s.n > 0 && s.of[0] == v) || (s.n > 1 && s.of[1] == v);
}

static int64_t slack_at(struct forest_graph *g, int v, struct ends lost, int64_t most)
{
	flow_set(g->flow, g->take[v], FOREST_INFINITE);
	int64_t all = g->each * g->n_roots, more = flow_run_up_to(g->flow, g->source, g->sink, all + most) - all;
	if (!is_in(lost, v))
		flow_set(g->flow, g->take[v], 0);
	if (more >= most)
		return most;
	g->hint = v;
	return more;
}

int64_t forest_graph_slack(struct forest_graph *g, struct ends held, struct ends lost, int64_t most)
{
	int first = g->hint;

	for (int i = 0; i < held.n; i++)
		flow_set(g->flow, g->offer[held.of[i]], FOREST_INFINITE);
	for (int i = 0; i < lost.n; i++)
		flow_set(g->flow, g->take[lost.of[i]], FOREST_INFINITE);
	if (!is_in(held, first))
		most = slack_at(g, first, lost, most);
	for (int v = 0; v < g->nodes && most > 0; v++) {
		if (v != first && !is_in(held, v))
			most = slack_at(g, v, lost, most);
		if (stop_is_due())
			most = 0;
	}
	for (int i = 0; i < held.n; i++)
		offer(g, held.of[i]);
	for (int i = 0; i < lost.n; i++)
		flow_set(g->flow, g->take[lost.of[i]], 0);
	return most > 0 ? most : 0;
}

void forest_graph_take(struct forest_graph *g, int from, int to, int64_t count, struct pieces *into)
{
	struct pieces *p = &g->pieces[forest_pair(g, from, to)];

	while (count > 0 && p->n > 0) {
		struct graph_piece *last = &p->of[p->n - 1];
		int64_t taken = last->count < count ? last->count : count;
		if (into)
			forest_pieces_add(into, taken, last->via, last->n_via);
		last->count -= taken;
		count -= taken;
		if (last->count == 0) {
			free(last->via);
			p->n--;
		}
	}
}

void forest_free(struct forest *f)
{
	trees_free(&f->trees);
	for (size_t i = 0; i < f->n_routes; i++)
		free(f->routes[i].via);
	free(f->routes);
	free(f->cut);
}
