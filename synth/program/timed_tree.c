/*
 * If only one node wants the commodity, the cheapest tree is a shortest path over (step, node). Otherwise the methods of
 * tree_bound.c, tree_paths.c, tree_descent.c and tree_growth.c are combined.
 */

#include "synth/program/timed_tree.h"

#include "synth/program/block_growth.h"
#include "synth/program/commodities.h"
#include "synth/program/tree_bound.h"
#include "synth/program/tree_descent.h"
#include "synth/program/tree_growth.h"
#include "synth/program/tree_paths.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A bound and what it leaves of the prices (LEFT); a tree of the sends that it charges in full, and what local search makes
 * of that; or, if there was no time for such a tree, of the one known.
 */
static void search_tree(const struct tree_question *p, const struct timed_tree *known, int effort, double *left,
			struct priced_tree *out)
{
	struct timed_tree first;

	out->at_least = fmin(p->limit, timed_tree_bound(p->w, p->k, p->steps, p->prices, left));
	if (out->at_least < p->limit) {
		bool joined = !stop_is_due() && timed_tree_of_paths(p->w, p->k, p->steps, p->prices, left, &first);
		timed_tree_descend(p->w, p->k, p->steps, p->prices, joined ? &first : known, effort, &out->tree, &out->cost);
		out->found = out->cost < p->limit;
		if (!out->found)
			free(out->tree.of);
		if (joined)
			free(first.of);
	}
}

/*
 * Few sets are best looked through. Of more, only to be sure that there is no cheaper tree; of too many, not at all, unless nodes
 * come in pairs: much work may be spent on a commodity that has no other beside it, and so may be in prove/demand_cost.c.
 */
static void price_growth(const struct tree_question *p, const struct timed_tree *known, int effort, struct priced_tree *out)
{
	enum { FEW = 20000 }; /* pairs */
	struct tree_classes c;

	tree_classes_new(p, &c);
	double pairs = tree_classes_pairs(&c), *left = pairs > FEW ? new_array(double, (size_t)p->steps * p->w->n_edges) : NULL;
	if (left)
		search_tree(p, known, effort, left, out);
	struct tree_question q = *p;
	q.left = left;
	q.bound = out->at_least;
	if (!out->found && out->at_least < p->limit && pairs <= TREE_PAIRS_MAX) {
		if (left)
			tree_classes_left(&q, &c);
		tree_growth_cheapest(&q, &c, out);
	} else if (!out->found && out->at_least < p->limit && p->k->alone) {
		block_growth_cheapest(&q, out);
	}
	free(left);
	tree_classes_free(&c);
}

/* The path that ends at node TO, given the edges BY which nodes are reached: found backwards, and turned round. */
static void trace_path(const struct tree_question *p, const int *by, int to, struct timed_tree *out)
{
	*out = (struct timed_tree){0, new_array(struct timed_edge, (size_t)p->steps)};
	for (int s = p->steps, v = to; s > 0; s--) {
		int e = by[(size_t)s * (size_t)p->w->nodes + (size_t)v] - 1;
		if (e < 0)
			continue;
		out->of[out->n++] = (struct timed_edge){s - 1, e};
		v = p->w->edges[e].src;
	}
	for (int i = 0, j = out->n - 1; i < j; i++, j--) {
		struct timed_edge swap = out->of[i];
		out->of[i] = out->of[j];
		out->of[j] = swap;
	}
}

/* The shortest path to the only node that wants the commodity. */
static void cheapest_path(const struct tree_question *p, struct priced_tree *out)
{
	int nodes = p->w->nodes, to = 0;
	double *at = new_array(double, (size_t)(p->steps + 1) * (size_t)nodes);
	int *by = new_array(int, (size_t)(p->steps + 1) * (size_t)nodes); /* edge + 1; 0: waits */

	for (int v = 0; v < nodes; v++) {
		at[v] = p->k->role[v] == ROLE_HAS ? 0 : INFINITY;
		to = p->k->role[v] == ROLE_WANTS ? v : to;
	}
	for (int s = 0; s < p->steps; s++) {
		double *now = &at[(size_t)s * (size_t)nodes], *next = now + nodes;
		int *next_by = &by[(size_t)(s + 1) * (size_t)nodes];
		memcpy(next, now, (size_t)nodes * sizeof *next);
		for (size_t e = 0; e < p->w->n_edges; e++) {
			double price = now[p->w->edges[e].src] + p->prices[(size_t)s * p->w->n_edges + e];
			int dst = p->w->edges[e].dst;
			if (price < next[dst]) {
				next[dst] = price;
				next_by[dst] = (int)e + 1;
			}
		}
	}
	out->cost = at[(size_t)p->steps * (size_t)nodes + (size_t)to];
	out->at_least = fmin(out->cost, p->limit);
	out->found = out->cost < p->limit;
	if (out->found)
		trace_path(p, by, to, &out->tree);
	free(at);
	free(by);
}

void timed_tree_price(const struct network *w, const struct commodity *k, int steps, const double *prices, double limit,
		      const struct timed_tree *known, int effort, struct priced_tree *out)
{
	struct tree_question p = {.w = w, .k = k, .steps = steps, .prices = prices, .limit = limit};

	*out = (struct priced_tree){0};
	if (k->wanted == 1) {
		cheapest_path(&p, out);
		return;
	}
	price_growth(&p, known, effort, out);
}

/*
 * Breadth-first search from all nodes that have the commodity: AT [node] steps, by the edge BY [node]. The number of
 * nodes reached, which are in QUEUE.
 */
static int search_breadth(const struct network *w, const struct commodity *k, int *at, int *by, int *queue)
{
	int tail = 0;

	for (int v = 0; v < w->nodes; v++) {
		at[v] = k->role[v] == ROLE_HAS ? 0 : UNREACHABLE;
		by[v] = -1;
		if (at[v] == 0)
			queue[tail++] = v;
	}
	for (int head = 0; head < tail; head++)
		for (int i = w->out_begin[queue[head]]; i < w->out_begin[queue[head] + 1]; i++) {
			int to = w->edges[w->out[i]].dst;
			if (at[to] < UNREACHABLE)
				continue;
			at[to] = at[queue[head]] + 1;
			by[to] = w->out[i];
			queue[tail++] = to;
		}
	return tail;
}

bool timed_tree_earliest(const struct network *w, const struct commodity *k, int steps, struct timed_tree *out)
{
	int nodes = w->nodes, *at = new_array(int, (size_t)nodes), *by = new_array(int, (size_t)nodes);
	int *queue = new_array(int, (size_t)nodes);
	bool *needed = new_array(bool, (size_t)nodes), enough = true;

	int reached = search_breadth(w, k, at, by, queue);
	for (int v = 0; v < nodes; v++) {
		if (k->role[v] != ROLE_WANTS)
			continue;
		enough = enough && at[v] <= steps;
		for (int u = v; enough && by[u] >= 0 && !needed[u]; u = w->edges[by[u]].src)
			needed[u] = true;
	}
	if (enough) {
		*out = (struct timed_tree){0, new_array(struct timed_edge, (size_t)nodes)};
		for (int i = 0; i < reached; i++) /* in the order of the search, and so of steps */
			if (needed[queue[i]])
				out->of[out->n++] = (struct timed_edge){at[queue[i]] - 1, by[queue[i]]};
	}
	free(at);
	free(by);
	free(queue);
	free(needed);
	return enough;
}
