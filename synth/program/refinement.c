/*
 * Every chunk has a timed tree of its own. One chunk after the other is taken away and gets the cheapest tree that is found
 * beside all others, at prices that say by how much one more send would raise the rounds. The rounds of a step are those of
 * its most loaded capacity; in their place stands a smooth maximum,
 *
 *     1/a log (sum over the capacities i of exp (a load_i / b_i)),
 *
 * which is nearer to the maximum the larger a is, and also counts capacities that are nearly as loaded. From pass to pass
 * a rises, and the trees of the pass with the fewest rounds are kept.
 */

#include "synth/program/refinement.h"

#include "synth/program/commodities.h"
#include "synth/program/room.h"
#include "synth/program/tree_bound.h"
#include "synth/program/tree_descent.h"
#include "synth/program/tree_paths.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct refinement {
	const struct timed_program *q;
	const struct network *w;
	const struct commodity *k;
	struct room room;         /* its loads */
	double *bandwidth;        /* [capacity] */
	double sharpness;         /* a */
	double *part;             /* [capacity]: of the sum of the step at hand */
	double *prices;           /* [step * n_edges + edge] */
	double *levels, *left;    /* likewise: the prices in few whole numbers; what dual ascent leaves of these */
	int n;                    /* chunks */
	struct timed_tree *trees; /* [chunk]; n 0: none yet */
};

static void load(struct refinement *r, const struct timed_tree *t, int64_t chunks)
{
	for (int i = 0; i < t->n; i++)
		room_add(&r->room, t->of[i], chunks);
}

static int64_t rounds_of(const struct refinement *r)
{
	int64_t sum = 0;

	for (int s = 0; s < r->q->steps; s++)
		sum += room_rounds(&r->room, s);
	return sum;
}

/* ---- prices ---- */

/* The part of each capacity in the sum of a step. */
static void weigh_step(struct refinement *r, int step)
{
	const int64_t *loads = &r->room.load[step * r->room.n];
	double most = 0, all = 0;

	for (int i = 0; i < r->room.n; i++)
		most = fmax(most, (double)loads[i] / r->bandwidth[i]);
	for (int i = 0; i < r->room.n; i++)
		all += r->part[i] = exp(r->sharpness * ((double)loads[i] / r->bandwidth[i] - most));
	for (int i = 0; i < r->room.n; i++)
		r->part[i] /= all;
}

/* What one more send over an edge adds to the smooth maximum. */
static double price_of(const struct refinement *r, int edge)
{
	const struct csr *of = &r->room.of_edge;
	double sum = 0;

	for (int k = of->begin[edge]; k < of->begin[edge + 1]; k++)
		sum += r->part[of->of[k]] * expm1(r->sharpness / r->bandwidth[of->of[k]]);
	return log1p(sum) / r->sharpness;
}

static void price_edges(struct refinement *r)
{
	for (int s = 0; s < r->q->steps; s++) {
		weigh_step(r, s);
		for (int e = 0; e < (int)r->w->n_edges; e++)
			r->prices[(size_t)s * r->w->n_edges + (size_t)e] = price_of(r, e);
	}
}

/* Dual ascent uses many sends up at once if prices have few levels, and takes half of the time. */
static void round_prices(struct refinement *r)
{
	static const double each = 2; /* levels up to the mean */
	size_t n = (size_t)r->q->steps * r->w->n_edges;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += r->prices[i];
	for (size_t i = 0; i < n; i++)
		r->levels[i] = 1 + floor(sum > 0 ? each * r->prices[i] * (double)n / sum : 0);
}

/* ---- trees ---- */

/* The cheapest tree that is found: of the sends that a bound charges in full, or from tree FROM on. */
static struct timed_tree cheap_tree(struct refinement *r, const struct timed_tree *from)
{
	struct timed_tree first, out;
	double cost;

	round_prices(r);
	timed_tree_bound(r->w, r->k, r->q->steps, r->levels, r->left);
	bool joined = !stop_is_due() && timed_tree_of_paths(r->w, r->k, r->q->steps, r->prices, r->left, &first);
	timed_tree_descend(r->w, r->k, r->q->steps, r->prices, joined ? &first : from, 1, &out, &cost);
	if (joined)
		free(first.of);
	return out;
}

