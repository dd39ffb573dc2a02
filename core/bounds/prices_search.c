/*
 * A linear program for the least congestion of flows that serve all demands at once; its duals are the prices. It is
 * solved by column generation: a column is a flow from one source spread over all its shortest paths under prices
 * between the best so far and the program's (Wentges smoothing, because the program's own prices oscillate between
 * vertices), until no flow is cheaper than the dual of its source.
 */

#include "core/machine/prices.h"

#include "core/graph/linear_program.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Lengths are integers in units of 2^-FINE_BITS. Each edge costs EACH_EDGE more, so that shortest paths have no cycles;
 * paths within AS_SHORT of the shortest count as shortest.
 */
enum { FINE_BITS = 36, EACH_EDGE = 1 << 8, AS_SHORT = 1 << 7 };

static const double near = 1e-6; /* relative tolerance: upper and lower bound have met */

struct pricing {
	const struct price_list *price_list;
	struct price_orbits orbits;
	const struct demands *demands;
	int nodes;
	struct linear *program;
	double *program_prices, *best_prices, *tried; /* [class]; normalized: the width-weighted mean is 1 */
	double best, least;       /* total paid under best_prices (lower bound); optimum of the program (upper bound) */
	int64_t *prices, *lengths, *distance; /* [number], [edge], [node] */
	int *order;
	double *waiting, *load;   /* [node]: flow still to be routed to it; [class] */
	struct columns {          /* next columns, at most one for each source */
		int n, *begin, *rows;
		double *values, *costs, *highs;
	} flows;
};

static void pricing_new(const struct price_list *f, const struct demands *d, struct pricing *out)
{
	struct pricing k = {.price_list = f, .demands = d, .nodes = f->w->nodes};
	size_t nodes = (size_t)k.nodes;

	k.prices = new_array(int64_t, (size_t)f->n);
	k.lengths = new_array(int64_t, f->w->n_edges);
	k.distance = new_array(int64_t, nodes);
	k.order = new_array(int, nodes);
	k.waiting = new_array(double, nodes);
	*out = k;
}

static void find_orbits(struct pricing *k)
{
	price_orbits_new(k->price_list, k->demands->uniform, &k->orbits);
	size_t n = (size_t)k->orbits.n, sources = (size_t)k->orbits.n_nodes;
	k->program_prices = new_array(double, n);
	k->best_prices = new_array(double, n);
	k->tried = new_array(double, n);
	k->load = new_array(double, n);
	k->flows = (struct columns){.begin = new_array(int, sources + 1), .rows = new_array(int, sources * (n + 1)),
				    .values = new_array(double, sources * (n + 1)), .costs = new_array(double, sources),
				    .highs = new_array(double, sources)};
	for (size_t s = 0; s < sources; s++)
		k->flows.highs[s] = linear_infinity;
}

static void pricing_free(struct pricing *k)
{
	void *const all[] = {k->program_prices, k->best_prices, k->tried, k->load, k->prices, k->lengths, k->distance, k->order, k->waiting,
			     k->flows.begin, k->flows.rows, k->flows.values, k->flows.costs, k->flows.highs};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	price_orbits_free(&k->orbits);
	linear_free(k->program);
}

/* ---- shortest paths ---- */

static void set_lengths(struct pricing *k, const double *prices)
{
	for (int i = 0; i < k->price_list->n; i++)
		k->prices[i] = llround(fmax(0, prices[k->orbits.number[i]]) * (double)((int64_t)1 << FINE_BITS));
	price_list_lengths(k->price_list, k->prices, k->lengths);
	for (size_t e = 0; e < k->price_list->w->n_edges; e++)
		k->lengths[e] += EACH_EDGE;
}

/* Is the edge on a shortest path? */
static bool is_short(const struct pricing *k, int edge)
{
	const struct edge *e = &k->price_list->w->edges[edge];
	int64_t from = k->distance[e->src];
	return from >= 0 && from < k->distance[e->dst] && from + k->lengths[edge] <= k->distance[e->dst] + AS_SHORT;
}

