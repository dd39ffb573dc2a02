/*
 * Turns an algorithm's sends into numbered messages, and for dataflow into queues: one per pair of nodes, and one per
 * place (a chunk at a node) that lines up departures and arrivals as the schedule has them.
 */

#include "simulate/traffic.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/csr.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "simulate/fabric.h"

#include <stdlib.h>

/* Index I counts the sends of a step first, then its reduces. */
static const struct send *send_of(const struct step *s, size_t i)
{
	return i < s->n_sends ? &s->sends[i] : &s->reduces[i - s->n_sends];
}

static bool number(const struct algorithm *a, const struct fabric *f, struct traffic *t, struct error *e)
{
	size_t n = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		n += a->steps[s].n_sends + a->steps[s].n_reduces;
	if (n > MESSAGES_MAX)
		return error_set(e, ERROR_LIMIT, a->name, "has more than %d sends", MESSAGES_MAX);
	t->n_steps = a->n_steps;
	t->step_begin = new_array(int, a->n_steps + 1);
	t->route = new_array(int, n);
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		for (size_t i = 0; i < step->n_sends + step->n_reduces; i++) {
			const struct send *send = send_of(step, i);
			int route = fabric_route(f, send->src, send->dst);
			if (route < 0)
				return error_set(e, ERROR_INPUT, a->name, "step %zu sends from %d to %d, which no link joins", s + 1, send->src,
						 send->dst);
			t->route[t->n++] = route;
		}
		t->step_begin[s + 1] = t->n;
	}
	return true;
}

/* The last entry of each node's place, for the current chunk. */
struct tails {
	int *entry, *chunk; /* [node]; if chunk[node] is not the current one, the node has no entry yet */
};

static void append(struct traffic *t, struct tails *tails, int chunk, int node, int entry, size_t *capacity)
{
	t->next[entry] = -1;
	if (tails->chunk[node] == chunk) {
		t->next[tails->entry[node]] = entry;
		t->place[entry] = t->place[tails->entry[node]];
	} else {
		t->first = grown(t->first, capacity, (size_t)t->n_places + 1, sizeof *t->first);
		t->first[t->n_places] = entry;
		t->place[entry] = t->n_places++;
	}
	tails->chunk[node] = chunk;
	tails->entry[node] = entry;
}

/*
 * Links each place's entries in order. Sends read the state before their step, so within a step departures come first.
 */
static void line_up(const struct algorithm *a, const struct fabric *f, struct traffic *t)
{
	int *chunk = new_array(int, (size_t)t->n), *step = new_array(int, (size_t)t->n), m = 0;
	struct tails tails = {new_array(int, (size_t)f->nodes), new_array(int, (size_t)f->nodes)};
	size_t capacity = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends + a->steps[s].n_reduces; i++, m++) {
			chunk[m] = send_of(&a->steps[s], i)->chunk;
			step[m] = (int)s;
		}
	struct csr by_chunk = csr_by_row(a->global_chunks, chunk, (size_t)t->n, sizeof *chunk);
	const int *sorted = by_chunk.of;
	t->next = new_array(int, 2 * (size_t)t->n);
	t->place = new_array(int, 2 * (size_t)t->n);
	for (int v = 0; v < f->nodes; v++)
		tails.chunk[v] = -1;
	for (int i = 0, end; i < t->n; i = end) {
		for (end = i; end < t->n && chunk[sorted[end]] == chunk[sorted[i]] && step[sorted[end]] == step[sorted[i]]; end++)
			append(t, &tails, chunk[sorted[i]], f->routes[t->route[sorted[end]]].src, 2 * sorted[end], &capacity);
		for (int k = i; k < end; k++)
			append(t, &tails, chunk[sorted[i]], f->routes[t->route[sorted[k]]].dst, 2 * sorted[k] + 1, &capacity);
	}
	free(tails.entry);
	free(tails.chunk);
	csr_free(&by_chunk);
	free(chunk);
	free(step);
}

bool traffic_open(const struct algorithm *a, const struct fabric *f, bool waits, struct traffic *out, struct error *e)
{
	*out = (struct traffic){0};
	if (!number(a, f, out, e))
		return false;
	if (waits) {
		out->queue = csr_by_row((int)f->n_routes, out->route, (size_t)out->n, sizeof *out->route);
		line_up(a, f, out);
	}
	return true;
}

void traffic_close(struct traffic *t)
{
	free(t->route);
	free(t->step_begin);
	csr_free(&t->queue);
	free(t->first);
	free(t->next);
	free(t->place);
	*t = (struct traffic){0};
}
