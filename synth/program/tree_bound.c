/*
 * A timed tree is a Steiner arborescence in expanded time: its vertices are the nodes after each step. Wong's dual ascent
 * (1984): for a node that wants the commodity take the set of vertices from which it is reached over sends whose price is
 * used up. As long as that holds no source, one of the sends into it must be made: all are charged the least price that
 * is left to any of them, and the bound grows by that. A node keeps what it has, so that a set states for each node up to
 * which step it is inside, as a timed cut (core/bounds/timed_cuts.h). Small sets come first, as they share fewest sends:
 * to begin with, the sends to each node alone.
 */

#include "synth/program/tree_bound.h"

#include "synth/program/commodities.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTSIDE = -1, REACHED = -1 };

struct ascent {
	const struct network *w;
	const struct commodity *k;
	int steps;
	double *left;  /* [step * n_edges + edge]: of the price */
	int *until;    /* [node]: inside after at most so many steps; OUTSIDE */
	int *inside, n_inside; /* the nodes that are not outside */
	int *queue;
	bool *queued;  /* [node] */
	int *sends;    /* [node]: sends into the set that was last seen for it; REACHED: a source is in it */
};

static double *left_at(const struct ascent *a, int step, int edge)
{
	return &a->left[(size_t)step * a->w->n_edges + (size_t)edge];
}

/* The last step before that of node V after which U reaches it for nothing more, over EDGE; OUTSIDE: none later than known. */
static int reaches(const struct ascent *a, int u, int v, int edge)
{
	for (int s = a->until[v] - 1; s > a->until[u]; s--)
		if (*left_at(a, s, edge) == 0)
			return s;
	return OUTSIDE;
}

static void clear_set(struct ascent *a)
{
	while (a->n_inside)
		a->until[a->inside[--a->n_inside]] = OUTSIDE;
}

static void put_inside(struct ascent *a, int v, int until)
{
	if (a->until[v] == OUTSIDE)
		a->inside[a->n_inside++] = v;
	a->until[v] = until;
}

/* Fills until [node] for the set of node V. False: a source is in it. */
static bool find_set(struct ascent *a, int v)
{
	int head = 0, tail = 0, nodes = a->w->nodes;

	clear_set(a);
	put_inside(a, v, a->steps);
	a->queue[tail++] = v;
	a->queued[v] = true;
	while (head != tail) {
		int to = a->queue[head];
		head = (head + 1) % (nodes + 1);
		a->queued[to] = false;
		for (int i = a->w->in_begin[to]; i < a->w->in_begin[to + 1]; i++) {
			int u = a->w->edges[a->w->in[i]].src, s = reaches(a, u, to, a->w->in[i]);
			if (s == OUTSIDE)
				continue;
			put_inside(a, u, s);
			if (!a->queued[u]) {
				a->queue[tail] = u;
				a->queued[u] = true;
				tail = (tail + 1) % (nodes + 1);
			}
		}
	}
	for (int i = 0; i < a->n_inside; i++)
		if (a->k->role[a->inside[i]] == ROLE_HAS)
			return false;
	return true;
}

/* Charges CHARGE for every send into the set; the number of them. *LEAST is what is left of the cheapest before. */
static int charge_sends(const struct ascent *a, double charge, double *least)
{
	int n = 0;

	*least = INFINITY;
	for (int k = 0; k < a->n_inside; k++) {
		int v = a->inside[k];
		for (int i = a->w->in_begin[v]; a->until[v] > 0 && i < a->w->in_begin[v + 1]; i++) {
			int e = a->w->in[i];
			for (int s = a->until[a->w->edges[e].src] + 1; s < a->until[v]; s++) {
				double *left = left_at(a, s, e);
				*least = *left < *least ? *left : *least; /* fmin is a call */
				*left -= charge;
				n++;
			}
		}
	}
	return n;
}

/* The node whose set had the fewest sends into it; the number of nodes: all are reached. */
static int smallest(const struct ascent *a)
{
	int best = a->w->nodes;

	for (int v = 0; v < a->w->nodes; v++)
		if (a->sends[v] != REACHED && (best == a->w->nodes || a->sends[v] < a->sends[best]))
			best = v;
	return best;
}

/* Leaves out what nodes would send before they can have the commodity. */
static void forbid_early_sends(struct ascent *a)
{
	size_t nodes = (size_t)a->w->nodes;
	int *earliest = new_array(int, nodes);

	for (size_t v = 0; v < nodes; v++)
		earliest[v] = a->k->role[v] == ROLE_HAS ? 0 : a->steps;
	for (int s = 0; s < a->steps; s++)
		for (size_t e = 0; e < a->w->n_edges; e++) {
			const struct edge *of = &a->w->edges[e];
			if (earliest[of->src] > s)
				*left_at(a, s, (int)e) = INFINITY;
			else if (earliest[of->dst] > s + 1)
				earliest[of->dst] = s + 1;
		}
	free(earliest);
}

/* The sends to each node that wants the commodity, of which none is also one to another. */
static double charge_each(struct ascent *a)
{
	double bound = 0, least, unused;

	for (int v = 0; v < a->w->nodes; v++) {
		if (a->k->role[v] != ROLE_WANTS)
			continue;
		clear_set(a);
		put_inside(a, v, a->steps);
		charge_sends(a, 0, &least);
		if (least < INFINITY)
			charge_sends(a, least, &unused);
		bound += least;
	}
	return bound;
}

static double ascend(struct ascent *a)
{
	double bound = charge_each(a), least, unused;

	for (int v = smallest(a); v < a->w->nodes && !stop_is_due(); v = smallest(a)) {
		int had = a->sends[v];
		if (!find_set(a, v)) {
			a->sends[v] = REACHED;
			continue;
		}
		a->sends[v] = charge_sends(a, 0, &least);
		if (a->sends[v] > had && smallest(a) != v)
			continue; /* it has grown, and another is smaller now */
		if (least == INFINITY)
			return INFINITY; /* nothing leads there */
		charge_sends(a, least, &unused);
		bound += least;
	}
	return bound;
}

double timed_tree_bound(const struct network *w, const struct commodity *k, int steps, const double *prices, double *left)
{
	size_t nodes = (size_t)w->nodes;
	struct ascent a = {.w = w, .k = k, .steps = steps, .left = left, .until = new_array(int, nodes), .inside = new_array(int, nodes), .queue = new_array(int, nodes + 1), .queued = new_array(bool, nodes),
			   .sends = new_array(int, nodes)};

	memcpy(left, prices, (size_t)steps * w->n_edges * sizeof *prices);
	forbid_early_sends(&a);
	for (size_t v = 0; v < nodes; v++)
		a.until[v] = OUTSIDE;
	for (size_t v = 0; v < nodes; v++)
		a.sends[v] = k->role[v] == ROLE_WANTS ? 0 : REACHED;
	double bound = ascend(&a);
	free(a.until);
	free(a.inside);
	free(a.queue);
	free(a.queued);
	free(a.sends);
	return bound;
}
