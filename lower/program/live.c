/*
 * Which sends of a schedule matter: liveness analysis, backwards over the steps from the postcondition. If the
 * collective does not combine, a forward pass has first marked the sends of chunks that their receiver already has.
 */

#include "lower/program/build.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/* One mark per (chunk, node). */
struct marks {
	size_t nodes;
	bool *of;
};

static bool *mark(const struct marks *m, int chunk, int node)
{
	return &m->of[(size_t)chunk * m->nodes + (size_t)node];
}

static struct marks marks_new(const struct algorithm *a, bool (*where)(const struct collective *, int, int, int))
{
	int nodes = a->topology->nodes;
	struct marks m = {(size_t)nodes, new_array(bool, (size_t)a->global_chunks * (size_t)nodes)};

	for (int c = 0; where && c < a->global_chunks; c++)
		for (int n = 0; n < nodes; n++)
			*mark(&m, c, n) = where(&a->collective, nodes, c, n);
	return m;
}

static void add_push(struct pushes *out, const struct send *s, int step, bool reduce, bool keep)
{
	out->of = grown(out->of, &out->capacity, out->n + 1, sizeof *out->of);
	out->of[out->n++] = (struct push){step, s->chunk, s->src, s->dst, reduce, keep};
}

static int push_order(const void *va, const void *vb)
{
	const struct push *a = va, *b = vb;

	if (a->step != b->step)
		return a->step - b->step;
	if (a->src != b->src)
		return a->src - b->src;
	if (a->chunk != b->chunk)
		return a->chunk - b->chunk;
	if (a->dst != b->dst)
		return a->dst - b->dst;
	return a->reduce - b->reduce;
}

/* One flag per send, over all steps in order: is it the first to bring the chunk to its receiver? Others are redundant.
 * In combining collectives, every send counts as first. The caller frees the result. */
static bool *first_arrivals(const struct algorithm *a)
{
	size_t n = 0, i = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		n += a->steps[s].n_sends;
	bool *first = new_array(bool, n);
	struct marks held = marks_new(a, collective_pre);
	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t k = 0; k < a->steps[s].n_sends; k++) {
			const struct send *send = &a->steps[s].sends[k];
			first[i++] = collective_row(&a->collective)->combining || !*mark(&held, send->chunk, send->dst);
			*mark(&held, send->chunk, send->dst) = true;
		}
	free(held.of);
	return first;
}

/* Goes backwards over one step and adds its live sends to OUT. LIVE marks the values needed after the step, and on
 * return those needed before it. WRITTEN is scratch memory, all false before and after. */
static void step_backwards(const struct step *s, int number, const bool *first, struct marks *live, struct marks *written,
			   struct pushes *out)
{
	size_t begin = out->n;

	for (size_t i = 0; i < s->n_sends; i++)
		if (first[i] && *mark(live, s->sends[i].chunk, s->sends[i].dst))
			add_push(out, &s->sends[i], number, false, false);
	size_t copies = out->n;
	for (size_t i = 0; i < s->n_reduces; i++)
		if (*mark(live, s->reduces[i].chunk, s->reduces[i].dst))
			add_push(out, &s->reduces[i], number, true, false);

	for (size_t i = begin; i < copies; i++)
		*mark(written, out->of[i].chunk, out->of[i].dst) = true;
	for (size_t i = begin; i < out->n; i++)
		out->of[i].keep = *mark(live, out->of[i].chunk, out->of[i].src) &&
				  !*mark(written, out->of[i].chunk, out->of[i].src);
	for (size_t i = begin; i < copies; i++) {
		*mark(written, out->of[i].chunk, out->of[i].dst) = false;
		*mark(live, out->of[i].chunk, out->of[i].dst) = false;
	}
	for (size_t i = begin; i < out->n; i++)
		*mark(live, out->of[i].chunk, out->of[i].src) = true;
}

struct pushes pushes_live(const struct algorithm *a)
{
	struct pushes out = {0};
	struct marks live = marks_new(a, collective_post), written = marks_new(a, NULL);
	bool *first = first_arrivals(a);
	size_t i = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		i += a->steps[s].n_sends;
	for (size_t s = a->n_steps; s-- > 0;) {
		i -= a->steps[s].n_sends;
		step_backwards(&a->steps[s], (int)s + 1, first + i, &live, &written, &out);
	}
	free(first);
	free(live.of);
	free(written.of);
	if (out.n)
		qsort(out.of, out.n, sizeof *out.of, push_order);
	return out;
}
