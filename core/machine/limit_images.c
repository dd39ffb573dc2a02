/* Maps the edges of every limit, sorts them, and sorts the limits by bandwidth and edges. */

#include "core/machine/limit_images.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

static int by_number(const void *va, const void *vb)
{
	const int *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

static int compare(const struct limit_image *a, const struct limit_image *b)
{
	if (a->bandwidth != b->bandwidth)
		return a->bandwidth < b->bandwidth ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = 0; i < a->n; i++)
		if (a->edges[i] != b->edges[i])
			return a->edges[i] < b->edges[i] ? -1 : 1;
	return 0;
}

static int by_image(const void *va, const void *vb)
{
	const struct limit_image *a = va, *b = vb;
	int order = compare(a, b);
	return order ? order : (a->limit > b->limit) - (a->limit < b->limit);
}

struct limit_image *limit_images_new(const struct network *w, const int *moved)
{
	struct limit_image *all = new_array(struct limit_image, w->n_limits);

	for (size_t l = 0; l < w->n_limits; l++) {
		const struct network_limit *limit = &w->limits[l];
		all[l] = (struct limit_image){(int)l, limit->bandwidth, limit->n_edges, new_array(int, limit->n_edges)};
		for (size_t i = 0; i < limit->n_edges; i++)
			all[l].edges[i] = moved ? moved[limit->edges[i]] : limit->edges[i];
		if (limit->n_edges)
			qsort(all[l].edges, limit->n_edges, sizeof *all[l].edges, by_number);
	}
	if (w->n_limits)
		qsort(all, w->n_limits, sizeof *all, by_image);
	return all;
}

void limit_images_free(struct limit_image *all, size_t n)
{
	for (size_t l = 0; all && l < n; l++)
		free(all[l].edges);
	free(all);
}

bool limit_images_same(const struct limit_image *a, const struct limit_image *b)
{
	return compare(a, b) == 0;
}
