/*
 * In each step a node keeps its value or not; what arrives is added to what is kept, and parts must not overlap. Mostly a
 * node keeps its value unless what arrives has a part of it. Where that does not lead to the result, the same is tried
 * backwards: with all sends reversed in direction and time a pattern of an allreduce is one too, with the same values
 * kept. In this way a node that only passes on what it has been sent may drop its own value, which it sent before. Last, the sends
 * are looked up among known patterns that drop values. Sends of nothing, and sends of what is dropped later and gets nowhere, are
 * left out: in the other direction these are each other's reverse.
 */

#include "synth/program/partial_sums.h"

#include "synth/program/dropping_patterns.h"

#include "core/base/memory.h"
#include "core/schedule/algorithm.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum send_kind { NEEDLESS, COPIED, ADDED };

/* The sends of one chunk. */
struct chunk_sends {
	int n, nodes;
	struct step *steps;
	size_t *first, *end; /* [step]: of its sends */
	bool *keeps;         /* [step * nodes + node] */
	uint64_t *useful;    /* [step]: nodes, as bits, whose value before the step gets anywhere; and after all steps */
	enum send_kind *kind; /* [send, of all steps in a row] */
	size_t *place;       /* [step]: of its first send among all */
};

static bool *keeps_at(const struct chunk_sends *c, int step, int node)
{
	return &c->keeps[(size_t)step * (size_t)c->nodes + (size_t)node];
}

static uint64_t everything(int nodes)
{
	return nodes == 64 ? UINT64_MAX : (UINT64_C(1) << nodes) - 1;
}

static void begin(uint64_t *has, int nodes)
{
	for (int v = 0; v < nodes; v++)
		has[v] = UINT64_C(1) << v;
}

/* Which values are kept, if a node keeps its value unless a part of it arrives; BACKWARDS: in the reversed pattern. */
static void find_keeps(const struct chunk_sends *c, bool backwards)
{
	uint64_t has[64], before[64], arrives[64];

	begin(has, c->nodes);
	for (int i = 0; i < c->n; i++) {
		int s = backwards ? c->n - 1 - i : i;
		for (int v = 0; v < c->nodes; v++) {
			before[v] = has[v];
			arrives[v] = 0;
		}
		for (size_t k = c->first[s]; k < c->end[s]; k++) {
			const struct send *x = &c->steps[s].sends[k];
			arrives[backwards ? x->src : x->dst] |= before[backwards ? x->dst : x->src];
		}
		for (int v = 0; v < c->nodes; v++) {
			*keeps_at(c, s, v) = !(has[v] & arrives[v]);
			has[v] = arrives[v] | (has[v] & arrives[v] ? 0 : has[v]);
		}
	}
}

static void find_useful(const struct chunk_sends *c)
{
	c->useful[c->n] = everything(c->nodes);
	for (int s = c->n; s-- > 0;) {
		c->useful[s] = 0;
		for (int v = 0; v < c->nodes; v++)
			c->useful[s] |= *keeps_at(c, s, v) ? c->useful[s + 1] & UINT64_C(1) << v : 0;
		for (size_t k = c->first[s]; k < c->end[s]; k++) {
			const struct send *x = &c->steps[s].sends[k];
			c->useful[s] |= (c->useful[s + 1] >> x->dst & 1) << x->src;
		}
	}
}

/* Plays one step; fills the kinds of its sends. False: parts overlap. */
static bool play(const struct chunk_sends *c, int s, uint64_t *has)
{
	uint64_t before[64];
	bool ok = true;

	for (int v = 0; v < c->nodes; v++) {
		before[v] = has[v];
		has[v] = *keeps_at(c, s, v) ? has[v] : 0;
	}
	for (size_t k = c->first[s]; k < c->end[s]; k++) {
		const struct send *x = &c->steps[s].sends[k];
		bool needed = before[x->src] && c->useful[s + 1] >> x->dst & 1;
		c->kind[c->place[s] + k] = !needed ? NEEDLESS : has[x->dst] ? ADDED : COPIED;
		ok = ok && !(needed && has[x->dst] & before[x->src]);
		has[x->dst] |= needed ? before[x->src] : 0;
	}
	return ok;
}

/* Does every node have the result in the end, with the values that are kept? */
static bool leads_to_result(const struct chunk_sends *c)
{
	uint64_t has[64];
	bool ok = true;

	find_useful(c);
	begin(has, c->nodes);
	for (int s = 0; s < c->n; s++)
		ok = play(c, s, has) && ok;
	for (int v = 0; v < c->nodes; v++)
		ok = ok && has[v] == everything(c->nodes);
	return ok;
}

static bool in_one_direction(const struct chunk_sends *c, bool backwards)
{
	find_keeps(c, backwards);
	return leads_to_result(c);
}

/* Is the chunk sent like one of the patterns that drop values? Then they are dropped. */
static bool as_dropping(const struct chunk_sends *c, const struct dropping_patterns *all)
{
	const struct dropping_pattern *x = all ? dropping_patterns_find(all, c->steps, c->first, c->end) : NULL;

	if (!x)
		return false;
	for (int s = 0; s < c->n; s++)
		for (int v = 0; v < c->nodes; v++)
			*keeps_at(c, s, v) = !(x->drops[s] >> v & 1);
	return leads_to_result(c);
}

static int by_chunk(const void *va, const void *vb)
{
	const struct send *a = va, *b = vb;

	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	return a->dst != b->dst ? (a->dst > b->dst) - (a->dst < b->dst) : (a->src > b->src) - (a->src < b->src);
}

/* Moves the sends that add to the reduces, and leaves out what is needless. */
static void divide(struct step *s, const enum send_kind *kind)
{
	size_t copies = 0;

	s->reduces = new_array(struct send, s->n_sends);
	for (size_t k = 0; k < s->n_sends; k++)
		if (kind[k] == ADDED)
			s->reduces[s->n_reduces++] = s->sends[k];
		else if (kind[k] == COPIED)
			s->sends[copies++] = s->sends[k];
	s->n_sends = copies;
}

void partial_sums_tell_apart(struct step *steps, int n, int chunks, int nodes, const struct dropping_patterns *dropping)
{
	size_t all = 0;
	struct chunk_sends c = {.n = n, .nodes = nodes, .steps = steps, .first = new_array(size_t, (size_t)n), .end = new_array(size_t, (size_t)n),
				.place = new_array(size_t, (size_t)n), .keeps = new_array(bool, (size_t)n * (size_t)nodes),
				.useful = new_array(uint64_t, (size_t)n + 1)};

	for (int s = 0; s < n; s++) {
		if (steps[s].n_sends)
			qsort(steps[s].sends, steps[s].n_sends, sizeof *steps[s].sends, by_chunk);
		c.place[s] = all;
		all += steps[s].n_sends;
	}
	c.kind = new_array(enum send_kind, all);
	for (int chunk = 0; chunk < chunks; chunk++) {
		for (int s = 0; s < n; s++)
			for (c.first[s] = c.end[s]; c.end[s] < steps[s].n_sends && steps[s].sends[c.end[s]].chunk == chunk;)
				c.end[s]++;
		if (!in_one_direction(&c, false) && !in_one_direction(&c, true) && !as_dropping(&c, dropping))
			in_one_direction(&c, false);
	}
	for (int s = 0; s < n; s++)
		divide(&steps[s], &c.kind[c.place[s]]);
	free(c.first);
	free(c.end);
	free(c.place);
	free(c.keeps);
	free(c.kind);
	free(c.useful);
}
