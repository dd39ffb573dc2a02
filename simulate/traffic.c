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
#include <string.h>

/* Index I counts the sends of a step first, then its reduces. */
static const struct send *send_of(const struct step *s, size_t i)
{
	return i < s->n_sends ? &s->sends[i] : &s->reduces[i - s->n_sends];
}

/* A step's messages take their destination's ports in turn. INTO [node] counts those of the step. */
static int port_of(const struct fabric *f, int *into, int node)
{
	return into[node]++ % f->ports;
}

static bool number_steps(const struct algorithm *a, const struct fabric *f, int *into, struct traffic *t, struct error *e)
{
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		memset(into, 0, (size_t)f->nodes * sizeof *into);
		for (size_t i = 0; i < step->n_sends + step->n_reduces; i++) {
			const struct send *send = send_of(step, i);
			int route = fabric_route(f, send->src, send->dst);
			if (route < 0)
				return error_set(e, ERROR_INPUT, a->name, "step %zu sends from %d to %d, which no link joins", s + 1, send->src,
						 send->dst);
			t->reduces[t->n] = i >= step->n_sends;
			t->route[t->n++] = route + port_of(f, into, send->dst);
		}
		t->step_begin[s + 1] = t->n;
	}
	return true;
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
	t->reduces = new_array(bool, n);
	int *into = new_array(int, (size_t)f->nodes);
	bool ok = number_steps(a, f, into, t, e);
	free(into);
	return ok;
}

/* ---- what switches copy and add ---- */

/* A message at a resource, crossed by a link: those for which all but PART is equal count once there together. */
struct on_link {
	int chunk, end, resource, link; /* end: the source of copies, -1 - the destination of reduces */
	size_t part;
};

static int by_sharing(const void *va, const void *vb)
{
	const struct on_link *a = va, *b = vb;

	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	if (a->resource != b->resource)
		return a->resource < b->resource ? -1 : 1;
	return (a->link > b->link) - (a->link < b->link);
}

struct sharing_list {
	size_t n, room;
	struct on_link *of;
};

/* Lists the places where message M, a reduce or a copy, may count once with others. */
static void list_sharing(const struct fabric *f, const struct traffic *t, int m, const struct send *s, bool reduces, struct sharing_list *l)
{
	int begin = f->begin[t->route[m]], end = f->begin[t->route[m] + 1];

	for (int i = begin; i < end; i++) {
		if (!(f->crossed[i].abilities & (reduces ? REDUCES : MULTICASTS)))
			continue;
		l->of = grown(l->of, &l->room, l->n + 1, sizeof *l->of);
		l->of[l->n++] = (struct on_link){s->chunk, reduces ? -1 - s->dst : s->src, f->over[i], f->crossed[i].link,
						(size_t)m * (size_t)f->longest + (size_t)(i - begin)};
	}
}

/* Makes a bundle of the messages to which N places belong: copies of a chunk from one node, or reduces of it into one. */
static void bundle_up(const struct fabric *f, struct traffic *t, const struct on_link *of, size_t n)
{
	int node = of->end >= 0 ? of->end : f->nodes - 1 - of->end;

	for (size_t k = 0; k < n; k++)
		t->bundle[of[k].part / (size_t)f->longest] = t->n_bundles;
	t->bundle_line = grown(t->bundle_line, &t->bundle_room, (size_t)t->n_bundles + 1, sizeof *t->bundle_line);
	t->bundle_line[t->n_bundles++] = node;
}

/* Among N places, divides each resource among the messages that count once there. Returns whether more than one do anywhere. */
static bool share_links(struct traffic *t, const struct on_link *of, size_t n)
{
	bool any = false;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && by_sharing(&of[i], &of[end]) == 0;)
			end++;
		for (size_t k = i; k < end; k++)
			t->part[of[k].part] = 1. / (double)(end - i);
		any = any || end > i + 1;
	}
	return any;
}

static void share_out(const struct algorithm *a, const struct fabric *f, struct traffic *t)
{
	struct sharing_list l = {0};

	t->part = new_array(double, (size_t)t->n * (size_t)f->longest);
	for (size_t i = 0; i < (size_t)t->n * (size_t)f->longest; i++)
		t->part[i] = 1;
	t->bundle = new_array(int, (size_t)t->n);
	for (int m = 0; m < t->n; m++)
		t->bundle[m] = -1;
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		l.n = 0;
		for (size_t i = 0; i < step->n_sends + step->n_reduces; i++)
			list_sharing(f, t, t->step_begin[s] + (int)i, send_of(step, i), i >= step->n_sends, &l);
		if (l.n)
			qsort(l.of, l.n, sizeof *l.of, by_sharing);
		for (size_t i = 0, end; i < l.n; i = end) {
			for (end = i + 1; end < l.n && l.of[i].chunk == l.of[end].chunk && l.of[i].end == l.of[end].end;)
				end++;
			if (share_links(t, &l.of[i], end - i))
				bundle_up(f, t, &l.of[i], end - i);
		}
	}
	free(l.of);
}

static void list_bundles(struct traffic *t)
{
	t->bundles = csr_new(t->n_bundles);
	for (int pass = 0; pass < 2; pass++) {
		for (int m = 0; m < t->n; m++)
			if (t->bundle[m] >= 0 && pass)
				csr_put(&t->bundles, t->bundle[m], m);
			else if (t->bundle[m] >= 0)
				csr_count(&t->bundles, t->bundle[m]);
		if (!pass)
			csr_allocate(&t->bundles);
	}
}

/* ---- dataflow ---- */

/*
 * Puts messages into queues, in the order of their numbers, a bundle where its first message is. Numbers ascend with steps,
 * so that no message waits for a later one of its queue.
 */
static void queue_up(const struct fabric *f, struct traffic *t)
{
	int lines = (int)f->n_routes + (t->bundle ? 2 * f->nodes : 0);

	t->line = new_array(int, (size_t)t->n);
	t->queue = csr_new(lines);
	for (int pass = 0; pass < 2; pass++) {
		for (int m = 0; m < t->n; m++) {
			int b = t->bundle ? t->bundle[m] : -1;
			t->line[m] = b < 0 ? t->route[m] - t->route[m] % f->ports : (int)f->n_routes + t->bundle_line[b];
			if (b >= 0 && t->bundles.of[t->bundles.begin[b]] != m)
				continue;
			if (pass)
				csr_put(&t->queue, t->line[m], m);
			else
				csr_count(&t->queue, t->line[m]);
		}
		if (!pass)
			csr_allocate(&t->queue);
	}
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
	if (f->crossed) {
		share_out(a, f, out);
		list_bundles(out);
	}
	if (waits) {
		queue_up(f, out);
		line_up(a, f, out);
	}
	return true;
}

void traffic_close(struct traffic *t)
{
	free(t->route);
	free(t->reduces);
	free(t->part);
	free(t->weight);
	free(t->bundle);
	free(t->bundle_line);
	free(t->line);
	csr_free(&t->bundles);
	free(t->step_begin);
	csr_free(&t->queue);
	free(t->first);
	free(t->next);
	free(t->place);
	*t = (struct traffic){0};
}
