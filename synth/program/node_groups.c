/* All automorphisms come from nauty, regular groups from core/symmetry; interchangeable nodes are found by swaps. */

#include "synth/program/node_groups.h"

#include "core/base/memory.h"
#include "core/base/rational.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/schedule/symmetry.h"
#include "core/symmetry/automorphisms.h"
#include "core/symmetry/machine_orbits.h"
#include "core/symmetry/transitive_group.h"

#include <stdbool.h>
#include <stdint.h>
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

/* [node]: the first node of its class, which it can be swapped with; ROOT is a class of its own. */
static int *classes_new(const struct network *w, int root)
{
	int *class = orbits_apart(w->nodes), *image = orbits_apart(w->nodes);

	for (int v = 0; v < w->nodes; v++) {
		int first = stop_is_due() ? v : 0; /* then each on its own, which is a group too */
		while (first < v && (class[first] != first || first == root || v == root || !interchangeable(w, image, first, v)))
			first++;
		class[v] = first;
	}
	free(image);
	return class;
}

/*
 * The length of cycles: 0, each class in one, where this makes as many elements as the largest class has nodes; or else that of
 * the smallest class, so that the element has no more than that many powers: classes of 15 and 16 nodes have 240 in one
 * cycle each, but 15 if a node of the larger class stays.
 */
static int cycle_length(const int *size, int nodes)
{
	int64_t most = 1, least = nodes, all = 1;

	for (int v = 0; v < nodes; v++) {
		if (size[v] < 2)
			continue;
		most = size[v] > most ? size[v] : most;
		least = size[v] < least ? size[v] : least;
		all = all > nodes ? all : all / common_divisor(all, size[v]) * size[v];
	}
	return all > most ? (int)least : 0;
}

struct node_group node_group_rotation(const struct network *w, int root)
{
	struct node_group g = {1, orbits_apart(w->nodes)};
	int *class = classes_new(w, root), *size = new_array(int, (size_t)w->nodes), *seen = new_array(int, (size_t)w->nodes);
	int *first = new_array(int, (size_t)w->nodes), *last = new_array(int, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++)
		size[class[v]]++;
	int length = cycle_length(size, w->nodes);
	for (int v = 0; v < w->nodes; v++) {
		int c = class[v], each = length ? length : size[c], at = seen[c]++;
		if (at >= size[c] / each * each)
			continue; /* too few are left for another cycle */
		if (at % each == 0)
			first[c] = v;
		else
			g.generators[last[c]] = v;
		g.generators[v] = first[c];
		last[c] = v;
	}
	free(class);
	free(size);
	free(seen);
	free(first);
	free(last);
	return g;
}

/* The length of all cycles of a permutation of N nodes; 0: they differ. */
static int equal_cycles(const int *image, int n)
{
	bool *seen = new_array(bool, (size_t)n);
	int all = 0;

	for (int v = 0; v < n; v++) {
		int length = 0;
		for (int u = v; !seen[u]; u = image[u]) {
			seen[u] = true;
			length++;
		}
		if (length && all && length != all) {
			all = 0;
			break;
		}
		all = length ? length : all;
	}
	free(seen);
	return all;
}

/* Products of generators, drawn one after the other; the pseudo-random numbers are the same in each run. */
struct node_group node_group_cycle(const struct network *w)
{
	enum { DRAWN = 4000 };
	struct node_group all = node_group_all(w, -1), best = node_group_none();
	size_t nodes = (size_t)w->nodes;
	int *image = new_array(int, nodes), longest = 1;
	uint64_t state = 1;

	for (size_t v = 0; v < nodes; v++)
		image[v] = (int)v;
	for (int i = 0; all.n && i < DRAWN; i++) {
		state = state * 6364136223846793005U + 1442695040888963407U;
		const int *by = &all.generators[(size_t)(state >> 33) % all.n * nodes];
		for (size_t v = 0; v < nodes; v++)
			image[v] = by[image[v]];
		int length = equal_cycles(image, w->nodes);
		if (length > longest) {
			longest = length;
			node_group_free(&best);
			best = (struct node_group){1, copy_bytes(image, nodes * sizeof *image)};
		}
	}
	free(image);
	node_group_free(&all);
	return best;
}

static bool is_among(const struct node_group *g, const int *image, size_t nodes)
{
	for (size_t k = 0; k < g->n; k++)
		if (memcmp(&g->generators[k * nodes], image, nodes * sizeof *image) == 0)
			return true;
	return false;
}

struct node_group node_group_elements(const struct node_group *g, int nodes, size_t most)
{
	size_t size = (size_t)nodes;
	struct node_group all = {1, new_array(int, (most + 2) * size)}; /* the identity first */

	for (size_t v = 0; v < size; v++)
		all.generators[v] = (int)v;
	for (size_t k = 0; k < all.n; k++)
		for (size_t by = 0; by < g->n && all.n <= most; by++) {
			int *next = &all.generators[all.n * size];
			for (size_t v = 0; v < size; v++)
				next[v] = g->generators[by * size + (size_t)all.generators[k * size + v]];
			all.n += !is_among(&all, next, size);
		}
	memmove(all.generators, all.generators + size, --all.n * size * sizeof *all.generators);
	return all;
}

void node_group_free(struct node_group *g)
{
	free(g->generators);
}