/*
 * Routes everything that FROM sends over all shortest paths at once: each node splits its flow evenly over its incoming
 * edges.
 */
static void spread(struct pricing *k, int from, int reached, double *load)
{
	const struct network *w = k->price_list->w;

	for (int v = 0; v < k->nodes; v++)
		k->waiting[v] = k->demands->of[from * k->nodes + v];
	for (int i = reached - 1; i > 0; i--) {
		int v = k->order[i], n_short = 0;
		for (int e = w->in_begin[v]; e < w->in_begin[v + 1]; e++)
			n_short += is_short(k, w->in[e]);
		for (int e = w->in_begin[v]; e < w->in_begin[v + 1] && k->waiting[v] > 0; e++) {
			int edge = w->in[e];
			if (!is_short(k, edge))
				continue;
			k->waiting[w->edges[edge].src] += k->waiting[v] / n_short;
			for (int p = k->price_list->paid.begin[edge]; p < k->price_list->paid.begin[edge + 1]; p++)
				load[k->price_list->paid.of[p]] += k->waiting[v] / n_short;
		}
	}
}

static double paid_from(const struct pricing *k, int from)
{
	double paid = 0;

	for (int v = 0; v < k->nodes; v++)
		if (k->demands->of[from * k->nodes + v])
			paid += (double)k->demands->of[from * k->nodes + v] * (double)k->distance[v];
	return paid / (double)((int64_t)1 << FINE_BITS);
}

/*
 * No prices prove more than the congestion of some feasible flow. If routing by fewest hops, evenly over all paths,
 * meets the bound already known, the program need not be solved.
 */
static double congestion_by_hops(struct pricing *k)
{
	double *load = new_array(double, (size_t)k->price_list->n), most = 0;

	for (size_t e = 0; e < k->price_list->w->n_edges; e++)
		k->lengths[e] = (int64_t)1 << FINE_BITS;
	for (int from = 0; from < k->nodes; from++)
		spread(k, from, price_list_distances(k->price_list, k->lengths, from, k->distance, k->order), load);
	for (int i = 0; i < k->price_list->n; i++)
		most = fmax(most, load[i] / (double)k->price_list->width[i]);
	free(load);
	return most;
}

/* ---- the program ---- */

/*
 * Columns: the congestion, which is minimized, then flows. Rows: the load of everything that has a price is within the
 * congestion, then each source is served.
 */
static void begin(struct pricing *k)
{
	double *width = new_array(double, (size_t)k->orbits.n), all = 0;
	int *rows = new_array(int, (size_t)k->orbits.n);

	k->program = linear_new();
	for (int i = 0; i < k->price_list->n; i++) {
		width[k->orbits.number[i]] += (double)k->price_list->width[i];
		all += (double)k->price_list->width[i];
	}
	for (int c = 0; c < k->orbits.n; c++) {
		rows[c] = linear_row(k->program, 0, linear_infinity, 0, NULL, NULL);
		k->program_prices[c] = k->best_prices[c] = k->tried[c] = 1;
	}
	for (int s = 0; s < k->orbits.n_nodes; s++)
		linear_row(k->program, k->orbits.size[s], k->orbits.size[s], 0, NULL, NULL);
	linear_column(k->program, all, 0, linear_infinity, k->orbits.n, rows, width);
	free(width);
	free(rows);
}

/* Adds the source's flow in LOAD as a column if its reduced cost is negative, or ALWAYS. */
static bool add_flow(struct pricing *k, int source, bool always)
{
	struct columns *f = &k->flows;
	int at = f->begin[f->n];
	double pays = 0;

	for (int c = 0; c < k->orbits.n; c++)
		pays += k->load[c] * k->program_prices[c];
	if (!always && linear_dual(k->program, k->orbits.n + source) <= pays * (1 + near / 10))
		return false;
	for (int c = 0; c < k->orbits.n; c++)
		if (k->load[c] > 0) {
			f->rows[at] = c;
			f->values[at++] = -k->load[c];
		}
	f->rows[at] = k->orbits.n + source;
	f->values[at++] = 1;
	f->begin[++f->n] = at;
	return true;
}

