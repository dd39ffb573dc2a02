/*
 * Alltoall. A tree of shortest paths from node 0 serves part 0. A rotation, an automorphism that fixes 0 and permutes
 * its directions cyclically, gives the trees of the other parts, so that over a full cycle of parts all directions
 * carry the same load. Without such an automorphism all parts use the same tree.
 */
#include "synth/symmetric/symmetric_schedule.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

/* [node]: the edge from its parent; the caller frees. */
static int *shortest_tree(const struct network *w)
{
	int *parent = new_array(int, (size_t)w->nodes);

	for (int v = 1; v < w->nodes; v++)
		for (int k = w->in_begin[v]; k < w->in_begin[v + 1]; k++)
			if (network_distance(w, 0, w->edges[w->in[k]].src) + 1 == network_distance(w, 0, v)) {
				parent[v] = w->in[k];
				break;
			}
	return parent;
}

/* Routes node 0's chunk for V, part K: the tree's path to the node that K rotations map to V, rotated K times. */
static void add_path(struct symmetric_schedule *d, const int *parent, int v, int k, const int *turned, const int *turned_back)
{
	const struct network *w = d->g->network;
	int chunk = (k * w->nodes + v) * w->nodes;

	for (int at = turned_back[v]; at != 0; at = w->edges[parent[at]].src) {
		int edge = network_edge(w, turned[w->edges[parent[at]].src], turned[at]);
		symmetric_schedule_send(d, network_distance(w, 0, at) - 1, chunk, edge);
	}
}

bool rotational_alltoall(struct symmetric_schedule *d, int rounds, int attempt)
{
	const struct network *w = d->g->network;
	int parts = d->i->chunks / w->nodes, *turn = transitive_group_rotation(d->g), *parent = shortest_tree(w);
	int *turned = new_array(int, (size_t)w->nodes), *back = new_array(int, (size_t)w->nodes);

	(void)rounds;
	(void)attempt;
	for (int v = 0; v < w->nodes; v++)
		turned[v] = v;
	for (int k = 0; k < parts; k++) {
		for (int v = 0; v < w->nodes; v++)
			back[turned[v]] = v;
		for (int v = 1; v < w->nodes; v++)
			add_path(d, parent, v, k, turned, back);
		for (int v = 0; v < w->nodes && turn; v++)
			turned[v] = turn[turned[v]];
	}
	free(turn);
	free(parent);
	free(turned);
	free(back);
	return true;
}
