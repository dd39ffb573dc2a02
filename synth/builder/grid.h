#ifndef SCCL_SYNTH_BUILDER_GRID_H
#define SCCL_SYNTH_BUILDER_GRID_H

/* Is a machine a torus or a mesh, whatever its name? Found by its links, with nodes numbered as shapes number them. */

#include <stdbool.h>
#include <stddef.h>

struct network;

enum { GRID_SIDES_MAX = 12 };

struct grid {
	size_t n_sides;
	int sides[GRID_SIDES_MAX], strides[GRID_SIDES_MAX]; /* the first runs fastest */
	bool wraps; /* a torus; where no side is longer than 2 it is both, and this is false */
};

/* Of several readings the one with the fewest sides. False: it is none; links that a grid has not make it none too. */
bool grid_find(const struct network *w, struct grid *out);

/* The node beside NODE in that direction (+1, -1) of a side; -1: none. A side of 2 has its one neighbour in one direction. */
int grid_beside(const struct grid *g, int node, size_t side, int direction);
int grid_place(const struct grid *g, int node, size_t side); /* 0 .. sides[side] - 1 */

#endif
