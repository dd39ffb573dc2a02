/*
 * Timed cuts on machines where links share limits: one linear program over the load of each edge in each step, so that
 * the cuts of several receivers cannot each claim a whole limit for themselves. Example: in one step over a switch the
 * root sends every chunk to every node, and its single link carries all of them. Cuts are separated one receiver at a
 * time, by maximum flows through the loads that the program allows; the duals of the limits' rows, as prices, then
 * bound how much of the cuts' crossings a round can carry.
 */

#include "core/bounds/bounds_parts.h"

#include "core/graph/max_flow.h"
#include "core/schedule/instance.h"
#include "core/graph/linear_program.h"
#include "core/base/memory.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"
#include "core/base/stop.h"

#include <math.h>
#include <stdlib.h>

struct priced {
	const struct instance *i;
	const struct network *w;
	const struct swaps *swaps;
	int steps, edges;
	struct linear *program; /* columns: rounds of each step, chunks, then [step - 1][edge class], per edge */
	int *limit_row;         /* [step - 1][limit] */
	double *carried;        /* [step - 1][edge]: loads, smoothed between the program's solutions */
	size_t n_cuts, capacity;
	struct timed_row {
		int *until, row;
		int64_t demand;
	} *cuts;
};

static int column_of(const struct priced *k, int edge, int s)
{
	return k->steps + 1 + (s - 1) * k->swaps->n_classes + k->swaps->edge[edge];
}

/* A row of the program under construction: several edges may map to one column. */
struct sparse_row {
	int n, *columns;
	double *values, *dense; /* [column], 0 outside the row */
};

static struct sparse_row line_new(const struct priced *k)
{
	size_t room = (size_t)k->swaps->n_classes * (size_t)k->steps + (size_t)k->steps + 1;
	return (struct sparse_row){0, new_array(int, room), new_array(double, room), new_array(double, room)};
}

static void line_add(struct sparse_row *l, int column, double value)
{
	if (l->dense[column] == 0)
		l->columns[l->n++] = column;
	l->dense[column] += value;
}

/* Adds the row with a value of 0 or more to the program, and empties it. */
static int line_end(struct sparse_row *l, struct linear *program)
{
	int n = l->n;

	for (int i = 0; i < n; i++) {
		l->values[i] = l->dense[l->columns[i]];
		l->dense[l->columns[i]] = 0;
	}
	l->n = 0;
	return linear_row(program, 0, linear_infinity, n, l->columns, l->values);
}

static void line_free(struct sparse_row *l)
{
	free(l->columns);
	free(l->values);
	free(l->dense);
}

/* ---- the program ---- */

static void add_limits(struct priced *k, int s, struct sparse_row *line)
{
	for (size_t l = 0; l < k->w->n_limits; l++) {
		const struct network_limit *limit = &k->w->limits[l];
		if (k->swaps->repeats[l])
			continue;
		for (size_t e = 0; e < limit->n_edges; e++)
			line_add(line, column_of(k, limit->edges[e], s), -1);
		line_add(line, s - 1, limit->bandwidth);
		k->limit_row[(size_t)(s - 1) * k->w->n_limits + l] = line_end(line, k->program);
	}
}

static void begin(struct priced *k)
{
	int columns = k->swaps->n_classes * k->steps + k->steps + 1;
	struct sparse_row line = line_new(k);
	bool *covered = limit_covered_edges(k->w);

	k->program = linear_new();
	for (int c = 0; c < columns; c++)
		linear_column(k->program, c == k->steps ? -1 : 0, 0, linear_infinity, 0, NULL, NULL);
	for (int s = 0; s < k->steps; s++) {
		line.columns[s] = s;
		line.values[s] = 1;
	}
	linear_row(k->program, 1, 1, k->steps, line.columns, line.values);
	for (int s = 1; s <= k->steps; s++) {
		add_limits(k, s, &line);
		for (int e = 0; e < k->edges; e++)
			if (!covered[e] && k->swaps->first[k->swaps->edge[e]] == e) {
				line_add(&line, column_of(k, e, s), -1);
				line_add(&line, s - 1, k->w->edges[e].bandwidth);
				line_end(&line, k->program);
			}
	}
	line_free(&line);
	free(covered);
}

