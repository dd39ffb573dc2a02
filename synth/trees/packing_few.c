/*
 * Integer programs over the candidates, by branch and bound on linear relaxations. Ones: the most trees of weight 1.
 * Fewest: a tree costs 1 whatever its weight; its relaxation costs the fraction of its possible weight that is used, so
 * that trees of wide links come first, and candidates are priced for each link width.
 */

#include "synth/trees/packing.h"

#include "core/graph/linear_program.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

enum { FREE, IN, OUT };

struct packing_search {
	const struct packing *p;
	bool ones;
	double rate;            /* for the fewest */
	signed char *state;     /* [candidate] */
	double best;            /* cost of best_weights; ones: minus their number, so that less is better in both */
	double *best_weights;
	int budget;             /* relaxations that may still be solved */
};

static double unit_cost(const struct packing_search *s, size_t i)
{
	const struct packed *t = &s->p->of[i];

	if (s->ones)
		return -1;
	return s->state[i] == IN ? 0 : 1 / t->most;
}

/* Adds candidates from FIRST on, except those that are out. */
static void add_from(const struct packing_search *s, struct linear *l, size_t first)
{
	size_t n = 0, *taken = new_array(size_t, s->p->n - first);
	double *costs = new_array(double, s->p->n - first);
	struct packing_range *ranges = new_array(struct packing_range, s->p->n - first);

	for (size_t i = first; i < s->p->n; i++) {
		if (s->state[i] == OUT)
			continue;
		taken[n] = i;
		costs[n] = unit_cost(s, i);
		ranges[n++] = (struct packing_range){s->ones && s->state[i] == IN, s->ones ? 1 : s->p->of[i].most};
	}
	packing_columns(s->p, l, taken, 0, n, costs, ranges, true);
	free(taken);
	free(costs);
	free(ranges);
}

/* Rows are those of the packing, then the sum of all weights. */
static struct linear *program(const struct packing_search *s)
{
	struct linear *l = linear_new();

	for (size_t r = 0; r < s->p->n_rows; r++)
		if (s->p->place[r] >= 0)
			linear_row(l, -linear_infinity, (double)s->p->width[r], 0, NULL, NULL);
	linear_row(l, s->ones ? 0 : s->rate * (1 - 1e-9), linear_infinity, 0, NULL, NULL);
	add_from(s, l, 0);
	return l;
}

/* WEIGHTS [candidate], and a lower bound on what they cost. False: nothing fits. */
static bool relax(struct packing_search *s, double *weights, double *cost)
{
	struct linear *l = program(s);
	bool ok = linear_solve(l);
	int column = 0;

	*cost = ok ? linear_cost(l) : 0;
	for (size_t i = 0; i < s->p->n; i++) {
		weights[i] = ok && s->state[i] != OUT ? linear_value(l, column++) : 0;
		*cost += !s->ones && s->state[i] == IN;
	}
	linear_free(l);
	s->budget--;
	return ok;
}

/* What the weights cost as they are; ones: rounded down first. */
static double whole_cost(const struct packing_search *s, double *weights)
{
	double cost = 0;

	for (size_t i = 0; i < s->p->n; i++) {
		if (s->ones)
			cost -= weights[i] = weights[i] > 1 - 1e-6;
		else if (weights[i] > 1e-7)
			cost += 1;
	}
	return cost;
}

static void keep_if_better(struct packing_search *s, const double *weights)
{
	double *whole = copy_bytes(weights, s->p->n * sizeof *whole), cost = whole_cost(s, whole);

	if (cost < s->best - 1e-6) {
		s->best = cost;
		free(s->best_weights);
		s->best_weights = whole;
	} else
		free(whole);
}

/* The undecided candidate whose fractional use is largest; -1: none. */
static long to_branch_on(const struct packing_search *s, const double *weights)
{
	long at = -1;
	double most = 0;

	for (size_t i = 0; i < s->p->n; i++) {
		double share = s->ones ? weights[i] : weights[i] / s->p->of[i].most;
		if (s->state[i] != FREE || share < 1e-7 || share > 1 - 1e-7 || share <= most)
			continue;
		most = share;
		at = (long)i;
	}
	return at;
}

