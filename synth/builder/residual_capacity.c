/*
 * Residual capacity of edges and limits. An index from each edge to the limits that count it updates both in one pass
 * over them; limits that cover every edge out of a node are kept as that node's port groups, so that an exhausted node
 * is recognized without trying its edges.
 */

#include "synth/builder/residual_capacity.h"

#include "core/base/memory.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"

#include <stdlib.h>

static bool is_under(const struct residual_capacity *r, int edge, int limit)
{
	for (int i = r->limits.begin[edge]; i < r->limits.begin[edge + 1]; i++)
		if (r->limits.of[i] == limit)
			return true;
	return false;
}

/* A node's port groups: the limits over its first outgoing edge that cover all its other outgoing edges too. */
static void find_port_groups(struct residual_capacity *r)
{
	const struct network *w = r->network;
	size_t n = 0, capacity = 0;

	for (int v = 0; v < w->nodes; v++) {
		const int *out = &w->out[w->out_begin[v]], n_out = w->out_begin[v + 1] - w->out_begin[v];
		r->port_groups_begin[v] = (int)n;
		for (int i = n_out ? r->limits.begin[out[0]] : 0; n_out && i < r->limits.begin[out[0] + 1]; i++) {
			int k = 1;
			while (k < n_out && is_under(r, out[k], r->limits.of[i]))
				k++;
			if (k < n_out)
				continue;
			r->port_groups = grown(r->port_groups, &capacity, n + 1, sizeof *r->port_groups);
			r->port_groups[n++] = r->limits.of[i];
		}
	}
	r->port_groups_begin[w->nodes] = (int)n;
}

struct residual_capacity residual_new(const struct network *w)
{
	struct residual_capacity r = {.network = w, .edge = new_array(int64_t, w->n_edges), .limit = new_array(int64_t, w->n_limits),
			  .limits = limit_index(w, NULL, 0), .out_left = new_array(int64_t, (size_t)w->nodes),
			  .port_groups_begin = new_array(int, (size_t)w->nodes + 1)};

	find_port_groups(&r);
	residual_refill(&r, 1);
	return r;
}

void residual_refill(struct residual_capacity *r, int64_t rounds)
{
	r->left = 0;
	for (int v = 0; v < r->network->nodes; v++)
		r->out_left[v] = 0;
	for (size_t e = 0; e < r->network->n_edges; e++) {
		r->edge[e] = rounds * r->network->edges[e].bandwidth;
		r->left += r->edge[e];
		r->out_left[r->network->edges[e].src] += r->edge[e];
	}
	for (size_t l = 0; l < r->network->n_limits; l++)
		r->limit[l] = rounds * r->network->limits[l].bandwidth;
}

void residual_free(struct residual_capacity *r)
{
	free(r->edge);
	free(r->limit);
	csr_free(&r->limits);
	free(r->out_left);
	free(r->port_groups_begin);
	free(r->port_groups);
}

static void add(struct residual_capacity *r, int edge, int units)
{
	r->edge[edge] += units;
	r->left += units;
	r->out_left[r->network->edges[edge].src] += units;
	for (int i = r->limits.begin[edge]; i < r->limits.begin[edge + 1]; i++)
		r->limit[r->limits.of[i]] += units;
}

bool residual_take(struct residual_capacity *r, int edge)
{
	if (r->edge[edge] == 0)
		return false;
	add(r, edge, -1);
	for (int i = r->limits.begin[edge]; i < r->limits.begin[edge + 1]; i++)
		if (r->limit[r->limits.of[i]] < 0) {
			add(r, edge, 1);
			return false;
		}
	return true;
}

void residual_give_back(struct residual_capacity *r, int edge)
{
	add(r, edge, 1);
}

bool residual_lead_out(const struct residual_capacity *r, int node)
{
	if (r->out_left[node] == 0)
		return false;
	for (int i = r->port_groups_begin[node]; i < r->port_groups_begin[node + 1]; i++)
		if (r->limit[r->port_groups[i]] == 0)
			return false;
	return true;
}
