/*
 * Computes a fold: the orbits of chunks, nodes and edges under a group of automorphisms, and which edges and limits are
 * redundant in the folded question (docs/concepts/symmetry.md).
 */

#include "encode/fold/fold.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/transitive_group.h"
#include "core/symmetry/automorphism_samples.h"

#include <stdlib.h>
#include <string.h>

/* False: some chunk is fixed by some elements other than the identity, but not by all. */
static bool find_chunks(struct fold *f, const struct instance *i)
{
	bool *seen = new_array(bool, (size_t)i->global_chunks), all = true;

	f->chunk = new_array(int, (size_t)i->global_chunks);
	f->fixed = new_array(bool, (size_t)i->global_chunks);
	for (int c = 0; c < i->global_chunks; c++) {
		size_t n_fixing = 0;
		if (seen[c])
			continue;
		for (size_t x = 0; x < f->group.n; x++) {
			int image = elements_chunk(f->symmetry, &f->group, x, c);
			seen[image] = true;
			n_fixing += image == c;
		}
		f->fixed[f->n_chunks] = n_fixing == f->group.n;
		f->chunk[f->n_chunks++] = c;
		all = all && (n_fixing == 1 || n_fixing == f->group.n);
	}
	free(seen);
	return all;
}

static void find_nodes(struct fold *f, int nodes)
{
	f->node = new_array(int, (size_t)nodes);
	for (int n = 0; n < nodes; n++) {
		f->node[n] = n;
		for (size_t x = 0; x < f->group.n; x++) {
			int image = f->group.nodes[x * (size_t)nodes + (size_t)n];
			f->node[n] = image < f->node[n] ? image : f->node[n];
		}
	}
}

static void find_orbits(struct fold *f, const struct network *w)
{
	int n = 0;

	f->begin = new_array(int, w->n_edges + 1);
	f->edges = new_array(int, w->n_edges);
	f->orbit = new_array(int, w->n_edges);
	for (size_t e = 0; e < w->n_edges; e++)
		f->orbit[e] = -1;
	for (size_t e = 0; e < w->n_edges; e++) {
		if (f->orbit[e] >= 0)
			continue;
		f->begin[f->n_orbits] = n;
		for (size_t x = 0; x < f->group.n; x++) {
			const uint16_t *nodes = f->group.nodes + x * (size_t)w->nodes;
			int image = network_edge(w, nodes[w->edges[e].src], nodes[w->edges[e].dst]);
			if (f->orbit[image] < 0)
				f->edges[n++] = image;
			f->orbit[image] = f->n_orbits;
		}
		f->begin[++f->n_orbits] = n;
	}
}

static void find_forks(struct fold *f, const struct network *w)
{
	int *last_orbit = new_array(int, (size_t)w->nodes);

	f->forks = new_array(bool, (size_t)f->n_orbits);
	for (int o = 0; o < f->n_orbits; o++)
		for (int k = f->begin[o]; k < f->begin[o + 1]; k++) {
			int *last = &last_orbit[w->edges[f->edges[k]].dst];
			f->forks[o] = f->forks[o] || *last == o + 1;
			*last = o + 1;
		}
	free(last_orbit);
}

/* A limit as the sorted list of the orbits of its edges. */
struct folded_limit {
	int bandwidth;
	size_t number, n;
	int *orbits;
};

static int by_number(const void *va, const void *vb)
{
	const int *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

static int by_orbits(const struct folded_limit *a, const struct folded_limit *b)
{
	if (a->bandwidth != b->bandwidth)
		return a->bandwidth < b->bandwidth ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->n ? memcmp(a->orbits, b->orbits, a->n * sizeof *a->orbits) : 0;
}

static int by_orbits_then_number(const void *va, const void *vb)
{
	const struct folded_limit *a = va, *b = vb;
	int order = by_orbits(a, b);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static void find_repeats(struct fold *f, const struct network *w)
{
	struct folded_limit *all = new_array(struct folded_limit, w->n_limits);

	f->repeats = new_array(bool, w->n_limits);
	for (size_t l = 0; l < w->n_limits; l++) {
		const struct network_limit *limit = &w->limits[l];
		all[l] = (struct folded_limit){limit->bandwidth, l, limit->n_edges, new_array(int, limit->n_edges)};
		for (size_t k = 0; k < limit->n_edges; k++)
			all[l].orbits[k] = f->orbit[limit->edges[k]];
		if (limit->n_edges)
			qsort(all[l].orbits, limit->n_edges, sizeof(int), by_number);
	}
	if (w->n_limits)
		qsort(all, w->n_limits, sizeof *all, by_orbits_then_number);
	for (size_t l = 1; l < w->n_limits; l++)
		f->repeats[all[l].number] = by_orbits(&all[l - 1], &all[l]) == 0;
	for (size_t l = 0; l < w->n_limits; l++)
		free(all[l].orbits);
	free(all);
}

/*
 * Takes ownership of the symmetry, whose group may have at most MOST elements. NULL: it has more, or find_chunks fails.
 */
static struct fold *fold_of(const struct instance *i, struct symmetry *y, size_t most)
{
	struct fold *f = new(struct fold);

	f->symmetry = y;
	if (!elements_new(y, most, &f->group) || !find_chunks(f, i)) {
		fold_free(f);
		return NULL;
	}
	find_nodes(f, i->network->nodes);
	find_orbits(f, i->network);
	find_forks(f, i->network);
	find_repeats(f, i->network);
	return f;
}

/* The group's generators, acting on the instance's chunks; each part of a node's chunks stays the same. */
static struct symmetry *for_chunks(const struct symmetry *nodes, const struct instance *i)
{
	struct symmetry *y = symmetry_new(&i->collective, i->network->nodes, i->global_chunks);

	for (size_t k = 0; k < nodes->n; k++)
		symmetry_add(y, nodes->generators[k].nodes, NULL);
	return y;
}

struct fold *fold_new(const struct instance *i)
{
	struct transitive_group g;

	if ((i->collective.kind != ALLGATHER && i->collective.kind != ALLTOALL) || !transitive_group_find_free(i->network, &g))
		return NULL;
	struct symmetry *y = for_chunks(g.symmetry, i);
	transitive_group_free(&g);
	return fold_of(i, y, (size_t)i->network->nodes);
}

bool fold_applies(const struct instance *i)
{
	return i->collective.kind != CUSTOM && !collective_row(&i->collective)->combining;
}

struct fold *fold_by(const struct instance *i, const struct automorphism *t)
{
	if (!fold_applies(i) || (collective_row(&i->collective)->rooted && t->nodes[i->collective.root] != i->collective.root))
		return NULL;
	struct symmetry *y = symmetry_new(&i->collective, i->network->nodes, i->global_chunks);
	int *parts = new_array(int, (size_t)y->parts), round = y->parts / t->order * t->order;
	for (int k = 0; k < y->parts; k++)
		parts[k] = k >= round ? k : k % t->order + 1 < t->order ? k + 1 : k + 1 - t->order;
	symmetry_add(y, t->nodes, parts);
	free(parts);
	return fold_of(i, y, (size_t)t->order);
}

int fold_times(const struct fold *f, int orbit)
{
	return (int)f->group.n / (f->begin[orbit + 1] - f->begin[orbit]);
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	symmetry_free(f->symmetry);
	elements_free(&f->group);
	free(f->chunk);
	free(f->fixed);
	free(f->node);
	free(f->begin);
	free(f->edges);
	free(f->orbit);
	free(f->forks);
	free(f->repeats);
	free(f);
}
