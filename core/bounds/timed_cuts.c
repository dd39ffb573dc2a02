/*
 * Timed cuts by a cutting-plane method: for rounds r distributed as the linear program has them, a maximum flow over
 * expanded time finds, for one receiver at a time, the cut with the least capacity for its demand (Dinkelbach's
 * iteration); it becomes a row, until no receiver has a cut that the program violates.
 */

#include "core/bounds/bounds_parts.h"

#include "core/graph/max_flow.h"
#include "core/schedule/instance.h"
#include "core/graph/linear_program.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cut_row {
	int *until;
	int64_t demand, *capacity; /* capacity [step - 1] in a round */
};

struct cut_search {
	const struct topology *t;
	const struct instance *i;
	int nodes, vertices, steps;
	struct widths widths;
	int *holder;                /* [chunk]: its initial holder; -1: several nodes */
	int64_t *rounds;            /* [step - 1]: the program's distribution, scaled to integers */
	size_t n_rows, capacity;
	struct cut_row *rows;
};

static struct cut_search timed_new(const struct topology *t, const struct instance *i)
{
	struct cut_search k = {.t = t, .i = i, .nodes = t->nodes, .vertices = t->nodes + t->switches, .steps = i->steps};

	k.widths = widths_new(t);
	k.holder = new_array(int, (size_t)i->global_chunks);
	for (int c = 0; c < i->global_chunks; c++)
		k.holder[c] = instance_holder(i, c);
	k.rounds = new_array(int64_t, (size_t)k.steps);
	for (int s = 0; s < k.steps; s++)
		k.rounds[s] = 1;
	return k;
}

static void row_free(struct cut_row *r)
{
	free(r->until);
	free(r->capacity);
}

static void timed_free(struct cut_search *k)
{
	for (size_t r = 0; r < k->n_rows; r++)
		row_free(&k->rows[r]);
	free(k->rows);
	widths_free(&k->widths);
	free(k->holder);
	free(k->rounds);
}

/* ---- rows ---- */

static bool is_demanded(const struct cut_search *k, const int *until, int chunk)
{
	for (int n = 0; n < k->nodes; n++)
		if (instance_pre(k->i, chunk, n) && until[n] >= 0)
			return false;
	for (int n = 0; n < k->nodes; n++)
		if (until[n] == k->steps && instance_post(k->i, chunk, n))
			return true;
	return false;
}

/* Takes ownership of UNTIL. */
static struct cut_row row_of(const struct cut_search *k, int *until)
{
	struct cut_row r = {.until = until, .capacity = new_array(int64_t, (size_t)k->steps)};

	for (int c = 0; c < k->i->global_chunks; c++)
		r.demand += is_demanded(k, until, c);
	for (int s = 1; s <= k->steps; s++)
		r.capacity[s - 1] = widths_crossing(&k->widths, until, s);
	return r;
}

static int64_t worth(const struct cut_search *k, const struct cut_row *r)
{
	int64_t sum = 0;
	for (int s = 0; s < k->steps; s++)
		sum += r->capacity[s] * k->rounds[s];
	return sum;
}

/* ---- expanded time ---- */

/* Vertices: each node after each step, then for each step both ends (in, out) of every vertex of the topology. */
static int at(const struct cut_search *k, int node, int s)
{
	return node * (k->steps + 1) + s;
}

static int end_of(const struct cut_search *k, int vertex, int s, bool out)
{
	return k->nodes * (k->steps + 1) + ((s - 1) * k->vertices + vertex) * 2 + out;
}

static int64_t scaled(int64_t limit, int64_t scale)
{
	return limit < WIDTH_UNLIMITED / scale ? limit * scale : WIDTH_UNLIMITED;
}

static void add_step(const struct cut_search *k, struct flow *f, int s, int64_t scale)
{
	int64_t rounds = scale * k->rounds[s - 1];

	if (rounds == 0)
		return;
	for (int v = 0; v < k->vertices; v++) {
		int64_t in = scaled(k->widths.into[v], rounds), out = scaled(k->widths.out_of[v], rounds);
		if (v >= k->nodes) {
			flow_arc(f, end_of(k, v, s, false), end_of(k, v, s, true), in < out ? in : out);
			continue;
		}
		flow_arc(f, at(k, v, s - 1), end_of(k, v, s, true), out);
		flow_arc(f, end_of(k, v, s, false), at(k, v, s), in);
	}
	for (size_t i = 0; i < k->t->n_links; i++)
		flow_arc(f, end_of(k, k->t->links[i].src, s, true), end_of(k, k->t->links[i].dst, s, false),
			 k->t->links[i].bandwidth * rounds);
}

