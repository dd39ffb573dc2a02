/* The transpose of the limits' edge lists, in CSR form. */

#include "core/machine/limit_index.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

struct csr limit_index(const struct network *w, const int *edge_number, int first_limit)
{
	struct csr c = csr_new((int)w->n_edges);

	for (size_t e = 0; e < w->n_edges && edge_number; e++)
		if (edge_number[e] >= 0)
			csr_count(&c, (int)e);
	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			csr_count(&c, w->limits[l].edges[k]);
	csr_allocate(&c);
	for (size_t e = 0; e < w->n_edges && edge_number; e++)
		if (edge_number[e] >= 0)
			csr_put(&c, (int)e, edge_number[e]);
	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			csr_put(&c, w->limits[l].edges[k], first_limit + (int)l);
	return c;
}

bool *limit_covered_edges(const struct network *w)
{
	bool *covered = new_array(bool, w->n_edges);

	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t k = 0; k < w->limits[l].n_edges; k++) {
			int e = w->limits[l].edges[k];
			covered[e] = covered[e] || w->limits[l].bandwidth <= w->edges[e].bandwidth;
		}
	return covered;
}
