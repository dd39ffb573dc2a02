/*
 * Schedule builder: collects sends in any order, sorts them by step at the end, and gives each step the fewest rounds
 * in which its edges and limits carry its loads. Errors (a send over a missing edge, too many sends) are remembered and
 * reported once, when the schedule is taken.
 */

#include "synth/builder/schedule_builder.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

struct builder_move {
	int step, edge;
	struct send send;
	bool reduces;
};

struct schedule_builder {
	const struct network *network;
	struct builder_move *moves;
	size_t n, capacity;
	bool too_many, has_gap; /* more than BUILDER_SENDS_MAX sends; a send between nodes without an edge */
	struct send gap;
};

struct schedule_builder *builder_new(const struct network *w)
{
	struct schedule_builder *d = new(struct schedule_builder);
	d->network = w;
	return d;
}

void builder_free(struct schedule_builder *d)
{
	if (d)
		free(d->moves);
	free(d);
}

static void add(struct schedule_builder *d, int step, struct send s, bool reduces)
{
	int edge = network_edge(d->network, s.src, s.dst);

	if (edge < 0 && !d->has_gap) {
		d->has_gap = true;
		d->gap = s;
	}
	if (d->n >= BUILDER_SENDS_MAX)
		d->too_many = true;
	if (d->has_gap || d->too_many)
		return;
	d->moves = grown(d->moves, &d->capacity, d->n + 1, sizeof *d->moves);
	d->moves[d->n++] = (struct builder_move){step, edge, s, reduces};
}

void builder_send(struct schedule_builder *d, int step, int chunk, int src, int dst)
{
	add(d, step, (struct send){chunk, src, dst}, false);
}

void builder_reduce(struct schedule_builder *d, int step, int chunk, int src, int dst)
{
	add(d, step, (struct send){chunk, src, dst}, true);
}

void builder_drop_late(struct schedule_builder *d, const int *since)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct builder_move *m = &d->moves[i];
		if (m->step < since[(size_t)m->send.chunk * (size_t)d->network->nodes + (size_t)m->send.dst])
			d->moves[kept++] = *m;
	}
	d->n = kept;
}

bool builder_is_full(const struct schedule_builder *d)
{
	return d->too_many;
}

int builder_next_hop(const struct network *w, int from, int to, int turn)
{
	int n = 0, left = network_distance(w, from, to);

	if (left == UNREACHABLE || left == 0)
		return -1;
	for (int pass = 0; pass < 2; pass++) {
		int seen = 0;
		for (int i = w->out_begin[from]; i < w->out_begin[from + 1]; i++) {
			int next = w->edges[w->out[i]].dst;
			if (network_distance(w, next, to) != left - 1)
				continue;
			if (pass && seen == turn % n)
				return next;
			seen++;
		}
		n = seen;
	}
	return -1;
}

static int by_step(const void *a, const void *b)
{
	const struct builder_move *x = a, *y = b;
	return (x->step > y->step) - (x->step < y->step);
}

/* Makes one step of moves FIRST up to, but not including, LAST. False: it needs more than ROUNDS_MAX rounds. */
static bool one_step(const struct schedule_builder *d, size_t first, size_t last, int64_t *loads, struct step *out)
{
	for (size_t e = 0; e < d->network->n_edges; e++)
		loads[e] = 0;
	out->sends = new_array(struct send, last - first);
	out->reduces = new_array(struct send, last - first);
	for (size_t i = first; i < last; i++) {
		const struct builder_move *m = &d->moves[i];
		if (m->reduces)
			out->reduces[out->n_reduces++] = m->send;
		else
			out->sends[out->n_sends++] = m->send;
		loads[m->edge]++;
	}
	int64_t rounds = network_rounds(d->network, loads);
	out->rounds = rounds <= ROUNDS_MAX ? (int)rounds : 0;
	return rounds <= ROUNDS_MAX;
}

static bool is_whole(const struct schedule_builder *d, const char *name, struct error *e)
{
	if (d->has_gap)
		return error_set(e, ERROR_SYSTEM, name, "made a send of chunk %d from %d to %d, which no link joins", d->gap.chunk,
				 d->gap.src, d->gap.dst);
	return !d->too_many ||
	       error_set(e, ERROR_LIMIT, name, "needs more than %d sends here: too many to list", BUILDER_SENDS_MAX);
}

bool builder_take(struct schedule_builder *d, const char *name, struct step **steps, size_t *n_steps, struct error *e)
{
	size_t capacity = 0;

	*steps = NULL;
	*n_steps = 0;
	if (!is_whole(d, name, e))
		return false;
	if (d->n)
		qsort(d->moves, d->n, sizeof *d->moves, by_step);
	int64_t *loads = new_array(int64_t, d->network->n_edges);
	bool ok = true;
	for (size_t first = 0, last; first < d->n && ok; first = last) {
		for (last = first; last < d->n && d->moves[last].step == d->moves[first].step; last++)
			;
		*steps = grown(*steps, &capacity, *n_steps + 1, sizeof **steps);
		(*steps)[*n_steps] = (struct step){0};
		ok = one_step(d, first, last, loads, &(*steps)[(*n_steps)++]);
	}
	free(loads);
	if (ok)
		return true;
	steps_free(*steps, *n_steps);
	*steps = NULL;
	*n_steps = 0;
	return error_set(e, ERROR_LIMIT, name, "a step needs more than %d rounds", ROUNDS_MAX);
}
