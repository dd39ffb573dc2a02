/*
 * Column generation. Trees are priced not at the duals of the restricted program, which jump about, but between them
 * and the prices that gave the best bound so far (Wentges' smoothing); where that finds no tree that improves the
 * program, closer and closer to the duals. The end is reached when the bound meets the value, or no tree improves it.
 * Then the basis is solved in exact arithmetic, and the trees are priced once more at these exact prices.
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

static const double smoothing = 0.7, tolerance = 1e-9;

/* The state of the column generation. */
struct generation {
	struct master m;
	double value, bound;          /* of the restricted program; the best lower bound so far */
	double *best, *dual, *between; /* [step * n_rows + row]: the prices that gave it, those of the value, and others */
	double *demand;               /* [commodity]: what one of the commodity may cost at the duals */
	double *limit;                /* [commodity]: its cheapest known tree at the prices asked */
	double *at, *at_dual;         /* [step * n_edges + edge]: prices of edges */
};

static void generation_new(struct timed_program *p, struct generation *g)
{
	*g = (struct generation){.value = INFINITY};
	master_new(p, &g->m);
	g->best = new_array(double, g->m.cells);
	g->dual = new_array(double, g->m.cells);
	g->between = new_array(double, g->m.cells);
	g->demand = new_array(double, p->commodities.n);
	g->limit = new_array(double, p->commodities.n);
	g->at = new_array(double, g->m.prices);
	g->at_dual = new_array(double, g->m.prices);
}

static void generation_free(struct generation *g)
{
	master_free(&g->m);
	free(g->best);
	free(g->dual);
	free(g->between);
	free(g->demand);
	free(g->limit);
	free(g->at);
	free(g->at_dual);
}

/* A first tree for each commodity: one of the fewest sends. False with *e set: there is none, or too many states. */
static bool first_trees(struct generation *g, struct error *e)
{
	struct timed_program *p = g->m.p;

	for (size_t j = 0; j < g->m.prices; j++)
		g->at[j] = 1;
	for (size_t k = 0; k < p->commodities.n; k++) {
		struct timed_tree tree;
		double cost;
		switch (timed_tree_cheapest(g->m.w, &p->commodities.of[k], p->steps, g->at, INFINITY, &tree, &cost)) {
		case TREE_TOO_LARGE:
			return error_set(e, ERROR_INPUT, "timed-trees", "the machine has too many sets of nodes, and too little symmetry");
		case TREE_NONE:
			return error_set(e, ERROR_INPUT, "-S", "%d step%s cannot be enough", p->steps, plural(p->steps));
		case TREE_FOUND:
			master_add(&g->m, (int)k, tree);
		}
	}
	return true;
}

/* Trees of a program of one step less, with an idle step at the end and at the beginning. */
static void earlier_trees(struct generation *g, const struct timed_program *before)
{
	for (size_t c = 0; c < before->n_columns; c++)
		for (int late = 0; before->columns[c].amount.num && late < 2; late++) {
			const struct timed_tree *t = &before->columns[c].tree;
			struct timed_tree copy = {t->n, copy_bytes(t->of, (size_t)t->n * sizeof *t->of)};
			for (int i = 0; i < copy.n; i++)
				copy.of[i].step += late;
			master_add(&g->m, before->columns[c].commodity, copy);
		}
}

static bool solve_restricted(struct generation *g, struct error *e)
{
	struct timed_program *p = g->m.p;
	int demands = (int)p->commodities.n;

	if (!linear_solve_wider(g->m.l))
		return error_set(e, ERROR_SYSTEM, "timed-trees", "the linear program has no solution");
	g->value = linear_cost(g->m.l) / (double)g->m.scale / (double)g->m.scale;
	for (int k = 0; k < demands; k++)
		g->demand[k] = linear_dual(g->m.l, k) / (double)p->commodities.of[k].orbit;
	for (size_t i = 0; i < g->m.cells; i++)
		g->dual[i] = fmax(0, -linear_dual(g->m.l, demands + (int)i));
	master_edge_prices(&g->m, g->dual, g->at_dual);
	return true;
}

/* Fills limit [commodity]: the cheapest of its columns at the prices g->at. */
static void cheapest_known(struct generation *g)
{
	const struct timed_program *p = g->m.p;

	for (size_t k = 0; k < p->commodities.n; k++)
		g->limit[k] = INFINITY;
	for (size_t c = 0; c < p->n_columns; c++) {
		double *limit = &g->limit[p->columns[c].commodity];
		*limit = fmin(*limit, master_tree_cost(&g->m, &p->columns[c].tree, g->at));
	}
}

