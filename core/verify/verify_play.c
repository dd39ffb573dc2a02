/*
 * Plays the movement of values. Chunks do not interact, so each is played alone, over its own entries: memory is needed
 * for one chunk at a time, whatever the size of the schedule. The fault reported is nevertheless the first in schedule
 * order.
 */

#include "core/verify/verify_parts.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An entry of a step, by its index: copies first, then reduces. */
struct event {
	uint32_t step;
	uint32_t index;
};

/* The entries of each chunk in schedule order: events[begin[c]] up to events[begin[c + 1]]. */
struct events {
	size_t *begin;
	struct event *events;
};

/*
 * The value of a chunk at a node: where the collective combines, a set of contributions, one bit per node; otherwise a
 * single bit, present or not. The empty set means that the node does not hold the chunk.
 */
struct chunk_play {
	const struct algorithm *a;
	int nodes, horizon;
	bool combines;
	size_t words;          /* per value */
	int chunk;             /* the current one */
	uint64_t *now, *next;  /* [node * words]: before the step, after it */
	uint64_t *whole;       /* the value that the postcondition requires */
	int *known;            /* [node]: the chunk for which now[] is initialized */
	size_t *changed_in;    /* [node]: the turn in which next[] was set */
	size_t turn;           /* steps played so far, over all chunks */
	int *changed;          /* nodes changed in the current step */
	size_t n_changed;
	struct verdict first;
};

static const struct send *entry(const struct step *s, size_t index)
{
	return index < s->n_sends ? &s->sends[index] : &s->reduces[index - s->n_sends];
}

static struct events sorted_events(const struct algorithm *a, int horizon)
{
	struct events e = {new_array(size_t, (size_t)a->global_chunks + 2), NULL};
	size_t *next = e.begin + 1; /* shifted by one: after the second pass begin[] is right */

	for (int s = 0; s < horizon; s++)
		for (size_t i = 0; i < a->steps[s].n_sends + a->steps[s].n_reduces; i++)
			next[entry(&a->steps[s], i)->chunk + 1]++;
	for (int c = 0; c < a->global_chunks; c++)
		next[c + 1] += next[c];
	e.events = new_array(struct event, next[a->global_chunks]);
	for (int s = 0; s < horizon; s++)
		for (size_t i = 0; i < a->steps[s].n_sends + a->steps[s].n_reduces; i++)
			e.events[next[entry(&a->steps[s], i)->chunk]++] = (struct event){(uint32_t)s, (uint32_t)i};
	return e;
}

static void contribute(const struct chunk_play *p, uint64_t *set, int node)
{
	if (p->combines)
		set[node / 64] |= UINT64_C(1) << node % 64;
	else
		set[0] = 1;
}

static uint64_t *value(const struct chunk_play *p, int node)
{
	uint64_t *set = p->now + (size_t)node * p->words;

	if (p->known[node] != p->chunk) {
		p->known[node] = p->chunk;
		memset(set, 0, p->words * sizeof *set);
		if (collective_pre(&p->a->collective, p->nodes, p->chunk, node))
			contribute(p, set, node);
	}
	return set;
}

static bool is_empty(const struct chunk_play *p, const uint64_t *set)
{
	for (size_t i = 0; i < p->words; i++)
		if (set[i])
			return false;
	return true;
}