/*
 * Every chunk that TARGET wants injects OFFER.num, and links are OFFER.den as wide: the minimum cut. NULL: everything
 * gets through.
 */
static int *least_cut(const struct cut_search *k, int target, struct rational offer)
{
	int source = end_of(k, 0, k->steps + 1, false);
	struct flow *f = flow_new(source + 1);
	int64_t *offers = new_array(int64_t, (size_t)k->nodes), all = 0;
	int *until = NULL;

	for (int c = 0; c < k->i->global_chunks; c++)
		if (k->holder[c] >= 0 && k->holder[c] != target && instance_post(k->i, c, target))
			offers[k->holder[c]] += offer.num;
	for (int n = 0; n < k->nodes; n++) {
		all += offers[n];
		flow_arc(f, source, at(k, n, 0), offers[n]);
		for (int s = 1; s <= k->steps; s++)
			flow_arc(f, at(k, n, s - 1), at(k, n, s), WIDTH_UNLIMITED);
	}
	for (int s = 1; s <= k->steps; s++)
		add_step(k, f, s, offer.den);
	if (flow_run(f, source, at(k, target, k->steps)) < all) {
		until = new_array(int, (size_t)k->nodes);
		for (int n = 0; n < k->nodes; n++)
			for (until[n] = -1; until[n] < k->steps && !flow_on_source_side(f, at(k, n, until[n] + 1)); until[n]++)
				;
	}
	flow_free(f);
	free(offers);
	return until;
}

/* One receiver's row with the least capacity for its demand. Demand 0: nothing is wanted there. */
static struct cut_row tightest(const struct cut_search *k, int target)
{
	int *until = new_array(int, (size_t)k->nodes);

	for (int n = 0; n < k->nodes; n++)
		until[n] = n == target ? k->steps : -1;
	struct cut_row best = row_of(k, until);
	while (best.demand > 0 && worth(k, &best) > 0 && !stop_is_due()) {
		struct rational offer = rational(worth(k, &best), best.demand);
		int *cut = least_cut(k, target, offer);
		if (!cut)
			break;
		struct cut_row r = row_of(k, cut);
		if (r.demand == 0 || rational_compare(rational(worth(k, &r), r.demand), offer) >= 0) {
			row_free(&r);
			break;
		}
		row_free(&best);
		best = r;
	}
	return best;
}

/* ---- the program ---- */

/* Columns: the rounds of each step, which sum to 1, and the number of chunks that they carry, which is maximized. */
static struct linear *program_new(int steps)
{
	struct linear *l = linear_new();
	const int sum = 0;
	const double one = 1;

	linear_row(l, 1, 1, 0, NULL, NULL);
	for (int s = 0; s < steps; s++)
		linear_column(l, 0, 0, 1, 1, &sum, &one);
	linear_column(l, -1, 0, linear_infinity, 0, NULL, NULL);
	return l;
}

static void program_add(struct linear *l, const struct cut_row *r, int steps)
{
	int *columns = new_array(int, (size_t)steps + 1);
	double *values = new_array(double, (size_t)steps + 1);

	for (int s = 0; s < steps; s++) {
		columns[s] = s;
		values[s] = (double)r->capacity[s];
	}
	columns[steps] = steps;
	values[steps] = -(double)r->demand;
	linear_row(l, 0, linear_infinity, steps + 1, columns, values);
	free(columns);
	free(values);
}

enum { FINEST = 2520 };

/* Scales the program's rounds to integers, or nearly so. */
static void take_rounds(struct cut_search *k, const struct linear *l)
{
	double *rounds = new_array(double, (size_t)k->steps);

	for (int s = 0; s < k->steps; s++)
		rounds[s] = linear_value(l, s);
	int64_t scale = common_denominator(rounds, (size_t)k->steps, FINEST, 1e-6);
	for (int s = 0; s < k->steps; s++)
		k->rounds[s] = llround(rounds[s] * (double)(scale ? scale : FINEST));
	free(rounds);
}

/* Adds the rows of all receivers that the program violates. False: there are none. */
static bool add_rows(struct cut_search *k, struct linear *l, double chunks)
{
	bool added = false;
	double all = 0;

	for (int s = 0; s < k->steps; s++)
		all += (double)k->rounds[s];
	for (int n = 0; n < k->nodes && !stop_is_due(); n++) {
		struct cut_row r = tightest(k, n);
		if (r.demand == 0 || (double)worth(k, &r) / (double)r.demand > chunks * all * (1 - 1e-7)) {
			row_free(&r);
			continue;
		}
		program_add(l, &r, k->steps);
		k->rows = grown(k->rows, &k->capacity, k->n_rows + 1, sizeof *k->rows);
		k->rows[k->n_rows++] = r;
		added = true;
	}
	return added;
}

