/*
 * Loads of edges and limits in one step. Edges with a load are listed, so that clearing and checking take time for
 * these alone.
 */

#include "core/verify/verify_parts.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/limit_index.h"
#include "core/base/text.h"

#include <stdlib.h>

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

struct loads loads_new(const struct network *w, const char *with)
{
	return (struct loads){.w = w, .with = with, .edge = new_array(int64_t, w->n_edges), .limit = new_array(int64_t, w->n_limits),
			      .limits = limit_index(w, NULL, 0), .used = new_array(int, w->n_edges)};
}

void loads_free(struct loads *l)
{
	free(l->edge);
	free(l->limit);
	csr_free(&l->limits);
	free(l->used);
}

void loads_add(struct loads *l, int edge)
{
	if (l->edge[edge]++ == 0)
		l->used[l->n_used++] = edge;
	for (int i = l->limits.begin[edge]; i < l->limits.begin[edge + 1]; i++)
		l->limit[l->limits.of[i]]++;
}

void loads_clear(struct loads *l)
{
	for (size_t u = 0; u < l->n_used; u++) {
		int edge = l->used[u];
		l->edge[edge] = 0;
		for (int i = l->limits.begin[edge]; i < l->limits.begin[edge + 1]; i++)
			l->limit[l->limits.of[i]] = 0;
	}
	l->n_used = 0;
}

static struct verdict check_limits(const struct loads *l, int edge, int step, int rounds)
{
	for (int i = l->limits.begin[edge]; i < l->limits.begin[edge + 1]; i++) {
		const struct network_limit *limit = &l->w->limits[l->limits.of[i]];
		long long load = l->limit[l->limits.of[i]], room = (long long)limit->bandwidth * rounds;
		if (load > room)
			return fault_at(FAULT_OVERLOAD, step, NULL, "step %d%s sends %lld chunk%s under the limit \"%.64s\", but only %lld fit%s into "
					"its %d round%s", step + 1, l->with, load, plural(load), limit->name ? limit->name : "", room,
					plural_verb(room), rounds, plural(rounds));
	}
	return fine;
}

struct verdict loads_check(const struct loads *l, int step, int rounds)
{
	struct verdict v = fine;

	for (size_t u = 0; u < l->n_used; u++) {
		const struct edge *edge = &l->w->edges[l->used[u]];
		struct send at = {-1, edge->src, edge->dst};
		long long load = l->edge[l->used[u]], room = (long long)edge->bandwidth * rounds;
		if (load > room)
			return fault_at(FAULT_OVERLOAD, step, &at, "step %d%s sends %lld chunk%s from node %d to node %d, but only %lld fit%s into its "
					"%d round%s", step + 1, l->with, load, plural(load), edge->src, edge->dst, room,
					plural_verb(room), rounds, plural(rounds));
	}
	for (size_t u = 0; u < l->n_used && v.fault == FAULT_NONE; u++)
		v = check_limits(l, l->used[u], step, rounds);
	return v;
}