static void search(struct packing_search *s)
{
	double *weights = new_array(double, s->p->n), cost;
	long at = -1;

	/* Costs are integers: a better solution costs at least 1 less. */
	if (s->budget > 0 && relax(s, weights, &cost) && cost <= s->best - 1 + 1e-6) {
		keep_if_better(s, weights);
		at = cost <= s->best - 1 + 1e-6 ? to_branch_on(s, weights) : -1;
	}
	free(weights);
	for (int state = IN; at >= 0 && state <= OUT; state++) {
		s->state[at] = (signed char)state;
		search(s);
	}
	if (at >= 0)
		s->state[at] = FREE;
}

/* As many relaxations as take a moment. */
static int budget_for(const struct packing *p)
{
	enum { ENTRIES_IN_ALL = 1 << 21, MOST = 400 };
	size_t n = ENTRIES_IN_ALL / (p->n + 1) / (p->n_rows + 1);

	return n < 1 ? 1 : n > MOST ? MOST : (int)n;
}

int packing_ones(struct packing *p, double most)
{
	struct packing_search s = {.p = p, .ones = true, .best = 1, .budget = budget_for(p)};

	s.state = new_array(signed char, p->n);
	for (size_t i = 0; i < p->n; i++)
		s.state[i] = p->of[i].most < 1 ? OUT : FREE;
	s.rate = most;
	search(&s);
	int n = s.best < 1 ? (int)(0.5 - s.best) : 0;
	for (size_t i = 0; i < p->n; i++)
		p->of[i].weight = s.best_weights ? s.best_weights[i] : 0;
	free(s.state);
	free(s.best_weights);
	return n;
}

/* Adds a tree over edges at least WIDTH wide whose reduced cost is negative. False: there is none. */
static bool price_width(struct packing *p, const struct linear *l, int width, int *parent)
{
	double *lengths = new_array(double, p->n_rows), length, sum = linear_dual(l, p->n_places);
	size_t before = p->n;

	for (size_t r = 0; r < p->n_rows; r++)
		lengths[r] = p->place[r] < 0 ? 0 : fmax(0, -linear_dual(l, p->place[r]));
	if (packing_tree(p, lengths, width, parent, &length) && length + 1.0 / width < sum - 1e-7)
		packing_add(p, parent);
	free(lengths);
	return p->n > before;
}

static bool price_widths(struct packing *p, const struct linear *l, int *parent)
{
	bool more = false;

	for (size_t e = 0; e < p->network->n_edges; e++) {
		bool seen = false;
		for (size_t before = 0; before < e && !seen; before++)
			seen = p->network->edges[before].bandwidth == p->network->edges[e].bandwidth;
		if (!seen)
			more |= price_width(p, l, p->network->edges[e].bandwidth, parent);
	}
	return more;
}

static void add_priced(struct packing *p, double rate)
{
	enum { ITERATIONS_MAX = 400 };
	struct packing_search s = {.p = p, .rate = rate};
	int *parent = new_array(int, (size_t)p->network->nodes);
	bool more = true;

	s.state = new_array(signed char, p->n + 64 * ITERATIONS_MAX);
	struct linear *l = program(&s);
	for (int turn = 0; turn < ITERATIONS_MAX && more && linear_solve(l); turn++) {
		size_t before = p->n;
		more = p->n < 64 * ITERATIONS_MAX && price_widths(p, l, parent);
		add_from(&s, l, before);
	}
	linear_free(l);
	free(s.state);
	free(parent);
}

bool packing_fewest(struct packing *p, double rate)
{
	add_priced(p, rate);
	struct packing_search s = {.p = p, .rate = rate, .best = INFINITY, .budget = budget_for(p)};
	s.state = new_array(signed char, p->n);
	search(&s);
	for (size_t i = 0; i < p->n && s.best_weights; i++)
		p->of[i].weight = s.best_weights[i] > 1e-7 ? s.best_weights[i] : 0;
	bool found = s.best_weights != NULL;
	free(s.best_weights);
	free(s.state);
	return found;
}
