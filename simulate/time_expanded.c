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

/* Do the prices of the last program hold for T as well, as what is sent in a slot arrives in the same one? Then slots are those of T. */
static bool holds_for(struct expansion *x, int64_t t)
{
	int slots = x->slots;

	if (!divide(x, t) || x->slots != slots) {
		x->slots = slots;
		return false;
	}
	for (size_t r = 0; r < x->fabric->n_routes; r++)
		for (int i = 0; i < slots; i++)
			if (expansion_arrival(x, r, i) != x->arrives[r * (size_t)slots + (size_t)i])
				return false;
	return true;
}

static bool is_too_short(struct expansion *x, int64_t t, int64_t bytes)
{
	static const double margin = 1 + 1e-9;

	return holds_for(x, t) && expansion_bytes(x) * margin < (double)bytes;
}

/*
 * The latest time from FIRST to LAST that the prices of the last program show to be too short, nearly; 0: not even FIRST. The slots
 * are then those of this time. With a longer middle slot the same prices show more bytes, in proportion: the tangent of what the
 * programs show at all times.
 */
static int64_t latest_shown(struct expansion *x, int64_t bytes, int64_t first, int64_t last)
{
	static const double fine = 1e-6;

	if (!x->value || !is_too_short(x, first, bytes))
		return 0;
	while ((double)(last - first) > fine * (double)first) {
		int64_t middle = first + (last - first) / 2;
		*(is_too_short(x, middle, bytes) ? &first : &last) = middle;
	}
	return is_too_short(x, first, bytes) ? first : 0;
}

/*
 * From one time that is shown to be too short to the next, along tangents; the first may be that of the prices for fewer bytes. The
 * longest time is looked for up to twice what is known.
 */
static bool expand(struct expansion *x, int64_t bytes, double known, struct time_point *out)
{
	enum { TRIES = 8 };
	static const double little = 1.001; /* a gain below which there is no certificate, and no further try */
	int64_t first = (int64_t)ceil(known * little * UNIT), last = 2 * first, shown = latest_shown(x, bytes, first, last);

	*out = (struct time_point){.bytes = bytes};
	if (shown)
		expansion_write(x, bytes, &out->claim);
	for (int i = 0; i < TRIES && !stop_is_due(); i++) {
		int64_t next = shown ? (int64_t)ceil((double)shown * little) : first;
		expansion_forget(x);
		if (next >= last || !divide(x, next) || !expansion_solve(x))
			break;
		next = latest_shown(x, bytes, next, last);
		if (!next)
			break;
		shown = next;
		text_free(&out->claim);
		expansion_write(x, bytes, &out->claim);
	}
	out->microseconds = (double)shown / UNIT;
	return shown > 0;
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
		expansion_forget(&x);
		stop_restore_cpu(deadline);
	}
	fabric_close(&f);
	collective_free(&x.collective);
	free(x.delay);
	free(x.priced);
	free(x.goods);
}
