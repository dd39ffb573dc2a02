#ifndef SCCL_SYNTH_BUILDER_GRID_H
#define SCCL_SYNTH_BUILDER_GRID_H

/* Recognizes a torus or mesh by its links, whatever its name; nodes must be numbered as the shapes number them. */

#include <stdbool.h>
#include <stddef.h>

struct network;

enum { GRID_SIDES_MAX = 12 };

struct grid {
	size_t n_sides;
	int sides[GRID_SIDES_MAX], strides[GRID_SIDES_MAX]; /* the first varies fastest */
	bool wraps; /* a torus; false where no side is longer than 2, which is a torus and a mesh at once */
};

/*
 * Finds the reading with the fewest sides. False where there is none: every link of the grid must exist, and no other.
 */
bool grid_find(const struct network *w, struct grid *out);

/*
 * The neighbour of NODE along SIDE in DIRECTION (+1 or -1); -1 if there is none. On a side of 2 each node has its one
 * neighbour in one direction only.
 */
int grid_beside(const struct grid *g, int node, size_t side, int direction);
int grid_place(const struct grid *g, int node, size_t side); /* coordinate of NODE along SIDE, 0 .. sides[side] - 1 */

#endif
