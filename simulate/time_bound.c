/*
 * Bounds from four arguments. They hold for any schedule, since they use only that a message arrives the latency of its
 * route after its last byte has left, and that no link or limit carries more than its rate. What a step costs a program
 * counts as a part of the latency after the last link.
 *
 * A message sends its bytes over a resource in a window. If it starts with what was at latency x from its source, it
 * enters the resource no sooner than x, plus the latencies of its route before that resource where messages are served in
 * order. It has left the resource by the end of the schedule less the latencies from there on: with fair shares those of
 * its whole route. So the resource carries what is counted here in one window, which is shorter than the schedule by the
 * least delay before it plus the least delay after it. These two minima need not be of the same route.
 *
 * 1. Distance. What starts at u reaches v no sooner than the least sum of latencies of a chain of routes from u to v.
 *
 * 2. Ports. Consider the data that must enter v and is at least d away from all its holders. A byte of it that enters v by
 * a route of latency l was sent no sooner than d - l. The links into v, or the limits that they are under, carry all of
 * that. In the same way data that must leave u, and then has at least d to go to some node, has left u by the end less d.
 * Where values are combined, the data that must leave u are the chunks to which it contributes, once each, since its
 * contribution passes in some message of that chunk; and the data that must enter v are the chunks to which others
 * contribute, once each. simulate/time_sets.c counts what must enter a set around v in the same way.
 *
 * 3. Relays (simulate/time_relays.c). What several nodes want of u leaves it once for each of them, or is passed on early.
 *
 * 4. Cuts and prices. R/C of core/bounds counts what crosses a cut, a partition or priced links in all, over what crosses
 * at once.
 */

#include "simulate/time_bound.h"

#include "core/base/memory.h"
#include "core/bounds/bounds.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "simulate/cover.h"
#include "simulate/fabric.h"
#include "simulate/time_bounding.h"

#include <math.h>
#include <stdlib.h>

/* Data of one node that has the same distance to go. */
struct port_demand {
	double distance, bytes; /* bytes for L = 1 */
};

struct demands_of {
	size_t n, capacity;
	struct port_demand *of;
};

/* ---- 1. distances ---- */

/* Dijkstra's algorithm without a heap: most machines with many nodes join almost all pairs. */
static void find_distances(struct bounding *w, int from)
{
	const struct fabric *f = w->fabric;
	double *d = w->distance + (size_t)from * (size_t)w->nodes;
	bool *done = new_array(bool, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++)
		d[v] = v == from ? 0 : INFINITY;
	for (;;) {
		int next = -1;
		for (int v = 0; v < w->nodes; v++)
			if (!done[v] && isfinite(d[v]) && (next < 0 || d[v] < d[next]))
				next = v;
		if (next < 0)
			break;
		done[next] = true;
		for (int r = f->from[next]; r < f->from[next + 1]; r++)
			d[f->routes[r].dst] = fmin(d[f->routes[r].dst], d[next] + route_delay(&f->routes[r]));
	}
	free(done);
}

/* ---- 2. ports ---- */

static void demand(struct demands_of *to, double far, double bytes)
{
	to->of = grown(to->of, &to->capacity, to->n + 1, sizeof *to->of);
	to->of[to->n++] = (struct port_demand){far, bytes};
}

/* What a chunk that is copied asks of ports: of its only holder, and of each node that wants it. */
static void demand_copies(struct bounding *w, int chunk, double bytes)
{
	const struct collective *k = w->collective;
	int *holders = new_array(int, (size_t)w->nodes), n = 0;
	double farthest = -1;

	for (int v = 0; v < w->nodes; v++)
		if (collective_pre(k, w->nodes, chunk, v))
			holders[n++] = v;
	for (int v = 0; v < w->nodes; v++) {
		if (!collective_post(k, w->nodes, chunk, v) || collective_pre(k, w->nodes, chunk, v))
			continue;
		double least = INFINITY;
		for (int i = 0; i < n; i++)
			least = fmin(least, bounding_distance(w, holders[i], v));
		demand(&w->in[v], least, bytes);
		farthest = fmax(farthest, least);
	}
	if (n == 1 && farthest >= 0)
		demand(&w->out[holders[0]], farthest, bytes);
	free(holders);
}

/* What a chunk that is summed asks of ports: of each node that contributes to the sum of another, and of each that wants a sum. */
static void demand_sums(struct bounding *w, int chunk, double bytes)
{
	const struct collective *k = w->collective;
	double *farthest = new_array(double, (size_t)w->nodes); /* [contributor] */

	for (int u = 0; u < w->nodes; u++)
		farthest[u] = -1;
	for (int v = 0; v < w->nodes; v++) {
		double last = -1;
		for (int u = 0; u < w->nodes && collective_post(k, w->nodes, chunk, v); u++) {
			if (u == v || !collective_wants_part(k, w->nodes, chunk, v, u))
				continue;
			last = fmax(last, bounding_distance(w, u, v));
			farthest[u] = fmax(farthest[u], bounding_distance(w, u, v));
		}
		if (last >= 0)
			demand(&w->in[v], last, bytes);
	}
	for (int u = 0; u < w->nodes; u++)
		if (farthest[u] >= 0)
			demand(&w->out[u], farthest[u], bytes);
	free(farthest);
}

