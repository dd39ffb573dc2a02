/*
 * A tree is, but for the choice of senders, which are the cheapest, the step in which each node gets the commodity. One
 * node after the other is moved to the step that makes the tree cheapest, its own send and those that it can then make
 * for others counted, until no move helps. Then nodes are moved at random, to a dearer tree the less often the longer it
 * takes (simulated annealing), and the best tree met is taken.
 */

#include "synth/program/tree_descent.h"

#include "synth/program/commodities.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct descent {
	const struct network *w;
	const struct commodity *k;
	int steps;
	const double *prices;
	int *at;        /* [node]: after how many steps it has the commodity; NEVER */
	int *by;        /* [node]: the cheapest edge that can bring it then; -1 */
	double *first;  /* [node]: the price of that; 0 where none is needed */
	double *second; /* [node]: of the next cheapest; INFINITY */
	uint64_t state;
};

enum { NEVER = 1 << 16 };

static double price(const struct descent *d, int at, int edge)
{
	return d->prices[(size_t)(at - 1) * d->w->n_edges + (size_t)edge];
}

/* Finds the senders of node V anew. */
static void refresh(struct descent *d, int v)
{
	d->by[v] = -1;
	d->first[v] = d->at[v] == 0 || d->at[v] == NEVER ? 0 : INFINITY;
	d->second[v] = INFINITY;
	for (int i = d->w->in_begin[v]; d->first[v] > 0 && i < d->w->in_begin[v + 1]; i++) {
		int e = d->w->in[i];
		if (d->at[d->w->edges[e].src] >= d->at[v])
			continue;
		double p = price(d, d->at[v], e);
		if (p < d->first[v]) {
			d->second[v] = d->first[v];
			d->first[v] = p;
			d->by[v] = e;
		} else {
			d->second[v] = fmin(d->second[v], p);
		}
	}
}

/* What the send to node V costs if it comes after step AT. */
static double send_cost(const struct descent *d, int v, int at)
{
	double least = at == NEVER ? 0 : INFINITY;

	for (int i = d->w->in_begin[v]; at != NEVER && i < d->w->in_begin[v + 1]; i++)
		if (d->at[d->w->edges[d->w->in[i]].src] < at)
			least = fmin(least, price(d, at, d->w->in[i]));
	return least;
}

/* By how much the tree gets more expensive if node V gets the commodity after step AT. */
static double gain_of(const struct descent *d, int v, int at)
{
	double more = send_cost(d, v, at) - d->first[v];

	for (int i = d->w->out_begin[v]; i < d->w->out_begin[v + 1] && more < INFINITY; i++) {
		int e = d->w->out[i], x = d->w->edges[e].dst;
		if (d->at[x] == 0 || d->at[x] == NEVER)
			continue;
		double others = d->by[x] == e ? d->second[x] : d->first[x];
		more += (at < d->at[x] ? fmin(others, price(d, d->at[x], e)) : others) - d->first[x];
	}
	return more;
}

static void move(struct descent *d, int v, int at)
{
	d->at[v] = at;
	refresh(d, v);
	for (int i = d->w->out_begin[v]; i < d->w->out_begin[v + 1]; i++)
		refresh(d, d->w->edges[d->w->out[i]].dst);
}

/* Moves node V to its best step; false: it is there. */
static bool move_best(struct descent *d, int v)
{
	static const double nothing = -1e-12;
	double best = nothing;
	int to = d->at[v];

	for (int at = 1; at <= d->steps; at++) {
		double more = at == d->at[v] ? 0 : gain_of(d, v, at);
		if (more < best) {
			best = more;
			to = at;
		}
	}
	if (d->k->role[v] == ROLE_NONE && d->at[v] != NEVER && gain_of(d, v, NEVER) < best)
		to = NEVER;
	if (to == d->at[v])
		return false;
	move(d, v, to);
	return true;
}

/* Until no move helps, at most so many times over. */
static void descend(struct descent *d)
{
	enum { SWEEPS = 20 };
	bool moved = true;

	for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
		moved = false;
		for (int v = 0; v < d->w->nodes; v++)
			if (d->k->role[v] != ROLE_HAS)
				moved = move_best(d, v) || moved;
	}
}

