#include "core/cuts.h"

#include "core/memory.h"

#include <stdlib.h>

enum direction { BOTH_WAYS, OUTWARD, INWARD };

static bool crosses(const struct edge *e, const int *part, enum direction d)
{
	if (part[e->src] == part[e->dst])
		return false;
	return d == BOTH_WAYS || part[e->src] == (d == OUTWARD);
}

/* What a limit saves on the crossing edges that no limit has been taken on yet. An edge that it lists twice counts its
 * bandwidth once: that is a smaller saving, and so still true. */
static int64_t saving(const struct network *w, const struct network_limit *l, const bool *open)
{
	int64_t sum = 0;
	for (size_t i = 0; i < l->n_edges; i++)
		if (open[l->edges[i]] && (i == 0 || l->edges[i] != l->edges[i - 1]))
			sum += w->edges[l->edges[i]].bandwidth;
	return sum - l->bandwidth;
}

struct offer {
	const struct network_limit *limit;
	int64_t saving;
};

static int by_saving(const void *va, const void *vb)
{
	const struct offer *a = va, *b = vb;
	if (a->saving != b->saving)
		return a->saving > b->saving ? -1 : 1;
	return (a->limit > b->limit) - (a->limit < b->limit);
}

/* Takes limits by what they would save at first, the most first; what each saves then is what is still open. */
static int64_t save(const struct network *w, bool *open)
{
	struct offer *offers = new_array(struct offer, w->n_limits);
	int64_t saved = 0;

	for (size_t i = 0; i < w->n_limits; i++)
		offers[i] = (struct offer){&w->limits[i], saving(w, &w->limits[i], open)};
	qsort(offers, w->n_limits, sizeof *offers, by_saving);
	for (size_t i = 0; i < w->n_limits && offers[i].saving > 0; i++) {
		const struct network_limit *l = offers[i].limit;
		int64_t now = saving(w, l, open);
		if (now <= 0)
			continue;
		saved += now;
		for (size_t k = 0; k < l->n_edges; k++)
			open[l->edges[k]] = false;
	}
	free(offers);
	return saved;
}

static int64_t capacity(const struct network *w, const int *part, enum direction d)
{
	int64_t sum = 0;
	bool *open = w->n_limits ? new_array(bool, w->n_edges) : NULL;

	for (size_t i = 0; i < w->n_edges; i++)
		if (crosses(&w->edges[i], part, d)) {
			sum += w->edges[i].bandwidth;
			if (open)
				open[i] = true;
		}
	if (open)
		sum -= save(w, open);
	free(open);
	return sum;
}

int64_t cut_capacity(const struct network *w, const int *part)
{
	return capacity(w, part, BOTH_WAYS);
}

int64_t cut_capacity_out(const struct network *w, const int *part)
{
	return capacity(w, part, OUTWARD);
}

int64_t cut_capacity_in(const struct network *w, const int *part)
{
	return capacity(w, part, INWARD);
}
