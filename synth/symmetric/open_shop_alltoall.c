/*
 * Alltoall, each chunk on a shortest path of its own. If the hops of a path may be made in any order (the group is
 * commutative), a chunk is a job with a number of hops in each direction, at most one per step, and each direction can
 * serve a limited number of hops per step: an open shop with unit processing times (Gonzalez and Sahni, 1976). First
 * the paths are chosen so that all directions carry equal loads; then each step serves its share of the hops that are
 * left, chunks with the most remaining hops first.
 */
#include "synth/symmetric/symmetric_schedule.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/graph/bipartite_matching.h"

#include <stdlib.h>

struct shop_job {
	size_t hops;      /* row of the job in shop.hops */
	int part, node;   /* node: the destination */
	int at;           /* current node */
	int left;         /* hops still to be made */
	uint64_t order;
};

struct shop {
	struct symmetric_schedule *d;
	const struct network *w;
	int n_directions;
	size_t n;
	struct shop_job *jobs;
	uint16_t *hops;   /* [row * directions + direction]: hops still to be made */
	int64_t *left;    /* [way]: hops of all jobs still to be made */
	int64_t *holds;   /* [way]: capacity in this step */
	int *directions;        /* scratch: directions of one job */
	int64_t rounds;   /* left */
	struct bipartite_matching *fill;
	uint64_t random;
};

enum { HOPS_MAX = 1 << 26 };

static int hop(const struct shop *o, int node, int way)
{
	return o->d->g->group.nodes[o->d->g->to[node] * (size_t)o->w->nodes + (size_t)o->d->g->neighbours[way]];
}

/* The elements that map 0 to its neighbours generate the whole group, so that checking these is enough. */
static bool commutes(const struct shop *o)
{
	const struct transitive_group *g = o->d->g;

	for (int a = 0; a < o->n_directions; a++)
		for (int b = 0; b < a; b++)
			if (hop(o, g->neighbours[a], b) != hop(o, g->neighbours[b], a))
				return false;
	return true;
}

static uint16_t *hops_of(const struct shop *o, size_t job)
{
	return o->hops + o->jobs[job].hops * (size_t)o->n_directions;
}

/* Adds a shortest path, taking at each node the direction with the least load relative to its bandwidth so far. */
static void choose_way(struct shop *o, size_t job)
{
	uint16_t *hops = hops_of(o, job);
	int node = o->jobs[job].node;

	for (int at = 0; at != node;) {
		int best = -1, to = at;
		for (int k = 0; k < o->n_directions; k++) {
			int next = hop(o, at, k);
			if (network_distance(o->w, next, node) + 1 != network_distance(o->w, at, node))
				continue;
			if (best >= 0 && o->left[k] * o->d->bandwidth[best] >= o->left[best] * o->d->bandwidth[k])
				continue;
			best = k;
			to = next;
		}
		hops[best]++;
		o->left[best]++;
		at = to;
	}
}

static void forget_way(struct shop *o, size_t job)
{
	uint16_t *hops = hops_of(o, job);

	for (int k = 0; k < o->n_directions; k++) {
		o->left[k] -= hops[k];
		hops[k] = 0;
	}
}

/* The rounds that the most loaded direction needs for its remaining hops. */
static int64_t rounds_needed(const struct shop *o)
{
	int64_t most = 0;

	for (int k = 0; k < o->n_directions; k++) {
		int64_t need = (o->left[k] + o->d->bandwidth[k] - 1) / o->d->bandwidth[k];
		most = need > most ? need : most;
	}
	return most;
}

/* Chooses a path for each job in turn, then rechooses each with all others fixed, for some passes or until they fit. */
static void choose_directions(struct shop *o)
{
	enum { PASSES = 8 };

	for (size_t j = 0; j < o->n; j++)
		choose_way(o, j);
	for (int pass = 0; pass < PASSES && rounds_needed(o) > o->rounds; pass++)
		for (size_t j = 0; j < o->n; j++) {
			forget_way(o, j);
			choose_way(o, j);
		}
}

