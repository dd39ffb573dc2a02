/* Regions by union-find. */

#include "simulate/fabric_regions.h"

#include "core/base/memory.h"
#include "simulate/fabric.h"

#include <stdlib.h>

static int ascending(const void *va, const void *vb)
{
	const double *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

int fabric_gaps(const struct fabric *f, double *into, int n)
{
	static const double gap = 1.5;
	double *rates = new_array(double, f->n_routes);
	int found = 0;

	for (size_t r = 0; r < f->n_routes; r++)
		rates[r] = f->routes[r].rate;
	qsort(rates, f->n_routes, sizeof *rates, ascending);
	for (size_t r = 1; r < f->n_routes && found < n; r++)
		if (rates[r] >= gap * rates[r - 1])
			into[found++] = rates[r];
	free(rates);
	return found;
}

static int root_of(int *above, int v)
{
	while (above[v] != v)
		v = above[v] = above[above[v]];
	return v;
}

int fabric_regions(const struct fabric *f, double rate, int *region)
{
	int *above = new_array(int, (size_t)f->nodes), n = 0;

	for (int v = 0; v < f->nodes; v++)
		above[v] = v;
	for (size_t r = 0; r < f->n_routes; r++)
		if (f->routes[r].rate >= rate)
			above[root_of(above, f->routes[r].src)] = root_of(above, f->routes[r].dst);
	for (int v = 0; v < f->nodes; v++)
		if (root_of(above, v) == v)
			region[v] = n++;
	for (int v = 0; v < f->nodes; v++)
		region[v] = region[root_of(above, v)];
	free(above);
	return n;
}
