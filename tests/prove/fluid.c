/*
 * Columns of the program are the ways in which a byte of a chunk can be sent, over which routes and in which ticks, and its rows what
 * links and limits carry in a tick. The ways are found by trying everything; to leave some out only makes the result smaller.
 */

#include "tests/prove/fluid.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/graph/linear_program.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "core/schedule/step_overhead.h"
#include "simulate/fabric.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOPS_MAX = 3, NODES_MOST = 4, SENDS_MOST = 6, COLUMNS_MOST = 20000 };

/* ---- how a byte can be sent ---- */

/* A send over a route: the ticks in which it crosses its links, and that in which it arrives. */
struct way {
	int route, crosses[HOPS_MAX], arrives;
};

struct fluid {
	struct fabric fabric;
	struct collective collective; /* scaled to `chunks` */
	int nodes, chunks, ticks;
	bool combines;
	size_t n_ways, ways_capacity;
	struct way *ways; /* by the first tick */
	uint64_t chance;
	int chunk;        /* at hand */
	bool wanted[NODES_MOST];
	int full;         /* the contributions to the sum that is wanted */
	/* Of a linear program: columns by row and value. */
	int n_columns, *begin, *rows;
	double *values;
	size_t begins_capacity, rows_capacity, values_capacity;
};

static int ticks_of(double us)
{
	return (int)lround(us * TICKS_PER_US);
}

/* Lists what crosses the hops from HOP on, the next no sooner than TICK. A hop is its limits, then its link. */
static void list_ways(struct fluid *f, struct way w, int hop, int over, int tick, bool at_once)
{
	const struct fabric *of = &f->fabric;
	const struct route *r = &of->routes[w.route];

	if (over == of->begin[w.route + 1]) {
		w.arrives = at_once ? w.crosses[0] + ticks_of(r->latency + r->step) : tick + ticks_of(r->step);
		if (w.arrives >= f->ticks)
			return;
		f->ways = grown(f->ways, &f->ways_capacity, f->n_ways + 1, sizeof *f->ways);
		f->ways[f->n_ways++] = w;
		return;
	}
	int link = over;
	while (of->over[link] >= (int)of->n_links)
		link++;
	int latency = ticks_of(of->resources[of->over[link]].latency), last = hop && at_once ? w.crosses[0] : f->ticks - 1;
	for (w.crosses[hop] = hop && at_once ? w.crosses[0] : tick; w.crosses[hop] <= last; w.crosses[hop]++)
		list_ways(f, w, hop + 1, link + 1, w.crosses[hop] + latency, at_once);
}

static int by_tick(const void *va, const void *vb)
{
	const struct way *a = va, *b = vb;
	int first = a->crosses[0] - b->crosses[0];

	return first ? first : a->route - b->route;
}

/* A message has all of its route at once, as with fair shares, and the latencies after it; or one link after another, in order. */
static void list_all_ways(struct fluid *f, bool at_once)
{
	for (size_t r = 0; r < f->fabric.n_routes; r++)
		list_ways(f, (struct way){.route = (int)r}, 0, f->fabric.begin[r], 0, at_once);
	if (f->n_ways)
		qsort(f->ways, f->n_ways, sizeof *f->ways, by_tick);
}

/* ---- patterns ---- */

/* What has been sent of a byte: the ways, and for each node what it has, and when. */
struct sent {
	int n;
	const struct way *way[SENDS_MOST];
	int at[NODES_MOST];    /* copies: the tick in which it arrives; -1: not */
	int carries[SENDS_MOST]; /* sums: the contributions */
};

static void add_entry(struct fluid *f, int row, double value)
{
	for (int i = f->begin[f->n_columns]; i < f->begin[f->n_columns + 1]; i++)
		if (f->rows[i] == row) {
			f->values[i] += value;
			return;
		}
	int n = f->begin[f->n_columns + 1]++;
	f->rows = grown(f->rows, &f->rows_capacity, (size_t)n + 1, sizeof *f->rows);
	f->values = grown(f->values, &f->values_capacity, (size_t)n + 1, sizeof *f->values);
	f->rows[n] = row;
	f->values[n] = value;
}

/* Rows: each chunk, then [resource][tick]. */
static int row_of(const struct fluid *f, int resource, int tick)
{
	return collective_global_chunks(&f->collective, f->nodes, f->chunks) + resource * f->ticks + tick;
}

static void begin_column(struct fluid *f)
{
	f->begin = grown(f->begin, &f->begins_capacity, (size_t)f->n_columns + 2, sizeof *f->begin);
	f->begin[f->n_columns + 1] = f->begin[f->n_columns];
}

static void add_pattern(struct fluid *f, const struct sent *s)
{
	begin_column(f);
	add_entry(f, f->chunk, 1);
	for (int i = 0; i < s->n; i++) {
		const struct way *w = s->way[i];
		int hop = 0;
		for (int k = f->fabric.begin[w->route]; k < f->fabric.begin[w->route + 1]; k++) {
			add_entry(f, row_of(f, f->fabric.over[k], w->crosses[hop]), 1);
			hop += f->fabric.over[k] < (int)f->fabric.n_links;
		}
	}
	f->n_columns++;
}

static bool is_over(const struct fluid *f)
{
	return f->n_columns >= COLUMNS_MOST * (f->chunk + 1);
}

