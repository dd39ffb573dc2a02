#include "encode/fold.h"

#include "core/memory.h"
#include "core/network.h"
#include "core/regular.h"

#include <stdlib.h>

static void find_chunks(struct fold *f, const struct instance *i)
{
	bool *seen = new_array(bool, (size_t)i->global_chunks);

	f->chunk = new_array(int, (size_t)i->global_chunks);
	for (int c = 0; c < i->global_chunks; c++) {
		if (seen[c])
			continue;
		f->chunk[f->n_chunks++] = c;
		for (size_t x = 0; x < f->group.n; x++)
			seen[elements_chunk(f->symmetry, &f->group, x, c)] = true;
	}
	free(seen);
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

/* The group's generators; each part of a chunk stays what it is. */
static struct symmetry *for_chunks(const struct symmetry *nodes, const struct instance *i)
{
	struct symmetry *y = symmetry_new(&i->collective, i->network->nodes, i->global_chunks);

	for (size_t k = 0; k < nodes->n; k++)
		symmetry_add(y, nodes->generators[k].nodes, NULL);
	return y;
}

struct fold *fold_new(const struct instance *i)
{
	struct regular g;

	if ((i->collective.kind != ALLGATHER && i->collective.kind != ALLTOALL) || !regular_find_free(i->network, &g))
		return NULL;
	struct fold *f = new(struct fold);
	f->symmetry = for_chunks(g.symmetry, i);
	regular_free(&g);
	if (!elements_new(f->symmetry, (size_t)i->network->nodes, &f->group)) {
		fold_free(f);
		return NULL;
	}
	find_chunks(f, i);
	find_orbits(f, i->network);
	return f;
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	symmetry_free(f->symmetry);
	elements_free(&f->group);
	free(f->chunk);
	free(f->begin);
	free(f->edges);
	free(f->orbit);
	free(f);
}
