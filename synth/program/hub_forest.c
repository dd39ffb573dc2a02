/*
 * A forest is given by the step in which each node is sent the chunk: the cheapest edge in that step, from a node that has the
 * chunk before, brings it. At first a node's step is its distance from the hubs. Steps are changed one at a time as long as
 * the cost decreases. With more effort some of them are then drawn anew, and a change for the worse is undone. A forest into
 * the hubs is one out of them in reversed time on reversed links.
 */

#include "synth/program/hub_forest.h"

#include "synth/program/hub_cores.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

struct hub_forest {
	const struct network *w;
	const double *prices;
	bool into;
	int first, n;
	int at[HUB_NODES_MAX]; /* after how many steps a node has the chunk, at least 1; 0: a hub */
};

/* The price of edge E in the step after which a node has had the chunk AT steps. */
static double price_at(const struct hub_forest *f, int e, int at)
{
	int step = f->first + (f->into ? f->n - at : at - 1);

	return f->prices[(size_t)step * f->w->n_edges + (size_t)e];
}

/* What bringing the chunk to V costs; *BY: over which edge. INFINITY: no node has it before. */
static double cost_at(const struct hub_forest *f, int v, int *by)
{
	const struct network *w = f->w;
	const int *begin = f->into ? w->out_begin : w->in_begin, *edges = f->into ? w->out : w->in;
	double least = INFINITY;

	*by = -1;
	if (f->at[v] == 0)
		return 0;
	for (int i = begin[v]; i < begin[v + 1]; i++) {
		int e = edges[i], u = f->into ? w->edges[e].dst : w->edges[e].src;
		double price = f->at[u] < f->at[v] ? price_at(f, e, f->at[v]) : INFINITY;
		if (price < least) {
			least = price;
			*by = e;
		}
	}
	return least;
}

/* The costs of V and of all that V could send to. */
static double cost_around(const struct hub_forest *f, int v)
{
	const struct network *w = f->w;
	const int *begin = f->into ? w->in_begin : w->out_begin, *edges = f->into ? w->in : w->out;
	int unused;
	double sum = cost_at(f, v, &unused);

	for (int i = begin[v]; i < begin[v + 1]; i++)
		sum += cost_at(f, f->into ? w->edges[edges[i]].src : w->edges[edges[i]].dst, &unused);
	return sum;
}

/* Moves V to the step in which it costs least. Did it move? */
static bool move(struct hub_forest *f, int v)
{
	static const double tolerance = 1e-9;
	int best = f->at[v], was = best;
	double least = cost_around(f, v) * (1 - tolerance);

	for (int at = 1; at <= f->n; at++) {
		f->at[v] = at;
		double cost = at == was ? INFINITY : cost_around(f, v);
		if (cost < least) {
			least = cost;
			best = at;
		}
	}
	f->at[v] = best;
	return best != was;
}

static void descend(struct hub_forest *f)
{
	enum { SWEEPS = 8 };
	bool moved = true;

	for (int sweep = 0; moved && sweep < SWEEPS; sweep++) {
		moved = false;
		for (int v = 0; v < f->w->nodes; v++)
			if (f->at[v])
				moved = move(f, v) || moved;
	}
}

/* Every node as early as can be, or, with LATE, as late as the farthest. False: there are too few steps. */
static bool begin(struct hub_forest *f, const struct hub_core *core, bool late)
{
	const int *hubs = f->into ? core->from : core->to;
	int most = 0, n = f->into ? core->n_from : core->n_to;

	for (int v = 0; v < f->w->nodes; v++) {
		f->at[v] = UNREACHABLE;
		for (int i = 0; i < n; i++) {
			int d = f->into ? network_distance(f->w, v, hubs[i]) : network_distance(f->w, hubs[i], v);
			f->at[v] = d < f->at[v] ? d : f->at[v];
		}
		most = f->at[v] > most ? f->at[v] : most;
	}
	for (int v = 0; late && v < f->w->nodes; v++)
		f->at[v] += f->at[v] ? f->n - most : 0;
	return most <= f->n;
}

static double cost_of(const struct hub_forest *f)
{
	double sum = 0;
	int unused;

	for (int v = 0; v < f->w->nodes; v++)
		sum += cost_at(f, v, &unused);
	return sum;
}

static struct timed_tree tree_of(const struct hub_forest *f)
{
	struct timed_tree t = {.of = new_array(struct timed_edge, (size_t)f->w->nodes)};

	for (int v = 0; v < f->w->nodes; v++) {
		int by;
		cost_at(f, v, &by);
		if (by >= 0)
			t.of[t.n++] = (struct timed_edge){f->first + (f->into ? f->n - f->at[v] : f->at[v] - 1), by};
	}
	return t;
}

/* Draws the steps of some nodes anew; the pseudo-random numbers are the same in each run. */
static void shake(struct hub_forest *f, uint64_t *state)
{
	enum { SHAKEN = 3 };

	for (int i = 0; i < SHAKEN; i++) {
		*state = *state * 6364136223846793005U + 1442695040888963407U;
		int v = (int)((*state >> 33) % (uint64_t)f->w->nodes);
		*state = *state * 6364136223846793005U + 1442695040888963407U;
		if (f->at[v])
			f->at[v] = 1 + (int)((*state >> 33) % (uint64_t)f->n);
	}
}

double hub_forest_find(const struct network *w, const struct hub_core *core, bool into, int first, int n, const double *prices,
		       int effort, struct timed_tree *out)
{
	struct hub_forest best, f = {.w = w, .prices = prices, .into = into, .first = first, .n = n};
	double least = INFINITY;
	uint64_t state = 1;

	for (int i = 0; i < 2 + effort; i++) {
		if (i >= 2) {
			f = best;
			shake(&f, &state);
		} else if (!begin(&f, core, i == 1)) {
			return INFINITY;
		}
		descend(&f);
		double cost = cost_of(&f);
		if (cost < least) {
			least = cost;
			best = f;
		}
	}
	if (out)
		*out = tree_of(&best);
	return least;
}
