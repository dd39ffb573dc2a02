/*
 * Data that begin outside a set of nodes, and that nodes inside want, must enter the set, by a route from some x to some y:
 * no sooner than they can have reached x, and early enough to get from y to a node that wants them. So the links into a box
 * of a cluster must be done early enough for the last hop inside, and a set shows more than its cut alone. A line counts the
 * data for one node of the set, or for any.
 *
 * The sets are the parts of the machine that are connected by routes of less delay, or of a higher rate, than some limit:
 * boxes, and racks of boxes.
 */

#include "simulate/time_bounding.h"

#include "core/base/memory.h"
#include "core/schedule/collective.h"
#include "simulate/cover.h"
#include "simulate/passage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A set, as a part of a partition, and the chunks that must enter it. */
struct into_set {
	const int *part; /* [node]: the number of its part; borrowed, as is `of` */
	int number, node; /* node -1: for any */
	const struct bounding *of;
	size_t n, capacity;
	struct set_arrival {
		int chunk;
		double distance; /* the largest, to a node that wants it, from its nearest holder or its farthest contributor */
	} *arrivals;             /* owned */
};

static bool combines(const struct bounding *w)
{
	return collective_row(w->collective)->combining;
}

/* May the chunk be counted for V: a node of the set that wants it and does not begin with it? A sum is never there before. */
static bool is_for(const struct into_set *s, int chunk, int v)
{
	const struct bounding *w = s->of;

	return s->part[v] == s->number && (s->node < 0 || v == s->node) && collective_post(w->collective, w->nodes, chunk, v) &&
	       (combines(w) || !collective_pre(w->collective, w->nodes, chunk, v));
}

/* Does U begin with something of this chunk for V: a copy, or a contribution? */
static bool has(const struct into_set *s, int chunk, int u, int v)
{
	const struct bounding *w = s->of;

	return u != v && collective_pre(w->collective, w->nodes, chunk, u) &&
	       (!combines(w) || collective_wants_part(w->collective, w->nodes, chunk, v, u));
}

/*
 * How far what must come to V from outside has to go: a copy may come from the nearest holder, contributions must come from
 * all. Negative: nothing must come.
 */
static double away_from(const struct into_set *s, int chunk, int v)
{
	const struct bounding *w = s->of;
	double least = INFINITY, most = -1;

	for (int u = 0; u < w->nodes; u++) {
		if (!has(s, chunk, u, v))
			continue;
		if (s->part[u] != s->number) {
			least = fmin(least, bounding_distance(w, u, v));
			most = fmax(most, bounding_distance(w, u, v));
		} else if (!combines(w))
			return -1;
	}
	return combines(w) || most < 0 ? most : least;
}

/* Notes the chunk if it must get into the set. */
static void note(struct into_set *s, int chunk)
{
	double most = -1;

	for (int v = 0; v < s->of->nodes; v++)
		if (is_for(s, chunk, v))
			most = fmax(most, away_from(s, chunk, v));
	if (most < 0)
		return;
	s->arrivals = grown(s->arrivals, &s->capacity, s->n + 1, sizeof *s->arrivals);
	s->arrivals[s->n++] = (struct set_arrival){chunk, most};
}

static int farthest_first(const void *va, const void *vb)
{
	const struct set_arrival *a = va, *b = vb;

	return a->distance != b->distance ? (a->distance < b->distance) - (a->distance > b->distance) : a->chunk - b->chunk;
}

/* The times at which nodes can have, and can still pass on, what is counted. */
struct ways {
	double *from, *to; /* [node]: the least time from where it begins, and to where it is wanted; owned */
};

/* Those of the first N arrivals, as far as they have at least AWAY to go. */
static void find_ways(const struct into_set *s, size_t n, double away, struct ways *out)
{
	const struct bounding *w = s->of;
	bool *is_from = new_array(bool, (size_t)w->nodes), *is_to = new_array(bool, (size_t)w->nodes);

	for (size_t i = 0; i < n; i++)
		for (int v = 0; v < w->nodes; v++) {
			int chunk = s->arrivals[i].chunk;
			if (!is_for(s, chunk, v) || away_from(s, chunk, v) < away)
				continue;
			is_to[v] = true;
			for (int u = 0; u < w->nodes; u++)
				is_from[u] = is_from[u] || (s->part[u] != s->number && has(s, chunk, u, v) &&
							    bounding_distance(w, u, v) >= away);
		}
	for (int x = 0; x < w->nodes; x++) {
		out->from[x] = out->to[x] = INFINITY;
		for (int v = 0; v < w->nodes; v++) {
			out->from[x] = is_from[v] ? fmin(out->from[x], bounding_distance(w, v, x)) : out->from[x];
			out->to[x] = is_to[v] ? fmin(out->to[x], bounding_distance(w, x, v)) : out->to[x];
		}
	}
	free(is_from);
	free(is_to);
}

static bool *inside_of(const struct into_set *s)
{
	bool *inside = new_array(bool, (size_t)s->of->nodes);

	for (int v = 0; v < s->of->nodes; v++)
		inside[v] = s->part[v] == s->number;
	return inside;
}

