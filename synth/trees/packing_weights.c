/*
 * Multiplicative weights (Garg and Könemann 1998). Every row has a length that grows as it fills; the shortest tree
 * gets as much weight as its narrowest row takes. The sum of widths times lengths, divided by the shortest tree's
 * length, is an upper bound on the rate by duality: it ends when the weights, scaled to fit, come within epsilon of the
 * least of these bounds.
 */

#include "synth/trees/packing.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

struct weight_growth {
	struct packing *p;
	double *lengths, *loads; /* [row] */
	double step, sum, volume; /* sum of weights given; sum of widths times lengths */
};

static void give(struct weight_growth *g, const int *parent)
{
	size_t at = packing_add(g->p, parent);
	struct packed *t = &g->p->of[at];

	t->weight += t->most;
	g->sum += t->most;
	for (int i = 0; i < t->n_loads; i++) {
		int r = t->row[i];
		double width = (double)g->p->width[r], by = t->most * t->load[i];
		g->loads[r] += by / width;
		g->volume += g->lengths[r] * g->step * by;
		g->lengths[r] *= 1 + g->step * by / width;
	}
}

static double fullest(const struct weight_growth *g)
{
	double most = 0;

	for (size_t r = 0; r < g->p->n_rows; r++)
		most = fmax(most, g->loads[r]);
	return most;
}

/* Rescales lengths, which would outgrow a double. */
static void shrink(struct weight_growth *g)
{
	double longest = 0;

	for (size_t r = 0; r < g->p->n_rows; r++)
		longest = fmax(longest, g->lengths[r]);
	g->volume = 0;
	for (size_t r = 0; r < g->p->n_rows; r++) {
		g->lengths[r] /= longest;
		g->volume += g->lengths[r] * (double)g->p->width[r];
	}
}

double packing_approximate(struct packing *p, double epsilon, double *most)
{
	enum { ITERATIONS_MAX = 1 << 20, A_SHRINK = 64 };
	struct weight_growth g = {p, new_array(double, p->n_rows), new_array(double, p->n_rows), epsilon / 2, 0, 0};
	int *parent = new_array(int, (size_t)p->network->nodes);
	double rate = 0, length;

	*most = INFINITY;
	for (size_t r = 0; r < p->n_rows; r++)
		g.lengths[r] = 1 / (double)p->width[r];
	for (int turn = 0; turn < ITERATIONS_MAX && rate < (1 - epsilon) * *most; turn++) {
		if (turn % A_SHRINK == 0)
			shrink(&g);
		if (!packing_tree(p, g.lengths, 1, parent, &length))
			break;
		*most = fmin(*most, g.volume / length);
		give(&g, parent);
		rate = g.sum / fullest(&g);
	}
	double full = fullest(&g);
	for (size_t i = 0; i < p->n && full > 0; i++)
		p->of[i].weight /= full;
	free(g.lengths);
	free(g.loads);
	free(parent);
	return rate;
}
