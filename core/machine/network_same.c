/* Both lists of limits are sorted by what they limit, and compared one by one. */

#include "core/machine/network_same.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* The order of what limits say; 0: they say the same. Of groups only what counts once is compared: their numbers are names. */
static int limit_order(const struct network_limit *x, const struct network_limit *y)
{
	int order = by_number(x->bandwidth, y->bandwidth);

	if (!order)
		order = by_number((int64_t)x->n_edges, (int64_t)y->n_edges);
	if (!order)
		order = by_number(x->groups != NULL, y->groups != NULL);
	for (size_t k = 0; !order && k < x->n_edges; k++)
		order = by_number(x->edges[k], y->edges[k]);
	for (size_t k = 0; !order && x->groups && k < x->n_edges; k++)
		order = by_number(x->groups[k].abilities, y->groups[k].abilities);
	return order;
}

static int by_content(const void *a, const void *b)
{
	const struct network_limit *const *x = a, *const *y = b;
	int order = limit_order(*x, *y);

	return order ? order : by_number(*x - *y, 0);
}

/* The limits of W in the order of their content. The caller frees the list. */
static const struct network_limit **sorted(const struct network *w)
{
	const struct network_limit **list = new_array(const struct network_limit *, w->n_limits);

	for (size_t i = 0; i < w->n_limits; i++)
		list[i] = &w->limits[i];
	qsort(list, w->n_limits, sizeof *list, by_content);
	return list;
}

static bool same_edges(const struct network *a, const struct network *b)
{
	bool same = a->nodes == b->nodes && a->n_edges == b->n_edges;

	for (size_t k = 0; same && k < a->n_edges; k++)
		same = a->edges[k].src == b->edges[k].src && a->edges[k].dst == b->edges[k].dst && a->edges[k].bandwidth == b->edges[k].bandwidth;
	return same;
}

bool network_same(const struct network *a, const struct network *b, int *of)
{
	if (!same_edges(a, b) || a->n_limits != b->n_limits)
		return false;
	const struct network_limit **x = sorted(a), **y = sorted(b);
	bool same = true;

	for (size_t i = 0; same && i < a->n_limits; i++) {
		same = limit_order(x[i], y[i]) == 0;
		if (same && of)
			of[x[i] - a->limits] = (int)(y[i] - b->limits);
	}
	free(x);
	free(y);
	return same;
}
