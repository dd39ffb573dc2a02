/*
 * The time T of a schedule is divided into slots, at the sums of delays from its beginning and before its end. Prices p_q(i) of
 * bytes that cross resource q in slot i show that T is too short, if what all chunks pay at least is more than all resources can
 * take in, the sum of p_q(i) times rate and length of slot i. What a chunk pays at least is shown as for the purchase of a good by
 * one node from another. A copy is worth w(v) at the end to each node v that wants it; and a node that has it in slot i asks a toll
 * t_r(i), falling in i, of whoever gets it over route r from there. So having it in slot i is worth
 *
 *     V_v(i) = w(v) + sum over the routes r out of v of t_r(i),
 *
 * and a send over r in slot i that arrives in slot j is worth at most what it costs: V_v(j) <= t_r(i) + the prices of r in slot i.
 * Added up over the sends by which each node first gets the chunk, the tolls cancel, and the sum of all w is at most what the
 * chunk pays. Where values are added up, the sends that bring a node's contribution to others carry those of others too: then the
 * prices are divided among the contributors. The best prices are a linear program. Its solution is rounded to integers, with
 * which prove/time_expanded.c checks it.
 */

#include "simulate/time_expansion.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "simulate/cover.h"
#include "simulate/time_bound.h"

#include <math.h>
#include <stdlib.h>

/* ---- what is asked ---- */

static bool has(const struct expansion *x, int chunk, int node)
{
	return collective_pre(&x->collective, x->nodes, chunk, node);
}

static void list_goods(struct expansion *x)
{
	int chunks = collective_global_chunks(&x->collective, x->nodes, x->chunks);
	size_t capacity = 0;

	for (int c = 0; c < chunks; c++) {
		int holders = 0;
		for (int u = 0; u < x->nodes; u++)
			holders += has(x, c, u);
		for (int u = 0; u < x->nodes; u++) {
			bool wanted = false;
			for (int v = 0; v < x->nodes && has(x, c, u) && (x->combines || holders == 1); v++)
				wanted = wanted || expansion_wants(x, (struct good){c, u}, v);
			if (!wanted)
				continue;
			x->goods = grown(x->goods, &capacity, x->n_goods + 1, sizeof *x->goods);
			x->goods[x->n_goods++] = (struct good){c, u};
		}
	}
}

/* Delays in units of time; false: they are no multiples of it. */
static bool find_delays(struct expansion *x)
{
	static const double tolerance = 1e-6, most = 1e12;
	bool exact = true;

	x->delay = new_array(int64_t, x->fabric->n_routes);
	for (size_t r = 0; r < x->fabric->n_routes && exact; r++) {
		double units = route_delay(&x->fabric->routes[r]) * UNIT;
		exact = units > 0 && units < most && fabs(units - round(units)) < tolerance;
		x->delay[r] = exact ? llround(units) : 0;
	}
	return exact;
}

/*
 * Prices are of what routes begin with, a link or the limit that it is under, which carries no more than its rate of what starts in a
 * slot. What crosses a link farther on may have waited before it, and so cross the links of its route in different slots.
 */
static void choose_resources(struct expansion *x)
{
	const struct fabric *f = x->fabric;
	bool *used = new_array(bool, f->n_resources);

	x->priced = new_array(bool, f->n_resources);
	for (size_t i = 0; i < f->n_resources; i++)
		x->priced[i] = true;
	for (size_t r = 0; r < f->n_routes; r++) {
		bool first = true;
		for (int i = f->begin[r]; i < f->begin[r + 1]; i++) {
			size_t q = (size_t)f->over[i];
			x->priced[q] = x->priced[q] && first;
			used[q] = true;
			first = false; /* limits come before their link */
		}
	}
	for (size_t i = 0; i < f->n_resources; i++)
		x->priced[i] = x->priced[i] && used[i];
	free(used);
}

/* ---- slots ---- */

