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
	for (size_t taken = 0; taken < w->n_limits; taken++) {
		int64_t best = 0;
		const struct network_limit *which = NULL;
		for (size_t i = 0; i < w->n_limits; i++) {
			int64_t s = saving(w, &w->limits[i], open);
			if (s > best)
				best = s, which = &w->limits[i];
		}
		if (!which)
			break;
		sum -= best;
		for (size_t i = 0; i < which->n_edges; i++)
			open[which->edges[i]] = false;
	}
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
