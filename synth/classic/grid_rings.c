/*
 * `2d-ring` (Ying et al. 2018): on a torus or mesh of any dimension, a ring along each line of one side, then of the
 * next, each forwarding everything that the previous sides gathered. Chunks start with different sides and directions,
 * which keeps all links busy.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/schedule_builder.h"
#include "synth/builder/grid.h"

struct lines {
	const struct network *w;
	struct grid grid;
	struct schedule_builder *builder;
	size_t done[GRID_SIDES_MAX]; /* the sides gathered so far, in order */
	size_t n_done;
};

/* Sends from FROM to TO everything that the node at coordinate PLACE of FROM's line had gathered before this side. */
static void send_block(const struct lines *l, int step, int part, size_t side, int place, int from, int to)
{
	const struct grid *g = &l->grid;
	int first = from + (place - grid_place(g, from, side)) * g->strides[side], n = 1;

	for (size_t d = 0; d < l->n_done; d++) {
		first -= grid_place(g, from, l->done[d]) * g->strides[l->done[d]];
		n *= g->sides[l->done[d]];
	}
	for (int i = 0; i < n; i++) {
		int owner = first, left = i;
		for (size_t d = 0; d < l->n_done; d++) {
			owner += left % g->sides[l->done[d]] * g->strides[l->done[d]];
			left /= g->sides[l->done[d]];
		}
		builder_send(l->builder, step, part * l->w->nodes + owner, from, to);
	}
}

/* Step T of node V on its line: a ring forwards in one direction, an open line in both. */
static void draw_node(const struct lines *l, int step, int t, int part, size_t side, int v, int direction)
{
	const struct grid *g = &l->grid;
	int n = g->sides[side], at = grid_place(g, v, side);
	bool turns = g->wraps && n > 2;

	for (int way = -1; way <= 1; way += 2) {
		int to = grid_beside(g, v, side, way), place = at - way * t;
		if (to < 0 || (turns ? way != direction : place < 0 || place >= n))
			continue;
		send_block(l, step, part, side, ((place % n) + n) % n, v, to);
	}
}

static void construct_part(struct lines *l, int part)
{
	size_t n = l->grid.n_sides;
	int step = 0, direction = (size_t)part / n % 2 ? -1 : 1;

	l->n_done = 0;
	for (size_t stage = 0; stage < n; stage++) {
		size_t side = ((size_t)part + n - 1 - stage) % n;
		for (int t = 0; t + 1 < l->grid.sides[side]; t++, step++)
			for (int v = 0; v < l->w->nodes && !builder_is_full(l->builder); v++)
				draw_node(l, step, t, part, side, v, direction);
		l->done[l->n_done++] = side;
	}
}

bool grid_rings_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct lines l = {.w = r->network};

	if (!grid_find(r->network, &l.grid))
		return error_set(e, ERROR_INPUT, "2d-ring", "needs a torus or mesh, and %s is neither",
				 r->topology->name);
	int directions = (int)l.grid.n_sides * (l.grid.wraps ? 2 : 1);
	out->chunks = r->options.chunks ? r->options.chunks : directions;
	if ((int64_t)out->chunks * r->network->nodes * (r->network->nodes - 1) > BUILDER_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, "2d-ring", "needs more than %d sends here: too many to list", BUILDER_SENDS_MAX);
	text_add(r->report, "a %s of", l.grid.wraps ? "torus" : "mesh");
	for (size_t i = 0; i < l.grid.n_sides; i++)
		text_add(r->report, "%s%d", i ? "x" : " ", l.grid.sides[i]);
	text_add(r->report, "\n");
	l.builder = builder_new(r->network);
	for (int part = 0; part < out->chunks; part++)
		construct_part(&l, part);
	bool ok = builder_take(l.builder, "2d-ring", &out->steps, &out->n_steps, e);
	builder_free(l.builder);
	return ok;
}