static int by_time(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Sorts N times, each once; returns how many are left. */
static int sort_times(int64_t *of, int n)
{
	int left = 0;

	qsort(of, (size_t)n, sizeof *of, by_time);
	for (int i = 0; i < n; i++)
		if (!left || of[i] != of[left - 1])
			of[left++] = of[i];
	return left;
}

/* Begins slots at all sums of delays below T, and as long before T. False: there are too many. */
static bool divide(struct expansion *x, int64_t t)
{
	enum { SUMS = SLOTS_MAX / 2 };
	int64_t sums[SUMS + 1], times[2 * SUMS + 2];
	int n = 1;

	sums[0] = 0;
	for (int i = 0; i < n; i++)
		for (size_t r = 0; r < x->fabric->n_routes; r++) {
			int64_t sum = sums[i] + x->delay[r];
			bool known = sum >= t;
			for (int k = 0; k < n && !known; k++)
				known = sums[k] == sum;
			if (known)
				continue;
			if (n > SUMS)
				return false;
			sums[n++] = sum;
		}
	int both = 0;
	for (int i = 0; i < n; i++) {
		times[both++] = sums[i];
		times[both++] = t - sums[i];
	}
	both = sort_times(times, both);
	if (both > SLOTS_MAX + 1)
		return false;
	x->slots = both - 1;
	for (int i = 0; i < both; i++)
		x->begin[i] = times[i];
	return true;
}

/* ---- how long it takes ---- */

/* The same as expansion_solve for T. If that shows it for BYTES, *CLAIM is replaced by the line. */
static double bytes_in(struct expansion *x, int64_t bytes, int64_t t, struct text *claim)
{
	static const double margin = 1 + 1e-9;

	if (!divide(x, t))
		return INFINITY;
	double shown = expansion_solve(x) * margin;
	if (shown < (double)bytes) {
		text_free(claim);
		expansion_write(x, bytes, claim);
	}
	expansion_forget(x);
	return shown;
}

/* A time at which the program is solved, and what it shows. */
struct solved {
	int64_t t;
	double bytes;
};

/* Between two times: in the middle, or where BYTES would be if they grew evenly. */
static int64_t between(struct solved low, struct solved high, int64_t bytes, bool evenly)
{
	static const double before = 1e-5; /* so that it is still shown */
	double part = evenly && isfinite(high.bytes) ? ((double)bytes - low.bytes) / (high.bytes - low.bytes) - before : 0.5;
	int64_t t = low.t + (int64_t)(part * (double)(high.t - low.t));

	return t > low.t ? t : low.t + 1;
}

/* The longest time that is shown for so many bytes is looked for up to twice what is known. */
static bool expand(struct expansion *x, int64_t bytes, double known, struct time_point *out)
{
	enum { TRIES = 8 };
	static const double little = 1.001; /* a gain below which there is no certificate, and no further try */
	struct solved low = {.t = (int64_t)ceil(known * little * UNIT)}, high = {2 * low.t, INFINITY};

	*out = (struct time_point){.bytes = bytes};
	low.bytes = bytes_in(x, bytes, low.t, &out->claim);
	if (low.bytes >= (double)bytes)
		return false;
	for (int i = 0; i < TRIES && (double)high.t > little * (double)low.t && !stop_is_due(); i++) {
		struct solved now = {.t = between(low, high, bytes, i % 2)};
		now.bytes = bytes_in(x, bytes, now.t, &out->claim);
		*(now.bytes < (double)bytes ? &low : &high) = now;
	}
	out->microseconds = (double)low.t / UNIT;
	return true;
}

static bool is_small(const struct expansion *x)
{
	enum { SENDS_MAX = 800 }; /* goods times routes */

	return x->n_goods && x->n_goods * x->fabric->n_routes <= SENDS_MAX;
}

void time_bound_expand(struct time_bound *b, const struct time_subject *of, size_t n, const int64_t *sizes)
{
	static const double slots_most = 8; /* delays in T, beyond which bandwidth alone counts */
	static const double seconds_most = 8; /* of CPU time, for all sizes together */
	const struct collective *k = of->collective;
	struct fabric f;
	struct error unused = {0};
	struct expansion x = {.topology = of->topology, .fabric = &f, .nodes = of->topology->nodes, .combines = collective_row(k)->combining};
	size_t capacity = 0;

	x.chunks = collective_row(k)->chunks_in_blocks ? x.nodes : 1;
	if (k->kind == SCAN || topology_has_abilities(of->topology) || !collective_check(k, x.nodes, x.chunks, &unused))
		return;
	x.collective = collective_scaled(k, x.chunks);
	bool ok = fabric_open(of->topology, of->speeds, &f, &unused) && find_delays(&x);
	if (ok) {
		double deadline = stop_within_cpu(seconds_most);
		choose_resources(&x);
		list_goods(&x);
		for (size_t i = 0; i < n && is_small(&x) && !stop_is_due(); i++) {
			double known = time_bound_at(b, (double)sizes[i]);
			struct time_point p;
			if (known <= 0 || known > slots_most * b->least_latency || !expand(&x, sizes[i], known, &p))
				continue;
			b->points = grown(b->points, &capacity, b->n_points + 1, sizeof *b->points);
			b->points[b->n_points++] = p;
		}
		stop_restore_cpu(deadline);
	}
	fabric_close(&f);
	collective_free(&x.collective);
	free(x.delay);
	free(x.priced);
	free(x.goods);
}