/* Adds flows of all sources under the tried prices; these become the best prices if they prove more. */
static bool add_flows(struct pricing *k, bool first)
{
	double paid = 0, *load = new_array(double, (size_t)k->price_list->n);
	struct columns *f = &k->flows;

	set_lengths(k, k->tried);
	f->n = f->begin[0] = 0;
	for (int class = 0; class < k->orbits.n_nodes; class++) {
		int from = k->orbits.first[class];
		int reached = price_list_distances(k->price_list, k->lengths, from, k->distance, k->order);
		paid += k->orbits.size[class] * paid_from(k, from);
		memset(load, 0, (size_t)k->price_list->n * sizeof *load);
		memset(k->load, 0, (size_t)k->orbits.n * sizeof *k->load);
		spread(k, from, reached, load);
		for (int i = 0; i < k->price_list->n; i++)
			k->load[k->orbits.number[i]] += load[i];
		add_flow(k, class, first);
	}
	linear_columns(k->program, f->n, f->costs, f->costs, f->highs, f->begin, f->rows, f->values);
	free(load);
	if (paid > k->best) {
		k->best = paid;
		memcpy(k->best_prices, k->tried, (size_t)k->orbits.n * sizeof *k->tried);
	}
	return f->n > 0;
}

static bool add_between(struct pricing *k, double part)
{
	for (int c = 0; c < k->orbits.n; c++)
		k->tried[c] = k->best_prices[c] + part * (k->program_prices[c] - k->best_prices[c]);
	return add_flows(k, false);
}

static bool solve(struct pricing *k)
{
	if (!linear_solve_wider(k->program))
		return false;
	k->least = linear_cost(k->program);
	for (int c = 0; c < k->orbits.n; c++)
		k->program_prices[c] = fmax(0, linear_dual(k->program, c));
	return true;
}

/*
 * KNOWN is the payment that prices must exceed to be useful. If the search ended, PROGRAM_PRICES are optimal; if it was
 * cut short, BEST_PRICES are the best found.
 */
static enum searched search(struct pricing *k, double known)
{
	enum { WORK_MAX = 2500000 }; /* rows times iterations: about a second */
	double work = 0;

	for (bool more = add_flows(k, true); more; more = add_between(k, 0.3) || add_between(k, 1)) {
		if (work > WORK_MAX || !solve(k))
			return k->best > known ? SEARCH_CUT_SHORT : SEARCH_IN_VAIN;
		work += (double)linear_iterations(k->program) * (k->orbits.n + k->orbits.n_nodes);
		if (k->least <= known * (1 + near))
			return SEARCH_IN_VAIN;
		if (k->least <= k->best * (1 + near))
			break;
	}
	return SEARCH_ENDED;
}

enum searched prices_search(const struct price_list *f, const struct demands *d, double known, double *prices)
{
	enum { CELLS_MAX = 1 << 16 }; /* nonzeros of the flows in one iteration */
	enum searched how = SEARCH_IN_VAIN;
	struct pricing k;
	double round = 0;

	pricing_new(f, d, &k);
	if (congestion_by_hops(&k) > known * (1 + near)) {
		find_orbits(&k);
		for (int i = 0; i < f->n; i++)
			round += (double)f->width[i];
		if ((double)k.orbits.n * k.orbits.n_nodes <= CELLS_MAX) {
			begin(&k);
			how = search(&k, known * round);
		}
		for (int i = 0; i < f->n; i++)
			prices[i] = (how == SEARCH_ENDED ? k.program_prices : k.best_prices)[k.orbits.number[i]];
	}
	pricing_free(&k);
	return how;
}
