/*
 * Enumerates the variables of a formula in the order that docs/reference/proofs.md defines, independently of the code
 * that writes the clauses, so that each can be checked against the other.
 */

#include "cli/commands/dimacs_map.h"

#include "core/schedule/instance.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"

#include <limits.h>
#include <stdlib.h>

struct map {
	const struct instance *i;
	const struct network *w;
	struct text *into;
	int variables;
};

/* ---- collectives that do not combine ---- */

struct hops {
	int nodes, steps;
	unsigned short *near, *far;
};

static int hops(const unsigned short *list, const struct hops *h, int c, int n)
{
	unsigned short d = list[(size_t)c * (size_t)h->nodes + (size_t)n];
	return d == UNREACHABLE ? INT_MAX / 4 : d;
}

/* Can the chunk be at the node after this step, early enough to be of use there? */
static bool can_be(const struct hops *h, int c, int n, int s)
{
	int near = hops(h->near, h, c, n);
	return near == 0 || (near <= s && near + hops(h->far, h, c, n) <= h->steps);
}

static void map_haves(struct map *m, const struct hops *h)
{
	for (int c = 0; c < m->i->global_chunks; c++)
		for (int n = 0; n < h->nodes; n++)
			for (int s = 0; s <= h->steps; s++) {
				bool is_wanted = hops(h->far, h, c, n) == 0 && s == h->steps;
				if (hops(h->near, h, c, n) != 0 && can_be(h, c, n, s) && !is_wanted)
					text_add(m->into, "c have %d %d %d %d\n", c, n, s, ++m->variables);
			}
}

static void map_sends(struct map *m, const struct hops *h)
{
	for (int c = 0; c < m->i->global_chunks; c++)
		for (size_t l = 0; l < m->w->n_edges; l++) {
			const struct edge *edge = &m->w->edges[l];
			for (int s = 1; s <= h->steps; s++)
				if (can_be(h, c, edge->src, s - 1) && hops(h->near, h, c, edge->dst) != 0 &&
				    hops(h->far, h, c, edge->dst) <= h->steps - s)
					text_add(m->into, "c send %d %d %d %d %d\n", c, edge->src, edge->dst, s, ++m->variables);
		}
}

static void map_copies(struct map *m)
{
	struct hops h = {m->w->nodes, m->i->steps, instance_distance_from_pre(m->i), instance_distance_to_post(m->i)};

	text_add(m->into, "c have CHUNK NODE STEP VARIABLE: the chunk is at the node after the step (0: before the first)\n"
			  "c send CHUNK FROM TO STEP VARIABLE: in the step (from 1) FROM sends the chunk to TO\n");
	map_haves(m, &h);
	map_sends(m, &h);
	free(h.near);
	free(h.far);
}

/* ---- allreduce, in which values are reduced on the way ---- */

static bool can_have(const struct map *m, int o, int n, int s)
{
	return s == 0 ? o == n : network_distance(m->w, o, n) <= s;
}

static void map_parts(struct map *m)
{
	for (int c = 0; c < m->i->global_chunks; c++)
		for (int o = 0; o < m->w->nodes; o++)
			for (int n = 0; n < m->w->nodes; n++)
				for (int s = 1; s < m->i->steps; s++)
					if (can_have(m, o, n, s))
						text_add(m->into, "c part %d %d %d %d %d\n", c, o, n, s, ++m->variables);
}

static void map_contribution(struct map *m, int c, int o, int s)
{
	for (int n = 0; n < m->w->nodes; n++)
		if (can_have(m, o, n, s - 1))
			text_add(m->into, "c stays %d %d %d %d %d\n", c, o, n, s, ++m->variables);
	for (size_t l = 0; l < m->w->n_edges; l++)
		if (can_have(m, o, m->w->edges[l].src, s - 1))
			text_add(m->into, "c brings %d %d %d %d %d %d\n", c, o, m->w->edges[l].src, m->w->edges[l].dst, s, ++m->variables);
}

static void map_moves(struct map *m, int c, int s)
{
	for (size_t l = 0; l < m->w->n_edges; l++)
		text_add(m->into, "c send %d %d %d %d %d\n", c, m->w->edges[l].src, m->w->edges[l].dst, s, ++m->variables);
	for (int n = 0; n < m->w->nodes; n++)
		text_add(m->into, "c keep %d %d %d %d\n", c, n, s, ++m->variables);
	for (int o = 0; o < m->w->nodes; o++)
		map_contribution(m, c, o, s);
}

static void map_sums(struct map *m)
{
	text_add(m->into, "c part CHUNK OF NODE STEP VARIABLE: after the step the node's value of the chunk has OF's contribution\n"
			  "c send CHUNK FROM TO STEP VARIABLE: in the step (from 1) FROM sends its value of the chunk to TO\n"
			  "c keep CHUNK NODE STEP VARIABLE: in the step the node keeps its value; else the first that comes replaces it\n"
			  "c stays CHUNK OF NODE STEP VARIABLE: keep, with OF's contribution in it\n"
			  "c brings CHUNK OF FROM TO STEP VARIABLE: send, with OF's contribution in it\n");
	map_parts(m);
	for (int c = 0; c < m->i->global_chunks; c++)
		for (int s = 1; s <= m->i->steps; s++)
			map_moves(m, c, s);
}

/* ---- */

static void map_rounds(struct map *m)
{
	text_add(m->into, "c rounds STEP J VARIABLE: the step has J rounds or more\n");
	for (int s = 1; s <= m->i->steps; s++)
		for (int j = 2; j <= m->i->rounds - m->i->steps + 1; j++)
			text_add(m->into, "c rounds %d %d %d\n", s, j, ++m->variables);
}

void dimacs_map(const struct instance *i, struct text *into)
{
	struct map m = {i, i->network, into, 0};

	(i->collective.kind == ALLREDUCE ? map_sums : map_copies)(&m);
	map_rounds(&m);
	text_add(into, "c %d: all after these are sums\n", m.variables);
}
