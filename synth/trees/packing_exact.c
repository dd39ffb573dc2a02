/*
 * The fractional packing optimum by column generation: a linear program over the candidates, whose prices give row
 * lengths; a tree shorter than 1 by these improves the optimum and becomes a column, until there is none. The program
 * is kept between calls, as only widths change.
 */

#include "synth/trees/packing.h"

#include "core/graph/linear_program.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

/* Adds the candidates that are not columns yet; weight has cost -1, so that the minimum is the most weight. */
static void add_columns(struct packing *p)
{
	size_t first = p->n_columns, n = p->n - first;
	double *costs = new_array(double, n);
	struct packing_range *ranges = new_array(struct packing_range, n);

	for (size_t i = 0; i < n; i++) {
		costs[i] = -1;
		ranges[i] = (struct packing_range){0, linear_infinity};
	}
	packing_columns(p, p->program, NULL, first, n, costs, ranges, false);
	p->n_columns = p->n;
	free(costs);
	free(ranges);
}

/* Creates the program, or updates it: widths may have changed since the last call. */
static void prepare(struct packing *p)
{
	bool fresh = !p->program;

	if (fresh)
		p->program = linear_new();
	for (size_t r = 0; r < p->n_rows; r++) {
		if (p->place[r] < 0)
			continue;
		if (fresh)
			linear_row(p->program, -linear_infinity, (double)p->width[r], 0, NULL, NULL);
		else
			linear_row_high(p->program, p->place[r], (double)p->width[r]);
	}
	add_columns(p);
}

/* Adds a tree that is shorter than 1 by the rows' prices, which increases the sum. False: there is none. */
static bool price(struct packing *p, double *lengths, int *parent)
{
	double length;

	for (size_t r = 0; r < p->n_rows; r++)
		lengths[r] = p->place[r] < 0 ? 0 : fmax(0, -linear_dual(p->program, p->place[r]));
	if (!packing_tree(p, lengths, 1, parent, &length) || length > 1 - 1e-9)
		return false;
	if (packing_add(p, parent) < p->n_columns)
		return false;
	add_columns(p);
	return true;
}

static void add_first(struct packing *p, double *lengths, int *parent)
{
	double length;

	for (size_t r = 0; r < p->n_rows; r++)
		lengths[r] = 1 / (double)p->width[r];
	if (p->n == 0 && packing_tree(p, lengths, 1, parent, &length))
		packing_add(p, parent);
}

double packing_best(struct packing *p, double *lengths)
{
	enum { COLUMNS_MAX = 1 << 14 };
	double *own = new_array(double, p->n_rows), best = -1;
	int *parent = new_array(int, (size_t)p->network->nodes);
	bool ok, more = true;

	add_first(p, own, parent);
	prepare(p);
	for (ok = true; ok && more && p->n < COLUMNS_MAX;) {
		ok = linear_solve(p->program);
		more = ok && price(p, own, parent);
	}
	if (ok && !more) {
		best = -linear_cost(p->program);
		for (size_t i = 0; i < p->n; i++)
			p->of[i].weight = linear_value(p->program, (int)i);
	}
	for (size_t r = 0; r < p->n_rows && lengths; r++)
		lengths[r] = own[r];
	free(own);
	free(parent);
	return best;
}

/* With zero lengths only the surcharge per link counts. */
static void count_least_links(struct packing *p)
{
	double *nothing = new_array(double, p->n_rows), length;
	int *parent = new_array(int, (size_t)p->network->nodes);

	p->frugal = true;
	if (packing_tree(p, nothing, 1, parent, &length)) {
		size_t at = packing_add(p, parent);
		p->least_links = p->of[at].links;
	}
	free(nothing);
	free(parent);
}

void packing_spare(struct packing *p, double rate)
{
	if (p->network->n_limits == 0)
		return;
	count_least_links(p);
	struct packing all = *p;
	p->n = p->capacity = p->n_columns = 0;
	p->of = NULL;
	p->program = NULL;
	for (size_t i = 0; i < all.n; i++)
		if (all.of[i].links == p->least_links)
			packing_add(p, all.of[i].parent);
	if (packing_best(p, NULL) > rate - 1e-7) {
		packing_forget(&all);
		return;
	}
	packing_forget(p);
	*p = all;
	p->frugal = false;
}
