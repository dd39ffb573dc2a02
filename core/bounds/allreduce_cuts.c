/*
 * Timed cuts of an allreduce. What a node contributes must reach every other node, alone or within sums: so each chunk
 * is sent at least once across every timed cut that has a node outside from the beginning and a node inside at the end,
 * and one send counts for all cuts that it crosses. The least loads that satisfy all these cuts, averaged over the
 * automorphisms of the machine, are a linear program, solved by a cutting-plane method: maximum flows through expanded
 * time, from one node of each orbit of pairs to the other, find the cuts that are violated. Its dual is the witness.
 */

#include "core/bounds/bounds_parts.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"
#include "core/graph/max_flow.h"
#include "core/machine/network.h"
#include "core/symmetry/automorphisms.h"
#include "core/symmetry/machine_orbits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct allreduce_cuts {
	const struct network *w;
	int steps;
	size_t n_generators;
	int *generators;
	struct machine_orbits orbits;
	int *members;           /* [edge orbit]: an edge of it */
	size_t n_pairs;
	int *pairs;             /* [2 * i]: from, to: one of each orbit of pairs of nodes */
	struct linear *program; /* columns: rounds of each step, then [step - 1][edge orbit], chunks on each edge of it */
	size_t n_limit_rows;
	struct limit_row {
		int step, limit, row;
	} *limit_rows;
	double *carried;        /* [step - 1][edge orbit]: loads, smoothed between the program's solutions */
	size_t n_cuts, capacity;
	struct allreduce_cut {
		int *until, row;
	} *cuts;
	int *columns, *crossing; /* scratch: one row of the program; [edge orbit]: edges that a cut crosses in a step */
	double *values;
};

static size_t place_of(const struct allreduce_cuts *k, int orbit, int s)
{
	return (size_t)(s - 1) * (size_t)k->orbits.n_edges + (size_t)orbit;
}

/* ---- orbits ---- */

static void find_pairs(struct allreduce_cuts *k)
{
	int nodes = k->w->nodes, all = nodes * nodes, *up = orbits_apart(all);

	for (size_t g = 0; g < k->n_generators; g++) {
		const int *to = k->generators + g * (size_t)nodes;
		for (int i = 0; i < all; i++)
			orbits_join(up, i, to[i / nodes] * nodes + to[i % nodes]);
	}
	k->pairs = new_array(int, 2 * (size_t)all);
	int *orbit = copy_bytes(up, (size_t)all * sizeof *up);
	int n = orbits_number(orbit, all), next = 0;
	for (int i = 0; i < all && next < n; i++) {
		if (orbit[i] != next) /* orbits are numbered by their least members */
			continue;
		next++;
		if (i / nodes == i % nodes)
			continue;
		k->pairs[2 * k->n_pairs] = i / nodes;
		k->pairs[2 * k->n_pairs++ + 1] = i % nodes;
	}
	free(orbit);
	free(up);
}

static void find_orbits(struct allreduce_cuts *k)
{
	k->generators = automorphisms_generators(k->w, -1, &k->n_generators);
	machine_orbits_new(k->w, k->generators, k->n_generators, &k->orbits);
	k->members = new_array(int, (size_t)k->orbits.n_edges);
	for (size_t e = k->w->n_edges; e-- > 0;)
		k->members[k->orbits.edge[e]] = (int)e;
	find_pairs(k);
}

/* ---- the program ---- */

/* A row of one step: rounds times BANDWIDTH less the loads on COUNT [edge orbit] edges is at least 0. */
static int add_capacity(struct allreduce_cuts *k, int s, int64_t bandwidth, const int *count)
{
	int n = 0;

	k->columns[n] = s - 1;
	k->values[n++] = (double)bandwidth;
	for (int o = 0; o < k->orbits.n_edges; o++)
		if (count[o]) {
			k->columns[n] = k->steps + (int)place_of(k, o, s);
			k->values[n++] = -count[o];
		}
	return linear_row(k->program, 0, linear_infinity, n, k->columns, k->values);
}

/* Does a limit imply the bandwidth of each edge of orbit O, of which it counts COUNT? */
static bool implies_bandwidth(const struct allreduce_cuts *k, const struct network_limit *l, int count, int o)
{
	return count > 0 && l->bandwidth <= k->w->edges[k->members[o]].bandwidth * count;
}

