/*
 * Timed cuts where links share limits: one linear program over what each edge carries in each step, so that cuts of several receivers
 * cannot all have a limit to themselves. In one step over a switch the root sends every chunk to every node, and its one link carries
 * all of them. Cuts are found one receiver at a time, by maximum flows through what the program lets edges carry; the prices of
 * its limits then say how much of the cuts' crossings a round can carry.
 */

#include "core/bounds_parts.h"

#include "core/flow.h"
#include "core/instance.h"
#include "core/linear.h"
#include "core/memory.h"
#include "core/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct priced {
	const struct instance *i;
	const struct network *w;
	int steps, edges;
	struct linear *program; /* columns: rounds of each step, the chunks, then [step - 1][edge] */
	int *limit_row;         /* [step - 1][limit] */
	double *carried;        /* [step - 1][edge]: between what the program lets edges carry now and did before */
	size_t n_cuts, capacity;
	struct timed_row {
		int *until, row;
		int64_t demand;
	} *cuts;
};

static int column_of(const struct priced *k, int edge, int s)
{
	return k->steps + 1 + (s - 1) * k->edges + edge;
}

static bool crosses(const struct priced *k, const int *until, int edge, int s)
{
	return until[k->w->edges[edge].src] < s - 1 && until[k->w->edges[edge].dst] >= s;
}

/* Chunks that begin outside and are wanted inside at the end. */
static int64_t demand_of(const struct priced *k, const int *until)
{
	int64_t n = 0;

	for (int c = 0; c < k->i->global_chunks; c++) {
		bool inside = false, wanted = false;
		for (int v = 0; v < k->w->nodes; v++) {
			inside = inside || (until[v] >= 0 && instance_pre(k->i, c, v));
			wanted = wanted || (until[v] == k->steps && instance_post(k->i, c, v));
		}
		n += wanted && !inside;
	}
	return n;
}

/* ---- the program ---- */

/* An edge's own bandwidth needs no row where a limit over it is as narrow. */
static bool *covered_edges(const struct network *w)
{
	bool *covered = new_array(bool, w->n_edges);

	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t e = 0; e < w->limits[l].n_edges; e++) {
			int edge = w->limits[l].edges[e];
			covered[edge] = covered[edge] || w->limits[l].bandwidth <= w->edges[edge].bandwidth;
		}
	return covered;
}

static void add_limits(struct priced *k, int s, int *columns, double *values)
{
	for (size_t l = 0; l < k->w->n_limits; l++) {
		const struct network_limit *limit = &k->w->limits[l];
		int n = 0;
		for (size_t e = 0; e < limit->n_edges; e++) {
			if (e && limit->edges[e] == limit->edges[e - 1]) {
				values[n - 1] -= 1;
				continue;
			}
			columns[n] = column_of(k, limit->edges[e], s);
			values[n++] = -1;
		}
		columns[n] = s - 1;
		values[n++] = limit->bandwidth;
		k->limit_row[(size_t)(s - 1) * k->w->n_limits + l] = linear_row(k->program, 0, linear_infinity, n, columns, values);
	}
}

static void begin(struct priced *k)
{
	int room = k->edges * k->steps + k->steps + 1, *columns = new_array(int, (size_t)room);
	double *values = new_array(double, (size_t)room);
	bool *covered = covered_edges(k->w);

	k->program = linear_new();
	for (int c = 0; c < room; c++)
		linear_column(k->program, c == k->steps ? -1 : 0, 0, linear_infinity, 0, NULL, NULL);
	for (int s = 0; s < k->steps; s++) {
		columns[s] = s;
		values[s] = 1;
	}
	linear_row(k->program, 1, 1, k->steps, columns, values);
	for (int s = 1; s <= k->steps; s++) {
		add_limits(k, s, columns, values);
		for (int e = 0; e < k->edges; e++) {
			const int pair[] = {column_of(k, e, s), s - 1};
			const double both[] = {-1, k->w->edges[e].bandwidth};
			if (!covered[e])
				linear_row(k->program, 0, linear_infinity, 2, pair, both);
		}
	}
	free(columns);
	free(values);
	free(covered);
}

