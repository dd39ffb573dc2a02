#include "methods/packing.h"

#include "core/linear.h"
#include "core/memory.h"
#include "core/network.h"

#include <math.h>
#include <stdlib.h>

/* Candidates from FIRST on: the more weight the less it costs. */
static void add_from(const struct packing *p, struct linear *l, size_t first)
{
	size_t n = p->n - first;
	double *costs = new_array(double, n);
	struct packing_range *ranges = new_array(struct packing_range, n);

	for (size_t i = 0; i < n; i++) {
		costs[i] = -1;
		ranges[i] = (struct packing_range){0, linear_infinity};
	}
	packing_columns(p, l, NULL, first, n, costs, ranges, false);
	free(costs);
	free(ranges);
}

/* A tree shorter than 1 by the prices of the rows makes the sum larger. */
static bool price(struct packing *p, struct linear *l, double *lengths, int *parent)
{
	double length;

	for (size_t r = 0; r < p->n_rows; r++)
		lengths[r] = fmax(0, -linear_dual(l, (int)r));
	if (!packing_tree(p, lengths, 1, parent, &length) || length > 1 - 1e-9)
		return false;
	size_t before = p->n, at = packing_add(p, parent);
	if (at < before)
		return false;
	add_from(p, l, at);
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
	struct linear *l = linear_new();
	double *own = new_array(double, p->n_rows), best = -1;
	int *parent = new_array(int, (size_t)p->network->nodes);
	bool ok, more = true;

	add_first(p, own, parent);
	for (size_t r = 0; r < p->n_rows; r++)
		linear_row(l, -linear_infinity, (double)p->width[r], 0, NULL, NULL);
	add_from(p, l, 0);
	for (ok = true; ok && more && p->n < COLUMNS_MAX;) {
		ok = linear_solve(l);
		more = ok && price(p, l, own, parent);
	}
	if (ok && !more) {
		best = -linear_cost(l);
		for (size_t i = 0; i < p->n; i++)
			p->of[i].weight = linear_value(l, (int)i);
	}
	for (size_t r = 0; r < p->n_rows && lengths; r++)
		lengths[r] = own[r];
	linear_free(l);
	free(own);
	free(parent);
	return best;
}

/* By lengths that are nothing, the extra of a frugal tree is all that counts. */
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
	p->n = p->capacity = 0;
	p->of = NULL;
	for (size_t i = 0; i < all.n; i++)
		if (all.of[i].links == p->least_links)
			packing_add(p, all.of[i].parent);
	if (packing_best(p, NULL) > rate - 1e-7) {
		packing_forget(&all);
		return;
	}
	packing_forget(p);
	p->of = all.of;
	p->n = all.n;
	p->capacity = all.capacity;
	p->frugal = false;
}
