/*
 * Trees for switches that cannot be split off: what such a switch receives and sends cannot be paired, and no arc can
 * be narrowed without starving a node. A switch only forwards, so any trees use an amount x of each pair of nodes,
 * carried along paths through switches. The best x is the optimum of a linear program, to which cuts between nodes are
 * added when a maximum flow finds them violated. Amounts are rounded down to integers for some number of rounds, and
 * trees are packed into them exactly, as into links.
 */

#include "synth/trees/forest_graph.h"

#include "core/base/error.h"
#include "core/graph/max_flow.h"
#include "core/graph/linear_program.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/watch.h"
#include "core/machine/topology.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS_MAX = 20000, CUTS_MAX = 1000, TRIED = 60, ROUNDS_MOST = 1 << 20 };

static const double tiny = 1e-7;

struct relay_arc {
	int from, to;
	int64_t capacity;
};

/* An amount that one node sends to another along one path. */
struct portion {
	int src, dst;
	double amount;
	int64_t count; /* integer, in the rounds being tried */
	int n_via, *via;
};

struct relay {
	const struct forest_graph *g; /* the machine, unscaled */
	struct relay_arc *arcs;
	size_t n_arcs, room;
	int *column;        /* [source * n_arcs + arc]: column of that amount; -1: always 0 */
	int n_columns, rate; /* rate: the column of what each root sends per round */
	struct linear *lp;
	int *columns;       /* of the row being built */
	double *values;
	struct portion *portions;
	size_t n_portions, portions_room;
};

static void find_arcs(struct relay *r)
{
	const struct forest_graph *g = r->g;

	for (int u = 0; u < g->vertices; u++)
		for (int v = 0; v < g->vertices; v++)
			if (g->capacity[forest_pair(g, u, v)]) {
				r->arcs = grown(r->arcs, &r->room, r->n_arcs + 1, sizeof *r->arcs);
				r->arcs[r->n_arcs++] = (struct relay_arc){u, v, g->capacity[forest_pair(g, u, v)]};
			}
}

/*
 * A column for each source and each arc that leaves it or a switch and does not lead back to it. A small cost keeps
 * amounts low, so that nothing runs in circles. False: too many columns.
 */
static bool add_columns(struct relay *r)
{
	const struct forest_graph *g = r->g;
	size_t n = (size_t)g->nodes * r->n_arcs;

	if (n > COLUMNS_MAX)
		return false;
	r->column = new_array(int, n);
	for (int u = 0; u < g->nodes; u++)
		for (size_t a = 0; a < r->n_arcs; a++) {
			const struct relay_arc *x = &r->arcs[a];
			bool may = (x->from == u || x->from >= g->nodes) && x->to != u;
			r->column[(size_t)u * r->n_arcs + a] = may ? r->n_columns++ : -1;
			if (may)
				linear_column(r->lp, 1e-6, 0, linear_infinity, 0, NULL, NULL);
		}
	r->rate = r->n_columns++;
	linear_column(r->lp, -1, 0, linear_infinity, 0, NULL, NULL);
	r->columns = new_array(int, (size_t)r->n_columns);
	r->values = new_array(double, (size_t)r->n_columns);
	return true;
}

static int add_entry(struct relay *r, int n, int column, double value)
{
	if (column < 0)
		return n;
	r->columns[n] = column;
	r->values[n] = value;
	return n + 1;
}

static void add_capacities(struct relay *r)
{
	for (size_t a = 0; a < r->n_arcs; a++) {
		int n = 0;
		for (int u = 0; u < r->g->nodes; u++)
			n = add_entry(r, n, r->column[(size_t)u * r->n_arcs + a], 1);
		linear_row(r->lp, 0, (double)r->arcs[a].capacity, n, r->columns, r->values);
	}
}

/* Flow conservation: a switch sends out what it receives of each source. */
static void add_forwarding(struct relay *r)
{
	for (int u = 0; u < r->g->nodes; u++)
		for (int w = r->g->nodes; w < r->g->vertices; w++) {
			int n = 0;
			for (size_t a = 0; a < r->n_arcs; a++)
				if (r->arcs[a].to == w || r->arcs[a].from == w)
					n = add_entry(r, n, r->column[(size_t)u * r->n_arcs + a], r->arcs[a].to == w ? 1 : -1);
			linear_row(r->lp, 0, 0, n, r->columns, r->values);
		}
}

/* The nodes of the set send to the others at least as much as its roots. */
static void add_cut(struct relay *r, const bool *in)
{
	int n = 0, roots = 0;

	for (int u = 0; u < r->g->nodes; u++) {
		roots += in[u] && r->g->is_root[u];
		for (size_t a = 0; a < r->n_arcs && in[u]; a++)
			if (r->arcs[a].to < r->g->nodes && !in[r->arcs[a].to])
				n = add_entry(r, n, r->column[(size_t)u * r->n_arcs + a], 1);
	}
	n = add_entry(r, n, r->rate, -roots);
	linear_row(r->lp, 0, linear_infinity, n, r->columns, r->values);
}