/* Gives chunk C the cheapest tree that is found beside all others. */
static void choose_tree(struct refinement *r, int c)
{
	struct timed_tree *t = &r->trees[c];

	load(r, t, -1);
	price_edges(r);
	struct timed_tree better = cheap_tree(r, t->n || !c ? t : t - 1);
	free(t->of);
	*t = better;
	load(r, t, 1);
}

static void trees_free(struct timed_tree *of, int n)
{
	for (int c = 0; c < n; c++)
		free(of[c].of);
	free(of);
}

static struct timed_tree *trees_copy(const struct refinement *r)
{
	struct timed_tree *of = new_array(struct timed_tree, (size_t)r->n);

	for (int c = 0; c < r->n; c++)
		of[c] = (struct timed_tree){r->trees[c].n, copy_bytes(r->trees[c].of, (size_t)r->trees[c].n * sizeof *r->trees[c].of)};
	return of;
}

/* Passes over all chunks; the trees of the best one are left in their place. */
static void improve(struct refinement *r)
{
	enum { PASSES = 6 };
	static const double first = 0.5, last = 6;
	struct timed_tree *best = NULL;
	int64_t least = INT64_MAX;

	for (int pass = 0; pass < PASSES && !(best && stop_is_due()); pass++) {
		r->sharpness = first * pow(last / first, pass / (PASSES - 1.));
		for (int c = 0; c < r->n; c++)
			choose_tree(r, c);
		int64_t now = rounds_of(r);
		if (now >= least)
			continue;
		if (best)
			trees_free(best, r->n);
		best = trees_copy(r);
		least = now;
	}
	trees_free(r->trees, r->n);
	r->trees = best;
}

/* ---- what it is for ---- */

bool refinement_may_serve(const struct instance *i)
{
	enum { NODES = 128 };

	return i->collective.kind == BROADCAST && i->network->nodes > NODES;
}

bool refinement_serves(const struct timed_program *q)
{
	return refinement_may_serve(q->instance) && rational_compare(q->at_least, q->attained) < 0;
}

static void refinement_new(const struct timed_program *q, int chunks, struct refinement *r)
{
	const struct network *w = q->instance->network;
	int *none = new_array(int, (size_t)q->steps);

	*r = (struct refinement){.q = q, .w = w, .k = &q->commodities.of[0], };
	r->n = chunks;
	r->trees = new_array(struct timed_tree, (size_t)r->n);
	room_new(w, q->steps, none, &r->room);
	r->bandwidth = new_array(double, (size_t)r->room.n);
	for (int i = 0; i < r->room.n; i++)
		r->bandwidth[i] = (size_t)i < w->n_edges ? w->edges[i].bandwidth : w->limits[(size_t)i - w->n_edges].bandwidth;
	r->part = new_array(double, (size_t)r->room.n);
	r->prices = new_array(double, (size_t)q->steps * w->n_edges);
	r->levels = new_array(double, (size_t)q->steps * w->n_edges);
	r->left = new_array(double, (size_t)q->steps * w->n_edges);
	free(none);
}

static void refinement_free(struct refinement *r)
{
	trees_free(r->trees, r->n);
	room_free(&r->room);
	free(r->bandwidth);
	free(r->part);
	free(r->prices);
	free(r->levels);
	free(r->left);
}

/* Moves the trees into *OUT. */
static void take_trees(struct refinement *r, int factor, struct chunk_packing *out)
{
	*out = (struct chunk_packing){.steps = r->q->steps, .done = factor, .rounds = new_array(int, (size_t)r->q->steps)};
	memset(r->room.load, 0, (size_t)(r->room.n * r->q->steps) * sizeof *r->room.load);
	for (int c = 0; c < r->n; c++) {
		load(r, &r->trees[c], 1);
		images_add(&out->images, (struct image){.column = r->q->n_columns, .of = r->trees[c].of, .n = r->trees[c].n, .taken = 1});
		r->trees[c].of = NULL;
	}
	for (int s = 0; s < out->steps; s++)
		out->rounds[s] = room_rounds(&r->room, s);
	images_sort(&out->images);
}

bool refinement_find(const struct timed_program *q, int factor, struct chunk_packing *out)
{
	struct refinement r;
	struct timed_tree first;

	if (!timed_tree_earliest(q->instance->network, &q->commodities.of[0], q->steps, &first))
		return false;
	refinement_new(q, factor * (int)q->commodities.of[0].demand, &r);
	r.trees[0] = first;
	load(&r, &first, 1);
	improve(&r);
	take_trees(&r, factor, out);
	refinement_free(&r);
	return true;
}