static void shop_new(struct shop *o, struct symmetric_schedule *d, int rounds, int attempt)
{
	const struct network *w = d->g->network;
	int parts = d->i->chunks / w->nodes;

	*o = (struct shop){.d = d, .w = w, .n_directions = d->g->n_neighbours, .rounds = rounds, .random = (uint64_t)attempt};
	o->n = (size_t)parts * (size_t)(w->nodes - 1);
	o->jobs = new_array(struct shop_job, o->n);
	o->hops = new_array(uint16_t, o->n * (size_t)o->n_directions);
	o->left = new_array(int64_t, (size_t)o->n_directions);
	o->holds = new_array(int64_t, (size_t)o->n_directions);
	o->directions = new_array(int, (size_t)o->n_directions);
	o->fill = matching_new(o->n_directions);
	for (size_t j = 0; j < o->n; j++) {
		int node = 1 + (int)(j % (size_t)(w->nodes - 1));
		o->jobs[j] = (struct shop_job){j, (int)(j / (size_t)(w->nodes - 1)), node, 0, network_distance(w, 0, node), 0};
	}
}

static void shop_free(struct shop *o)
{
	matching_free(o->fill);
	free(o->jobs);
	free(o->hops);
	free(o->left);
	free(o->holds);
	free(o->directions);
}

static int by_order(const void *va, const void *vb)
{
	const struct shop_job *a = va, *b = vb;

	if (a->left != b->left)
		return a->left > b->left ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Sets how many hops each direction serves in this step, the first of M that are left. Returns the step's rounds. */
static int64_t share(struct shop *o, int m)
{
	int64_t needed = rounds_needed(o), all = needed > m ? needed : m, rounds = (all + m - 1) / m;

	for (int k = 0; k < o->n_directions; k++) {
		int64_t most = rounds * o->d->bandwidth[k], even = (o->left[k] + m - 1) / m;
		int64_t least = o->left[k] - (all - rounds) * o->d->bandwidth[k]; /* more than later steps can serve */
		o->holds[k] = even > least ? even : least;
		o->holds[k] = o->holds[k] > most ? most : o->holds[k];
	}
	return rounds;
}

static int directions_of(struct shop *o, size_t job)
{
	int n = 0;

	for (int k = 0; k < o->n_directions; k++)
		if (hops_of(o, job)[k])
			o->directions[n++] = k;
	return n;
}

/* False: a chunk that must move in every remaining step found no direction with capacity. */
static bool assign(struct shop *o, int m)
{
	bool fits = true;

	for (size_t j = 0; j < o->n; j++)
		o->jobs[j].order = symmetric_schedule_random(&o->random);
	qsort(o->jobs, o->n, sizeof *o->jobs, by_order);
	matching_begin(o->fill, o->holds);
	for (size_t j = 0; j < o->n && fits; j++) {
		if (o->jobs[j].left == 0 || (matching_is_full(o->fill) && o->jobs[j].left < m))
			break;
		fits = matching_add(o->fill, o->directions, directions_of(o, j)) || o->jobs[j].left < m;
	}
	return fits;
}

static void move(struct shop *o, int step, size_t job, int way)
{
	struct shop_job *x = &o->jobs[job];
	int next = hop(o, x->at, way), chunk = (x->part * o->w->nodes + x->node) * o->w->nodes;

	symmetric_schedule_send(o->d, step, chunk, network_edge(o->w, x->at, next));
	hops_of(o, job)[way]--;
	o->left[way]--;
	x->left--;
	x->at = next;
}

static bool work_step(struct shop *o, int step)
{
	int m = o->d->steps - step;

	o->rounds -= share(o, m);
	if (!assign(o, m))
		return false;
	for (size_t j = 0; j < matching_items(o->fill); j++)
		if (matching_bin(o->fill, j) >= 0)
			move(o, step, j, matching_bin(o->fill, j));
	return rounds_needed(o) <= o->rounds;
}

bool open_shop_alltoall(struct symmetric_schedule *d, int rounds, int attempt)
{
	struct shop o;
	double items = (double)d->i->chunks * d->g->n_neighbours;
	bool fits = items <= HOPS_MAX;

	if (!fits)
		return false;
	shop_new(&o, d, rounds, attempt);
	fits = commutes(&o);
	if (fits)
		choose_directions(&o);
	fits = fits && rounds_needed(&o) <= rounds;
	for (int s = 0; s < d->steps && fits; s++)
		fits = work_step(&o, s);
	shop_free(&o);
	return fits;
}