/* Takes ownership of UNTIL. */
static void add_cut(struct priced *k, int *until)
{
	struct sparse_row line = line_new(k);
	struct timed_row cut = {.until = until, .demand = timed_demand(k->i, until)};

	for (int s = 1; s <= k->steps; s++)
		for (int e = 0; e < k->edges; e++)
			if (timed_crosses(until, &k->w->edges[e], s))
				line_add(&line, column_of(k, e, s), 1);
	line_add(&line, k->steps, -(double)cut.demand);
	cut.row = line_end(&line, k->program);
	k->cuts = grown(k->cuts, &k->capacity, k->n_cuts + 1, sizeof *k->cuts);
	k->cuts[k->n_cuts++] = cut;
	line_free(&line);
}

/* ---- separation ---- */

static const double fine = 1 << 20; /* scales loads to the integers of the flow */

/* Does all that TARGET wants get through with the current loads? Returns a violated cut, or NULL. */
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

/*
 * Moves the loads part of the way to the program's current solution: cuts through points in between converge far faster
 * than cuts through its vertices.
 */
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

	for (int n = 0; n < k->w->nodes && !stop_is_due(); n++) {
		int *until = k->swaps->node[n] == n ? missed(k, n) : NULL;
		if (until)
			add_cut(k, until);
	}
	return k->n_cuts > before;
}

/* Initial rows: what each receiver can take in. Without them the number of chunks would be unbounded. */
static void add_receivers(struct priced *k)
{
	for (int target = 0; target < k->w->nodes; target++) {
		if (k->swaps->node[target] != target)
			continue;
		int *until = new_array(int, (size_t)k->w->nodes);
		for (int n = 0; n < k->w->nodes; n++)
			until[n] = n == target ? k->steps : -1;
		if (timed_demand(k->i, until) > 0)
			add_cut(k, until);
		else
			free(until);
	}
}

/* ---- integer weights and prices ---- */

struct scaled {
	struct timed_cut *cuts; /* same order as the program's; each with its weight */
	int64_t *prices;        /* [step - 1][limit] */
};

/* Demand over the capacity of ROUNDS [step - 1]; NULL: over that of the widest step, a bound on R. */
static struct rational rounds_of(const struct priced *k, const struct scaled *d, const int *rounds)
{
	int64_t demand = 0, most = 0, sum = 0;

	for (size_t c = 0; c < k->n_cuts; c++)
		demand += d->cuts[c].weight * k->cuts[c].demand;
	for (int s = 1; s <= k->steps; s++) {
		int64_t room = timed_priced_room(k->w, k->swaps, d->cuts, k->n_cuts, d->prices + (size_t)(s - 1) * k->w->n_limits, s);
		most = room > most ? room : most;
		sum += rounds ? room * rounds[s - 1] : 0;
	}
	most = rounds ? sum : most;
	return most > 0 ? rational(demand, most) : rational(0, 1);
}

static void take(const struct priced *k, const struct scaled *d, struct rational rounds, struct timed_bound *out)
{
	size_t n = (size_t)k->steps * k->w->n_limits;

	timed_bound_free(out);
	*out = (struct timed_bound){.steps = k->steps, .nodes = k->w->nodes, .rounds = rounds,
				    .cuts = new_array(struct timed_cut, k->n_cuts), .prices = new_array(struct timed_price, n)};
	for (size_t c = 0; c < k->n_cuts; c++)
		if (d->cuts[c].weight)
			out->cuts[out->n_cuts++] = (struct timed_cut){
				d->cuts[c].weight, copy_bytes(k->cuts[c].until, (size_t)k->w->nodes * sizeof(int))};
	for (size_t p = 0; p < n; p++)
		if (d->prices[p])
			out->prices[out->n_prices++] = (struct timed_price){
				(int)(p / k->w->n_limits) + 1, (int)(p % k->w->n_limits), d->prices[p]};
}