/* Takes UNTIL. */
static void add_cut(struct priced *k, int *until)
{
	int n = 0, *columns = new_array(int, (size_t)(k->edges * k->steps + 1));
	double *values = new_array(double, (size_t)(k->edges * k->steps + 1));
	struct timed_row cut = {.until = until, .demand = demand_of(k, until)};

	for (int s = 1; s <= k->steps; s++)
		for (int e = 0; e < k->edges; e++)
			if (crosses(k, until, e, s)) {
				columns[n] = column_of(k, e, s);
				values[n++] = 1;
			}
	columns[n] = k->steps;
	values[n++] = -(double)cut.demand;
	cut.row = linear_row(k->program, 0, linear_infinity, n, columns, values);
	k->cuts = grown(k->cuts, &k->capacity, k->n_cuts + 1, sizeof *k->cuts);
	k->cuts[k->n_cuts++] = cut;
	free(columns);
	free(values);
}

/* ---- its cuts ---- */

static const double fine = 1 << 20; /* flows are in whole numbers */

/* Does all that TARGET wants get through what edges carry? If not a cut, else NULL. */
static int *missed(const struct priced *k, int target)
{
	int nodes = k->w->nodes, last = k->steps, source = nodes * (last + 1);
	struct flow *f = flow_new(source + 1);
	int64_t all = 0, each = llround(linear_value(k->program, k->steps) * fine);
	int *until = NULL;

	for (int c = 0; c < k->i->global_chunks; c++) {
		int holder = instance_holder(k->i, c);
		if (holder < 0 || holder == target || !instance_post(k->i, c, target))
			continue;
		flow_arc(f, source, holder * (last + 1), each);
		all += each;
	}
	for (int n = 0; n < nodes; n++)
		for (int s = 1; s <= last; s++)
			flow_arc(f, n * (last + 1) + s - 1, n * (last + 1) + s, (int64_t)1 << 60);
	for (int s = 1; s <= last; s++)
		for (int e = 0; e < k->edges; e++) {
			int64_t carried = llround(k->carried[(s - 1) * k->edges + e] * fine);
			if (carried > 0)
				flow_arc(f, k->w->edges[e].src * (last + 1) + s - 1, k->w->edges[e].dst * (last + 1) + s, carried);
		}
	if (all > 0 && flow_run(f, source, target * (last + 1) + last) < all - all / 100000) {
		until = new_array(int, (size_t)nodes);
		for (int n = 0; n < nodes; n++)
			for (until[n] = -1; until[n] < last && !flow_on_source_side(f, n * (last + 1) + until[n] + 1); until[n]++)
				;
	}
	flow_free(f);
	return until;
}

/* Part of the way to what the program says now: cuts of what lies between bring it on far quicker than those of its corners. */
static void move(struct priced *k, double part)
{
	for (int s = 1; s <= k->steps; s++)
		for (int e = 0; e < k->edges; e++) {
			double *at = &k->carried[(s - 1) * k->edges + e];
			*at += part * (linear_value(k->program, column_of(k, e, s)) - *at);
		}
}

static bool add_missed(struct priced *k, double part)
{
	size_t before = k->n_cuts;

	move(k, part);

	for (int n = 0; n < k->w->nodes; n++) {
		int *until = missed(k, n);
		if (until)
			add_cut(k, until);
	}
	return k->n_cuts > before;
}

/* To begin, what each receiver takes in: else there is no end to the chunks. */
static void add_receivers(struct priced *k)
{
	for (int target = 0; target < k->w->nodes; target++) {
		int *until = new_array(int, (size_t)k->w->nodes);
		for (int n = 0; n < k->w->nodes; n++)
			until[n] = n == target ? k->steps : -1;
		if (demand_of(k, until) > 0)
			add_cut(k, until);
		else
			free(until);
	}
}

/* ---- weights and prices in whole numbers ---- */

struct scaled {
	int64_t *weights, *prices; /* [cut]; [step - 1][limit] */
	int64_t *worth, *paid;     /* [edge], of one step */
};

/* What a round of step S carries of the cuts' crossings at most. */
static int64_t room_in(const struct priced *k, const struct scaled *d, int s)
{
	const struct network *w = k->w;
	const int64_t *prices = d->prices + (size_t)(s - 1) * w->n_limits;
	int64_t room = 0;

	for (int e = 0; e < k->edges; e++)
		d->worth[e] = d->paid[e] = 0;
	for (size_t c = 0; c < k->n_cuts; c++)
		for (int e = 0; e < k->edges && d->weights[c]; e++)
			if (crosses(k, k->cuts[c].until, e, s))
				d->worth[e] += d->weights[c];
	for (size_t l = 0; l < w->n_limits; l++) {
		room += prices[l] * w->limits[l].bandwidth;
		for (size_t e = 0; e < w->limits[l].n_edges && prices[l]; e++)
			d->paid[w->limits[l].edges[e]] += prices[l];
	}
	for (int e = 0; e < k->edges; e++)
		if (d->worth[e] > d->paid[e])
			room += (d->worth[e] - d->paid[e]) * w->edges[e].bandwidth;
	return room;
}

