/* Nodes that may be swapped, and the resulting classes of edges and limits. */

#include "core/bounds/bounds_parts.h"

#include "core/schedule/instance.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/symmetry.h"

#include <stdlib.h>
#include <string.h>

/* Does the swap preserve the machine and the instance, with chunks renumbered as their nodes are? */
static bool may_swap(const struct instance *i, int *nodes, int a, int b)
{
	size_t which;
	bool may = true;

	nodes[a] = b, nodes[b] = a;
	struct symmetry *y = symmetry_new(&i->collective, i->network->nodes, i->global_chunks);
	symmetry_add(y, nodes, NULL);
	for (int c = 0; c < i->global_chunks && may; c++) {
		int image = symmetry_chunk(y, &y->generators[0], c);
		for (int n = 0; n < i->network->nodes && may; n++)
			may = instance_pre(i, c, n) == instance_pre(i, image, nodes[n]) &&
			      instance_post(i, c, n) == instance_post(i, image, nodes[n]);
	}
	may = may && symmetry_keeps_machine(y, i->network, &which);
	symmetry_free(y);
	nodes[a] = a, nodes[b] = b;
	return may;
}

/* Swappability is an equivalence relation, so it is enough to test the first node of each class. */
static void find_nodes(const struct instance *i, int *node)
{
	int nodes = i->network->nodes, *images = new_array(int, (size_t)nodes);

	for (int n = 0; n < nodes; n++)
		node[n] = images[n] = n;
	for (int n = 1; n < nodes; n++)
		for (int first = 0; first < n && node[n] == n; first++)
			if (node[first] == first && may_swap(i, images, first, n))
				node[n] = first;
	free(images);
}

/* Classifies edges by the classes of their ends: swaps map any pair of nodes of two classes to any other pair. */
static void find_edges(const struct network *w, struct swaps *a)
{
	int *class = new_array(int, (size_t)w->nodes * (size_t)w->nodes);

	for (size_t e = 0; e < w->n_edges; e++) {
		int *of = &class[a->node[w->edges[e].src] * w->nodes + a->node[w->edges[e].dst]];
		if (*of == 0) {
			a->first[a->n_classes++] = (int)e;
			*of = a->n_classes;
		}
		a->edge[e] = *of - 1;
	}
	free(class);
}

static void count_classes(const struct swaps *a, const struct network_limit *l, int *counts)
{
	memset(counts, 0, (size_t)a->n_classes * sizeof *counts);
	for (size_t e = 0; e < l->n_edges; e++)
		counts[a->edge[l->edges[e]]]++;
}

static void find_repeats(const struct network *w, struct swaps *a)
{
	size_t size = (size_t)a->n_classes;
	int *counts = new_array(int, w->n_limits * size);

	for (size_t l = 0; l < w->n_limits; l++) {
		count_classes(a, &w->limits[l], counts + l * size);
		for (size_t m = 0; m < l && !a->repeats[l]; m++)
			a->repeats[l] = !a->repeats[m] && w->limits[m].bandwidth == w->limits[l].bandwidth &&
					memcmp(counts + l * size, counts + m * size, size * sizeof *counts) == 0;
	}
	free(counts);
}

struct swaps swaps_none(const struct network *w)
{
	struct swaps a = {new_array(int, (size_t)w->nodes), (int)w->n_edges, new_array(int, w->n_edges), new_array(int, w->n_edges),
			  new_array(bool, w->n_limits)};

	for (int n = 0; n < w->nodes; n++)
		a.node[n] = n;
	for (int e = 0; e < a.n_classes; e++)
		a.edge[e] = a.first[e] = e;
	return a;
}

struct swaps swaps_new(const struct instance *i)
{
	enum { NODES_MAX = 128, LOOKS_MAX = 1 << 14 };
	const struct network *w = i->network;
	struct swaps a = swaps_none(w);

	if (w->nodes > NODES_MAX || (double)i->global_chunks * w->nodes > LOOKS_MAX)
		return a;
	a.n_classes = 0;
	find_nodes(i, a.node);
	find_edges(w, &a);
	find_repeats(w, &a);
	return a;
}

void swaps_free(struct swaps *a)
{
	free(a->node);
	free(a->edge);
	free(a->first);
	free(a->repeats);
}
