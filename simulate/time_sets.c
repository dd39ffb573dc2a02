/*
 * What is for a node z and begins outside a set around it must enter the set, by a route from some x to some y: when what
 * is counted can have got to x, and while it can still get from y to z. So the links into a box of a cluster have to be
 * done early enough for the last hop inside, and a set shows more than its cut alone.
 *
 * The sets are the parts of the machine that hang together by routes of less delay than some: boxes, and racks of boxes.
 */

#include "simulate/time_bounding.h"

#include "core/base/memory.h"
#include "core/schedule/collective.h"
#include "simulate/cover.h"

#include <math.h>
#include <stdlib.h>

/* A set, as a part of a partition, and what is for one node of it. */
struct into_set {
	const int *part; /* [node]: the number of its part; borrowed, as is `of` */
	int number, node;
	const struct bounding *of;
	size_t n, capacity;
	struct set_arrival {
		int chunk;
		double distance; /* from its holders, or from the farthest contributor */
	} *arrivals;             /* owned */
};

static bool combines(const struct bounding *w)
{
	return collective_row(w->collective)->combining;
}

/* Does the node's input have what counts as this chunk from outside: a copy, or a contribution? */
static bool is_source(const struct into_set *s, int chunk, int v)
{
	const struct bounding *w = s->of;

	return s->part[v] != s->number && collective_pre(w->collective, w->nodes, chunk, v) &&
	       (!combines(w) || collective_wants_part(w->collective, w->nodes, chunk, s->node, v));
}

/* Notes the chunk if it must get into the set for the node. */
static void note(struct into_set *s, int chunk)
{
	const struct bounding *w = s->of;
	double least = INFINITY, most = -1;

	if (!collective_post(w->collective, w->nodes, chunk, s->node))
		return;
	for (int v = 0; v < w->nodes; v++) {
		if (is_source(s, chunk, v)) {
			least = fmin(least, bounding_distance(w, v, s->node));
			most = fmax(most, bounding_distance(w, v, s->node));
		} else if (!combines(w) && collective_pre(w->collective, w->nodes, chunk, v))
			return;
	}
	if (most < 0)
		return;
	s->arrivals = grown(s->arrivals, &s->capacity, s->n + 1, sizeof *s->arrivals);
	s->arrivals[s->n++] = (struct set_arrival){chunk, combines(w) ? most : least};
}

static int farthest_first(const void *va, const void *vb)
{
	const struct set_arrival *a = va, *b = vb;

	return a->distance != b->distance ? (a->distance < b->distance) - (a->distance > b->distance) : a->chunk - b->chunk;
}

/* FROM [node]: when something of the first N arrivals that is AWAY can be there. */
static void find_first(const struct into_set *s, size_t n, double away, double *from)
{
	const struct bounding *w = s->of;
	bool *is_from = new_array(bool, (size_t)w->nodes);

	for (size_t i = 0; i < n; i++)
		for (int v = 0; v < w->nodes; v++)
			is_from[v] = is_from[v] || (bounding_distance(w, v, s->node) >= away && is_source(s, s->arrivals[i].chunk, v));
	for (int x = 0; x < w->nodes; x++) {
		from[x] = INFINITY;
		for (int v = 0; v < w->nodes; v++)
			if (is_from[v])
				from[x] = fmin(from[x], bounding_distance(w, v, x));
	}
	free(is_from);
}

static bool enters(const struct into_set *s, const struct route *r)
{
	return s->part[r->src] != s->number && s->part[r->dst] == s->number;
}

/* By how much any window of the cover is shorter than the schedule, given FROM. */
static double window_delay(const struct into_set *s, const struct cover *c, bool first, const double *from)
{
	const struct fabric *f = c->fabric;
	struct delays *in_order = new_array(struct delays, f->n_resources), *shared = new_array(struct delays, f->n_resources);
	double least = INFINITY;

	for (size_t i = 0; i < f->n_resources; i++)
		in_order[i] = shared[i] = no_delays;
	for (size_t i = 0; i < f->n_routes; i++) {
		const struct route *r = &f->routes[i];
		if (!enters(s, r))
			continue;
		struct crossed at = cover_crossed(c, (int)i, first);
		double to = bounding_distance(s->of, r->dst, s->node);
		delays_add(&in_order[at.resource], from[r->src] + at.before, at.after + to);
		delays_add(&shared[at.resource], from[r->src], at.before + at.after + to);
	}
	for (size_t i = 0; i < f->n_resources; i++)
		if (c->taken[i])
			least = fmin(least, fmin(in_order[i].before + in_order[i].after, shared[i].before + shared[i].after));
	free(in_order);
	free(shared);
	return least;
}