static double amount(const struct relay *r, int u, size_t a)
{
	int column = r->column[(size_t)u * r->n_arcs + a];
	double value = column < 0 ? 0 : linear_value(r->lp, column);

	return value > tiny ? value : 0;
}

/* Adds the cuts that let too little out, found by a maximum flow to each node; returns how many. */
static int add_tight_cuts(struct relay *r)
{
	const struct forest_graph *g = r->g;
	const double scale = 1e9;
	int nodes = g->nodes, added = 0;
	struct flow *f = flow_new(nodes + 1);
	bool *in = new_array(bool, (size_t)nodes);
	int64_t each = llround(linear_value(r->lp, r->rate) * scale);

	for (int u = 0; u < nodes; u++) {
		if (g->is_root[u])
			flow_arc(f, nodes, u, each);
		for (size_t a = 0; a < r->n_arcs; a++)
			if (r->arcs[a].to < nodes && amount(r, u, a) > 0)
				flow_arc(f, u, r->arcs[a].to, llround(amount(r, u, a) * scale));
	}
	for (int v = 0; v < nodes; v++) {
		int64_t got = flow_run(f, nodes, v);
		if ((double)(each * g->n_roots - got) <= 1e-5 * scale)
			continue;
		for (int u = 0; u < nodes; u++)
			in[u] = flow_on_source_side(f, u);
		add_cut(r, in);
		added++;
	}
	flow_free(f);
	free(in);
	return added;
}

static bool solve(struct relay *r)
{
	bool *in = new_array(bool, (size_t)r->g->nodes);
	int cuts = 0, added = 1;

	for (int v = 0; v < r->g->nodes; v++) {
		for (int u = 0; u < r->g->nodes; u++)
			in[u] = u != v;
		add_cut(r, in);
	}
	free(in);
	for (; added && cuts < CUTS_MAX; cuts += added) {
		watch_note("spreading traffic, cuts", cuts, CUTS_MAX);
		if (!linear_solve(r->lp) || stop_is_due())
			return false;
		added = add_tight_cuts(r);
	}
	return linear_value(r->lp, r->rate) > tiny;
}

/* ---- paths ---- */

static void take_path(struct relay *r, int u, double *left, const int *path, int length)
{
	struct portion p = {.src = u, .dst = r->arcs[path[length - 1]].to, .amount = left[path[0]], .n_via = length - 1,
			    .via = new_array(int, (size_t)length)};

	for (int i = 0; i < length; i++)
		p.amount = left[path[i]] < p.amount ? left[path[i]] : p.amount;
	for (int i = 0; i < length; i++) {
		left[path[i]] -= p.amount;
		if (left[path[i]] <= tiny)
			left[path[i]] = 0;
		if (i < length - 1)
			p.via[i] = r->arcs[path[i]].to;
	}
	r->portions = grown(r->portions, &r->portions_room, r->n_portions + 1, sizeof p);
	r->portions[r->n_portions++] = p;
}

/* An arc out of FROM with something left; -1: none. */
static int next_arc(const struct relay *r, const double *left, int from)
{
	for (size_t a = 0; a < r->n_arcs; a++)
		if (r->arcs[a].from == from && left[a] > 0)
			return (int)a;
	return -1;
}

static void find_paths_of(struct relay *r, int u)
{
	double *left = new_array(double, r->n_arcs);
	int *path = new_array(int, (size_t)r->g->vertices + 1);

	for (size_t a = 0; a < r->n_arcs; a++)
		left[a] = amount(r, u, a);
	for (int a = next_arc(r, left, u); a >= 0; a = next_arc(r, left, u)) {
		int length = 0;
		path[length++] = a;
		while (r->arcs[a].to >= r->g->nodes && length <= r->g->vertices) {
			a = next_arc(r, left, r->arcs[a].to);
			if (a < 0)
				break;
			path[length++] = a;
		}
		if (a < 0 || r->arcs[a].to >= r->g->nodes)
			left[path[0]] = 0; /* residue of rounding */
		else
			take_path(r, u, left, path, length);
	}
	free(left);
	free(path);
}

/* ---- integer amounts ---- */

static int64_t *load_of(const struct relay *r, int64_t *loads, const struct portion *p, int i)
{
	int from = i ? p->via[i - 1] : p->src, to = i < p->n_via ? p->via[i] : p->dst;
	return &loads[forest_pair(r->g, from, to)];
}

/* As many of each as fit into ROUNDS rounds. The tolerance may round up, so capacities are checked again. */
static void count_portions(struct relay *r, int rounds)
{
	size_t n = (size_t)r->g->vertices;
	int64_t *loads = new_array(int64_t, n * n);

	for (size_t k = 0; k < r->n_portions; k++) {
		struct portion *p = &r->portions[k];
		p->count = (int64_t)floor(p->amount * rounds + 1e-4);
		for (int i = 0; i <= p->n_via; i++) {
			int64_t *load = load_of(r, loads, p, i);
			int64_t free_room = r->g->capacity[load - loads] * rounds - *load;
			p->count = p->count < free_room ? p->count : free_room;
		}
		for (int i = 0; i <= p->n_via; i++)
			*load_of(r, loads, p, i) += p->count;
	}
	free(loads);
}

