/*
 * Allgather, one layer of nodes per step. In step s all nodes at distance s receive all parts from the nodes of the
 * layer before, which have all of them. The choice of links is a flow from nodes to directions, for each step on its
 * own, with the fewest rounds that let everything through (binary search over maximum flows).
 */
#include "synth/symmetric/symmetric_schedule.h"

#include "core/graph/max_flow.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

struct allgather_layer {
	const struct symmetric_schedule *d;
	int step, n; /* counted from 0; number of nodes at distance step + 1 */
	int *nodes;
	int *arcs, *edges; /* [n_arcs]: arcs of the flow, and the edges that they stand for */
	size_t n_arcs;
	int *sinks;        /* [neighbour]: arc from that direction to the sink */
	struct flow *flow;
	int source, sink;
};

static struct allgather_layer layer_new(const struct symmetric_schedule *d, int step)
{
	const struct transitive_group *g = d->g;
	const struct network *w = g->network;
	struct allgather_layer l = {.d = d, .step = step, .nodes = new_array(int, (size_t)w->nodes)};
	size_t arcs = 0, edges = 0;

	for (int v = 0; v < w->nodes; v++)
		if (network_distance(w, 0, v) == step + 1)
			l.nodes[l.n++] = v;
	l.source = l.n + g->n_neighbours;
	l.sink = l.source + 1;
	l.flow = flow_new(l.sink + 1);
	l.sinks = new_array(int, (size_t)g->n_neighbours);
	for (int k = 0; k < g->n_neighbours; k++)
		l.sinks[k] = flow_arc(l.flow, l.n + k, l.sink, 0);
	for (int i = 0; i < l.n; i++) {
		flow_arc(l.flow, l.source, i, d->i->chunks);
		for (int k = w->in_begin[l.nodes[i]]; k < w->in_begin[l.nodes[i] + 1]; k++) {
			int edge = w->in[k];
			if (network_distance(w, 0, w->edges[edge].src) != step)
				continue;
			l.arcs = grown(l.arcs, &arcs, l.n_arcs + 1, sizeof(int));
			l.edges = grown(l.edges, &edges, l.n_arcs + 1, sizeof(int));
			l.arcs[l.n_arcs] = flow_arc(l.flow, i, l.n + d->way[edge], d->i->chunks);
			l.edges[l.n_arcs++] = edge;
		}
	}
	return l;
}

static void layer_free(struct allgather_layer *l)
{
	flow_free(l->flow);
	free(l->nodes);
	free(l->arcs);
	free(l->edges);
	free(l->sinks);
}

/* Can all nodes of the layer receive all parts in ROUNDS? */
static bool passes(struct allgather_layer *l, int64_t rounds)
{
	const struct transitive_group *g = l->d->g;
	const struct network *w = g->network;

	for (int k = w->out_begin[0]; k < w->out_begin[1]; k++) {
		const struct edge *e = &w->edges[w->out[k]];
		flow_set(l->flow, l->sinks[transitive_group_neighbour(g, e->dst)], rounds * e->bandwidth);
	}
	return flow_run(l->flow, l->source, l->sink) == (int64_t)l->n * l->d->i->chunks;
}

static void take_layer(struct symmetric_schedule *d, const struct allgather_layer *l)
{
	const struct network *w = d->g->network;
	int *next = new_array(int, (size_t)w->nodes);

	for (size_t a = 0; a < l->n_arcs; a++) {
		int v = w->edges[l->edges[a]].dst;
		/* Part k of node 0 is chunk k P. */
		for (int64_t f = flow_on_arc(l->flow, l->arcs[a]); f > 0; f--)
			symmetric_schedule_send(d, l->step, next[v]++ * w->nodes, l->edges[a]);
	}
	free(next);
}

static void gather_step(struct symmetric_schedule *d, int step)
{
	struct allgather_layer l = layer_new(d, step);
	int64_t wide = 0, all = (int64_t)l.n * d->i->chunks, low, high = all;
	const struct network *w = d->g->network;

	for (int k = w->out_begin[0]; k < w->out_begin[1]; k++)
		wide += w->edges[w->out[k]].bandwidth;
	low = (all + wide - 1) / wide;
	if (passes(&l, low))
		high = low;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (passes(&l, middle))
			high = middle;
		else
			low = middle + 1;
	}
	passes(&l, low);
	take_layer(d, &l);
	layer_free(&l);
}

bool layered_allgather(struct symmetric_schedule *d, int rounds, int attempt)
{
	(void)rounds;
	(void)attempt;
	for (int s = 0; s < d->steps; s++)
		gather_step(d, s);
	return true;
}
