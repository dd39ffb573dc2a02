#include "methods/rooms.h"

#include "core/memory.h"
#include "core/network.h"

#include <stdlib.h>

static void index_limits(struct rooms *r)
{
	const struct network *w = r->network;
	size_t *next = r->begin + 1; /* shifted by one: after the second pass begin[] is right */

	for (size_t i = 0; i < w->n_limits; i++)
		for (size_t k = 0; k < w->limits[i].n_edges; k++)
			next[w->limits[i].edges[k] + 1]++;
	for (size_t e = 0; e < w->n_edges; e++)
		next[e + 1] += next[e];
	r->under = new_array(int, next[w->n_edges]);
	for (size_t i = 0; i < w->n_limits; i++)
		for (size_t k = 0; k < w->limits[i].n_edges; k++)
			r->under[next[w->limits[i].edges[k]]++] = (int)i;
}

struct rooms rooms_new(const struct network *w)
{
	struct rooms r = {.network = w, .edge = new_array(int, w->n_edges), .limit = new_array(int, w->n_limits),
			  .begin = new_array(size_t, w->n_edges + 2)};

	index_limits(&r);
	rooms_refill(&r);
	return r;
}

void rooms_refill(struct rooms *r)
{
	r->left = 0;
	for (size_t e = 0; e < r->network->n_edges; e++) {
		r->edge[e] = r->network->edges[e].bandwidth;
		r->left += r->edge[e];
	}
	for (size_t l = 0; l < r->network->n_limits; l++)
		r->limit[l] = r->network->limits[l].bandwidth;
}

void rooms_free(struct rooms *r)
{
	free(r->edge);
	free(r->limit);
	free(r->begin);
	free(r->under);
}

static void add(struct rooms *r, int edge, int units)
{
	r->edge[edge] += units;
	r->left += units;
	for (size_t i = r->begin[edge]; i < r->begin[edge + 1]; i++)
		r->limit[r->under[i]] += units;
}

bool rooms_take(struct rooms *r, int edge)
{
	if (r->edge[edge] == 0)
		return false;
	add(r, edge, -1);
	for (size_t i = r->begin[edge]; i < r->begin[edge + 1]; i++)
		if (r->limit[r->under[i]] < 0) {
			add(r, edge, 1);
			return false;
		}
	return true;
}

void rooms_give_back(struct rooms *r, int edge)
{
	add(r, edge, 1);
}
