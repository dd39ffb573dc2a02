/* Union-find over the images under each generator. */

#include "core/symmetry/machine_orbits.h"

#include "core/base/memory.h"
#include "core/machine/limit_images.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

int *orbits_apart(int n)
{
	int *up = new_array(int, (size_t)n);

	for (int i = 0; i < n; i++)
		up[i] = i;
	return up;
}

/* With path halving; up[i] is the parent of i, and never above it. */
static int root_of(int *up, int i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

void orbits_join(int *up, int a, int b)
{
	a = root_of(up, a);
	b = root_of(up, b);
	up[a > b ? a : b] = a > b ? b : a;
}

int orbits_number(int *up, int n)
{
	int *orbit = new_array(int, (size_t)n), orbits = 0;

	for (int i = 0; i < n; i++)
		orbit[i] = root_of(up, i) == i ? orbits++ : orbit[root_of(up, i)];
	memcpy(up, orbit, (size_t)n * sizeof *up);
	free(orbit);
	return orbits;
}

/* A generator preserves the machine, so both sorted lists have corresponding limits at the same positions. */
static void join_limits(const struct network *w, const struct limit_image *before, const int *moved, int *up)
{
	struct limit_image *after = limit_images_new(w, moved);

	for (size_t l = 0; l < w->n_limits; l++)
		orbits_join(up, before[l].limit, after[l].limit);
	limit_images_free(after, w->n_limits);
}

void machine_orbits_new(const struct network *w, const int *generators, size_t n, struct machine_orbits *out)
{
	struct limit_image *before = limit_images_new(w, NULL);
	int *moved = new_array(int, w->n_edges);
	struct machine_orbits o = {.node = orbits_apart(w->nodes), .edge = orbits_apart((int)w->n_edges),
				   .limit = orbits_apart((int)w->n_limits)};

	for (size_t g = 0; g < n; g++) {
		const int *image = &generators[g * (size_t)w->nodes];
		for (int v = 0; v < w->nodes; v++)
			orbits_join(o.node, v, image[v]);
		for (size_t e = 0; e < w->n_edges; e++) {
			moved[e] = network_edge(w, image[w->edges[e].src], image[w->edges[e].dst]);
			orbits_join(o.edge, (int)e, moved[e]);
		}
		join_limits(w, before, moved, o.limit);
	}
	o.n_nodes = orbits_number(o.node, w->nodes);
	o.n_edges = orbits_number(o.edge, (int)w->n_edges);
	o.n_limits = orbits_number(o.limit, (int)w->n_limits);
	limit_images_free(before, w->n_limits);
	free(moved);
	*out = o;
}

void machine_orbits_free(struct machine_orbits *o)
{
	free(o->node);
	free(o->edge);
	free(o->limit);
}
