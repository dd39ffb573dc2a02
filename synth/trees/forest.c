/*
 * ForestColl in order: the rate (forest_rate.c), switches split off (forest_split.c), trees packed (forest_pack.c).
 * Small machines are tried with two ways to spread switches; where splitting fails, a linear program over what switches
 * forward takes its place (forest_relay.c).
 */

#include "synth/trees/forest.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "synth/trees/forest_graph.h"

#include <stdlib.h>

/* Records a path as the machine has it, without the vertices that stand for limits. */
static void add_route(struct forest *f, size_t *room, const struct forest_graph *g, int src, int dst, const struct graph_piece *p)
{
	struct forest_route r = {.src = src, .dst = dst, .count = p->count, .via = new_array(int, (size_t)p->n_via)};

	for (int i = 0; i < p->n_via; i++)
		if (p->via[i] < g->real)
			r.via[r.n_via++] = p->via[i];
	f->routes = grown(f->routes, room, f->n_routes + 1, sizeof *f->routes);
	f->routes[f->n_routes++] = r;
}

static void take_routes(struct forest *f, const struct forest_graph *g)
{
	size_t room = 0;

	for (int u = 0; u < g->nodes; u++)
		for (int v = 0; v < g->nodes; v++) {
			const struct pieces *p = &g->pieces[forest_pair(g, u, v)];
			for (size_t i = 0; i < p->n; i++)
				add_route(f, &room, g, u, v, &p->of[i]);
		}
}

static bool begin(const struct topology *t, int root, struct forest_graph *g, struct forest *out, struct error *e)
{
	*out = (struct forest){.nodes = t->nodes, .root = root, .trees.nodes = t->nodes};
	if (!forest_graph_new(t, root, g, e))
		return false;
	out->limits_left_out = g->limits_left_out;
	return forest_find_rate(g, out, e);
}

static bool end(struct forest_graph *g, struct forest *f, bool ok)
{
	forest_graph_free(g);
	if (!ok) {
		forest_free(f);
		*f = (struct forest){0};
	}
	return ok;
}

bool forest_rate(const struct topology *t, int root, struct forest *out, struct error *e)
{
	struct forest_graph g;
	bool ok = begin(t, root, &g, out, e);

	return end(&g, out, ok);
}

/*
 * Outcome of one attempt. UNSPLIT: the rate is known, but switches were not split off. OTHER: the other way to spread
 * them may be worth trying, even where this one found no trees.
 */
struct course {
	bool unsplit, other;
};

static bool make(const struct topology *t, int root, bool fine, struct forest *out, struct course *course, struct error *e)
{
	enum { BOTH_UP_TO = 40000 };
	struct forest_graph g;
	bool rated = begin(t, root, &g, out, e);

	g.fine = fine;
	bool ok = rated && forest_split_switches(&g, e);
	course->unsplit = rated && !ok;
	course->other = (ok || g.stuck) && t->switches && out->chunks > 1 && out->chunks <= BOTH_UP_TO / t->nodes / t->nodes;
	if (ok) {
		take_routes(out, &g);
		ok = forest_pack(&g, out, e);
	}
	return end(&g, out, ok);
}

/* For machines whose switches cannot be split off. */
static bool relay(const struct topology *t, int root, struct forest *out, struct error *e)
{
	struct forest_graph machine, g;

	if (!forest_rate(t, root, out, e))
		return false;
	bool ok = forest_graph_new(t, root, &machine, e) && forest_relay(&machine, root, &g, out, e);
	if (ok) {
		take_routes(out, &g);
		ok = forest_pack(&g, out, e);
	}
	forest_graph_free(&machine);
	return end(&g, out, ok);
}

static bool is_shallower(const struct forest *a, const struct forest *b)
{
	int depths[] = {trees_depth(&a->trees), trees_depth(&b->trees)};
	return depths[0] != depths[1] ? depths[0] < depths[1] : a->trees.n < b->trees.n;
}

/* The other way may take half of the time that is left. */
static bool make_fine(const struct topology *t, int root, struct forest *out, struct course *course, struct error *e)
{
	double before = stop_within(stop_left() / 2);
	bool made = make(t, root, true, out, course, e);

	stop_restore(before);
	return made;
}

/*
 * Spreading switches by whole trees keeps batches whole, which is fast; unit by unit trees may become shallower, or be
 * found at all. Small machines try both.
 */
bool forest_new(const struct topology *t, int root, struct forest *out, struct error *e)
{
	struct forest fine;
	struct error first = {0}, second = {0};
	struct course one, two;
	bool coarse = make(t, root, false, out, &one, &first), made = one.other && make_fine(t, root, &fine, &two, &second);

	if (!coarse && !made)
		return one.unsplit && !stop_is_due() ? relay(t, root, out, e) : error_set(e, first.kind, first.where, "%s", first.what);
	if (one.other)
		out->one_way = coarse != made;
	if (made) {
		bool better = !coarse || is_shallower(&fine, out);
		fine.one_way = out->one_way;
		forest_free(better ? out : &fine);
		if (better)
			*out = fine;
	}
	return true;
}
