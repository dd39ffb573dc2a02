/*
 * Column generation. Trees are priced not at the duals of the restricted program, which jump about, but between them
 * and the prices that gave the best bound so far (Wentges' smoothing); where that finds no tree that improves the
 * program, closer and closer to the duals. All prices asked are integers, so that every bound is proved when it is found,
 * and counts if the deadline comes. The end is reached when the bound meets the value, or no tree improves it. Then the
 * basis is solved in exact arithmetic, and the trees are priced once more at these exact prices.
 */

#include "synth/program/timed_program.h"

#include "synth/program/master.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/graph/linear_program.h"
#include "core/machine/network.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double smoothing = 0.7, tolerance = 1e-9, slack = 1e-10;

/* The state of the column generation. */
struct generation {
	struct master m;
	double value;                  /* of the restricted program */
	double above;                  /* a value that is no larger than this is of no interest */
	double *best, *dual, *between; /* [step * n_rows + row]: the prices that proved most, those of the value, and others */
	double *whole;                 /* the same: integers, at which trees are priced */
	double *demand;                /* [commodity]: what one of the commodity may cost at the duals */
	double *limit;                 /* [commodity]: what its cheapest known tree costs at the prices asked */
	size_t *cheapest;              /* [commodity]: that tree, a column */
	double *at, *at_dual;          /* [step * n_edges + edge]: prices of edges */
	bool searched;                 /* some tree was not the cheapest for sure when they were priced last */
	int effort;                    /* in looking for it */
	size_t capacity;
	double *amount;                /* [column]: the last solution found in time */
};

static void generation_new(struct timed_program *p, struct generation *g)
{
	*g = (struct generation){.value = INFINITY, .effort = 1};
	master_new(p, &g->m);
	p->price = new_array(int64_t, g->m.cells);
	p->at_least = rational(0, 1);
	g->best = new_array(double, g->m.cells);
	g->dual = new_array(double, g->m.cells);
	g->between = new_array(double, g->m.cells);
	g->whole = new_array(double, g->m.cells);
	g->demand = new_array(double, p->commodities.n);
	g->limit = new_array(double, p->commodities.n);
	g->cheapest = new_array(size_t, p->commodities.n);
	g->at = new_array(double, g->m.prices);
	g->at_dual = new_array(double, g->m.prices);
}

static void generation_free(struct generation *g)
{
	master_free(&g->m);
	free(g->best);
	free(g->dual);
	free(g->between);
	free(g->whole);
	free(g->demand);
	free(g->limit);
	free(g->cheapest);
	free(g->at);
	free(g->at_dual);
	free(g->amount);
}

/* Adds a tree, which carries AMOUNT until the restricted program is solved. */
static void add_tree(struct generation *g, int commodity, struct timed_tree tree, double amount)
{
	master_add(&g->m, commodity, tree);
	g->amount = grown(g->amount, &g->capacity, g->m.p->n_columns, sizeof *g->amount);
	g->amount[g->m.p->n_columns - 1] = amount;
}

/*
 * A first tree for each commodity: of the fewest sends, or if that is not found the earliest. It carries all, or nothing.
 * False with *e set: there is none.
 */
static bool first_trees(struct generation *g, bool carry, struct error *e)
{
	struct timed_program *p = g->m.p;

	for (size_t j = 0; j < g->m.prices; j++)
		g->at[j] = 1;
	for (size_t k = 0; k < p->commodities.n; k++) {
		const struct commodity *of = &p->commodities.of[k];
		struct timed_tree tree;
		struct priced_tree fewest;
		if (!timed_tree_earliest(g->m.w, of, p->steps, &tree))
			return error_set(e, ERROR_INPUT, "-S", "%d step%s cannot be enough", p->steps, plural(p->steps));
		timed_tree_price(g->m.w, of, p->steps, g->at, tree.n + 1, &tree, 1, &fewest);
		if (fewest.found)
			free(tree.of);
		add_tree(g, (int)k, fewest.found ? fewest.tree : tree, carry ? (double)of->demand : 0);
	}
	return true;
}

