/* Orbits of nodes, edges and limits under a group of automorphisms, by union-find over its generators. */

#include "core/machine/prices.h"

#include "core/machine/limit_images.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/transitive_group.h"

#include <stdlib.h>
#include <string.h>

/* Union-find with path halving; UP [i] is the parent of i. */
static int root_of(int *up, int i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

static void join(int *up, int a, int b)
{
	a = root_of(up, a);
	b = root_of(up, b);
	up[a > b ? a : b] = a > b ? b : a;
}

static int *apart(int n)
{
	int *up = new_array(int, (size_t)n);

	for (int i = 0; i < n; i++)
		up[i] = i;
	return up;
}

/* Replaces UP by class numbers; returns the number of classes. */
static int number_classes(int *up, int n)
{
	int *class = new_array(int, (size_t)n), classes = 0;

	for (int i = 0; i < n; i++)
		class[i] = root_of(up, i) == i ? classes++ : class[root_of(up, i)];
	memcpy(up, class, (size_t)n * sizeof *up);
	free(class);
	return classes;
}

/* The generator preserves the machine, so both sorted lists have corresponding limits at the same positions. */
static void join_limits(const struct price_list *f, const int *moved, int *up)
{
	const struct network *w = f->w;
	struct limit_image *before = limit_images_new(w, NULL), *after = limit_images_new(w, moved);

	for (size_t l = 0; l < w->n_limits; l++)
		join(up, f->n_edges + before[l].limit, f->n_edges + after[l].limit);
	limit_images_free(before, w->n_limits);
	limit_images_free(after, w->n_limits);
}

static void join_images(const struct price_list *f, const int *image, int *nodes, int *numbers)
{
	const struct network *w = f->w;
	int *moved = new_array(int, w->n_edges), *priced = new_array(int, w->n_edges);

	for (int v = 0; v < w->nodes; v++)
		join(nodes, v, image[v]);
	for (int i = 0; i < f->n_edges; i++)
		priced[f->edge[i]] = i + 1;
	for (size_t e = 0; e < w->n_edges; e++) {
		moved[e] = network_edge(w, image[w->edges[e].src], image[w->edges[e].dst]);
		if (priced[e] && priced[moved[e]])
			join(numbers, priced[e] - 1, priced[moved[e]] - 1);
	}
	join_limits(f, moved, numbers);
	free(moved);
	free(priced);
}

void price_orbits_new(const struct price_list *f, bool searched, struct price_orbits *out)
{
	const struct network *w = f->w;
	struct price_orbits a = {.node = apart(w->nodes), .number = apart(f->n)};
	struct transitive_group g;

	if (searched && transitive_group_find_free(w, &g)) {
		for (size_t i = 0; i < g.symmetry->n; i++)
			join_images(f, g.symmetry->generators[i].nodes, a.node, a.number);
		transitive_group_free(&g);
	}
	a.n_nodes = number_classes(a.node, w->nodes);
	a.n = number_classes(a.number, f->n);
	a.first = new_array(int, (size_t)a.n_nodes);
	a.size = new_array(int, (size_t)a.n_nodes);
	for (int v = w->nodes - 1; v >= 0; v--) {
		a.first[a.node[v]] = v;
		a.size[a.node[v]]++;
	}
	*out = a;
}

void price_orbits_free(struct price_orbits *a)
{
	free(a->node);
	free(a->number);
	free(a->first);
	free(a->size);
}
