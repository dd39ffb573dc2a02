/*
 * Builds linear-program columns from candidates, in the compressed form that linear_columns takes: one entry per loaded
 * row, and one for the sum of weights where the program has that row.
 */

#include "synth/trees/packing.h"

#include "core/graph/linear_program.h"
#include "core/base/memory.h"

#include <stdlib.h>

static const struct packed *candidate(const struct packing *p, const size_t *taken, size_t first, size_t i)
{
	return &p->of[taken ? taken[i] : first + i];
}

void packing_columns(const struct packing *p, struct linear *l, const size_t *taken, size_t first, size_t n, const double *costs,
		     const struct packing_range *ranges, bool sum)
{
	int *begin = new_array(int, n + 1);
	double *lows = new_array(double, n), *highs = new_array(double, n);

	for (size_t i = 0; i < n; i++) {
		begin[i + 1] = begin[i] + candidate(p, taken, first, i)->n_loads + sum;
		lows[i] = ranges[i].low;
		highs[i] = ranges[i].high;
	}
	int *rows = new_array(int, (size_t)begin[n]);
	double *values = new_array(double, (size_t)begin[n]);
	for (size_t i = 0; i < n; i++) {
		const struct packed *t = candidate(p, taken, first, i);
		for (int k = 0; k < t->n_loads; k++) {
			rows[begin[i] + k] = p->place[t->row[k]];
			values[begin[i] + k] = t->load[k];
		}
		if (sum) {
			rows[begin[i + 1] - 1] = p->n_places;
			values[begin[i + 1] - 1] = 1;
		}
	}
	linear_columns(l, (int)n, costs, lows, highs, begin, rows, values);
	free(begin);
	free(lows);
	free(highs);
	free(rows);
	free(values);
}