/* Trees of a program of one step less, with an idle step at the end, where they carry what they did, and at the beginning. */
static void earlier_trees(struct generation *g, const struct timed_program *before)
{
	for (size_t c = 0; c < before->n_columns; c++)
		for (int late = 0; before->columns[c].amount.num && late < 2; late++) {
			const struct timed_tree *t = &before->columns[c].tree;
			struct timed_tree copy = {t->n, copy_bytes(t->of, (size_t)t->n * sizeof *t->of)};
			for (int i = 0; i < copy.n; i++)
				copy.of[i].step += late;
			add_tree(g, before->columns[c].commodity, copy, late ? 0 : rational_double(before->columns[c].amount));
		}
}

/* False: not by the deadline. */
static bool solve_restricted(struct generation *g)
{
	struct timed_program *p = g->m.p;
	int demands = (int)p->commodities.n;

	if (!linear_solve_wider_in_time(g->m.l))
		return false;
	g->value = linear_cost(g->m.l) / (double)g->m.scale / (double)g->m.scale;
	for (int k = 0; k < demands; k++)
		g->demand[k] = linear_dual(g->m.l, k) / (double)p->commodities.of[k].orbit;
	for (size_t i = 0; i < g->m.cells; i++)
		g->dual[i] = fmax(0, -linear_dual(g->m.l, demands + (int)i));
	for (size_t c = 0; c < p->n_columns; c++)
		g->amount[c] = linear_value(g->m.l, p->steps + (int)c) / (double)g->m.scale;
	master_edge_prices(&g->m, g->dual, g->at_dual);
	return true;
}

/* Fills limit and cheapest [commodity] at the prices g->at. */
static void cheapest_known(struct generation *g)
{
	const struct timed_program *p = g->m.p;

	for (size_t k = 0; k < p->commodities.n; k++)
		g->limit[k] = INFINITY;
	for (size_t c = 0; c < p->n_columns; c++) {
		int k = p->columns[c].commodity;
		double cost = master_tree_cost(&g->m, &p->columns[c].tree, g->at);
		if (cost < g->limit[k]) {
			g->limit[k] = cost;
			g->cheapest[k] = c;
		}
	}
}

/* Keeps the prices asked if they prove more than those before: all commodities pay at least PAID, a round at most ROUND. */
static void keep_best(struct generation *g, struct rational paid, int64_t round)
{
	struct timed_program *p = g->m.p;
	struct rational bound = paid.num ? rational_div(paid, rational(round, 1)) : paid; /* prices of 0 prove nothing */

	if (!rational_ok(bound) || rational_compare(bound, p->at_least) <= 0)
		return;
	p->at_least = bound;
	for (size_t i = 0; i < g->m.cells; i++) {
		g->best[i] = g->whole[i];
		p->price[i] = (int64_t)g->whole[i];
	}
}

/*
 * Adds the cheapest tree of each commodity at the prices g->whole, if it is cheaper than those known, by the part GAIN at
 * least; keeps what the prices prove.
 */
static void price_trees(struct generation *g, double gain)
{
	struct timed_program *p = g->m.p;
	struct rational paid = rational(0, 1);

	p->iterations++;
	g->searched = false;
	master_edge_prices(&g->m, g->whole, g->at);
	cheapest_known(g);
	for (size_t k = 0; k < p->commodities.n; k++) {
		const struct commodity *c = &p->commodities.of[k];
		struct priced_tree t;
		timed_tree_price(g->m.w, c, p->steps, g->at, g->limit[k] * (1 - gain),
				 &p->columns[g->cheapest[k]].tree, g->effort, &t);
		g->searched = g->searched || t.at_least < fmin(g->limit[k] * (1 - gain), t.found ? t.cost : INFINITY);
		if (t.found)
			add_tree(g, (int)k, t.tree, 0);
		paid = rational_add(paid, rational_mul(rational(c->demand * c->orbit, 1), rational((int64_t)ceil(t.at_least), 1)));
	}
	keep_best(g, paid, (int64_t)master_round_cost(&g->m, g->whole));
}

/* Adds trees that are cheapest at PRICE, made whole. Do any of them improve the program? */
static bool price_rounded(struct generation *g, const double *price)
{
	const struct timed_program *p = g->m.p;
	size_t known = p->n_columns;
	bool improving = false;

	master_whole_prices(&g->m, price, g->whole);
	price_trees(g, slack);
	for (size_t c = known; c < p->n_columns; c++)
		improving = improving || master_tree_cost(&g->m, &p->columns[c].tree, g->at_dual) <
						 g->demand[p->columns[c].commodity] * (1 - tolerance);
	return improving;
}