static int by_distance(const void *va, const void *vb)
{
	const struct port_demand *a = va, *b = vb;

	return (a->distance < b->distance) - (a->distance > b->distance);
}

static struct time_line line_over(const struct cover *c, struct time_line l)
{
	l.over = cover_list(c, &l.n_over);
	return l;
}

static void add_ports(struct bounding *w, int node, bool into)
{
	const struct fabric *f = w->fabric;
	struct demands_of *d = into ? &w->in[node] : &w->out[node];
	struct cover c = cover_new(f);
	double bytes = 0;

	for (size_t r = 0; r < f->n_routes && d->n; r++)
		if ((into ? f->routes[r].dst : f->routes[r].src) == node)
			cover_add(&c, (int)r, !into);
	double rate = cover_choose(&c);
	if (d->n)
		qsort(d->of, d->n, sizeof *d->of, by_distance);
	for (size_t i = 0; i < d->n; i++) {
		double far = d->of[i].distance;
		bytes += d->of[i].bytes;
		if (i + 1 == d->n || d->of[i + 1].distance < far)
			bounding_add(w, line_over(&c, (struct time_line){into ? cover_delay(&c, far) : far, bytes / rate,
								       into ? TIME_INTO : TIME_OUT_OF, .node = node, .away = far}));
	}
	cover_free(&c);
	free(d->of);
}

static void bound_ports(struct bounding *w)
{
	int chunks = collective_global_chunks(w->collective, w->nodes, w->chunks);

	w->in = new_array(struct demands_of, (size_t)w->nodes);
	w->out = new_array(struct demands_of, (size_t)w->nodes);
	for (int c = 0; c < chunks; c++)
		(collective_row(w->collective)->combining ? demand_sums : demand_copies)(w, c, 1. / w->chunks);
	for (int v = 0; v < w->nodes; v++) {
		add_ports(w, v, true);
		add_ports(w, v, false);
	}
	free(w->in);
	free(w->out);
}

/* ---- 4. cuts and prices ---- */

/* The least time by which the window of a resource is shorter than the schedule. */
static double least_delay(const struct fabric *f)
{
	struct delays *of = new_array(struct delays, f->n_resources);
	double least = INFINITY;

	for (size_t i = 0; i < f->n_resources; i++)
		of[i] = no_delays;
	for (size_t r = 0; r < f->n_routes; r++) {
		double before = 0;
		for (int i = f->begin[r]; i < f->begin[r + 1]; i++) {
			delays_add(&of[f->over[i]], before, route_delay(&f->routes[r]) - before);
			before += f->resources[f->over[i]].latency;
		}
	}
	for (size_t i = 0; i < f->n_resources; i++)
		least = fmin(least, of[i].before + of[i].after);
	free(of);
	return least;
}

/*
 * No unit of bandwidth carries more, in bytes per µs: R/C rounds take R/C L over that. The units of limits are not those
 * of links where small buffers slow links down.
 */
static double fastest_unit(const struct bounding *w)
{
	const struct topology *t = w->topology;
	const struct resource *of = w->fabric->resources;
	double most = 0;

	for (size_t i = 0; i < t->n_links; i++)
		most = fmax(most, of[i].rate / t->links[i].bandwidth);
	for (size_t i = 0; i < t->n_limits; i++)
		most = fmax(most, of[t->n_links + i].rate / t->limits[i].bandwidth);
	return most;
}

static bool crosses(const struct bounds *b, const struct route *r)
{
	int from = b->part[r->src], to = b->part[r->dst];

	return from != to && (b->crossing == CROSSING_BOTH || (b->crossing == CROSSING_OUT) == (from == 1));
}

/*
 * The cut of the bandwidth bound, with the rates of the links that routes across it have: where links differ in speed,
 * this is tighter than the number of its units. Each route is counted at its first links, or at its last.
 */
static void bound_cut(struct bounding *w, const struct bounds *b)
{
	const struct fabric *f = w->fabric;

	for (int first = 0; first < 2; first++) {
		struct cover c = cover_new(f);
		for (size_t r = 0; r < f->n_routes; r++)
			if (crosses(b, &f->routes[r]))
				cover_add(&c, (int)r, first);
		double rate = cover_choose(&c);
		double latency = cover_delay(&c, 0), per_byte = rational_double(b->demand) / rate;
		bounding_add(w, line_over(&c, (struct time_line){latency, per_byte, TIME_CUT, .at_end = !first}));
		cover_free(&c);
	}
}