static void try_copies(struct fluid *f, const struct sent *s, size_t from)
{
	bool done = true;

	for (int v = 0; v < f->nodes; v++)
		done = done && (!f->wanted[v] || s->at[v] >= 0);
	if (done) {
		add_pattern(f, s);
		return;
	}
	for (size_t i = from; i < f->n_ways && s->n < f->nodes - 1 && !is_over(f); i++) {
		const struct way *w = &f->ways[i];
		const struct route *r = &f->fabric.routes[w->route];
		if (s->at[r->src] < 0 || s->at[r->src] > w->crosses[0] || s->at[r->dst] >= 0)
			continue;
		struct sent next = *s;
		next.way[next.n++] = w;
		next.at[r->dst] = w->arrives;
		try_copies(f, &next, i + 1);
	}
}

/* What node V has of a sum in a tick: its own contribution and all that has arrived. */
static int value_at(const struct fluid *f, const struct sent *s, int v, int tick)
{
	int value = collective_pre(&f->collective, f->nodes, f->chunk, v) ? 1 << v : 0;

	for (int i = 0; i < s->n; i++)
		if (f->fabric.routes[s->way[i]->route].dst == v && s->way[i]->arrives <= tick)
			value |= s->carries[i];
	return value;
}

static void try_sums(struct fluid *f, const struct sent *s, size_t from)
{
	bool done = true;

	for (int v = 0; v < f->nodes; v++)
		done = done && (!f->wanted[v] || value_at(f, s, v, f->ticks) == f->full);
	if (done) {
		add_pattern(f, s);
		return;
	}
	for (size_t i = from; i < f->n_ways && s->n < SENDS_MOST && !is_over(f); i++) {
		const struct way *w = &f->ways[i];
		const struct route *r = &f->fabric.routes[w->route];
		int carries = value_at(f, s, r->src, w->crosses[0]), there = value_at(f, s, r->dst, f->ticks);
		bool adds = !(there & carries), replaces = carries == f->full && there != f->full;
		if (!carries || !(adds || replaces) || (s->n >= 2 && random_below(&f->chance, 4))) /* of those of many sends, a sample */
			continue;
		struct sent next = *s;
		next.carries[next.n] = carries;
		next.way[next.n++] = w;
		try_sums(f, &next, i + 1);
	}
}

static void try_chunk(struct fluid *f, int chunk)
{
	struct sent none = {0};

	f->chunk = chunk;
	f->full = 0;
	for (int v = 0; v < f->nodes; v++) {
		bool has = collective_pre(&f->collective, f->nodes, chunk, v);
		f->wanted[v] = collective_post(&f->collective, f->nodes, chunk, v);
		none.at[v] = has ? 0 : -1;
		f->full |= has << v;
	}
	(f->combines ? try_sums : try_copies)(f, &none, 0);
}

/* ---- the most bytes ---- */

static double solve_fluid(struct fluid *f)
{
	int chunks = collective_global_chunks(&f->collective, f->nodes, f->chunks);
	struct linear *l = linear_new();
	double most = 0, *zeros = new_array(double, (size_t)f->n_columns + 1), *high = new_array(double, (size_t)f->n_columns + 1);
	double *cost = new_array(double, (size_t)f->n_columns + 1);

	for (int c = 0; c < chunks; c++)
		linear_row(l, 0, 0, 0, NULL, NULL);
	for (size_t q = 0; q < f->fabric.n_resources; q++)
		for (int i = 0; i < f->ticks; i++)
			linear_row(l, -linear_infinity, f->fabric.resources[q].rate / TICKS_PER_US, 0, NULL, NULL);
	begin_column(f); /* the bytes of an input: each chunk is a part of them */
	for (int c = 0; c < chunks; c++)
		add_entry(f, c, -1. / f->chunks);
	cost[f->n_columns++] = -1;
	for (int c = 0; c < f->n_columns; c++)
		high[c] = linear_infinity;
	linear_columns(l, f->n_columns, cost, zeros, high, f->begin, f->rows, f->values);
	if (linear_solve(l))
		most = -linear_cost(l);
	linear_free(l);
	free(zeros);
	free(high);
	free(cost);
	return most;
}

static double most_bytes(const struct topology *t, const struct collective *k, const struct speeds *speeds, int ticks, bool at_once)
{
	struct error e = {0};
	struct fluid f = {.nodes = t->nodes, .ticks = ticks, .combines = collective_row(k)->combining};

	f.chance = random_start(1);
	f.chunks = collective_row(k)->chunks_in_blocks ? t->nodes : 1;
	f.collective = collective_scaled(k, f.chunks);
	if (!fabric_open(t, speeds, &f.fabric, &e))
		abort();
	list_all_ways(&f, at_once);
	f.begin = grown(NULL, &f.begins_capacity, 1, sizeof *f.begin);
	f.begin[0] = 0;
	for (int c = 0; c < collective_global_chunks(&f.collective, f.nodes, f.chunks); c++)
		try_chunk(&f, c);
	double most = solve_fluid(&f);
	fabric_close(&f.fabric);
	collective_free(&f.collective);
	free(f.ways);
	free(f.begin);
	free(f.rows);
	free(f.values);
	return most;
}

double fluid_bytes(const struct topology *t, const struct collective *k, struct rational step, int ticks)
{
	const struct step_overhead overhead = {.us = step};
	const struct speeds speeds = {.alpha = -1, .step = &overhead};

	return fmax(most_bytes(t, k, &speeds, ticks, false), most_bytes(t, k, &speeds, ticks, true));
}