/* ---- weights ---- */

static struct rational rounds_of(const struct cut_search *k, const int64_t *weights)
{
	int64_t demand = 0, most = 0;

	for (size_t r = 0; r < k->n_rows; r++)
		demand += weights[r] * k->rows[r].demand;
	for (int s = 0; s < k->steps; s++) {
		int64_t sum = 0;
		for (size_t r = 0; r < k->n_rows; r++)
			sum += weights[r] * k->rows[r].capacity[s];
		most = sum > most ? sum : most;
	}
	return most > 0 ? rational(demand, most) : rational(0, 1);
}

/* Tries integer scalings of the program's weights and takes the one that proves most. All are sound. */
static void take_weights(const struct cut_search *k, const struct linear *l, struct timed_bound *out)
{
	int64_t *weights = new_array(int64_t, k->n_rows), *best = new_array(int64_t, k->n_rows);
	double largest = 0;

	for (size_t r = 0; r < k->n_rows; r++)
		largest = fmax(largest, linear_dual(l, (int)r + 1));
	for (int scale = 1; scale <= FINEST / 4 && largest > 0; scale++) {
		for (size_t r = 0; r < k->n_rows; r++)
			weights[r] = llround(fmax(0, linear_dual(l, (int)r + 1)) / largest * scale);
		struct rational rounds = rounds_of(k, weights);
		if (rational_ok(rounds) && rational_compare(rounds, out->rounds) > 0) {
			out->rounds = rounds;
			memcpy(best, weights, k->n_rows * sizeof *best);
		}
	}
	out->cuts = new_array(struct timed_cut, k->n_rows);
	for (size_t r = 0; r < k->n_rows; r++)
		if (best[r])
			out->cuts[out->n_cuts++] = (struct timed_cut){best[r], copy_bytes(k->rows[r].until, (size_t)k->nodes * sizeof(int))};
	free(weights);
	free(best);
}

static bool is_tried(const struct topology *t, const struct instance *i)
{
	enum { ARCS_MAX = 60000, LOOKS_MAX = 20000 }; /* arcs of all receivers' flows; chunks examined per cut */

	return ((double)t->n_links + t->nodes) * t->nodes * i->steps <= ARCS_MAX && (double)i->global_chunks * t->nodes <= LOOKS_MAX;
}

void bounds_timed(const struct topology *t, const struct instance *i, enum timed_effort effort, struct timed_bound *out)
{
	enum { ITERATIONS_MAX = 100 };

	*out = (struct timed_bound){.steps = i->steps, .nodes = t->nodes, .rounds = rational(0, 1)};
	if (collective_row(&i->collective)->combining || i->network->n_groups > 0 || !is_tried(t, i))
		return;
	struct cut_search k = timed_new(t, i);
	struct linear *l = program_new(k.steps);
	double chunks = linear_infinity / 1e9;
	bool solved = true;
	for (int turn = 0; turn < ITERATIONS_MAX && solved && add_rows(&k, l, chunks); turn++) {
		solved = linear_solve(l);
		if (solved) {
			chunks = linear_value(l, k.steps);
			take_rounds(&k, l);
		}
	}
	if (solved && k.n_rows)
		take_weights(&k, l, out);
	linear_free(l);
	timed_free(&k);
	bounds_priced(i, effort, out);
}

bool bounds_timed_at(const struct topology *t, const struct instance *i, const int *rounds, struct timed_bound *out)
{
	struct cut_search k = timed_new(t, i);
	struct cut_row best = {0};

	*out = (struct timed_bound){.steps = i->steps, .nodes = t->nodes, .rounds = rational(0, 1)};
	for (int s = 0; s < i->steps; s++)
		k.rounds[s] = rounds[s];
	for (int n = 0; n < t->nodes && !stop_is_due(); n++) {
		struct cut_row r = tightest(&k, n);
		bool better = r.demand > 0 && (!best.until || rational_compare(rational(worth(&k, &r), r.demand),
									      rational(worth(&k, &best), best.demand)) < 0);
		row_free(better ? &best : &r);
		best = better ? r : best;
	}
	if (best.until) {
		out->cuts = new_array(struct timed_cut, 1);
		out->cuts[out->n_cuts++] = (struct timed_cut){1, best.until};
		best.until = NULL;
	}
	row_free(&best);
	timed_free(&k);
	return out->n_cuts > 0;
}