static uint64_t draw(struct descent *d)
{
	d->state = d->state * 6364136223846793005U + 1442695040888963407U;
	return d->state >> 33;
}

/* Tries to move a node at random; how much more expensive the tree is. */
static double move_randomly(struct descent *d, double temperature)
{
	int v = (int)(draw(d) % (uint64_t)d->w->nodes), at = 1 + (int)(draw(d) % (uint64_t)(d->steps + 1));

	if (at > d->steps)
		at = NEVER;
	if (d->k->role[v] == ROLE_HAS || at == d->at[v] || (at == NEVER && d->k->role[v] == ROLE_WANTS))
		return 0;
	double more = gain_of(d, v, at), chance = (double)draw(d) / (double)(UINT64_C(1) << 31);
	if (more > 0 && chance >= exp(-more / temperature))
		return 0;
	move(d, v, at);
	return more;
}

static double total(const struct descent *d)
{
	double sum = 0;

	for (int v = 0; v < d->w->nodes; v++)
		sum += d->first[v];
	return sum;
}

static void move_all(struct descent *d, const int *at)
{
	memcpy(d->at, at, (size_t)d->w->nodes * sizeof *at);
	for (int v = 0; v < d->w->nodes; v++)
		refresh(d, v);
}

static void search(struct descent *d, int effort)
{
	enum { MOVES = 100, POLL = 256 }; /* per node and effort */
	static const double cold = 1e-3;
	size_t nodes = (size_t)d->w->nodes;

	descend(d);
	int *best = copy_bytes(d->at, nodes * sizeof *best), n = MOVES * effort * d->w->nodes;
	double least = total(d), now = least, hot = least / d->w->nodes;
	for (int i = 0; i < n && hot > 0 && !(i % POLL == 0 && stop_is_due()); i++) {
		now += move_randomly(d, hot * pow(cold, (double)i / n));
		if (now < least * (1 - 1e-9)) {
			least = now;
			memcpy(best, d->at, nodes * sizeof *best);
		}
	}
	move_all(d, best);
	descend(d);
	free(best);
}

/* The sends that lead to nodes that want the commodity, by ascending step. */
static void list_edges(const struct descent *d, struct timed_tree *out, double *cost)
{
	bool *needed = new_array(bool, (size_t)d->w->nodes);

	for (int v = 0; v < d->w->nodes; v++)
		for (int u = v; d->k->role[v] == ROLE_WANTS && d->by[u] >= 0 && !needed[u]; u = d->w->edges[d->by[u]].src)
			needed[u] = true;
	*out = (struct timed_tree){0, new_array(struct timed_edge, (size_t)d->w->nodes)};
	*cost = 0;
	for (int at = 1; at <= d->steps; at++)
		for (int v = 0; v < d->w->nodes; v++)
			if (needed[v] && d->at[v] == at) {
				out->of[out->n++] = (struct timed_edge){at - 1, d->by[v]};
				*cost += d->first[v];
			}
	free(needed);
}

void timed_tree_descend(const struct network *w, const struct commodity *k, int steps, const double *prices,
			const struct timed_tree *from, int effort, struct timed_tree *out, double *cost)
{
	size_t nodes = (size_t)w->nodes;
	struct descent d = {.w = w, .k = k, .steps = steps, .prices = prices, .at = new_array(int, nodes), .by = new_array(int, nodes),
			    .first = new_array(double, nodes), .second = new_array(double, nodes), .state = (uint64_t)effort};
	int *at = new_array(int, nodes);

	for (size_t v = 0; v < nodes; v++)
		at[v] = k->role[v] == ROLE_HAS ? 0 : NEVER;
	for (int i = 0; i < from->n; i++)
		at[w->edges[from->of[i].edge].dst] = from->of[i].step + 1;
	move_all(&d, at);
	search(&d, effort);
	list_edges(&d, out, cost);
	free(d.at);
	free(d.by);
	free(d.first);
	free(d.second);
	free(at);
}
