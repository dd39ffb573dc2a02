/*
 * First the chunk spreads as early and as far as there is room, step by step. Then sends are put off: each node in turn
 * gets the chunk in the latest step in which its own sends allow that, from the node that has most sends already, so
 * that other nodes lose theirs and can be put off too. What is left uses little of the early steps, which the next such
 * chunk needs.
 */

#include "synth/program/late_tree.h"

#include "synth/program/commodities.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

enum { NEVER = -1 };

struct spread {
	struct room *r;
	const struct network *w;
	const uint8_t *role;
	int *at;    /* [node]: after how many steps it has the chunk; NEVER */
	int *by;    /* [node]: the edge that brings it; -1 */
	int *sends; /* [node]: how many it has */
};

static struct timed_edge send_to(const struct spread *s, int v)
{
	return (struct timed_edge){s->at[v] - 1, s->by[v]};
}

static void give(struct spread *s, int v, int at, int by)
{
	s->at[v] = at;
	s->by[v] = by;
	s->sends[s->w->edges[by].src]++;
	room_add(s->r, send_to(s, v), 1);
}

static void take_away(struct spread *s, int v)
{
	room_add(s->r, send_to(s, v), -1);
	s->sends[s->w->edges[s->by[v]].src]--;
	s->at[v] = NEVER;
	s->by[v] = -1;
}

/* The edge that can bring node V the chunk in a step (from 0), from the node that has most sends; -1: there is none. */
static int sender(const struct spread *s, int v, int step)
{
	int best = -1;

	for (int i = s->w->in_begin[v]; i < s->w->in_begin[v + 1]; i++) {
		int e = s->w->in[i], u = s->w->edges[e].src;
		if (s->at[u] != NEVER && s->at[u] <= step && (best < 0 || s->sends[u] > s->sends[s->w->edges[best].src]) &&
		    room_fits(s->r, (struct timed_edge){step, e}))
			best = e;
	}
	return best;
}

/* As early and as far as there is room. Is the chunk wherever it is wanted? */
static bool flood(struct spread *s)
{
	bool all = true;

	for (int step = 0; step < s->r->steps; step++)
		for (int v = 0; v < s->w->nodes; v++) {
			int e = s->at[v] == NEVER ? sender(s, v, step) : -1;
			if (e >= 0)
				give(s, v, step + 1, e);
		}
	for (int v = 0; v < s->w->nodes; v++)
		all = all && (s->role[v] != ROLE_WANTS || s->at[v] != NEVER);
	return all;
}

/* The first step (from 0) in which node V sends the chunk; the number of steps: it does not. */
static int first_send(const struct spread *s, int v)
{
	int first = s->r->steps;

	for (int i = s->w->out_begin[v]; s->sends[v] && i < s->w->out_begin[v + 1]; i++) {
		int e = s->w->out[i], to = s->w->edges[e].dst;
		if (s->by[to] == e && s->at[to] - 1 < first)
			first = s->at[to] - 1;
	}
	return first;
}

/* Puts the send to node V off, or leaves it out. Has anything changed? */
static bool put_off(struct spread *s, int v)
{
	int was = s->at[v], by = s->by[v], first = first_send(s, v);

	take_away(s, v);
	if (s->role[v] != ROLE_WANTS && s->sends[v] == 0)
		return true;
	for (int step = first - 1; step >= was; step--) {
		int e = sender(s, v, step);
		if (e >= 0) {
			give(s, v, step + 1, e);
			return true;
		}
	}
	give(s, v, was, by);
	return false;
}

/* Moves the tree into OUT, by ascending step. */
static void list_edges(const struct spread *s, struct timed_tree *out)
{
	*out = (struct timed_tree){0, new_array(struct timed_edge, (size_t)s->w->nodes)};
	for (int step = 0; step < s->r->steps; step++)
		for (int v = 0; v < s->w->nodes; v++)
			if (s->by[v] >= 0 && s->at[v] == step + 1)
				out->of[out->n++] = send_to(s, v);
}

bool late_tree_find(struct room *r, const uint8_t *role, struct timed_tree *out)
{
	size_t nodes = (size_t)r->w->nodes;
	struct spread s = {.r = r, .w = r->w, .role = role, .at = new_array(int, nodes), .by = new_array(int, nodes),
			   .sends = new_array(int, nodes)};

	for (size_t v = 0; v < nodes; v++) {
		s.at[v] = role[v] == ROLE_HAS ? 0 : NEVER;
		s.by[v] = -1;
	}
	bool found = flood(&s);
	for (bool changed = found; changed;) {
		changed = false;
		for (int v = r->w->nodes; v-- > 0;)
			changed = (s.by[v] >= 0 && put_off(&s, v)) || changed;
	}
	if (found)
		list_edges(&s, out);
	for (size_t v = 0; v < nodes && !found; v++)
		if (s.by[v] >= 0)
			take_away(&s, (int)v);
	free(s.at);
	free(s.by);
	free(s.sends);
	return found;
}
