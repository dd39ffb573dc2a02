/*
 * Either u itself sends each of some nodes what they want of it, or one of them gets it from another node, after a chain of
 * two routes or more. Let F be the nodes to which the quickest route from u has a delay of AWAY or more, as those in other
 * boxes of a cluster, and T the time of a schedule. If T is less than the least delay of such a chain to a node of F, u has
 * sent k D over its routes into F, where k nodes of F want each of D data, so that T >= s + k D / B for the rate B of the
 * links there and the delay s around them. So T is at least the smaller of that and of the delay of the chain. Sums into v are
 * the same backwards: nothing is added up on the way, and the values of its k contributors in F come one by one.
 */

#include "simulate/time_bounding.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "simulate/cover.h"
#include "simulate/passage.h"

#include <math.h>
#include <stdlib.h>

/* Of one node, from or INTO it. */
struct direct_sends {
	struct bounding *w;
	int node;
	bool into;
	double *delay; /* [node]: the least of a route from or to it; INFINITY: there is none */
	int *part;     /* [node]: as passages have it; -1: not of these routes */
	int *copies;   /* [n]: of each chunk that counts, by how many nodes of F it is wanted, or that many contribute to it */
	size_t n;
};

static void find_delays(struct direct_sends *d)
{
	const struct fabric *f = d->w->fabric;

	for (int v = 0; v < d->w->nodes; v++)
		d->delay[v] = INFINITY;
	for (size_t r = 0; r < f->n_routes; r++) {
		int here = d->into ? f->routes[r].dst : f->routes[r].src, there = d->into ? f->routes[r].src : f->routes[r].dst;
		if (here == d->node)
			d->delay[there] = fmin(d->delay[there], route_delay(&f->routes[r]));
	}
}

static bool is_far(const struct direct_sends *d, int v, double away)
{
	return v != d->node && d->delay[v] >= away && d->delay[v] < INFINITY;
}

/* Does V want some of the chunk that begins at FROM? */
static bool needs(const struct direct_sends *d, int chunk, int v, int from)
{
	const struct collective *k = d->w->collective;
	int nodes = d->w->nodes;

	if (!collective_pre(k, nodes, chunk, from) || !collective_post(k, nodes, chunk, v))
		return false;
	return !collective_row(k)->combining || collective_wants_part(k, nodes, chunk, v, from);
}

/* Is a copy of the chunk elsewhere too? Sums need what each node has. */
static bool is_elsewhere(const struct direct_sends *d, int chunk)
{
	bool is = false;

	for (int v = 0; v < d->w->nodes && !collective_row(d->w->collective)->combining && !is; v++)
		is = v != d->node && collective_pre(d->w->collective, d->w->nodes, chunk, v);
	return is;
}

static int descending(const void *va, const void *vb)
{
	int a = *(const int *)va, b = *(const int *)vb;

	return (a < b) - (a > b);
}

static void count_copies(struct direct_sends *d, int chunks, double away)
{
	d->n = 0;
	for (int c = 0; c < chunks; c++) {
		int n = 0;
		for (int v = 0; v < d->w->nodes; v++)
			n += is_far(d, v, away) && (d->into ? needs(d, c, d->node, v) : needs(d, c, v, d->node));
		if (n >= 2 && (d->into || !is_elsewhere(d, c)))
			d->copies[d->n++] = n;
	}
	if (d->n)
		qsort(d->copies, d->n, sizeof *d->copies, descending);
}

/* The least delay of a chain of two routes or more between the node and one of F; INFINITY: there is none. */
static double chain_delay(const struct direct_sends *d, double away)
{
	const struct fabric *f = d->w->fabric;
	double least = INFINITY;

	for (size_t r = 0; r < f->n_routes; r++) {
		int far = d->into ? f->routes[r].src : f->routes[r].dst, between = d->into ? f->routes[r].dst : f->routes[r].src;
		if (between != d->node && is_far(d, far, away))
			least = fmin(least, route_delay(&f->routes[r]) + (d->into ? bounding_distance(d->w, between, d->node)
										    : bounding_distance(d->w, d->node, between)));
	}
	return least;
}

/* A bend for each number of copies, by one choice of links. */
static void add_bends(const struct direct_sends *d, const struct set_passage *p, double away, double chain)
{
	double delay = passage_delay(d->w->fabric, d->part, 1, p, NULL, NULL);

	for (size_t i = 0; i < d->n; i++) {
		double bytes = (double)(i + 1) / d->w->chunks;
		if (i + 1 < d->n && d->copies[i + 1] == d->copies[i])
			continue;
		struct time_bend b = {.early = {.latency = delay, .per_byte = d->copies[i] * bytes / p->rate}, .copies = d->copies[i]};
		b.late = chain < INFINITY ? (struct time_line){.latency = chain} : b.early;
		b.late.reason = d->into ? TIME_DIRECT_INTO : TIME_DIRECT_OUT_OF;
		b.late.node = d->node;
		b.late.away = away;
		b.late.at_end = p->last;
		b.late.over = passage_list(d->w->fabric, p, &b.late.n_over);
		bounding_add_bend(d->w, b);
	}
}

static void bound_far(struct direct_sends *d, int chunks, double away)
{
	struct set_passage p[ENDS];

	count_copies(d, chunks, away);
	if (!d->n)
		return;
	for (int v = 0; v < d->w->nodes; v++)
		d->part[v] = v == d->node ? !!d->into : is_far(d, v, away) ? !d->into : -1;
	passages_open(d->w->fabric, d->part, 1, ENDS, p);
	for (int i = 0; i < ENDS; i++)
		add_bends(d, &p[i], away, chain_delay(d, away));
	passages_close(p, ENDS);
}

/* The largest delay that is less than BELOW; 0: there is none. */
static double next_delay(const struct direct_sends *d, double below)
{
	double most = 0;

	for (int v = 0; v < d->w->nodes; v++)
		if (d->delay[v] < below && d->delay[v] > most)
			most = d->delay[v];
	return most;
}

void bound_direct(struct bounding *w)
{
	enum { DELAYS = 4 };
	static const double work_most = 1 << 26; /* chunks times pairs of nodes, and routes of each node */
	int chunks = collective_global_chunks(w->collective, w->nodes, w->chunks);
	double nodes = w->nodes, work = DELAYS * nodes * ((double)chunks * nodes + 10. * (double)w->fabric->n_routes);

	/* Where switches copy or add, one crossing may serve several nodes. */
	if (work > work_most || topology_has_abilities(w->topology))
		return;
	struct direct_sends d = {.w = w, .delay = new_array(double, (size_t)w->nodes), .part = new_array(int, (size_t)w->nodes),
			   .copies = new_array(int, (size_t)chunks)};
	for (d.node = 0; d.node < w->nodes; d.node++)
		for (int into = 0; into <= collective_row(w->collective)->combining; into++) {
			double away = INFINITY;
			d.into = into;
			find_delays(&d);
			for (int i = 0; i < DELAYS && (away = next_delay(&d, away)) > 0; i++)
				bound_far(&d, chunks, away);
		}
	free(d.delay);
	free(d.part);
	free(d.copies);
}
