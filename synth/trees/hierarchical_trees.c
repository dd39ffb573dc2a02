/*
 * Recognizes equal boxes around one switch: the nodes reached from node 0 over direct links are one box, and its links
 * must repeat in all others. Trees of the whole machine are made of those of one box, rooted at each node in turn.
 */

#include "synth/trees/hierarchical_trees.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

/* All nodes, and nothing else, are linked to and from the only switch, with equal bandwidth. */
static bool has_hub(const struct topology *t)
{
	int to = 0, from = 0, width = 0;

	if (t->switches != 1 || t->n_limits)
		return false;
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *k = &t->links[i];
		if (k->src != t->nodes && k->dst != t->nodes)
			continue;
		width = width ? width : k->bandwidth;
		if (k->bandwidth != width)
			return false;
		to += k->dst == t->nodes;
		from += k->src == t->nodes;
	}
	return to == t->nodes && from == t->nodes;
}

/* Do the links of the first SIDE nodes repeat in every box, with none between boxes? */
static bool repeats(const struct topology *t, int side)
{
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *k = &t->links[i];
		if (k->src == t->nodes || k->dst == t->nodes)
			continue;
		int box = k->src / side;
		if (k->dst / side != box)
			return false;
		int next = (box + 1) % (t->nodes / side) * side;
		const struct link *same = topology_link(t, next + k->src % side, next + k->dst % side);
		if (!same || same->bandwidth != k->bandwidth)
			return false;
	}
	return true;
}

/* The number of nodes reached from node 0 over direct links, in their direction. */
static int reached(const struct topology *t)
{
	bool *in = new_array(bool, (size_t)t->nodes), more = true;
	int n = 1;

	in[0] = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < t->n_links; i++) {
			const struct link *k = &t->links[i];
			if (k->src < t->nodes && k->dst < t->nodes && in[k->src] && !in[k->dst]) {
				in[k->dst] = more = true;
				n++;
			}
		}
	}
	free(in);
	return n;
}

bool boxes_found(const struct topology *t, struct topology **one, int *boxes)
{
	int side = has_hub(t) ? reached(t) : 1;

	if (side < 2 || side == t->nodes || t->nodes % side || !repeats(t, side))
		return false;
	size_t kept = 0;
	struct topology *box = topology_copy(t);
	for (size_t i = 0; i < box->n_links; i++)
		if (box->links[i].src < side && box->links[i].dst < side)
			box->links[kept++] = box->links[i];
	box->n_links = kept;
	box->nodes = side;
	box->switches = 0;
	*boxes = t->nodes / side;
	*one = box;
	return true;
}

struct trees hierarchical_trees(const struct trees *one, int boxes)
{
	int side = one->nodes, *parent = new_array(int, (size_t)(boxes * side));
	struct trees all = {.nodes = boxes * side};

	for (size_t i = 0; i < one->n; i++)
		for (int root = 0; root < side; root++) {
			struct tree *t = &one->of[i];
			trees_turn(t, side, root);
			for (int owner = 0; owner < boxes; owner++) {
				for (int v = 0; v < all.nodes; v++)
					parent[v] = v % side == root ? owner * side + root : v - v % side + t->parent[v % side];
				parent[owner * side + root] = -1;
				trees_add(&all, parent, t->weight);
			}
		}
	free(parent);
	return all;
}
