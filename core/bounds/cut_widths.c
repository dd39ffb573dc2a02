/*
 * What can cross a cut of expanded time in a round: a maximum flow over the physical links, or a weighted sum under
 * prices.
 */

#include "core/bounds/bounds_parts.h"

#include "core/graph/max_flow.h"
#include "core/schedule/instance.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static int64_t least_limit(const struct topology *t, enum limit_of of, int v)
{
	int64_t least = WIDTH_UNLIMITED;
	for (size_t i = 0; i < t->n_limits; i++)
		if (t->limits[i].of == of && t->limits[i].node == v && t->limits[i].bandwidth < least)
			least = t->limits[i].bandwidth;
	return least;
}

struct widths widths_new(const struct topology *t)
{
	size_t vertices = (size_t)t->nodes + (size_t)t->switches;
	struct widths k = {t, new_array(int64_t, vertices), new_array(int64_t, vertices)};

	for (int v = 0; v < (int)vertices; v++) {
		k.into[v] = least_limit(t, LIMIT_INTO, v);
		k.out_of[v] = least_limit(t, LIMIT_OUT_OF, v);
	}
	return k;
}

void widths_free(struct widths *k)
{
	free(k->into);
	free(k->out_of);
}

int64_t widths_crossing(const struct widths *k, const int *until, int s)
{
	int nodes = k->t->nodes, vertices = nodes + k->t->switches, source = 2 * vertices, sink = source + 1;
	struct flow *f = flow_new(sink + 1);

	for (int v = 0; v < vertices; v++) { /* vertices 2 v (in) and 2 v + 1 (out) */
		int64_t through = k->into[v] < k->out_of[v] ? k->into[v] : k->out_of[v];
		if (v >= nodes)
			flow_arc(f, 2 * v, 2 * v + 1, through);
		else if (until[v] < s - 1)
			flow_arc(f, source, 2 * v + 1, k->out_of[v]);
		else if (until[v] >= s)
			flow_arc(f, 2 * v, sink, k->into[v]);
	}
	for (size_t i = 0; i < k->t->n_links; i++)
		flow_arc(f, 2 * k->t->links[i].src + 1, 2 * k->t->links[i].dst, k->t->links[i].bandwidth);
	int64_t most = flow_run(f, source, sink);
	flow_free(f);
	return most;
}

bool timed_crosses(const int *until, const struct edge *e, int s)
{
	return until[e->src] < s - 1 && until[e->dst] >= s;
}

int64_t timed_demand(const struct instance *i, const int *until)
{
	int64_t n = 0;

	for (int c = 0; c < i->global_chunks; c++) {
		bool inside = false, wanted = false;
		for (int v = 0; v < i->network->nodes; v++) {
			inside = inside || (until[v] >= 0 && instance_pre(i, c, v));
			wanted = wanted || (until[v] == i->steps && instance_post(i, c, v));
		}
		n += wanted && !inside;
	}
	return n;
}

int64_t timed_priced_room(const struct network *w, const struct swaps *swaps, const struct timed_cut *cuts, size_t n_cuts,
			  const int64_t *prices, int s)
{
	int64_t room = 0, *left = new_array(int64_t, w->n_edges); /* [class]: value of crossings beyond their prices */

	for (size_t c = 0; c < n_cuts; c++)
		for (size_t e = 0; e < w->n_edges && cuts[c].weight; e++)
			if (timed_crosses(cuts[c].until, &w->edges[e], s))
				left[swaps->edge[e]] += cuts[c].weight;
	for (size_t l = 0; l < w->n_limits; l++) {
		room += prices[l] * w->limits[l].bandwidth;
		for (size_t e = 0; e < w->limits[l].n_edges && prices[l]; e++)
			left[swaps->edge[w->limits[l].edges[e]]] -= prices[l];
	}
	for (int o = 0; o < swaps->n_classes; o++)
		if (left[o] > 0)
			room += left[o] * w->edges[swaps->first[o]].bandwidth;
	free(left);
	return room;
}
