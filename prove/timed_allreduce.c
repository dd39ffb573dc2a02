/*
 * Recomputes what timed cuts show for an allreduce. Every chunk is sent at least once across each cut that has a node
 * outside from the beginning and a node inside at the end, since what the former contributes must reach the latter; and a
 * send counts for all cuts that it crosses. Cuts and prices stand for the average of their images under the symmetries,
 * each of which is verified to be an automorphism of the machine. So an edge is worth what its orbit is worth on average.
 */

#include "prove/timed_allreduce.h"

#include "core/base/memory.h"
#include "core/base/work.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

/* Edges under the symmetries. */
struct edge_orbits {
	int *up;                 /* [edge]: an edge of its orbit that is not after it; itself: the first */
	struct rational *beyond; /* [first edge]: what the orbit's edges are worth, less the prices of their limits */
};

static bool is_permutation(const int *to, int nodes)
{
	bool *met = new_array(bool, (size_t)nodes), ok = true;

	for (int v = 0; v < nodes && ok; v++) {
		ok = to[v] >= 0 && to[v] < nodes && !met[to[v]];
		if (ok)
			met[to[v]] = true;
	}
	free(met);
	return ok;
}

static int ascending(const void *va, const void *vb)
{
	const int *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Is the limit L, with its edges moved to IMAGE [edge], a limit again? */
static bool limit_stays(const struct network *w, const struct network_limit *l, const int *image)
{
	int *moved = new_array(int, l->n_edges);
	bool found = false;

	for (size_t i = 0; i < l->n_edges; i++)
		moved[i] = image[l->edges[i]];
	qsort(moved, l->n_edges, sizeof *moved, ascending);
	for (size_t k = 0; k < w->n_limits && !found && work_spend(2); k++) {
		const struct network_limit *other = &w->limits[k];
		found = other->n_edges == l->n_edges && other->bandwidth == l->bandwidth && work_spend((double)l->n_edges) &&
			memcmp(other->edges, moved, l->n_edges * sizeof *moved) == 0;
	}
	free(moved);
	return found;
}

/* Does the permutation of nodes map edges to edges, and limits to limits, of the same bandwidth? Fills IMAGE [edge]. */
static bool keeps_machine(const struct network *w, const int *to, int *image)
{
	if (!is_permutation(to, w->nodes))
		return false;
	for (size_t e = 0; e < w->n_edges && work_spend(8); e++) {
		image[e] = network_edge(w, to[w->edges[e].src], to[w->edges[e].dst]);
		if (image[e] < 0 || w->edges[image[e]].bandwidth != w->edges[e].bandwidth)
			return false;
	}
	for (size_t l = 0; l < w->n_limits && !work_is_over(); l++)
		if (!limit_stays(w, &w->limits[l], image))
			return false;
	return true;
}

static int first_of(int *up, int e)
{
	while (up[e] != e)
		e = up[e] = up[up[e]];
	return e;
}

/* False: a symmetry is none. */
static bool find_orbits(const struct network *w, const struct timed *t, struct edge_orbits *o)
{
	int *image = new_array(int, w->n_edges);
	bool ok = true;

	for (size_t e = 0; e < w->n_edges; e++)
		o->up[e] = (int)e;
	for (size_t k = 0; k < t->n_symmetries && ok && !work_is_over(); k++) {
		ok = keeps_machine(w, t->symmetries + k * (size_t)w->nodes, image);
		for (size_t e = 0; e < w->n_edges && ok && work_spend(4); e++) {
			int a = first_of(o->up, (int)e), b = first_of(o->up, image[e]);
			o->up[a > b ? a : b] = a > b ? b : a;
		}
	}
	free(image);
	return ok;
}

static void count(struct edge_orbits *o, int edge, struct rational value)
{
	struct rational *of = &o->beyond[first_of(o->up, edge)];

	*of = rational_add(*of, value);
}

/* What the sends of a round of step S can be worth, at most. */
static struct rational room_of(const struct network *w, const struct timed *t, int s, struct edge_orbits *o)
{
	struct rational room = rational(0, 1);

	for (size_t e = 0; e < w->n_edges; e++)
		o->beyond[e] = rational(0, 1);
	for (size_t k = 0; k < t->n_cuts && work_spend((double)w->n_edges); k++)
		for (size_t e = 0; e < w->n_edges; e++)
			if (t->cuts[k].until[w->edges[e].src] < s - 1 && t->cuts[k].until[w->edges[e].dst] >= s)
				count(o, (int)e, rational(t->cuts[k].weight, 1));
	for (size_t i = 0; i < t->n_prices && work_spend(1); i++) {
		const struct timed_price *p = &t->prices[i];
		if (p->step != s || p->limit < 0 || (size_t)p->limit >= w->n_limits)
			continue;
		const struct network_limit *l = &w->limits[p->limit];
		room = rational_add(room, rational_mul(rational(p->price, 1), rational(l->bandwidth, 1)));
		for (size_t k = 0; k < l->n_edges && work_spend(8); k++)
			count(o, l->edges[k], rational(-p->price, 1));
	}
	for (size_t e = 0; e < w->n_edges && work_spend(8); e++)
		if (!rational_ok(o->beyond[e]) || o->beyond[e].num > 0)
			room = rational_add(room, rational_mul(o->beyond[e], rational(w->edges[e].bandwidth, 1)));
	return room;
}

/* Is there a node that is never inside, and one that is inside at the end? */
static bool is_crossed(const struct timed_cut *k, int nodes, int steps)
{
	bool outside = false, inside = false;

	for (int v = 0; v < nodes; v++) {
		outside = outside || k->until[v] < 0;
		inside = inside || k->until[v] >= steps;
	}
	return outside && inside;
}

struct rational timed_allreduce_bandwidth(const struct network *w, const struct timed *t)
{
	struct rational all = rational(0, 1), most = rational(0, 1);
	struct edge_orbits o = {new_array(int, w->n_edges), new_array(struct rational, w->n_edges)};
	bool ok = w->n_groups == 0 && find_orbits(w, t, &o);

	for (size_t k = 0; k < t->n_cuts && ok && work_spend(w->nodes); k++)
		if (is_crossed(&t->cuts[k], w->nodes, t->steps))
			all = rational_add(all, rational(t->cuts[k].weight, 1));
	for (int s = 1; s <= t->steps && ok && !work_is_over(); s++) {
		struct rational room = room_of(w, t, s, &o);
		ok = rational_ok(room);
		most = ok && rational_compare(room, most) > 0 ? room : most;
	}
	free(o.up);
	free(o.beyond);
	struct rational shown = ok && most.num > 0 ? rational_div(all, most) : rational(0, 1);
	return rational_ok(shown) ? shown : rational(0, 1);
}
