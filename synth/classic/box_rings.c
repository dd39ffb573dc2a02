/*
 * Rings over boxes, as NCCL's: each enters every box at one node, passes through all others of the box in the order of
 * their numbers, and leaves from the last to the next box. There is a ring for each node of a box, or for each NIC, with
 * another first node, so that every NIC brings one ring into the box and another out of it. On rails, where a ring must
 * arrive at the number that it left from, every second box is passed backwards.
 */

#include "synth/classic/rings.h"

#include "core/machine/network.h"
#include "synth/builder/residual_capacity.h"

#include <stdlib.h>
#include <string.h>

/* Ring number FIRST through boxes of so many nodes. BACK: every second box backwards. */
static void draw_ring(int nodes, int boxes, int first, bool back, int *order)
{
	for (int b = 0; b < boxes; b++)
		for (int i = 0; i < nodes; i++)
			order[b * nodes + i] = b * nodes + (first + (back && b % 2 ? nodes - 1 - i : i)) % nodes;
}

static int ring_edge(const struct network *w, const int *order, int i)
{
	return network_edge(w, order[i], order[(i + 1) % w->nodes]);
}

/* Takes a unit of each link of the ring. False, with nothing taken: there is no such link, or none is left of it. */
static bool take_ring(struct residual_capacity *left, const int *order)
{
	const struct network *w = left->network;
	int taken = 0;

	while (taken < w->nodes && ring_edge(w, order, taken) >= 0 && residual_take(left, ring_edge(w, order, taken)))
		taken++;
	if (taken == w->nodes)
		return true;
	while (taken-- > 0)
		residual_give_back(left, ring_edge(w, order, taken));
	return false;
}

/* How many of the rings fit into the links, the first that do. */
static int count_rings(struct residual_capacity *left, int nodes, int most, bool back, int *order)
{
	int all = left->network->nodes, found = 0;

	residual_refill(left, 1);
	for (int first = 0; first < nodes && found < most; first++) {
		draw_ring(nodes, all / nodes, first, back, order + (size_t)found * (size_t)all);
		found += take_ring(left, order + (size_t)found * (size_t)all);
	}
	return found;
}

int box_rings(const struct network *w, int most, int *order)
{
	struct residual_capacity left = residual_new(w);
	int best = 0, of = 0;
	bool best_back = false;

	for (int nodes = 2; nodes < w->nodes; nodes++)
		for (int back = 0; back <= 1 && w->nodes % nodes == 0; back++) {
			int found = count_rings(&left, nodes, most, back, order);
			if (found <= best)
				continue;
			best = found;
			of = nodes;
			best_back = back;
		}
	if (best)
		count_rings(&left, of, most, best_back, order);
	residual_free(&left);
	return best;
}
