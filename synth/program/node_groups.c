/* All automorphisms come from nauty, regular groups from core/symmetry; interchangeable nodes are found by swaps. */

#include "synth/program/node_groups.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/symmetry.h"
#include "core/symmetry/automorphisms.h"
#include "core/symmetry/machine_orbits.h"
#include "core/symmetry/transitive_group.h"

#include <stdlib.h>
#include <string.h>

struct node_group node_group_all(const struct network *w, int root)
{
	struct node_group g;

	g.generators = automorphisms_generators(w, root, &g.n);
	return g;
}

struct node_group node_group_none(void)
{
	return (struct node_group){0, NULL};
}

struct node_group node_group_regular(const struct network *w)
{
	struct node_group g = {0, NULL};
	struct transitive_group t;
	size_t nodes = (size_t)w->nodes;

	if (!transitive_group_find(w, &t))
		return g;
	g.n = t.symmetry->n;
	g.generators = new_array(int, g.n * nodes);
	for (size_t i = 0; i < g.n; i++)
		memcpy(&g.generators[i * nodes], t.symmetry->generators[i].nodes, nodes * sizeof *g.generators);
	transitive_group_free(&t);
	return g;
}

/* Is swapping A and B, with all other nodes fixed, an automorphism? */
static bool interchangeable(const struct network *w, int *image, int a, int b)
{
	static const struct collective any = {.kind = BROADCAST};
	struct symmetry *swap = symmetry_new(&any, w->nodes, 1);
	size_t which;

	image[a] = b, image[b] = a;
	symmetry_add(swap, image, NULL);
	image[a] = a, image[b] = b;
	bool kept = symmetry_keeps_machine(swap, w, &which);
	symmetry_free(swap);
	return kept;
}

struct node_group node_group_rotation(const struct network *w, int root)
{
	struct node_group g = {1, orbits_apart(w->nodes)};
	int *last = new_array(int, (size_t)w->nodes), *image = orbits_apart(w->nodes);

	/* Node v joins the class of the first node that it can be swapped with, after the last member: a cycle grows. */
	for (int v = 0; v < w->nodes; v++) {
		int first = 0;
		last[v] = v;
		while (first < v && (last[first] < first || first == root || v == root || !interchangeable(w, image, first, v)))
			first++;
		if (first == v)
			continue;
		g.generators[last[first]] = v;
		g.generators[v] = first;
		last[first] = v;
		last[v] = -1;
	}
	free(last);
	free(image);
	return g;
}

void node_group_free(struct node_group *g)
{
	free(g->generators);
}