static bool overlaps(const struct chunk_play *p, const uint64_t *a, const uint64_t *b)
{
	for (size_t i = 0; i < p->words; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

/* A node's value after the step: its value before the step until something arrives. */
static uint64_t *coming(struct chunk_play *p, int node)
{
	uint64_t *set = p->next + (size_t)node * p->words;

	if (p->changed_in[node] != p->turn) {
		p->changed_in[node] = p->turn;
		p->changed[p->n_changed++] = node;
		memcpy(set, value(p, node), p->words * sizeof *set);
	}
	return set;
}

static struct verdict copy_value(struct chunk_play *p, int step, const struct send *s)
{
	if (p->changed_in[s->dst] == p->turn)
		return fault_at(FAULT_TWICE, step, s, "in step %d chunk %d arrives at node %d twice", step + 1, s->chunk, s->dst);
	memcpy(coming(p, s->dst), value(p, s->src), p->words * sizeof *p->now);
	return (struct verdict){.fault = FAULT_NONE};
}

static struct verdict add_value(struct chunk_play *p, int step, const struct send *s)
{
	const uint64_t *from = value(p, s->src);
	uint64_t *to = coming(p, s->dst);

	if (overlaps(p, from, to))
		return fault_at(FAULT_OVERLAP, step, s, "step %d adds chunk %d of node %d into that of node %d, which has part of it "
				"already", step + 1, s->chunk, s->src, s->dst);
	for (size_t i = 0; i < p->words; i++)
		to[i] |= from[i];
	return (struct verdict){.fault = FAULT_NONE};
}

/* One chunk's N entries of one step: all of them read the state before the step. */
static struct verdict play_step(struct chunk_play *p, const struct event *events, size_t n)
{
	int number = (int)events[0].step;
	const struct step *step = &p->a->steps[number];
	struct verdict v = {.fault = FAULT_NONE};

	for (size_t i = 0; i < n; i++) {
		const struct send *s = entry(step, events[i].index);
		if (is_empty(p, value(p, s->src)))
			return fault_at(FAULT_NOT_HELD, number, s, "step %d sends chunk %d from node %d to node %d, but node %d does not "
					"hold it then", number + 1, s->chunk, s->src, s->dst, s->src);
	}
	p->turn++;
	p->n_changed = 0;
	for (size_t i = 0; i < n && v.fault == FAULT_NONE; i++)
		v = (events[i].index < step->n_sends ? copy_value : add_value)(p, number, entry(step, events[i].index));
	for (size_t i = 0; i < p->n_changed; i++) {
		size_t at = (size_t)p->changed[i] * p->words;
		memcpy(p->now + at, p->next + at, p->words * sizeof *p->now);
	}
	return v;
}

/* Sets the value that NODE must have at the end: in a scan each node has its own sum, otherwise all have the same. */
static void set_whole(struct chunk_play *p, int node)
{
	memset(p->whole, 0, p->words * sizeof *p->whole);
	for (int n = 0; n < p->nodes; n++)
		if (collective_wants_part(&p->a->collective, p->nodes, p->chunk, node, n))
			contribute(p, p->whole, n);
}

static struct verdict check_delivery(struct chunk_play *p)
{
	const struct collective *k = &p->a->collective;

	for (int n = 0; n < p->nodes; n++) {
		struct send at = {p->chunk, -1, n};
		if (n == 0 || k->kind == SCAN)
			set_whole(p, n);
		if (collective_post(k, p->nodes, p->chunk, n) && memcmp(value(p, n), p->whole, p->words * sizeof *p->whole) != 0)
			return fault_at(FAULT_NOT_DELIVERED, -1, &at, "chunk %d is %s at node %d at the end", p->chunk,
					p->combines ? "incomplete" : "missing", n);
	}
	return (struct verdict){.fault = FAULT_NONE};
}

/* A fault ends play at its step: from then on only an earlier one matters. */
static void play_chunk(struct chunk_play *p, const struct event *events, size_t n)
{
	for (size_t i = 0, j; i < n && (int)events[i].step < p->horizon; i = j) {
		for (j = i + 1; j < n && events[j].step == events[i].step;)
			j++;
		struct verdict v = play_step(p, events + i, j - i);
		if (v.fault == FAULT_NONE)
			continue;
		p->first = v;
		p->horizon = v.step;
		return;
	}
	if (p->first.fault == FAULT_NONE && p->horizon == (int)p->a->n_steps)
		p->first = check_delivery(p);
}

static void set_up(struct chunk_play *p)
{
	size_t nodes = (size_t)p->nodes;

	p->combines = collective_row(&p->a->collective)->combining;
	p->words = p->combines ? (nodes + 63) / 64 : 1;
	p->now = new_array(uint64_t, nodes * p->words);
	p->next = new_array(uint64_t, nodes * p->words);
	p->whole = new_array(uint64_t, p->words);
	p->known = new_array(int, nodes);
	p->changed = new_array(int, nodes);
	p->changed_in = new_array(size_t, nodes);
	for (size_t n = 0; n < nodes; n++)
		p->known[n] = -1;
}

struct verdict verify_play(const struct algorithm *a, int horizon, const unsigned char *only)
{
	struct chunk_play p = {.a = a, .nodes = a->topology->nodes, .horizon = horizon, .first = {.fault = FAULT_NONE}};
	struct events e = sorted_events(a, horizon);

	set_up(&p);
	for (p.chunk = 0; p.chunk < a->global_chunks; p.chunk++) {
		size_t n = e.begin[p.chunk + 1] - e.begin[p.chunk];
		if ((!only || only[p.chunk]) && (n || p.first.fault == FAULT_NONE))
			play_chunk(&p, e.events + e.begin[p.chunk], n);
	}
	free(e.begin);
	free(e.events);
	free(p.now);
	free(p.next);
	free(p.whole);
	free(p.known);
	free(p.changed);
	free(p.changed_in);
	return p.first;
}
