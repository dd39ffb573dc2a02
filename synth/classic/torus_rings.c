/*
 * Two edge-disjoint Hamiltonian cycles of a torus of two sides. At first all lines of one side have one colour and all
 * lines of the other side the other. A unit square whose opposite edges agree in colour, one pair of each colour, swaps
 * the colours of its edges, which joins or splits cycles of each colour. Swaps are kept as long as they lower the
 * number of cycles; two are left at best.
 */

#include "synth/classic/rings.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/grid.h"

#include <stdlib.h>
#include <string.h>

struct colours {
	struct grid grid;
	int nodes;
	bool *of[2]; /* [side][node]: colour of the link to the next node along that side */
	bool *seen;
};

/*
 * The next node along links of COLOUR, other than back over the link that led here. *SIDE, *DIRECTION: how the node was
 * reached; updated.
 */
static int follow(const struct colours *c, bool colour, int node, int *side, int *direction)
{
	for (int s = 0; s < 2; s++)
		for (int d = -1; d <= 1; d += 2) {
			int to = grid_beside(&c->grid, node, (size_t)s, d);
			bool back = *direction && s == *side && d == -*direction;
			if (back || c->of[s][d > 0 ? node : to] != colour)
				continue;
			*side = s;
			*direction = d;
			return to;
		}
	return -1; /* not reached: every node has two links of each colour */
}

/* Follows the ring of COLOUR through NODE and returns its length. ORDER, unless NULL, gets its nodes. */
static int follow_ring(const struct colours *c, bool colour, int node, int *order)
{
	int n = 0, side = 0, direction = 0;

	for (int at = node; n == 0 || at != node; at = follow(c, colour, at, &side, &direction)) {
		c->seen[at] = true;
		if (order)
			order[n] = at;
		n++;
	}
	return n;
}

static int count_rings(const struct colours *c)
{
	int n = 0;

	for (int colour = 0; colour < 2; colour++) {
		memset(c->seen, 0, (size_t)c->nodes * sizeof *c->seen);
		for (int v = 0; v < c->nodes; v++)
			if (!c->seen[v]) {
				follow_ring(c, colour, v, NULL);
				n++;
			}
	}
	return n;
}

/*
 * Swaps the colours of the square whose first corner is V. False: its edges are not two opposite pairs of different
 * colours.
 */
static bool turn_square(struct colours *c, int v)
{
	int right = grid_beside(&c->grid, v, 0, 1), up = grid_beside(&c->grid, v, 1, 1);
	bool *sides[4] = {&c->of[0][v], &c->of[0][up], &c->of[1][v], &c->of[1][right]};

	if (*sides[0] != *sides[1] || *sides[2] != *sides[3] || *sides[0] == *sides[2])
		return false;
	for (int i = 0; i < 4; i++)
		*sides[i] = !*sides[i];
	return true;
}

/* Tries squares on diagonals first: they join two lines of each colour at once. */
static int merge(struct colours *c)
{
	int rings = count_rings(c), width = c->grid.sides[0], before;

	do {
		before = rings;
		for (int i = 0; i < c->nodes && rings > 2; i++) {
			int y = i % c->grid.sides[1], x = (y + i / c->grid.sides[1]) % width, v = x + y * width;
			if (!turn_square(c, v))
				continue;
			int now = count_rings(c);
			if (now < rings)
				rings = now;
			else
				turn_square(c, v);
		}
	} while (rings > 2 && rings < before);
	return rings;
}

bool torus_rings(const struct network *w, int *order)
{
	struct colours c = {.nodes = w->nodes};

	if (!grid_find(w, &c.grid) || c.grid.n_sides != 2 || !c.grid.wraps || c.grid.sides[0] < 3 || c.grid.sides[1] < 3)
		return false;
	c.of[0] = new_array(bool, (size_t)w->nodes);
	c.of[1] = new_array(bool, (size_t)w->nodes);
	c.seen = new_array(bool, (size_t)w->nodes);
	memset(c.of[1], true, (size_t)w->nodes * sizeof *c.of[1]);
	bool found = merge(&c) == 2;
	if (found) {
		follow_ring(&c, false, 0, order);
		follow_ring(&c, true, 0, order + w->nodes);
	}
	free(c.of[0]);
	free(c.of[1]);
	free(c.seen);
	return found;
}