static bool *inside_of(const struct into_set *s)
{
	bool *inside = new_array(bool, (size_t)s->of->nodes);

	for (int v = 0; v < s->of->nodes; v++)
		inside[v] = s->part[v] == s->number;
	return inside;
}

/* The lines of a set, with routes counted at their first or last links. */
static void add_lines(struct bounding *w, const struct into_set *s, bool first)
{
	struct cover c = cover_new(w->fabric);
	double *from = new_array(double, (size_t)w->nodes);

	for (size_t r = 0; r < w->fabric->n_routes; r++)
		if (enters(s, &w->fabric->routes[r]))
			cover_add(&c, (int)r, first);
	double rate = cover_choose(&c);
	for (size_t i = 0; i < s->n; i++) {
		double away = s->arrivals[i].distance;
		if (i + 1 < s->n && s->arrivals[i + 1].distance >= away)
			continue;
		find_first(s, i + 1, away, from);
		struct time_line l = {window_delay(s, &c, first, from), (double)(i + 1) / w->chunks / rate, TIME_INTO, .node = s->node, .away = away,
				      .at_end = !first, .inside = inside_of(s)};
		l.over = cover_list(&c, &l.n_over);
		bounding_add(w, l);
	}
	cover_free(&c);
	free(from);
}

static void add_set(struct bounding *w, const int *part, int number, int node)
{
	struct into_set s = {.part = part, .number = number, .node = node, .of = w};
	int chunks = collective_global_chunks(w->collective, w->nodes, w->chunks);

	for (int c = 0; c < chunks; c++)
		note(&s, c);
	if (s.n)
		qsort(s.arrivals, s.n, sizeof *s.arrivals, farthest_first);
	add_lines(w, &s, true);
	add_lines(w, &s, false);
	free(s.arrivals);
}

/* ---- the sets ---- */

/* PART [node]: the number of the part that it is in if only routes of less delay than MOST join nodes. Returns how many parts. */
static int find_parts(const struct bounding *w, double most, int *part)
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
				if (part[to] < 0 && route_delay(&f->routes[r]) < most) {
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

static int ascending(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return (a > b) - (a < b);
}

/* The different delays of routes but the least, ascending; the caller frees them. */
static double *thresholds(const struct fabric *f, size_t *n)
{
	double *all = new_array(double, f->n_routes);
	size_t different = 0;

	for (size_t r = 0; r < f->n_routes; r++)
		all[r] = route_delay(&f->routes[r]);
	qsort(all, f->n_routes, sizeof *all, ascending);
	for (size_t r = 1; r < f->n_routes; r++)
		if (all[r] > all[r - 1] * (1 + 1e-9))
			all[different++] = all[r];
	*n = different;
	return all;
}

/* Work, in chunks times nodes, for all sets. */
static const double sets_most = 1 << 26;

void bound_sets(struct bounding *w)
{
	double one = (double)collective_global_chunks(w->collective, w->nodes, w->chunks) * w->nodes + (double)w->nodes * w->nodes, spent = 0;
	int *part = new_array(int, (size_t)w->nodes), before = w->nodes;
	size_t n;
	double *most = thresholds(w->fabric, &n);

	for (size_t i = 0; i < n; i++) {
		int parts = find_parts(w, most[i], part);
		if (parts == before || parts == 1) /* single nodes are ports */
			continue;
		before = parts;
		for (int v = 0; v < w->nodes && (spent += one) <= sets_most; v++)
			add_set(w, part, part[v], v);
	}
	free(most);
	free(part);
}