static void bound_bandwidth(struct bounding *w, const struct bounds *b)
{
	w->cut = (struct time_line){least_delay(w->fabric), rational_double(b->bandwidth) / fastest_unit(w), .reason = TIME_ROUNDS};
	bounding_add(w, w->cut);
	if (b->parts >= 2 && !b->n_prices)
		bound_cut(w, b);
}

/* ---- all of them ---- */

/* Chunks times nodes, beyond which the ports are not counted: of an alltoall of more than about 600 nodes. */
static const double placements_most = 1 << 28;

static bool bound(struct bounding *w, const struct bounds *b, struct error *e)
{
	if (!collective_check(w->collective, w->nodes, w->chunks, e))
		return false;
	w->distance = new_array(double, (size_t)w->nodes * (size_t)w->nodes);
	for (int v = 0; v < w->nodes; v++)
		find_distances(w, v);
	bounding_add(w, (struct time_line){0});
	if ((double)collective_global_chunks(w->collective, w->nodes, w->chunks) * w->nodes <= placements_most)
		bound_ports(w);
	bound_sets(w);
	bound_relays(w);
	bound_direct(w);
	if (b && b->bandwidth.num > 0)
		bound_bandwidth(w, b);
	bounding_keep_largest(w);
	return true;
}

bool time_bound_new(const struct topology *t, const struct collective *k, const struct speeds *s, const struct bounds *bounds,
		    struct time_bound *out, struct error *e)
{
	struct fabric f;
	int chunks = collective_row(k)->chunks_in_blocks ? t->nodes : 1;
	struct collective scaled = collective_scaled(k, chunks);
	struct bounding w = {.topology = t, .collective = &scaled, .fabric = &f, .nodes = t->nodes, .chunks = chunks};
	bool ok = fabric_open(t, s, &f, e) && bound(&w, bounds, e);

	*out = (struct time_bound){.n_bends = w.n_bends, .bends = w.bends, .n = w.n, .lines = w.lines,
				   .least_latency = ok ? least_delay(&f) : 0, .cut = w.cut};
	fabric_close(&f);
	collective_free(&scaled);
	free(w.distance);
	return ok;
}

void time_bound_free(struct time_bound *b)
{
	for (size_t i = 0; i < b->n; i++)
		time_line_free(&b->lines[i]);
	for (size_t i = 0; i < b->n_bends; i++)
		time_line_free(&b->bends[i].late);
	for (size_t i = 0; i < b->n_points; i++)
		text_free(&b->points[i].claim);
	free(b->points);
	free(b->bends);
	free(b->lines);
	*b = (struct time_bound){0};
}

static double line_at(const struct time_line *l, double bytes)
{
	return l->latency + l->per_byte * bytes;
}

static const struct time_line *largest_line(const struct time_bound *b, double bytes)
{
	const struct time_line *most = &b->lines[0]; /* there is at least the one that is 0 */

	for (size_t i = 1; i < b->n; i++)
		if (line_at(&b->lines[i], bytes) > line_at(most, bytes))
			most = &b->lines[i];
	return most;
}

static double bend_at(const struct time_bend *b, double bytes)
{
	return fmin(line_at(&b->early, bytes), line_at(&b->late, bytes));
}

/* NULL: a line is the largest. */
static const struct time_bend *largest_bend(const struct time_bound *b, double bytes)
{
	double least = line_at(largest_line(b, bytes), bytes);
	const struct time_bend *most = NULL;

	for (size_t i = 0; i < b->n_bends; i++)
		if (bend_at(&b->bends[i], bytes) > (most ? bend_at(most, bytes) : least))
			most = &b->bends[i];
	return most;
}

static double largest_point(const struct time_bound *b, double bytes)
{
	double most = 0;

	for (size_t i = 0; i < b->n_points; i++)
		if ((double)b->points[i].bytes <= bytes)
			most = fmax(most, b->points[i].microseconds);
	return most;
}

static double without_points(const struct time_bound *b, double bytes)
{
	const struct time_bend *most = largest_bend(b, bytes);

	return most ? bend_at(most, bytes) : line_at(largest_line(b, bytes), bytes);
}

const struct time_line *time_bound_line(const struct time_bound *b, double bytes)
{
	const struct time_bend *most = largest_bend(b, bytes);

	if (largest_point(b, bytes) > without_points(b, bytes))
		return NULL;
	return most ? &most->late : largest_line(b, bytes);
}

double time_bound_at(const struct time_bound *b, double bytes)
{
	return fmax(without_points(b, bytes), largest_point(b, bytes));
}

double time_bound_cut(const struct time_bound *b, double bytes)
{
	return line_at(&b->cut, bytes);
}
