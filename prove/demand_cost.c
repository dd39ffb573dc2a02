/*
 * A demand with one receiver takes a path, any other a tree. Where there are too many sets of nodes a bound may do; if it
 * does not, and there is one demand alone, as of a broadcast, nodes are taken in pairs. Results for trees are found again
 * by the whole table; for paths by the nodes that have the chunks.
 */

#include "prove/demand_cost.h"

#include "core/base/memory.h"
#include "core/base/work.h"
#include "prove/tree_ascent.h"
#include "prove/tree_blocks.h"
#include "prove/tree_cost.h"

#include <stdlib.h>
#include <string.h>

/* A table whose least cost was computed with a cap. */
struct known_tree {
	struct tree_table table;
	int64_t cap, least;
};

static bool same_sources(const uint8_t *a, const uint8_t *b, int nodes)
{
	for (int v = 0; v < nodes; v++)
		if ((a[v] == ROLE_HAS) != (b[v] == ROLE_HAS))
			return false;
	return true;
}

static struct known_paths *paths_from(struct demand_costs *d, const uint8_t *role)
{
	int nodes = d->costs->nodes;
	uint32_t hash = 0;

	for (int v = 0; v < nodes; v++)
		if (role[v] == ROLE_HAS)
			hash = hash * 31 + (uint32_t)v + 1;
	struct known_paths *p = &d->paths[hash % PATHS_KEPT];
	if (!p->least)
		p->least = new_array(int64_t, (size_t)nodes);
	if (!p->role || !same_sources(p->role, role, nodes))
		path_least(d->costs, role, p->least);
	p->role = role;
	return p;
}

static int64_t path_of(struct demand_costs *d, const struct demand *of, int64_t cap)
{
	const struct known_paths *p = paths_from(d, of->role);
	int to = 0;

	work_spend(3 * d->costs->nodes);
	while (of->role[to] != ROLE_WANTS)
		to++;
	return p->least[to] < cap ? p->least[to] : cap;
}

static struct known_tree *find(const struct demand_costs *d, const struct tree_table *t)
{
	for (size_t i = 0; i < d->n_known && work_spend(1); i++) {
		struct known_tree *k = &d->known[i];
		if (k->table.n == t->n && memcmp(k->table.words, t->words, t->n * sizeof *t->words) == 0)
			return k;
	}
	return NULL;
}

/* An entry whose cap is at least CAP; NULL: too large. */
static struct known_tree *evaluated(struct demand_costs *d, struct tree_table *t, int64_t cap)
{
	struct known_tree *k = find(d, t);

	if (k && (k->least < k->cap || cap <= k->cap)) {
		tree_table_free(t);
		return k;
	}
	int64_t least = tree_least(t, cap);
	if (k) {
		tree_table_free(t);
	} else if (least >= 0) {
		d->known = grown(d->known, &d->capacity, d->n_known + 1, sizeof *d->known);
		k = &d->known[d->n_known++];
		k->table = *t;
	} else {
		tree_table_free(t);
		return NULL;
	}
	k->cap = cap;
	k->least = least;
	return k;
}

/* What a chunk pays at least, of a demand whose table or number of states is too large. */
static int64_t bound_of(struct demand_costs *d, const struct demand *of, int64_t cap)
{
	if (d->bounded != of) {
		d->bounded = of;
		d->bound = tree_ascent(d->costs, of);
	}
	return d->bound < cap ? d->bound : cap;
}

int64_t demand_least(struct demand_costs *d, const struct demand *of, int64_t cap, bool *exact)
{
	struct tree_table t;

	*exact = true;
	if (of->receivers == 1)
		return path_of(d, of, cap);
	struct known_tree *k = d->bounded != of && tree_table_new(d->costs, of, &t) ? evaluated(d, &t, cap) : NULL;
	int64_t least = k ? k->least : work_is_over() ? -1 : bound_of(d, of, cap), by_blocks = -1;
	if (!k && d->alone && least < cap && !work_is_over())
		by_blocks = tree_blocks_least(d->costs, of, cap);
	*exact = k || by_blocks >= 0;
	least = by_blocks >= 0 ? by_blocks : least;
	if (work_is_over())
		return -1;
	return least < cap ? least : cap;
}

void demand_costs_free(struct demand_costs *d)
{
	for (size_t i = 0; i < d->n_known; i++)
		tree_table_free(&d->known[i].table);
	for (int i = 0; i < PATHS_KEPT; i++)
		free(d->paths[i].least);
	free(d->known);
}