/* Tries several integer scalings of the duals and takes the one that proves most. All are sound. */
static void take_duals(const struct priced *k, const int *rounds, struct timed_bound *out)
{
	static const int scales[] = {1, 2, 3, 4, 6, 12, 60, 420, 5040, 100000};
	size_t n = (size_t)k->steps * k->w->n_limits;
	struct scaled d = {new_array(struct timed_cut, k->n_cuts), new_array(int64_t, n)};
	double largest = 0;

	for (size_t c = 0; c < k->n_cuts; c++)
		largest = fmax(largest, linear_dual(k->program, k->cuts[c].row));
	for (size_t i = 0; i < sizeof scales / sizeof *scales && largest > 0; i++) {
		int scale = scales[i];
		for (size_t c = 0; c < k->n_cuts; c++)
			d.cuts[c] = (struct timed_cut){
				llround(fmax(0, linear_dual(k->program, k->cuts[c].row)) / largest * scale), k->cuts[c].until};
		for (size_t p = 0; p < n; p++)
			if (!k->swaps->repeats[p % k->w->n_limits])
				d.prices[p] = llround(fmax(0, linear_dual(k->program, k->limit_row[p])) / largest * scale);
		struct rational shown = rounds_of(k, &d, rounds);
		if (rational_ok(shown) && rational_compare(shown, out->rounds) > 0)
			take(k, &d, shown, out);
	}
	free(d.cuts);
	free(d.prices);
}

static bool is_tried(const struct instance *i, const struct swaps *swaps, enum timed_effort effort)
{
	static const double carried_most[] = {[TIMED_QUICK] = 400, [TIMED_FULL] = 1300};
	enum { CHUNKS_TRIED = 256 };
	const struct network *w = i->network;

	return w->n_limits > 0 && (double)swaps->n_classes * i->steps <= carried_most[effort] && i->global_chunks <= CHUNKS_TRIED;
}

struct priced *priced_new(const struct instance *i, const struct swaps *swaps, enum timed_effort effort)
{
	if (!is_tried(i, swaps, effort))
		return NULL;
	struct priced *k = new(struct priced);
	*k = (struct priced){.i = i, .w = i->network, .swaps = swaps, .steps = i->steps, .edges = (int)i->network->n_edges};
	k->limit_row = new_array(int, (size_t)k->steps * k->w->n_limits);
	k->carried = new_array(double, (size_t)k->steps * (size_t)k->edges);
	begin(k);
	add_receivers(k);
	return k;
}

void priced_free(struct priced *k)
{
	if (!k)
		return;
	for (size_t c = 0; c < k->n_cuts; c++)
		free(k->cuts[c].until);
	free(k->cuts);
	free(k->limit_row);
	free(k->carried);
	linear_free(k->program);
	free(k);
}

/* The columns of rounds are fractions of the total. */
static void fix_rounds(struct priced *k, const int *rounds)
{
	double all = 0;

	for (int s = 0; s < k->steps; s++)
		all += rounds[s];
	for (int s = 0; s < k->steps; s++)
		linear_column_between(k->program, s, rounds[s] / all, rounds[s] / all);
}

double priced_bound(struct priced *k, const int *rounds, struct timed_bound *out)
{
	enum { ITERATIONS_MAX = 60 };

	if (rounds)
		fix_rounds(k, rounds);
	bool solved = k->n_cuts > 0 && linear_solve(k->program);
	if (solved)
		move(k, 1);
	for (int turn = 0; solved && turn < ITERATIONS_MAX && (add_missed(k, 0.1) || add_missed(k, 1)); turn++)
		solved = linear_solve(k->program);
	if (solved)
		take_duals(k, rounds, out);
	return (double)k->n_cuts * (double)k->n_cuts * k->swaps->n_classes * k->steps;
}

void bounds_priced(const struct instance *i, enum timed_effort effort, struct timed_bound *out)
{
	struct swaps each = swaps_none(i->network);
	struct priced *k = priced_new(i, &each, effort);

	if (k)
		priced_bound(k, NULL, out);
	priced_free(k);
	swaps_free(&each);
}