static void add_lines(struct bounding *w, const struct into_set *s, const struct set_passage *p, double *left)
{
	struct ways by = {new_array(double, (size_t)w->nodes), new_array(double, (size_t)w->nodes)};

	for (size_t i = 0; i < s->n; i++) {
		double away = s->arrivals[i].distance;
		if (i + 1 < s->n && s->arrivals[i + 1].distance >= away)
			continue;
		*left -= (double)(i + 1) * w->nodes * (s->node < 0 ? w->nodes : 2);
		if (*left < 0)
			break;
		find_ways(s, i + 1, away, &by);
		for (int k = 0; k < PASSAGES; k++) {
			double delay = passage_delay(w->fabric, s->part, s->number, &p[k], by.from, by.to);
			struct time_line l = {delay, (double)(i + 1) / w->chunks / p[k].rate, TIME_INTO, .node = s->node,
					      .away = away, .at_end = p[k].last, .inside = inside_of(s)};
			l.over = passage_list(w->fabric, &p[k], &l.n_over);
			bounding_add(w, l);
		}
	}
	free(by.from);
	free(by.to);
}

static void add_set(struct bounding *w, const int *part, int number, int node, const struct set_passage *p, double *left)
{
	struct into_set s = {.part = part, .number = number, .node = node, .of = w};
	int chunks = collective_global_chunks(w->collective, w->nodes, w->chunks);

	for (int c = 0; c < chunks; c++)
		note(&s, c);
	if (s.n)
		qsort(s.arrivals, s.n, sizeof *s.arrivals, farthest_first);
	add_lines(w, &s, p, left);
	free(s.arrivals);
}

/* ---- the sets ---- */

/* Which routes join nodes to a part: those whose merit is above LIMIT. */
struct part_rule {
	bool by_rate;
	double limit;
};

/* Larger for a higher rate, or for less delay. */
static double merit(const struct route *r, bool by_rate)
{
	return by_rate ? r->rate : -route_delay(r);
}

/* PART [node]: the number of the part that it is in. Returns how many there are. */
static int find_parts(const struct bounding *w, struct part_rule j, int *part)
{
	const struct fabric *f = w->fabric;
	int n = 0, *stack = new_array(int, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++)
		part[v] = -1;
	for (int first = 0; first < w->nodes; first++) {
		int depth = 0;
		if (part[first] >= 0)
			continue;
		part[first] = n;
		stack[depth++] = first;
		while (depth) {
			int v = stack[--depth];
			for (int r = f->from[v]; r < f->from[v + 1]; r++) {
				int to = f->routes[r].dst;
				if (part[to] < 0 && merit(&f->routes[r], j.by_rate) > j.limit) {
					part[to] = n;
					stack[depth++] = to;
				}
			}
		}
		n++;
	}
	free(stack);
	return n;
}

static int descending(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return (a < b) - (a > b);
}

/* The different merits of routes, from the second best to the worst; the caller frees them. */
static double *limits_of(const struct fabric *f, bool by_rate, size_t *n)
{
	double *all = new_array(double, f->n_routes);
	size_t different = 0;

	for (size_t r = 0; r < f->n_routes; r++)
		all[r] = merit(&f->routes[r], by_rate);
	qsort(all, f->n_routes, sizeof *all, descending);
	for (size_t r = 1; r < f->n_routes; r++)
		if (all[r] < all[r - 1] - 1e-9 * fabs(all[r]))
			all[different++] = all[r];
	*n = different;
	return all;
}

/* The most work, in chunks times nodes, for all sets. */
static const double sets_most = 1 << 26;

/* Sets of one node are left to the bounds by ports (simulate/time_bound.c). */
static bool is_single(const struct bounding *w, const int *part, int number)
{
	int n = 0;

	for (int v = 0; v < w->nodes; v++)
		n += part[v] == number;
	return n == 1;
}

static void bound_parts(struct bounding *w, const int *part, int parts, double *left)
{
	double nodes = w->nodes, one = collective_global_chunks(w->collective, w->nodes, w->chunks) * nodes + nodes * nodes;

	for (int number = 0; number < parts && *left > 0; number++) {
		struct set_passage p[PASSAGES];
		if (is_single(w, part, number))
			continue;
		passages_open(w->fabric, part, number, PASSAGES, p);
		*left -= one * nodes / parts;
		add_set(w, part, number, -1, p, left);
		for (int v = 0; v < w->nodes && *left > 0; v++)
			if (part[v] == number) {
				*left -= one;
				add_set(w, part, number, v, p, left);
			}
		passages_close(p, PASSAGES);
	}
}

void bound_sets(struct bounding *w)
{
	int *part = new_array(int, (size_t)w->nodes), *before = new_array(int, (size_t)w->nodes);
	double left = sets_most;

	for (int by_rate = 0; by_rate < 2; by_rate++) {
		size_t n;
		double *limits = limits_of(w->fabric, by_rate, &n);
		for (size_t i = 0; i < n; i++) {
			int parts = find_parts(w, (struct part_rule){by_rate, limits[i]}, part);
			bool is_new = memcmp(part, before, (size_t)w->nodes * sizeof *part) != 0;
			if (parts < w->nodes && parts > 1 && is_new)
				bound_parts(w, part, parts, &left);
			memcpy(before, part, (size_t)w->nodes * sizeof *part);
		}
		free(limits);
	}
	free(part);
	free(before);
}
