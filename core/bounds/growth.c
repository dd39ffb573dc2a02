/*
 * How fast nodes can come to hold a chunk, and with it be able to send: bounds the chunks that few steps can deliver.
 */

#include "core/bounds/bounds_parts.h"

#include "core/schedule/instance.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

struct sender {
	bool holds;
	int64_t out;
};

static int by_use(const void *va, const void *vb)
{
	const struct sender *a = va, *b = vb;
	if (a->holds != b->holds)
		return a->holds ? -1 : 1;
	return (a->out < b->out) - (a->out > b->out);
}

static int end_of(const struct edge *e, bool out)
{
	return out ? e->src : e->dst;
}

/* Lowers WIDTH by a limit: of each node's edges, those that the limit counts have only its bandwidth together. */
static void narrow(const struct network *w, const struct network_limit *l, bool out, const int64_t *all, int64_t *counted, int64_t *width)
{
	for (size_t k = 0; k < l->n_edges; k++)
		if (k == 0 || l->edges[k] != l->edges[k - 1])
			counted[end_of(&w->edges[l->edges[k]], out)] += w->edges[l->edges[k]].bandwidth;
	for (size_t k = 0; k < l->n_edges; k++) {
		int n = end_of(&w->edges[l->edges[k]], out);
		int64_t left = all[n] - counted[n] + l->bandwidth;
		if (counted[n] > 0 && left < width[n])
			width[n] = left;
		counted[n] = 0;
	}
}

/* [node]: chunks that it can send (OUT), or receive, in a round. */
static int64_t *widths_of(const struct network *w, bool out)
{
	size_t nodes = (size_t)w->nodes;
	int64_t *all = new_array(int64_t, nodes), *width = new_array(int64_t, nodes), *counted = new_array(int64_t, nodes);

	for (size_t e = 0; e < w->n_edges; e++)
		all[end_of(&w->edges[e], out)] += w->edges[e].bandwidth;
	memcpy(width, all, nodes * sizeof *width);
	for (size_t l = 0; l < w->n_limits; l++)
		narrow(w, &w->limits[l], out, all, counted, width);
	free(all);
	free(counted);
	return width;
}

struct growth growth_new(const struct instance *i)
{
	const struct network *w = i->network;
	struct growth g = {.nodes = w->nodes, .out = new_array(int64_t, (size_t)w->nodes)};
	struct sender *all = new_array(struct sender, (size_t)w->nodes);
	int64_t *out = widths_of(w, true), *in = widths_of(w, false);

	for (int n = 0; n < w->nodes; n++) {
		int64_t wanted = 0;
		for (int c = 0; c < i->global_chunks; c++) {
			all[n].holds = all[n].holds || instance_pre(i, c, n);
			wanted += instance_post(i, c, n) && !instance_pre(i, c, n);
		}
		all[n].out = out[n];
		g.in += wanted ? in[n] : 0;
		g.deliveries += wanted;
		g.holders += all[n].holds;
	}
	qsort(all, (size_t)w->nodes, sizeof *all, by_use);
	for (int n = 0; n < w->nodes; n++)
		g.out[n] = all[n].out;
	free(all);
	free(out);
	free(in);
	return g;
}

int64_t growth_most(const struct growth *g, const int *rounds, int steps)
{
	int64_t delivered = 0, out = 0;
	int holders = g->holders;

	if (g->deliveries == 0)
		return INT64_MAX;
	for (int n = 0; n < holders; n++)
		out += g->out[n];
	for (int s = 0; s < steps; s++) {
		int64_t sent, taken;
		if (__builtin_mul_overflow(out, rounds[s], &sent) || __builtin_mul_overflow(g->in, rounds[s], &taken) ||
		    __builtin_add_overflow(delivered, taken < sent ? taken : sent, &delivered))
			return INT64_MAX;
		for (; holders < g->nodes && sent > 0; sent--)
			out += g->out[holders++];
	}
	return delivered / g->deliveries;
}

void growth_free(struct growth *g)
{
	free(g->out);
}
