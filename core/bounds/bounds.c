/*
 * Computes both bounds of a collective: steps from distances between the nodes that a chunk must travel between,
 * bandwidth from the kinds of bounds in bounds_parts.h, of which the best is kept. Combining collectives are bounded
 * through their inverses on the reversed machine.
 */

#include "core/bounds/bounds.h"

#include "core/bounds/bounds_parts.h"
#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/prices.h"
#include "core/machine/topology.h"
#include "core/base/work.h"

#include <stdlib.h>

struct farthest_pair {
	int chunk, from, to, hops;
};

static bool too_far(const struct topology *t, struct farthest_pair pair, struct error *e)
{
	return error_set(e, ERROR_INPUT, t->name, "node %d cannot be reached from node %d, but chunk %d must get there",
			 pair.to, pair.from, pair.chunk);
}

/* Raises the bound on steps if the pair is farther apart. */
static bool take_pair(const struct topology *t, const struct network *w, struct farthest_pair pair, struct bounds *b,
		      struct error *e)
{
	pair.hops = network_distance(w, pair.from, pair.to);
	if (pair.hops == UNREACHABLE)
		return too_far(t, pair, e);
	if (pair.hops > b->steps) {
		b->steps = pair.hops;
		b->far_chunk = pair.chunk;
		b->far_from = pair.from;
		b->far_to = pair.to;
	}
	return true;
}

static int none(int from, int to, int nodes)
{
	(void)from, (void)to, (void)nodes;
	return 0;
}

static int its_own(int from, int to, int nodes)
{
	(void)to, (void)nodes;
	return from;
}

static int its_target(int from, int to, int nodes)
{
	(void)from, (void)nodes;
	return to;
}

static int of_pair(int from, int to, int nodes)
{
	return to * nodes + from;
}

/*
 * The pairs of nodes between which a collective moves data: all from the root, all to it, all to nodes with larger
 * numbers, or all pairs; and a chunk that makes each trip.
 */
static const struct {
	bool from_root, to_root, upward;
	int (*chunk)(int from, int to, int nodes);
} trips[COLLECTIVE_KINDS] = {
	[ALLGATHER] = {false, false, false, its_own},   [BROADCAST] = {true, false, false, none},
	[GATHER] = {false, true, false, its_own},       [SCATTER] = {true, false, false, its_target},
	[ALLTOALL] = {false, false, false, of_pair},    [REDUCE] = {false, true, false, none},
	[REDUCESCATTER] = {false, false, false, its_target}, [ALLREDUCE] = {false, false, false, none},
	[SCAN] = {false, false, true, none},
};

static bool bound_steps(const struct topology *t, const struct network *w, const struct collective *k, struct bounds *b,
			struct error *e)
{
	for (int from = 0; from < t->nodes; from++)
		for (int to = 0; to < t->nodes; to++) {
			if ((trips[k->kind].from_root && from != k->root) || (trips[k->kind].to_root && to != k->root) ||
			    (trips[k->kind].upward && from > to))
				continue;
			struct farthest_pair pair = {trips[k->kind].chunk(from, to, t->nodes), from, to, 0};
			if (!take_pair(t, w, pair, b, e))
				return false;
		}
	return true;
}

/*
 * The distance from the nearest initial holder of a chunk to each node that wants it; a sum needs the contributions of
 * all holders.
 */
static bool bound_listed_steps(const struct topology *t, const struct network *w, const struct custom *c, struct bounds *b,
			       struct error *e)
{
	size_t first = 0;

	for (size_t i = 0; i < c->n_post; i++) {
		struct farthest_pair nearest = {c->post[i].chunk, 0, c->post[i].node, UNREACHABLE + 1};
		while (c->pre[first].chunk < c->post[i].chunk)
			first++;
		for (size_t k = first; k < c->n_pre && c->pre[k].chunk == c->post[i].chunk; k++) {
			int hops = network_distance(w, c->pre[k].node, nearest.to);
			struct farthest_pair pair = {nearest.chunk, c->pre[k].node, nearest.to, hops};
			if (c->combining && !take_pair(t, w, pair, b, e))
				return false;
			if (hops < nearest.hops)
				nearest = pair;
		}
		if (!c->combining && !take_pair(t, w, nearest, b, e))
			return false;
	}
	return true;
}