/* One limit of each orbit, and the edges whose bandwidth is not implied by any. */
static void add_capacities(struct allreduce_cuts *k)
{
	int *count = new_array(int, (size_t)k->orbits.n_edges);
	bool *met = new_array(bool, (size_t)k->orbits.n_edges + (size_t)k->orbits.n_limits);

	k->limit_rows = new_array(struct limit_row, (size_t)k->steps * k->w->n_limits);
	for (size_t l = 0; l < k->w->n_limits; l++) {
		const struct network_limit *of = &k->w->limits[l];
		if (met[k->orbits.n_edges + k->orbits.limit[l]])
			continue;
		met[k->orbits.n_edges + k->orbits.limit[l]] = true;
		memset(count, 0, (size_t)k->orbits.n_edges * sizeof *count);
		for (size_t i = 0; i < of->n_edges; i++)
			count[k->orbits.edge[of->edges[i]]]++;
		for (int o = 0; o < k->orbits.n_edges; o++)
			met[o] = met[o] || implies_bandwidth(k, of, count[o], o);
		for (int s = 1; s <= k->steps; s++)
			k->limit_rows[k->n_limit_rows++] = (struct limit_row){s, (int)l, add_capacity(k, s, of->bandwidth, count)};
	}
	for (size_t e = 0; e < k->w->n_edges; e++) {
		int o = k->orbits.edge[e];
		if (met[o])
			continue;
		met[o] = true;
		memset(count, 0, (size_t)k->orbits.n_edges * sizeof *count);
		count[o] = 1;
		for (int s = 1; s <= k->steps; s++)
			add_capacity(k, s, k->w->edges[e].bandwidth, count);
	}
	free(count);
	free(met);
}

/* Takes ownership of UNTIL. */
static void add_cut(struct allreduce_cuts *k, int *until)
{
	int n = 0;

	for (int s = 1; s <= k->steps; s++) {
		memset(k->crossing, 0, (size_t)k->orbits.n_edges * sizeof *k->crossing);
		for (size_t e = 0; e < k->w->n_edges; e++)
			k->crossing[k->orbits.edge[e]] += timed_crosses(until, &k->w->edges[e], s);
		for (int o = 0; o < k->orbits.n_edges; o++)
			if (k->crossing[o]) {
				k->columns[n] = k->steps + (int)place_of(k, o, s);
				k->values[n++] = k->crossing[o];
			}
	}
	k->cuts = grown(k->cuts, &k->capacity, k->n_cuts + 1, sizeof *k->cuts);
	k->cuts[k->n_cuts++] = (struct allreduce_cut){until, linear_row(k->program, 1, linear_infinity, n, k->columns, k->values)};
}

/* To begin with, what each node must get, and what must leave it. */
static void begin(struct allreduce_cuts *k)
{
	size_t cells = (size_t)k->steps * (size_t)k->orbits.n_edges;

	k->program = linear_new();
	k->columns = new_array(int, cells + 1);
	k->values = new_array(double, cells + 1);
	k->crossing = new_array(int, (size_t)k->orbits.n_edges);
	k->carried = new_array(double, cells);
	for (size_t c = 0; c < (size_t)k->steps + cells; c++)
		linear_column(k->program, c < (size_t)k->steps, 0, linear_infinity, 0, NULL, NULL);
	add_capacities(k);
	for (int n = 0; n < k->w->nodes; n++) {
		bool first = true;
		for (int m = 0; m < n; m++)
			first = first && k->orbits.node[m] != k->orbits.node[n];
		for (int out = 0; first && out < 2; out++) {
			int *until = new_array(int, (size_t)k->w->nodes);
			for (int m = 0; m < k->w->nodes; m++)
				until[m] = (m == n) != out ? k->steps : -1;
			add_cut(k, until);
		}
	}
}

/* ---- separation ---- */

/* A cut across which the current loads bring less of FROM's contribution to TO than all of it; NULL: there is none. */
static int *violated(const struct allreduce_cuts *k, int from, int to)
{
	static const double fine = 1 << 24; /* scales loads to the integers of the flow */
	int nodes = k->w->nodes, last = k->steps, *until = NULL;
	struct flow *f = flow_new(nodes * (last + 1));

	for (int n = 0; n < nodes; n++)
		for (int s = 1; s <= last; s++)
			flow_arc(f, n * (last + 1) + s - 1, n * (last + 1) + s, FLOW_UNLIMITED);
	for (int s = 1; s <= last; s++)
		for (size_t e = 0; e < k->w->n_edges; e++) {
			int64_t carried = llround(k->carried[place_of(k, k->orbits.edge[e], s)] * fine);
			if (carried > 0)
				flow_arc(f, k->w->edges[e].src * (last + 1) + s - 1, k->w->edges[e].dst * (last + 1) + s, carried);
		}
	if (flow_run_up_to(f, from * (last + 1), to * (last + 1) + last, (int64_t)fine) < (int64_t)(fine * (1 - 1e-5))) {
		until = new_array(int, (size_t)nodes);
		for (int n = 0; n < nodes; n++)
			for (until[n] = -1; until[n] < last && !flow_on_source_side(f, n * (last + 1) + until[n] + 1); until[n]++)
				;
	}
	flow_free(f);
	return until;
}

