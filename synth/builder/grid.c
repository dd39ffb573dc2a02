/*
 * Grid recognition: tries every factorization of the node count into sides, fewest sides first, each as a mesh and then
 * as a torus, until the links of one are exactly the network's.
 */

#include "synth/builder/grid.h"

#include "core/machine/network.h"

int grid_place(const struct grid *g, int node, size_t side)
{
	return node / g->strides[side] % g->sides[side];
}

int grid_beside(const struct grid *g, int node, size_t side, int direction)
{
	int n = g->sides[side], at = grid_place(g, node, side), to = at + direction;

	if (to < 0 || to >= n) {
		if (!g->wraps || n < 3)
			return -1;
		to = to < 0 ? n - 1 : 0;
	}
	return node + (to - at) * g->strides[side];
}

/* Are the network's edges exactly those of this grid? */
static bool fits(const struct network *w, const struct grid *g)
{
	size_t n = 0;

	for (int v = 0; v < w->nodes; v++)
		for (size_t side = 0; side < g->n_sides; side++)
			for (int direction = -1; direction <= 1; direction += 2) {
				int to = grid_beside(g, v, side, direction);
				if (to >= 0 && network_edge(w, v, to) < 0)
					return false;
				n += to >= 0;
			}
	return n == w->n_edges;
}

/* Tries every way to write REST as a product of LEFT more sides. */
static bool try_sides(const struct network *w, struct grid *g, int rest, size_t left)
{
	if (left == 0) {
		if (rest != 1)
			return false;
		g->wraps = false;
		if (fits(w, g))
			return true;
		g->wraps = true;
		return fits(w, g);
	}
	for (int side = 2; side <= rest; side++) {
		if (rest % side)
			continue;
		g->sides[g->n_sides] = side;
		g->strides[g->n_sides] = w->nodes / rest;
		g->n_sides++;
		if (try_sides(w, g, rest / side, left - 1))
			return true;
		g->n_sides--;
	}
	return false;
}

bool grid_find(const struct network *w, struct grid *out)
{
	*out = (struct grid){0};
	for (size_t n = 1; n <= GRID_SIDES_MAX && 1 << n <= w->nodes; n++)
		if (try_sides(w, out, w->nodes, n))
			return true;
	return false;
}
