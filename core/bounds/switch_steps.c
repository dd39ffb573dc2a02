/*
 * Looks for the ports: limits over all that a node sends, or receives, on which at most copies of one chunk, or sums into
 * one node, count once.
 */

#include "core/bounds/switch_steps.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static int end_of(const struct network *w, const struct network_limit *l, size_t i, bool out)
{
	return out ? w->edges[l->edges[i]].src : w->edges[l->edges[i]].dst;
}

/* The node all of whose edges out (or in) the limit counts, where nothing but ABILITY lets sends count once; -1: it is no port. */
static int port_of(const struct network *w, const struct network_limit *l, bool out, unsigned ability)
{
	size_t different = 0;

	for (size_t i = 0; i < l->n_edges; i++) {
		if (end_of(w, l, i, out) != end_of(w, l, 0, out) || !l->groups || (l->groups[i].abilities & ~ability))
			return -1;
		different += i == 0 || l->edges[i] != l->edges[i - 1];
	}
	int node = l->n_edges ? end_of(w, l, 0, out) : -1, all;
	if (node < 0)
		return -1;
	all = out ? w->out_begin[node + 1] - w->out_begin[node] : w->in_begin[node + 1] - w->in_begin[node];
	return different == (size_t)all ? node : -1;
}

/* The bandwidth of the narrowest port of each node, of the node where that is widest; 0: a node has none. */
static int widest_port(const struct network *w, bool out)
{
	int *width = new_array(int, (size_t)w->nodes), most = 0;

	for (size_t l = 0; l < w->n_limits; l++) {
		int node = port_of(w, &w->limits[l], out, out ? MULTICASTS : REDUCES);
		if (node >= 0 && (!width[node] || w->limits[l].bandwidth < width[node]))
			width[node] = w->limits[l].bandwidth;
	}
	for (int v = 0; v < w->nodes; v++)
		if (!width[v]) {
			most = 0;
			break;
		} else if (width[v] > most)
			most = width[v];
	free(width);
	return most;
}

struct rational switch_allreduce_bound(const struct network *w, int steps)
{
	int64_t n = w->nodes, out = w->n_groups ? widest_port(w, true) : 0, in = out ? widest_port(w, false) : 0, b = out > in ? out : in;

	return in ? rational(n * steps - 1, (n * (steps - 1) + 1) * b) : rational(0, 1);
}