/* Moves the loads part of the way to the program's solution: cuts through points in between converge faster. */
static void move(struct allreduce_cuts *k, double part)
{
	for (int s = 1; s <= k->steps; s++)
		for (int o = 0; o < k->orbits.n_edges; o++) {
			double *at = &k->carried[place_of(k, o, s)];
			*at += part * (linear_value(k->program, k->steps + (int)place_of(k, o, s)) - *at);
		}
}

static bool add_violated(struct allreduce_cuts *k, double part)
{
	size_t before = k->n_cuts;

	move(k, part);
	for (size_t i = 0; i < k->n_pairs && !stop_is_due(); i++) {
		int *until = violated(k, k->pairs[2 * i], k->pairs[2 * i + 1]);
		if (until)
			add_cut(k, until);
	}
	return k->n_cuts > before;
}

/* ---- integer weights and prices ---- */

/* Weights [cut], and prices [limit row]. */
struct whole_prices {
	int64_t *weights, *prices;
};

static struct rational shown_by(const struct allreduce_cuts *k, const struct whole_prices *p)
{
	struct rational all = rational(0, 1), most = rational(0, 1);
	struct rational *left = new_array(struct rational, (size_t)k->orbits.n_edges);

	for (size_t c = 0; c < k->n_cuts; c++)
		all = rational_add(all, rational(p->weights[c], 1));
	for (int s = 1; s <= k->steps; s++) {
		struct rational room = rational(0, 1);
		for (int o = 0; o < k->orbits.n_edges; o++)
			left[o] = rational(0, 1);
		for (size_t c = 0; c < k->n_cuts; c++)
			for (size_t e = 0; e < k->w->n_edges && p->weights[c]; e++)
				if (timed_crosses(k->cuts[c].until, &k->w->edges[e], s))
					left[k->orbits.edge[e]] = rational_add(left[k->orbits.edge[e]], rational(p->weights[c], 1));
		for (size_t r = 0; r < k->n_limit_rows; r++) {
			const struct network_limit *l = &k->w->limits[k->limit_rows[r].limit];
			struct rational price = rational(k->limit_rows[r].step == s ? p->prices[r] : 0, 1);
			room = rational_add(room, rational_mul(price, rational(l->bandwidth, 1)));
			for (size_t i = 0; i < l->n_edges && price.num; i++)
				left[k->orbits.edge[l->edges[i]]] = rational_sub(left[k->orbits.edge[l->edges[i]]], price);
		}
		for (int o = 0; o < k->orbits.n_edges; o++)
			if (!rational_ok(left[o]) || left[o].num > 0)
				room = rational_add(room, rational_mul(left[o], rational(k->w->edges[k->members[o]].bandwidth, 1)));
		if (!rational_ok(room) || rational_compare(room, most) > 0)
			most = room;
		if (!rational_ok(most))
			break;
	}
	free(left);
	return most.num > 0 ? rational_div(all, most) : rational(0, 1);
}

static void take(const struct allreduce_cuts *k, const struct whole_prices *p, struct rational shown, struct timed_bound *out)
{
	timed_bound_free(out);
	*out = (struct timed_bound){.steps = k->steps, .nodes = k->w->nodes, .rounds = shown, .cuts = new_array(struct timed_cut, k->n_cuts),
				    .prices = new_array(struct timed_price, k->n_limit_rows), .n_symmetries = k->n_generators,
				    .symmetries = copy_bytes(k->generators, k->n_generators * (size_t)k->w->nodes * sizeof(int))};
	for (size_t c = 0; c < k->n_cuts; c++)
		if (p->weights[c])
			out->cuts[out->n_cuts++] = (struct timed_cut){p->weights[c], copy_bytes(k->cuts[c].until, (size_t)k->w->nodes * sizeof(int))};
	for (int s = 1; s <= k->steps; s++)
		for (size_t r = 0; r < k->n_limit_rows; r++)
			if (k->limit_rows[r].step == s && p->prices[r])
				out->prices[out->n_prices++] = (struct timed_price){s, k->limit_rows[r].limit, p->prices[r]};
}

static bool keep_better(const struct allreduce_cuts *k, const struct whole_prices *p, struct timed_bound *out)
{
	struct rational shown = shown_by(k, p);
	bool better = rational_ok(shown) && rational_compare(shown, out->rounds) > 0;

	if (better)
		take(k, p, shown, out);
	return better;
}

