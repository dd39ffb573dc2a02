/*
 * Dual ascent (Wong 1984). Take a set of pairs (node, time) that leads to a node that wants the chunks and holds no source:
 * some send must enter it. Such a set charges all sends into it as much as the cheapest of them has left of its cost. The
 * sum of the charges of all sets is the bound, since no send is charged more than it costs. The set of a receiver is all
 * that leads to it over sends that have nothing left. As waiting leads from each time of a node to the next, a set is given
 * by a time for each node.
 */

#include "prove/tree_ascent.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

enum { NOT_INSIDE = -1 };

struct cost_ascent {
	const struct step_costs *c;
	const struct demand *d;
	int64_t *left; /* [(step * nodes + from) * nodes + to]: of the cost */
	int *inside;   /* [node]: the last time at which it is inside; NOT_INSIDE */
	int *size;     /* [node]: sends into its set when that was last found; -1: a source is in it, or the node wants nothing */
};

static int64_t *left_of(const struct cost_ascent *a, int step, int from, int to)
{
	return &a->left[((size_t)step * (size_t)a->c->nodes + (size_t)from) * (size_t)a->c->nodes + (size_t)to];
}

/* Removes sends from nodes that cannot have the chunks yet. */
static void drop_early(struct cost_ascent *a)
{
	int nodes = a->c->nodes;
	bool *has = new_array(bool, (size_t)nodes), *next = new_array(bool, (size_t)nodes);

	for (int v = 0; v < nodes; v++)
		has[v] = next[v] = a->d->role[v] == ROLE_HAS;
	for (int s = 0; s < a->c->steps; s++) {
		for (int u = 0; u < nodes && work_spend(nodes); u++)
			for (int v = 0; v < nodes; v++)
				if (!has[u])
					*left_of(a, s, u, v) = COST_NONE;
				else
					next[v] = next[v] || *left_of(a, s, u, v) < COST_NONE;
		for (int v = 0; v < nodes; v++)
			has[v] = next[v];
	}
	free(has);
	free(next);
}

/* Fills inside [node] for receiver V, until nothing is added. False: a source is inside, or the budget is exhausted. */
static bool find_inside(struct cost_ascent *a, int v)
{
	int nodes = a->c->nodes;
	bool grew = true;

	for (int u = 0; u < nodes; u++)
		a->inside[u] = NOT_INSIDE;
	a->inside[v] = a->c->steps;
	while (grew) {
		grew = false;
		for (int to = 0; to < nodes; to++)
			for (int s = a->inside[to] - 1; s >= 0 && work_spend(nodes); s--)
				for (int u = 0; u < nodes; u++)
					if (s > a->inside[u] && *left_of(a, s, u, to) == 0) {
						if (a->d->role[u] == ROLE_HAS)
							return false;
						a->inside[u] = s;
						grew = true;
					}
		if (work_is_over())
			return false;
	}
	return true;
}

/* Takes CHARGE from what all sends into the set have left. Returns their number; *LEAST: what the cheapest has left then. */
static int charge(struct cost_ascent *a, int64_t charge, int64_t *least)
{
	int n = 0;

	*least = COST_NONE;
	for (int to = 0; to < a->c->nodes; to++)
		for (int s = a->inside[to] - 1; s >= 0 && work_spend(a->c->nodes); s--)
			for (int u = 0; u < a->c->nodes; u++) {
				int64_t *left = left_of(a, s, u, to);
				if (s <= a->inside[u] || *left >= COST_NONE)
					continue;
				*left -= charge;
				*least = *left < *least ? *left : *least;
				n++;
			}
	return n;
}

/* The receiver with the smallest set; -1: all are reached. */
static int smallest(const struct cost_ascent *a)
{
	int best = -1;

	for (int v = 0; v < a->c->nodes; v++)
		if (a->size[v] >= 0 && (best < 0 || a->size[v] < a->size[best]))
			best = v;
	return best;
}

/* Each receiver charges as a set by itself: no send enters two of these sets. */
static int64_t charge_alone(struct cost_ascent *a)
{
	int64_t bound = 0, least, unused;

	for (int v = 0; v < a->c->nodes && bound < COST_NONE; v++) {
		if (a->d->role[v] != ROLE_WANTS)
			continue;
		for (int u = 0; u < a->c->nodes; u++)
			a->inside[u] = u == v ? a->c->steps : NOT_INSIDE;
		charge(a, 0, &least);
		if (least < COST_NONE)
			charge(a, least, &unused);
		bound = cost_sum(bound, least);
	}
	return bound;
}

/* In which order sets are charged: none is best for all prices. */
enum charge_order {
	SMALL_FIRST, /* they share the fewest sends: a set that has grown waits for those that are smaller now */
	IN_TURN,     /* each receiver once, again and again */
	ONE_BY_ONE,  /* each receiver until it is reached */
	ORDERS
};

/* The receiver to charge after V; -1: all are reached. */
static int next_receiver(const struct cost_ascent *a, enum charge_order order, int v)
{
	int nodes = a->c->nodes;

	if (order == SMALL_FIRST)
		return smallest(a);
	for (int i = order == IN_TURN; i < nodes + 1; i++)
		if (a->size[(v + i) % nodes] >= 0)
			return (v + i) % nodes;
	return -1;
}

static int64_t ascend(struct cost_ascent *a, enum charge_order order)
{
	int64_t bound = charge_alone(a), least, unused;

	for (int v = next_receiver(a, order, 0); v >= 0 && bound < COST_NONE && !work_is_over(); v = next_receiver(a, order, v)) {
		int had = a->size[v];
		if (!find_inside(a, v)) {
			a->size[v] = -1;
			continue;
		}
		a->size[v] = charge(a, 0, &least);
		if (least == COST_NONE)
			return COST_NONE;
		if (order == SMALL_FIRST && a->size[v] > had && smallest(a) != v)
			continue;
		charge(a, least, &unused);
		bound = cost_sum(bound, least);
	}
	return bound;
}

static int64_t ascend_in(const struct step_costs *c, const struct demand *d, enum charge_order order)
{
	size_t nodes = (size_t)c->nodes;
	struct cost_ascent a = {.c = c, .d = d, .inside = new_array(int, nodes), .size = new_array(int, nodes)};

	a.left = copy_bytes(c->of, (size_t)c->steps * nodes * nodes * sizeof *c->of);
	for (size_t v = 0; v < nodes; v++)
		a.size[v] = d->role[v] == ROLE_WANTS ? 0 : -1;
	drop_early(&a);
	int64_t bound = ascend(&a, order);
	free(a.left);
	free(a.inside);
	free(a.size);
	return bound;
}

int64_t tree_ascent(const struct step_costs *c, const struct demand *d)
{
	int64_t best = 0;

	for (int order = 0; order < ORDERS && !work_is_over(); order++) {
		int64_t bound = ascend_in(c, d, (enum charge_order)order);
		best = bound > best ? bound : best;
	}
	return best;
}