static struct rational rounds_of(const struct priced *k, const struct scaled *d)
{
	int64_t demand = 0, most = 0;

	for (size_t c = 0; c < k->n_cuts; c++)
		demand += d->weights[c] * k->cuts[c].demand;
	for (int s = 1; s <= k->steps; s++) {
		int64_t room = room_in(k, d, s);
		most = room > most ? room : most;
	}
	return most > 0 ? rational(demand, most) : rational(0, 1);
}

static void take(const struct priced *k, const struct scaled *d, struct rational rounds, struct timed_bound *out)
{
	size_t n = (size_t)k->steps * k->w->n_limits;

	timed_bound_free(out);
	*out = (struct timed_bound){.steps = k->steps, .nodes = k->w->nodes, .rounds = rounds,
				    .cuts = new_array(struct timed_cut, k->n_cuts), .prices = new_array(struct timed_price, n)};
	for (size_t c = 0; c < k->n_cuts; c++)
		if (d->weights[c])
			out->cuts[out->n_cuts++] = (struct timed_cut){
				d->weights[c], copy_bytes(k->cuts[c].until, (size_t)k->w->nodes * sizeof(int))};
	for (size_t p = 0; p < n; p++)
		if (d->prices[p])
			out->prices[out->n_prices++] = (struct timed_price){
				(int)(p / k->w->n_limits) + 1, (int)(p % k->w->n_limits), d->prices[p]};
}

/* The duals times whole numbers: the scale that shows most. All are true. */
static void take_duals(const struct priced *k, struct timed_bound *out)
{
	static const int scales[] = {1, 2, 3, 4, 6, 12, 60, 420, 5040, 100000};
	size_t n = (size_t)k->steps * k->w->n_limits;
	struct scaled d = {new_array(int64_t, k->n_cuts), new_array(int64_t, n), new_array(int64_t, (size_t)k->edges),
			   new_array(int64_t, (size_t)k->edges)};
	double largest = 0;

	for (size_t c = 0; c < k->n_cuts; c++)
		largest = fmax(largest, linear_dual(k->program, k->cuts[c].row));
	for (size_t i = 0; i < sizeof scales / sizeof *scales && largest > 0; i++) {
		int scale = scales[i];
		for (size_t c = 0; c < k->n_cuts; c++)
			d.weights[c] = llround(fmax(0, linear_dual(k->program, k->cuts[c].row)) / largest * scale);
		for (size_t p = 0; p < n; p++)
			d.prices[p] = llround(fmax(0, linear_dual(k->program, k->limit_row[p])) / largest * scale);
		struct rational rounds = rounds_of(k, &d);
		if (rational_ok(rounds) && rational_compare(rounds, out->rounds) > 0)
			take(k, &d, rounds, out);
	}
	free(d.weights);
	free(d.prices);
	free(d.worth);
	free(d.paid);
}

static bool is_tried(const struct instance *i, enum timed_effort effort)
{
	static const double carried_most[] = {[TIMED_QUICK] = 400, [TIMED_FULL] = 1300};
	enum { CHUNKS_TRIED = 256 };
	const struct network *w = i->network;

	return w->n_limits > 0 && (double)w->n_edges * i->steps <= carried_most[effort] && i->global_chunks <= CHUNKS_TRIED;
}

void bounds_priced(const struct instance *i, enum timed_effort effort, struct timed_bound *out)
{
	enum { TURNS_MAX = 60 };
	struct priced k = {.i = i, .w = i->network, .steps = i->steps, .edges = (int)i->network->n_edges};

	if (!is_tried(i, effort))
		return;
	k.limit_row = new_array(int, (size_t)k.steps * k.w->n_limits);
	begin(&k);
	add_receivers(&k);
	bool solved = k.n_cuts > 0 && linear_solve(k.program);
	k.carried = new_array(double, (size_t)k.steps * (size_t)k.edges);
	if (solved)
		move(&k, 1);
	for (int turn = 0; solved && turn < TURNS_MAX && (add_missed(&k, 0.1) || add_missed(&k, 1)); turn++)
		solved = linear_solve(k.program);
	if (solved)
		take_duals(&k, out);
	for (size_t c = 0; c < k.n_cuts; c++)
		free(k.cuts[c].until);
	free(k.cuts);
	free(k.limit_row);
	free(k.carried);
	linear_free(k.program);
}
