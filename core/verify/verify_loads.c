/*
 * Loads of edges and limits in one step. Edges with a load are listed, so that clearing and checking take time for
 * these alone.
 *
 * A switch that multicasts takes in the copies of a chunk from one node as one send: they count once on each link into such
 * a switch. Other chunks, other nodes' copies of the same chunk, and reduces are other sends. A switch that reduces puts out
 * the reduces of a chunk into one node as one send: they count once on each link out of such a switch.
 */

#include "core/verify/verify_parts.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

/* Lists the crossings of all limits, and indexes them by edge. */
static void list_crossings(struct loads *l)
{
	const struct network *w = l->w;
	size_t n = 0, at = 0;

	for (size_t k = 0; k < w->n_limits; k++)
		n += w->limits[k].n_edges;
	int *edge = new_array(int, n);
	l->crossed = new_array(struct crossed_limit, n);
	for (size_t k = 0; k < w->n_limits; k++)
		for (size_t i = 0; i < w->limits[k].n_edges; i++, at++) {
			const struct crossing_group *g = w->limits[k].groups;
			edge[at] = w->limits[k].edges[i];
			l->crossed[at] = g ? (struct crossed_limit){(int)k, g[i].group, g[i].abilities}
					   : (struct crossed_limit){(int)k, -1, 0};
		}
	l->crossings = csr_by_row((int)w->n_edges, edge, n, sizeof *edge);
	free(edge);
}

struct loads loads_new(const struct network *w, const char *with)
{
	struct loads l = {.w = w, .with = with, .edge = new_array(int64_t, w->n_edges), .limit = new_array(int64_t, w->n_limits),
			  .used = new_array(int, w->n_edges)};

	list_crossings(&l);
	return l;
}

void loads_free(struct loads *l)
{
	free(l->edge);
	free(l->limit);
	csr_free(&l->crossings);
	free(l->crossed);
	free(l->used);
	free(l->counted.slots);
}

/* The slot of S, free if it is not in the set. The table has free slots. */
static struct shared_send *slot_of(const struct shared_sends *t, struct shared_send s)
{
	uint64_t h = ((uint64_t)(unsigned)s.chunk << 32 | (unsigned)s.end) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(unsigned)s.group;
	size_t i = (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->size - 1);

	while (t->slots[i].group && (t->slots[i].chunk != s.chunk || t->slots[i].end != s.end || t->slots[i].group != s.group))
		i = (i + 1) & (t->size - 1);
	return &t->slots[i];
}

/* Adds S. False: it was in the set already. */
static bool shared_sends_add(struct shared_sends *t, struct shared_send s)
{
	if (2 * (t->n + 1) > t->size) {
		size_t size = t->size ? 2 * t->size : 64;
		struct shared_sends bigger = {new_array(struct shared_send, size), t->n, size};
		for (size_t i = 0; i < t->size; i++)
			if (t->slots[i].group)
				*slot_of(&bigger, t->slots[i]) = t->slots[i];
		free(t->slots);
		*t = bigger;
	}
	struct shared_send *slot = slot_of(t, s);
	if (slot->group)
		return false;
	*slot = s;
	t->n++;
	return true;
}

/* Is this the first send of those that count once together on crossing C? */
static bool is_first(struct loads *l, const struct crossed_limit *c, int edge, int chunk, bool reduces)
{
	const struct edge *of = &l->w->edges[edge];

	if (!(c->abilities & (reduces ? REDUCES : MULTICASTS)))
		return true;
	return shared_sends_add(&l->counted, (struct shared_send){chunk, c->group + 1, reduces ? -1 - of->dst : of->src});
}

void loads_add(struct loads *l, int edge, int chunk, bool reduces)
{
	if (l->edge[edge]++ == 0)
		l->used[l->n_used++] = edge;
	for (int i = l->crossings.begin[edge]; i < l->crossings.begin[edge + 1]; i++) {
		const struct crossed_limit *c = &l->crossed[l->crossings.of[i]];
		l->limit[c->limit] += is_first(l, c, edge, chunk, reduces);
	}
}

void loads_next_step(struct loads *l)
{
	if (l->counted.n)
		memset(l->counted.slots, 0, l->counted.size * sizeof *l->counted.slots);
	l->counted.n = 0;
}

void loads_clear(struct loads *l)
{
	for (size_t u = 0; u < l->n_used; u++) {
		int edge = l->used[u];
		l->edge[edge] = 0;
		for (int i = l->crossings.begin[edge]; i < l->crossings.begin[edge + 1]; i++)
			l->limit[l->crossed[l->crossings.of[i]].limit] = 0;
	}
	l->n_used = 0;
	loads_next_step(l);
}

static struct verdict check_limits(const struct loads *l, int edge, int step, int rounds)
{
	for (int i = l->crossings.begin[edge]; i < l->crossings.begin[edge + 1]; i++) {
		int number = l->crossed[l->crossings.of[i]].limit;
		const struct network_limit *limit = &l->w->limits[number];
		long long load = l->limit[number], room = (long long)limit->bandwidth * rounds;
		if (load > room)
			return fault_at(FAULT_OVERLOAD, step, NULL, "step %d%s sends %lld chunk%s under the limit \"%.64s\", but only %lld fit%s into "
					"its %d round%s", step + 1, l->with, load, plural(load), limit->name ? limit->name : "", room,
					plural_verb(room), rounds, plural(rounds));
	}
	return fine;
}

struct verdict loads_check(const struct loads *l, int step, int rounds)
{
	struct verdict v = fine;

	for (size_t u = 0; u < l->n_used; u++) {
		const struct edge *edge = &l->w->edges[l->used[u]];
		struct send at = {-1, edge->src, edge->dst};
		long long load = l->edge[l->used[u]], room = (long long)edge->bandwidth * rounds;
		if (load > room)
			return fault_at(FAULT_OVERLOAD, step, &at, "step %d%s sends %lld chunk%s from node %d to node %d, but only %lld fit%s into its "
					"%d round%s", step + 1, l->with, load, plural(load), edge->src, edge->dst, room,
					plural_verb(room), rounds, plural(rounds));
	}
	for (size_t u = 0; u < l->n_used && v.fault == FAULT_NONE; u++)
		v = check_limits(l, l->used[u], step, rounds);
	return v;
}
