/*
 * Allgather with fewer chunks than links. Layer by layer every step's rounds would be rounded up. Here each step has only as
 * many rounds as are full, in every direction; what does not fit waits, and later steps take it along. Who waits is left to
 * chance, new arrivals before those that wait already: a chunk that waits keeps those behind it waiting only if no other
 * way leads there.
 */
#include "synth/sketch.h"

#include "core/memory.h"
#include "core/network.h"
#include "synth/fill.h"

#include <stdlib.h>

/* A part of node 0's chunks that a node could get next. */
struct arrival {
	int part, node;
	uint64_t order;
};

struct late {
	struct sketch *d;
	const struct network *w;
	int parts, n_ways;
	int64_t wide;        /* of all directions */
	int64_t spare;       /* room that may stay empty */
	int64_t left;        /* arrivals to come */
	unsigned char *has;  /* [part * nodes + node] */
	size_t n, room;
	struct arrival *next;
	int *ways;           /* of one arrival */
	int64_t *holds;      /* [direction] */
	struct fill *fill;
	uint64_t random;
};

static void late_new(struct late *l, struct sketch *d, int rounds, int attempt)
{
	const struct network *w = d->g->network;
	int parts = d->i->chunks;

	*l = (struct late){.d = d, .w = w, .parts = parts, .n_ways = d->g->n_neighbours, .random = (uint64_t)attempt};
	for (int k = 0; k < l->n_ways; k++)
		l->wide += d->bandwidth[k];
	l->left = (int64_t)parts * (w->nodes - 1);
	l->spare = l->wide * rounds - l->left;
	l->has = new_array(unsigned char, (size_t)parts * (size_t)w->nodes);
	for (int p = 0; p < parts; p++)
		l->has[(size_t)p * (size_t)w->nodes] = 1;
	l->ways = new_array(int, w->n_edges);
	l->holds = new_array(int64_t, (size_t)l->n_ways);
	l->fill = fill_new(l->n_ways);
}

static void late_free(struct late *l)
{
	fill_free(l->fill);
	free(l->has);
	free(l->next);
	free(l->ways);
	free(l->holds);
}

static unsigned char *has(const struct late *l, int part, int node)
{
	return &l->has[(size_t)part * (size_t)l->w->nodes + (size_t)node];
}

/* The links that bring the part. */
static int links_to(const struct late *l, int part, int node, int *links)
{
	int n = 0;

	for (int k = l->w->in_begin[node]; k < l->w->in_begin[node + 1]; k++)
		if (*has(l, part, l->w->edges[l->w->in[k]].src))
			links[n++] = l->w->in[k];
	return n;
}

static int by_order(const void *va, const void *vb)
{
	const struct arrival *a = va, *b = vb;
	return (a->order > b->order) - (a->order < b->order);
}

static void find_arrivals(struct late *l, int step)
{
	l->n = 0;
	for (int p = 0; p < l->parts; p++)
		for (int v = 0; v < l->w->nodes; v++) {
			if (*has(l, p, v) || links_to(l, p, v, l->ways) == 0)
				continue;
			bool waits = network_distance(l->w, 0, v) <= step;
			l->next = grown(l->next, &l->room, l->n + 1, sizeof *l->next);
			l->next[l->n++] = (struct arrival){p, v, sketch_random(&l->random) >> 1 | (uint64_t)waits << 63};
		}
	if (l->n)
		qsort(l->next, l->n, sizeof *l->next, by_order);
}

/* How many get through in so many rounds. */
static int64_t let_through(struct late *l, int64_t rounds)
{
	int64_t through = 0;

	for (int k = 0; k < l->n_ways; k++)
		l->holds[k] = rounds * l->d->bandwidth[k];
	fill_begin(l->fill, l->holds);
	for (size_t i = 0; i < l->n; i++) {
		int n = links_to(l, l->next[i].part, l->next[i].node, l->ways);
		for (int k = 0; k < n; k++)
			l->ways[k] = l->d->way[l->ways[k]];
		through += fill_add(l->fill, l->ways, n);
	}
	return through;
}

/* The rounds of a step: as many as can be full, and in the last step enough for all. */
static bool choose_rounds(struct late *l, bool last, int64_t *rounds)
{
	int64_t n = (int64_t)l->n, through;

	*rounds = last ? (n + l->wide - 1) / l->wide : n / l->wide;
	for (*rounds += *rounds == 0;; *rounds += last ? 1 : -1) {
		through = let_through(l, *rounds);
		int64_t empty = *rounds * l->wide - through;
		if (empty > l->spare && (last || *rounds == 1))
			return false;
		if (last ? through == n : empty <= l->spare)
			break;
	}
	l->spare -= *rounds * l->wide - through;
	l->left -= through;
	return true;
}

static void take(struct late *l, int step)
{
	int *links = new_array(int, l->w->n_edges);

	for (size_t i = 0; i < l->n; i++) {
		int way = fill_bin(l->fill, i);
		if (way < 0)
			continue;
		int n = links_to(l, l->next[i].part, l->next[i].node, links), k = 0;
		while (k < n && l->d->way[links[k]] != way)
			k++;
		sketch_send(l->d, step, l->next[i].part * l->w->nodes, links[k]);
	}
	for (size_t i = 0; i < l->n; i++) /* not before: what comes now goes on in the next step */
		if (fill_bin(l->fill, i) >= 0)
			*has(l, l->next[i].part, l->next[i].node) = 1;
	free(links);
}

bool sketch_late(struct sketch *d, int rounds, int attempt)
{
	struct late l;
	int64_t in_step;
	bool fits = true;

	late_new(&l, d, rounds, attempt);
	for (int s = 0; s < d->steps && fits; s++) {
		find_arrivals(&l, s);
		fits = l.n == 0 || choose_rounds(&l, s == d->steps - 1, &in_step);
		if (fits && l.n)
			take(&l, s);
	}
	fits = fits && l.left == 0;
	late_free(&l);
	return fits;
}
