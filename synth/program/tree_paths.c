/*
 * The heuristic of Takahashi and Matsuyama (1980) in expanded time: of the nodes that want the commodity, the one that is
 * nearest to the tree is joined to it by a shortest path, until all are. What is in the tree is free from then on. The
 * sends that dual ascent has charged in full hold a tree that costs little more than the bound (Wong 1984), often nothing.
 */

#include "synth/program/tree_paths.h"

#include "synth/program/commodities.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

struct paths {
	const struct network *w;
	const struct commodity *k;
	int steps;
	const double *prices;
	int *open, *begin; /* open [begin [step] .. begin [step + 1] - 1]: the edges of which nothing is left in that step */
	int *at;      /* [node]: after how many steps it is in the tree; steps + 1: it is not */
	int *in;      /* [node]: by which edge; -1 */
	double *cost; /* [s * nodes + node]: of the shortest path from the tree to the node after S steps */
	int *by;      /* the same: its last send; -1: it waits, or is in the tree */
};

static void list_open(struct paths *p, const double *left)
{
	int n = 0;

	for (int s = 0; s < p->steps; s++) {
		p->begin[s] = n;
		for (size_t e = 0; e < p->w->n_edges; e++)
			if (left[(size_t)s * p->w->n_edges + e] == 0)
				p->open[n++] = (int)e;
	}
	p->begin[p->steps] = n;
}

/* Step by step, as sends lead from one step to the next. */
static void find_paths(struct paths *p)
{
	size_t nodes = (size_t)p->w->nodes;

	for (size_t s = 0; s <= (size_t)p->steps; s++) {
		double *now = &p->cost[s * nodes], *before = s ? now - nodes : NULL;
		int *by = &p->by[s * nodes];
		for (size_t v = 0; v < nodes; v++) {
			now[v] = p->at[v] <= (int)s ? 0 : s ? before[v] : INFINITY;
			by[v] = -1;
		}
		for (int i = s ? p->begin[s - 1] : 0; s && i < p->begin[s]; i++) {
			int e = p->open[i], to = p->w->edges[e].dst;
			double cost = before[p->w->edges[e].src] + p->prices[(s - 1) * p->w->n_edges + (size_t)e];
			if (cost < now[to]) {
				now[to] = cost;
				by[to] = e;
			}
		}
	}
}

/* Adds the path to node V. */
static void join(struct paths *p, int v)
{
	for (int s = p->steps; s > 0 && p->at[v] > s; s--) {
		int e = p->by[(size_t)s * (size_t)p->w->nodes + (size_t)v];
		if (e < 0)
			continue;
		p->at[v] = s;
		p->in[v] = e;
		v = p->w->edges[e].src;
	}
}

/* The nearest node that wants the commodity and is not in the tree; the number of nodes: none. */
static int nearest(const struct paths *p)
{
	const double *cost = &p->cost[(size_t)p->steps * (size_t)p->w->nodes];
	int best = p->w->nodes;

	for (int v = 0; v < p->w->nodes; v++)
		if (p->k->role[v] == ROLE_WANTS && p->at[v] > p->steps && (best == p->w->nodes || cost[v] < cost[best]))
			best = v;
	return best;
}

bool timed_tree_of_paths(const struct network *w, const struct commodity *k, int steps, const double *prices,
			 const double *left, struct timed_tree *out)
{
	size_t nodes = (size_t)w->nodes, all = ((size_t)steps + 1) * nodes;
	struct paths p = {.w = w, .k = k, .steps = steps, .prices = prices, .at = new_array(int, nodes),
			  .in = new_array(int, nodes), .cost = new_array(double, all), .by = new_array(int, all),
			  .open = new_array(int, (size_t)steps * w->n_edges), .begin = new_array(int, (size_t)steps + 1)};
	bool found = true;

	for (size_t v = 0; v < nodes; v++)
		p.at[v] = k->role[v] == ROLE_HAS ? 0 : steps + 1;
	list_open(&p, left);
	find_paths(&p);
	for (int v = nearest(&p); v < w->nodes && found; v = nearest(&p)) {
		found = p.cost[(size_t)steps * nodes + (size_t)v] < INFINITY;
		if (found)
			join(&p, v);
		find_paths(&p);
	}
	*out = (struct timed_tree){0, found ? new_array(struct timed_edge, nodes) : NULL};
	for (int s = 1; s <= steps && found; s++)
		for (size_t v = 0; v < nodes; v++)
			if (p.at[v] == s)
				out->of[out->n++] = (struct timed_edge){s - 1, p.in[v]};
	free(p.at);
	free(p.in);
	free(p.cost);
	free(p.by);
	free(p.open);
	free(p.begin);
	return found;
}