/*
 * Adds the cheapest tree of each commodity at PRICE, if it is cheaper than those known, by the part SLACK at least. Fills
 * limit [commodity] with the least costs; 0 where these prices distinguish too many sets of nodes to find out.
 */
static void cheapest_trees(struct generation *g, const double *price, double slack)
{
	struct timed_program *p = g->m.p;

	master_edge_prices(&g->m, price, g->at);
	cheapest_known(g);
	for (size_t k = 0; k < p->commodities.n; k++) {
		struct timed_tree tree;
		double cost;
		enum tree_answer answer = timed_tree_cheapest(g->m.w, &p->commodities.of[k], p->steps, g->at,
							      g->limit[k] * (1 - slack), &tree, &cost);
		if (answer == TREE_FOUND) {
			g->limit[k] = cost;
			master_add(&g->m, (int)k, tree);
		} else if (answer == TREE_TOO_LARGE) {
			g->limit[k] = 0;
		}
	}
}

/* Adds trees that are cheapest at PRICE. Do any of them improve the program? */
static bool price_trees(struct generation *g, const double *price)
{
	struct timed_program *p = g->m.p;
	size_t known = p->n_columns;
	double bound = 0;
	bool improving = false;

	p->iterations++;
	cheapest_trees(g, price, tolerance);
	for (size_t c = known; c < p->n_columns; c++)
		improving = improving || master_tree_cost(&g->m, &p->columns[c].tree, g->at_dual) <
						 g->demand[p->columns[c].commodity] * (1 - tolerance);
	for (size_t k = 0; k < p->commodities.n; k++)
		bound += (double)p->commodities.of[k].demand * (double)p->commodities.of[k].orbit * g->limit[k];
	bound /= master_round_cost(&g->m, price);
	if (bound > g->bound) {
		g->bound = bound;
		memmove(g->best, price, g->m.cells * sizeof *price);
	}
	return improving;
}

/* Finds trees that improve the program; false: there are none. */
static bool improve(struct generation *g)
{
	for (double weight = g->bound > 0 ? smoothing : 0;; weight = weight > 0.1 ? weight / 2 : 0) {
		double best = master_round_cost(&g->m, g->best), now = master_round_cost(&g->m, g->dual);
		for (size_t i = 0; weight > 0 && i < g->m.cells; i++)
			g->between[i] = weight * g->best[i] / best + (1 - weight) * g->dual[i] / now;
		bool improving = price_trees(g, weight > 0 ? g->between : g->dual);
		if (g->value <= g->bound * (1 + tolerance))
			return false;
		if (improving || weight == 0)
			return improving;
	}
}

/* What the prices of the program, which are integers, prove. */
static void prove(struct generation *g)
{
	struct timed_program *p = g->m.p;
	struct rational paid = rational(0, 1);

	for (size_t i = 0; i < g->m.cells; i++)
		g->between[i] = (double)p->price[i];
	cheapest_trees(g, g->between, 0);
	for (size_t k = 0; k < p->commodities.n; k++) {
		const struct commodity *c = &p->commodities.of[k];
		paid = rational_add(paid, rational_mul(rational(c->demand * c->orbit, 1), rational((int64_t)g->limit[k], 1)));
	}
	/* Prices of 0 prove nothing. */
	p->at_least = paid.num ? rational_div(paid, rational((int64_t)master_round_cost(&g->m, g->between), 1)) : paid;
}

/* The value in floating point, to within the tolerance, and the exact one of its basis. False with *e set. */
static bool generate(struct generation *g, struct error *e)
{
	struct timed_program *p = g->m.p;

	do
		if (!solve_restricted(g, e))
			return false;
	while (improve(g) && !stop_is_due());
	/* The prices that met the value need not be those of the basis, at which trees may still be missing. */
	for (size_t solved = 0; master_exact(&g->m) && !stop_is_due(); solved = p->n_columns) {
		prove(g);
		if (rational_compare(p->at_least, p->attained) == 0)
			return true;
		if (p->n_columns == solved)
			break;
		if (!solve_restricted(g, e))
			return false;
	}
	if (!p->price || g->bound > 0)
		master_rounded(&g->m, g->best);
	prove(g);
	return true;
}

bool timed_program_solve(const struct instance *i, const struct node_group *group, int steps,
			 const struct timed_program *before, struct timed_program *out, struct error *e)
{
	struct timed_program p = {.instance = i, .steps = steps};
	struct generation g;

	if (!commodities_new(i, group->generators, group->n, &p.commodities, e))
		return false;
	generation_new(&p, &g);
	bool ok = first_trees(&g, e);
	if (ok && before)
		earlier_trees(&g, before);
	ok = ok && generate(&g, e);
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