/* The duals of the last basis as they are, over their common denominator. False: it is too large. */
static bool take_exact(const struct allreduce_cuts *k, struct whole_prices *p, struct timed_bound *out)
{
	size_t rows = k->n_cuts + k->n_limit_rows;
	struct rational *duals = new_array(struct rational, (size_t)k->cuts[k->n_cuts - 1].row + 1); /* cuts are the last rows */
	int64_t unit = 1;
	bool ok = linear_exact_duals(k->program, duals);
	for (size_t i = 0; i < rows && ok; i++) {
		struct rational d = duals[i < k->n_cuts ? k->cuts[i].row : k->limit_rows[i - k->n_cuts].row];
		int64_t more = d.den > 0 ? d.den / common_divisor(unit, d.den) : 0;
		ok = more > 0 && unit <= INT32_MAX / more;
		unit *= ok ? more : 1;
	}
	for (size_t i = 0; i < rows && ok; i++) {
		struct rational d = rational_mul(duals[i < k->n_cuts ? k->cuts[i].row : k->limit_rows[i - k->n_cuts].row], rational(unit, 1));
		ok = rational_ok(d) && d.num <= INT32_MAX;
		*(i < k->n_cuts ? &p->weights[i] : &p->prices[i - k->n_cuts]) = d.num > 0 ? d.num : 0;
	}
	free(duals);
	return ok && keep_better(k, p, out);
}

/* Several scalings of the duals in floating point; all are sound. */
static void take_rounded(const struct allreduce_cuts *k, struct whole_prices *p, struct timed_bound *out)
{
	static const int scales[] = {12, 60, 420, 5040, 100000, 10000000};
	double largest = 0;

	for (size_t c = 0; c < k->n_cuts; c++)
		largest = fmax(largest, linear_dual(k->program, k->cuts[c].row));
	for (size_t r = 0; r < k->n_limit_rows; r++)
		largest = fmax(largest, linear_dual(k->program, k->limit_rows[r].row));
	for (size_t i = 0; i < sizeof scales / sizeof *scales && largest > 0; i++) {
		for (size_t c = 0; c < k->n_cuts; c++)
			p->weights[c] = llround(fmax(0, linear_dual(k->program, k->cuts[c].row)) / largest * scales[i]);
		for (size_t r = 0; r < k->n_limit_rows; r++)
			p->prices[r] = llround(fmax(0, linear_dual(k->program, k->limit_rows[r].row)) / largest * scales[i]);
		keep_better(k, p, out);
	}
}

static void take_duals(const struct allreduce_cuts *k, struct timed_bound *out)
{
	struct whole_prices p = {new_array(int64_t, k->n_cuts), new_array(int64_t, k->n_limit_rows)};

	if (!take_exact(k, &p, out))
		take_rounded(k, &p, out);
	free(p.weights);
	free(p.prices);
}

static void release(struct allreduce_cuts *k)
{
	for (size_t c = 0; c < k->n_cuts; c++)
		free(k->cuts[c].until);
	free(k->cuts);
	free(k->generators);
	machine_orbits_free(&k->orbits);
	free(k->members);
	free(k->pairs);
	free(k->limit_rows);
	free(k->carried);
	free(k->columns);
	free(k->crossing);
	free(k->values);
	linear_free(k->program);
}

/* Are flows for all orbits of pairs, again and again, a matter of seconds? */
static bool is_tried(const struct allreduce_cuts *k)
{
	enum { NODES_TRIED = 128 };
	static const double arcs_most = 40000, columns_most = 1500;

	return k->w->nodes > 1 && k->w->nodes <= NODES_TRIED && k->w->n_groups == 0 && (double)k->orbits.n_edges * k->steps <= columns_most &&
	       (double)k->n_pairs * (double)(k->w->n_edges + (size_t)k->w->nodes) * k->steps <= arcs_most;
}

void bounds_allreduce_in(const struct network *w, int steps, struct timed_bound *out)
{
	enum { ITERATIONS_MAX = 100 };
	struct allreduce_cuts k = {.w = w, .steps = steps};

	*out = (struct timed_bound){.steps = steps, .nodes = w->nodes, .rounds = rational(0, 1)};
	find_orbits(&k);
	if (is_tried(&k)) {
		begin(&k);
		bool solved = linear_solve(k.program);
		if (solved)
			move(&k, 1);
		for (int turn = 0; solved && turn < ITERATIONS_MAX && (add_violated(&k, 0.2) || add_violated(&k, 1)); turn++)
			solved = linear_solve(k.program);
		if (solved)
			take_duals(&k, out);
	}
	release(&k);
}
