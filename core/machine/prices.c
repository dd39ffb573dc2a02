/*
 * Evaluates price lists in exact integers that are checked against overflow: shortest paths from every node by
 * Dijkstra's algorithm, with a linear search for the nearest node.
 */

#include "core/machine/prices.h"

#include "core/base/memory.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"

#include <stdlib.h>

void price_list_new(const struct network *w, bool all, struct price_list *out)
{
	bool *covered = limit_covered_edges(w);
	int *number = new_array(int, w->n_edges);
	struct price_list f = {.w = w, .edge = new_array(int, w->n_edges), .width = new_array(int64_t, w->n_edges + w->n_limits)};

	for (size_t e = 0; e < w->n_edges; e++) {
		number[e] = all || !covered[e] ? f.n_edges : -1;
		if (number[e] >= 0) {
			f.width[f.n_edges] = w->edges[e].bandwidth;
			f.edge[f.n_edges++] = (int)e;
		}
	}
	f.n = f.n_edges + (int)w->n_limits;
	for (size_t l = 0; l < w->n_limits; l++)
		f.width[f.n_edges + (int)l] = w->limits[l].bandwidth;
	f.paid = limit_index(w, number, f.n_edges);
	free(number);
	free(covered);
	*out = f;
}

void price_list_free(struct price_list *f)
{
	free(f->edge);
	free(f->width);
	csr_free(&f->paid);
}

void price_list_lengths(const struct price_list *f, const int64_t *prices, int64_t *lengths)
{
	for (size_t e = 0; e < f->w->n_edges; e++) {
		lengths[e] = 0;
		for (int i = f->paid.begin[e]; i < f->paid.begin[e + 1]; i++)
			lengths[e] += prices[f->paid.of[i]];
	}
}

/* The nearest node that is not done; -1: no other is reachable. */
static int nearest(const int64_t *distance, const bool *done, int nodes)
{
	int best = -1;

	for (int v = 0; v < nodes; v++)
		if (!done[v] && distance[v] >= 0 && (best < 0 || distance[v] < distance[best]))
			best = v;
	return best;
}

int price_list_distances(const struct price_list *f, const int64_t *lengths, int from, int64_t *distance, int *order)
{
	const struct network *w = f->w;
	bool *done = new_array(bool, (size_t)w->nodes);
	int n = 0;

	for (int v = 0; v < w->nodes; v++)
		distance[v] = v == from ? 0 : -1;
	for (int v = from; v >= 0; v = nearest(distance, done, w->nodes)) {
		done[v] = true;
		order[n++] = v;
		for (int i = w->out_begin[v]; i < w->out_begin[v + 1]; i++) {
			int to = w->edges[w->out[i]].dst;
			int64_t by = distance[v] + lengths[w->out[i]];
			if (distance[to] < 0 || by < distance[to])
				distance[to] = by;
		}
	}
	free(done);
	return n;
}

static int number_of(const struct price_list *f, const struct price *p)
{
	int low = 0, high = f->n_edges, edge;

	if (p->limit >= 0)
		return (size_t)p->limit < f->w->n_limits ? f->n_edges + p->limit : -1;
	edge = network_edge(f->w, p->src, p->dst);
	while (low < high) {
		int middle = (low + high) / 2;
		if (f->edge[middle] < edge)
			low = middle + 1;
		else
			high = middle;
	}
	return edge >= 0 && low < f->n_edges && f->edge[low] == edge ? low : -1;
}

bool price_list_fill(const struct price_list *f, const struct price *list, size_t n, int64_t *prices)
{
	for (int i = 0; i < f->n; i++)
		prices[i] = 0;
	for (size_t i = 0; i < n; i++) {
		int number = number_of(f, &list[i]);
		if (number < 0 || prices[number])
			return false;
		prices[number] = list[i].price;
	}
	return true;
}

/* Can the total length of all paths be computed without overflow, and in reasonable time? */
static bool can_count(const struct price_list *f, const int64_t *lengths, const struct demands *d)
{
	enum { LOOKS_MAX = 1 << 27 };
	double longest = 0, chunks = 0, nodes = f->w->nodes;

	for (size_t e = 0; e < f->w->n_edges; e++)
		longest = (double)lengths[e] > longest ? (double)lengths[e] : longest;
	for (size_t i = 0; i < (size_t)f->w->nodes * (size_t)f->w->nodes; i++)
		chunks += d->of[i];
	return nodes * (nodes * nodes + (double)f->w->n_edges) <= LOOKS_MAX && longest * nodes * chunks < (double)((int64_t)1 << 62);
}

bool price_list_show(const struct price_list *f, const int64_t *prices, const struct demands *d, int64_t *paid, int64_t *round)
{
	int nodes = f->w->nodes, *order = new_array(int, (size_t)nodes);
	int64_t *lengths = new_array(int64_t, f->w->n_edges), *distance = new_array(int64_t, (size_t)nodes), part;

	price_list_lengths(f, prices, lengths);
	bool fits = can_count(f, lengths, d);
	*paid = *round = 0;
	for (int from = 0; from < nodes && fits; from++) {
		price_list_distances(f, lengths, from, distance, order);
		for (int v = 0; v < nodes; v++)
			if (d->of[from * nodes + v])
				*paid += d->of[from * nodes + v] * distance[v];
	}
	for (int i = 0; i < f->n && fits; i++)
		fits = !__builtin_mul_overflow(prices[i], f->width[i], &part) && !__builtin_add_overflow(*round, part, round);
	free(lengths);
	free(distance);
	free(order);
	return fits && *round > 0;
}