static bool compute(const struct topology *t, const struct network *w, const struct collective *k,
		    const struct stated_prices *stated, struct bounds *out, struct error *e);

/*
 * Combining collectives are bounded as their inverses on the reversed machine, in terms of their own C: that of a
 * reducescatter and of a scatter counts the chunks of all blocks. Routes through switches are those of W: a network
 * built from the reversed topology might choose other routes, and these might share links where W's do not.
 */
static bool bound_backwards(const struct topology *t, const struct network *w, const struct collective *k, struct bounds *b,
			    struct error *e)
{
	static const struct stated_prices no_prices = {NULL, 0}; /* a file cannot state the inverse's */
	struct topology *reverse = topology_reversed(t);
	struct network *back_over = network_reversed(w);
	struct collective inverse;
	struct bounds back = {0};
	bool ok = collective_inverse(k, &inverse, e);

	if (ok)
		ok = compute(reverse, back_over, &inverse, &no_prices, &back, e);
	if (ok) {
		struct rational unit = rational(collective_row(k)->chunks_in_blocks ? t->nodes : 1, 1);
		b->bandwidth = rational_div(back.bandwidth, unit);
		b->demand = rational_div(back.demand, unit);
		b->capacity = back.capacity;
		b->part = back.part;
		b->parts = back.parts;
		b->crossing = back.crossing == CROSSING_OUT ? CROSSING_IN : CROSSING_OUT;
		back.part = NULL;
		collective_free(&inverse);
	}
	bounds_free(&back);
	network_free(back_over);
	topology_free(reverse);
	return ok;
}

static bool bound_bandwidth(const struct topology *t, const struct network *w, const struct collective *k,
			    const struct stated_prices *stated, struct bounds *b, struct error *e)
{
	if (collective_solved_backwards(k))
		return bound_backwards(t, w, k, b, e);
	if (k->kind == ALLGATHER || k->kind == GATHER)
		bounds_gathering(t, w, k->kind == GATHER ? k->root : -1, b);
	if (k->kind == BROADCAST)
		bounds_broadcasting(t, w, k->root, b);
	if (k->kind == ALLTOALL)
		bounds_exchanging(w, b);
	if (k->kind == ALLREDUCE)
		bounds_reducing_all(w, b);
	if (k->kind == SCAN)
		bounds_scanning(w, b);
	if (k->kind == CUSTOM)
		bounds_listed(w, k->custom, b);
	bounds_pricing(w, k, stated, b);
	return true;
}

static bool compute(const struct topology *t, const struct network *w, const struct collective *k,
		    const struct stated_prices *stated, struct bounds *out, struct error *e)
{
	*out = (struct bounds){.bandwidth = {0, 1}, .demand = {0, 1}, .nodes = t->nodes, .begun = work_spent()};
	bool ok = k->kind == CUSTOM ? bound_listed_steps(t, w, k->custom, out, e) : bound_steps(t, w, k, out, e);
	ok = ok && bound_bandwidth(t, w, k, stated, out, e);
	if (!ok)
		bounds_free(out);
	return ok;
}

bool bounds_compute_on(const struct topology *t, const struct network *w, const struct collective *k,
		       struct stated_prices stated, struct bounds *out, struct error *e)
{
	return compute(t, w, k, &stated, out, e);
}

bool bounds_compute(const struct topology *t, const struct collective *k, struct bounds *out, struct error *e)
{
	struct network *w = network_new(t, e);
	bool ok = w && compute(t, w, k, NULL, out, e);

	network_free(w);
	return ok;
}

bool bounds_composition(const struct topology *t, const struct collective *k, struct bounds *out, struct error *e)
{
	static const struct collective scatters = {.kind = REDUCESCATTER}, gathers = {.kind = ALLGATHER};
	struct bounds first;

	(void)k;
	if (!bounds_compute(t, &scatters, &first, e))
		return false;
	if (!bounds_compute(t, &gathers, out, e)) {
		bounds_free(&first);
		return false;
	}
	out->steps += first.steps;
	out->demand = rational_div(out->demand, rational(t->nodes, 1));
	out->bandwidth = rational_add(rational_div(out->bandwidth, rational(t->nodes, 1)), first.bandwidth);
	bounds_free(&first);
	return true;
}