/* The machine with the counted amounts as links between nodes, and nothing else. */
static bool counted_graph(const struct relay *r, int root, struct forest_graph *g, struct error *e)
{
	if (!forest_graph_new(r->g->topology, root, g, e))
		return false;
	for (size_t a = 0; a < r->n_arcs; a++)
		forest_graph_set(g, r->arcs[a].from, r->arcs[a].to, 0);
	for (size_t k = 0; k < r->n_portions; k++) {
		const struct portion *p = &r->portions[k];
		size_t pair = forest_pair(g, p->src, p->dst);
		if (p->count)
			forest_graph_set(g, p->src, p->dst, g->capacity[pair] + p->count);
		g->grain = common_divisor(p->count, g->grain);
	}
	return true;
}

/* R/C that the counted amounts allow; not rational_ok: some node is not reached. */
static struct rational counted_rate(struct relay *r, int root, int rounds)
{
	struct forest_graph g;
	struct forest f = {.nodes = r->g->nodes, .root = root};
	struct error e = {0};
	struct rational rate = {0, 0};

	count_portions(r, rounds);
	if (!counted_graph(r, root, &g, &e))
		return rate;
	if (forest_find_rate(&g, &f, &e))
		rate = rational_mul(f.bandwidth, rational(rounds, 1));
	forest_graph_free(&g);
	forest_free(&f);
	return rate;
}

/*
 * Small numbers of rounds first; then those in which the least amount becomes an integer, so that no path rounds to
 * zero. 0: no more.
 */
static int rounds_to_try(const struct relay *r, int number)
{
	double least = linear_infinity;

	for (size_t k = 0; k < r->n_portions; k++)
		if (r->portions[k].amount > 100 * tiny && r->portions[k].amount < least)
			least = r->portions[k].amount;
	double rounds = number <= TRIED ? number : ceil((number - TRIED) / least - 1e-3);
	return number <= 2 * TRIED && rounds <= ROUNDS_MOST ? (int)rounds : 0;
}

static int best_rounds(struct relay *r, int root)
{
	double least = 1 / linear_value(r->lp, r->rate);
	struct rational best = {0, 0};
	int rounds = 0;

	for (int i = 1; (!rounds || rational_double(best) > least * (1 + 1e-6)) && !stop_is_due(); i++) {
		int d = rounds_to_try(r, i);
		if (!d)
			break;
		struct rational rate = counted_rate(r, root, d);
		if (rational_ok(rate) && (!rounds || rational_compare(rate, best) < 0)) {
			best = rate;
			rounds = d;
		}
	}
	return rounds;
}

/* The paths as pieces, counts multiplied by the same factor as the capacities. */
static void set_paths(const struct relay *r, struct forest_graph *g, struct rational by)
{
	for (size_t i = 0; i < (size_t)g->vertices * (size_t)g->vertices; i++)
		forest_pieces_free(&g->pieces[i]);
	for (size_t k = 0; k < r->n_portions; k++) {
		const struct portion *p = &r->portions[k];
		if (p->count)
			forest_pieces_add(&g->pieces[forest_pair(g, p->src, p->dst)], rational_mul(by, rational(p->count, 1)).num, p->via,
					  p->n_via);
	}
}

static bool take(struct relay *r, int root, int rounds, struct forest_graph *out, struct forest *f, struct error *e)
{
	struct forest counted = {.nodes = r->g->nodes, .root = root};

	count_portions(r, rounds);
	bool ok = counted_graph(r, root, out, e) && forest_find_rate(out, &counted, e);
	if (ok) {
		set_paths(r, out, counted.rounds);
		f->chunks = counted.chunks;
		f->rounds = rational_mul(counted.rounds, rational(rounds, 1));
		f->above = rational_compare(rational_div(f->rounds, rational(f->chunks, 1)), f->bandwidth) > 0;
	}
	forest_free(&counted);
	return ok;
}

bool forest_relay(const struct forest_graph *machine, int root, struct forest_graph *out, struct forest *f, struct error *e)
{
	struct relay r = {.g = machine, .lp = linear_new()};

	*out = (struct forest_graph){0};
	find_arcs(&r);
	bool few = add_columns(&r), ok = few;
	if (few) {
		add_capacities(&r);
		add_forwarding(&r);
		ok = solve(&r);
	}
	for (int u = 0; u < machine->nodes && ok; u++)
		find_paths_of(&r, u);
	int rounds = ok ? best_rounds(&r, root) : 0;
	ok = rounds && take(&r, root, rounds, out, f, e);
	if (!ok && forest_in_time(machine, e))
		error_set(e, ERROR_LIMIT, machine->topology->name, "has switches that cannot be split off, and %s: the rate is known, trees are "
			  "not", few ? "no integral amounts between nodes were found" : "too many links for a linear program on forwarding");
	for (size_t k = 0; k < r.n_portions; k++)
		free(r.portions[k].via);
	free(r.portions);
	free(r.arcs);
	free(r.column);
	free(r.columns);
	free(r.values);
	linear_free(r.lp);
	return ok;
}
