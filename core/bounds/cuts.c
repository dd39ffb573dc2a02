/*
 * Upper bounds on the capacity of a cut: the bandwidths of the crossing edges, minus what disjointly chosen limits
 * save. The exact capacity would be a linear program; three greedy choices of limits are compared instead.
 */

#include "core/bounds/cuts.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

enum direction { BOTH_WAYS, OUTWARD, INWARD };

static bool crosses(const struct edge *e, const int *part, enum direction d)
{
	if (part[e->src] == part[e->dst])
		return false;
	return d == BOTH_WAYS || part[e->src] == (d == OUTWARD);
}

/*
 * What a limit saves on the crossing edges not yet covered by another limit. An edge that it lists twice counts its
 * bandwidth once: the saving is smaller, and so still sound.
 */
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

/*
 * Takes limits in descending order of what each would save alone; what a limit actually saves is computed on the edges
 * still uncovered.
 */
static int64_t save(const struct network *w, bool *open)
{
	struct offer *offers = new_array(struct offer, w->n_limits);
	int64_t saved = 0;

	for (size_t i = 0; i < w->n_limits && work_spend(2 * (double)w->limits[i].n_edges); i++)
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

static int64_t most_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Considers each node alone, as sender (INWARD: receiver), with the one limit that saves the most there. A node's own
 * link covers all that it sends, while a link in the middle of the machine may save more at first and leave more
 * uncovered.
 */
static int64_t save_at_nodes(const struct network *w, const bool *crossing, bool inward)
{
	int64_t *sums = new_array(int64_t, (size_t)w->nodes), *most = new_array(int64_t, (size_t)w->nodes), saved = 0;

	for (const struct network_limit *l = w->limits; l < w->limits + w->n_limits && work_spend(2 * (double)l->n_edges); l++) {
		for (size_t i = 0; i < l->n_edges; i++) {
			if (!crossing[l->edges[i]] || (i > 0 && l->edges[i] == l->edges[i - 1]))
				continue;
			const struct edge *e = &w->edges[l->edges[i]];
			sums[inward ? e->dst : e->src] += e->bandwidth;
		}
		for (size_t i = 0; i < l->n_edges; i++) {
			if (!crossing[l->edges[i]])
				continue;
			int v = inward ? w->edges[l->edges[i]].dst : w->edges[l->edges[i]].src;
			most[v] = most_of(most[v], sums[v] - l->bandwidth);
			sums[v] = 0;
		}
	}
	for (int v = 0; v < w->nodes; v++)
		saved += most[v];
	free(sums);
	free(most);
	return saved;
}

/* The largest saving of three ways to choose limits. */
static int64_t best_saving(const struct network *w, const bool *crossing)
{
	int64_t alone = most_of(save_at_nodes(w, crossing, false), save_at_nodes(w, crossing, true));
	bool *open = copy_bytes(crossing, w->n_edges * sizeof *crossing);
	int64_t together = save(w, open);

	free(open);
	return most_of(alone, together);
}

static int64_t capacity(const struct network *w, const int *part, enum direction d)
{
	int64_t sum = 0;
	work_spend((double)w->n_edges);
	bool *crossing = w->n_limits ? new_array(bool, w->n_edges) : NULL;

	for (size_t i = 0; i < w->n_edges; i++)
		if (crosses(&w->edges[i], part, d)) {
			sum += w->edges[i].bandwidth;
			if (crossing)
				crossing[i] = true;
		}
	if (crossing)
		sum -= best_saving(w, crossing);
	free(crossing);
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
