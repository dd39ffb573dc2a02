/*
 * `2d-ring-whole`, as MultiTree's paper has it for comparison: a whole ring allreduce along each line of one side of a
 * torus, then along each line of the next, and so on. The input has a part for each side and direction, which starts with
 * that side, so that all links are busy. It sends more than `2d-ring`, which hands on only what the sides before gathered.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/grid.h"
#include "synth/builder/schedule_builder.h"

struct whole_rings {
	const struct network *network;
	struct grid grid;
	struct schedule_builder *builder;
	int pieces; /* of each part: a multiple of every side */
};

/* Step T of an allreduce around the lines of SIDE: the sum of a line's n-th of the part travels, then its result. */
static void draw_step(const struct whole_rings *x, int step, int t, int part, size_t side, int direction)
{
	const struct grid *g = &x->grid;
	int n = g->sides[side];

	for (int v = 0; v < x->network->nodes && !builder_is_full(x->builder); v++) {
		int to = grid_beside(g, v, side, direction), at = grid_place(g, v, side);
		if (to < 0) /* on a side of 2 each node has its neighbour in one direction */
			to = grid_beside(g, v, side, -direction);
		int block = t < n - 1 ? at - direction * t : at + direction * (1 - (t - (n - 1)));
		block = (block % n + n) % n;
		for (int k = block; k < x->pieces; k += n)
			(t < n - 1 ? builder_reduce : builder_send)(x->builder, step, part * x->pieces + k, v, to);
	}
}

static void construct_part(const struct whole_rings *x, int part)
{
	size_t n = x->grid.n_sides;
	int step = 0, direction = (size_t)part / n % 2 ? -1 : 1;

	for (size_t stage = 0; stage < n; stage++) {
		size_t side = ((size_t)part + stage) % n;
		for (int t = 0; t < 2 * (x->grid.sides[side] - 1); t++, step++)
			draw_step(x, step, t, part, side, direction);
	}
}

static int common_multiple(const struct grid *g)
{
	int m = 1;

	for (size_t i = 0; i < g->n_sides; i++) {
		int step = m;
		while (m % g->sides[i])
			m += step;
	}
	return m;
}

bool grid_rings_whole_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct whole_rings x = {.network = r->network};

	if (!grid_find(r->network, &x.grid) || !x.grid.wraps)
		return error_set(e, ERROR_INPUT, "2d-ring-whole", "needs a torus, and %s is none", r->topology->name);
	x.pieces = common_multiple(&x.grid);
	int parts = 2 * (int)x.grid.n_sides;
	if (r->options.chunks && r->options.chunks % x.pieces)
		return error_set(e, ERROR_INPUT, "2d-ring-whole", "needs a multiple of %d chunks here", x.pieces);
	out->chunks = r->options.chunks ? r->options.chunks : parts * x.pieces;
	if ((int64_t)out->chunks * 2 * (int64_t)x.grid.n_sides * r->network->nodes > BUILDER_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, "2d-ring-whole", "needs more than %d sends here: too many to list", BUILDER_SENDS_MAX);
	x.builder = builder_new(r->network);
	for (int part = 0; part < out->chunks / x.pieces; part++)
		construct_part(&x, part);
	bool ok = builder_take(x.builder, "2d-ring-whole", &out->steps, &out->n_steps, e);
	builder_free(x.builder);
	return ok;
}