/* Is a longer search for trees still to be made? Then the next is. */
static bool try_harder(struct generation *g)
{
	enum { MORE = 4, MOST = 64 };

	if (!g->searched || g->effort >= MOST)
		return false;
	g->effort *= MORE;
	return true;
}

/* Finds trees that improve the program; false: there are none, or none are found. */
static bool improve(struct generation *g)
{
	for (double weight = g->m.p->at_least.num > 0 ? smoothing : 0;; weight = weight > 0.1 ? weight / 2 : 0) {
		double best = master_round_cost(&g->m, g->best), now = master_round_cost(&g->m, g->dual);
		for (size_t i = 0; weight > 0 && i < g->m.cells; i++)
			g->between[i] = weight * g->best[i] / best + (1 - weight) * g->dual[i] / now;
		bool improving = price_rounded(g, weight > 0 ? g->between : g->dual);
		if (g->value <= rational_double(g->m.p->at_least) * (1 + tolerance))
			return false;
		if (improving || stop_is_due()) {
			g->effort = 1;
			return improving;
		}
		if (weight == 0 && !try_harder(g))
			return false;
	}
}

/* The exact solution, if its numbers fit: its prices need not be those that met the value, and trees may still be missing. */
static void make_exact(struct generation *g)
{
	struct timed_program *p = g->m.p;
	int64_t *price = new_array(int64_t, g->m.cells);

	for (size_t solved = 0; !stop_is_due() && master_exact(&g->m, price); solved = p->n_columns) {
		for (size_t i = 0; i < g->m.cells; i++)
			g->whole[i] = (double)price[i];
		price_trees(g, 0);
		if (rational_compare(p->at_least, p->attained) == 0 || p->n_columns == solved || !solve_restricted(g))
			break;
	}
	free(price);
}

/* Equal prices prove little, but something: where duals have not been priced, their zeros leave nothing. */
static void price_evenly(struct generation *g)
{
	for (size_t i = 0; i < g->m.cells; i++)
		g->between[i] = 1;
	price_rounded(g, g->between);
}

/* The value in floating point, to within the tolerance, and the exact one of its basis; or what is found by the deadline. */
static void generate(struct generation *g)
{
	bool solved;

	do
		solved = solve_restricted(g);
	while (solved && g->value > g->above && improve(g) && !stop_is_due());
	if (g->value <= g->above) {
		master_rounded(&g->m, g->amount);
		return;
	}
	if (!(g->value <= rational_double(g->m.p->at_least) * (1 + tolerance)))
		price_evenly(g);
	if (solved)
		make_exact(g);
	if (!g->m.p->rounds)
		master_rounded(&g->m, g->amount);
}

bool timed_program_solve(const struct instance *i, const struct node_group *group, int steps,
			 const struct timed_program *before, struct timed_program *out, struct error *e)
{
	return timed_program_solve_above(i, group, steps, before, 0, out, e);
}

bool timed_program_solve_above(const struct instance *i, const struct node_group *group, int steps,
			       const struct timed_program *before, double above, struct timed_program *out, struct error *e)
{
	struct timed_program p = {.instance = i, .steps = steps};
	struct generation g;

	if (!network_counts_all(i->network, collective_name(&i->collective), e) ||
	    !commodities_new(i, group->generators, group->n, &p.commodities, e))
		return false;
	generation_new(&p, &g);
	g.above = above * (1 + tolerance);
	bool ok = first_trees(&g, !before, e);
	if (ok && before)
		earlier_trees(&g, before);
	if (ok)
		generate(&g);
	generation_free(&g);
	if (ok)
		*out = p;
	else
		timed_program_free(&p);
	return ok;
}

void timed_program_free(struct timed_program *p)
{
	commodities_free(&p->commodities);
	for (size_t c = 0; c < p->n_columns; c++)
		free(p->columns[c].tree.of);
	free(p->columns);
	free(p->price);
	free(p->rounds);
}
