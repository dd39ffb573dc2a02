/* The step of a send is the length of the longest chain of sends that ends with it, each of which waits for the one before. */

#include "synth/timed/timed_sends.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "simulate/fabric.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>

void timed_sends_add(struct timed_sends *s, struct timed_send x)
{
	s->of = grown(s->of, &s->capacity, s->n + 1, sizeof *s->of);
	s->of[s->n++] = x;
}

void timed_sends_free(struct timed_sends *s)
{
	free(s->of);
	*s = (struct timed_sends){0};
}

static int by_start(const void *va, const void *vb)
{
	const struct timed_send *a = va, *b = vb;
	int order = (a->start > b->start) - (a->start < b->start);

	order = order ? order : (a->chunk > b->chunk) - (a->chunk < b->chunk);
	return order ? order : (a->route > b->route) - (a->route < b->route);
}

/* The steps so far: of the send that brought each chunk, and of the last on each pair or resource. */
struct turns {
	const struct fabric *fabric;
	enum timed_turns of;
	int *brought; /* [chunk * nodes + node]: 0: it was there from the beginning */
	int *last;
};

/* The step, counted from 1, of the next send. */
static int take_turn(struct turns *t, const struct timed_send *x)
{
	const struct fabric *f = t->fabric;
	const struct route *route = &f->routes[x->route];
	size_t chunk = (size_t)x->chunk * (size_t)f->nodes;
	int step = t->brought[chunk + (size_t)route->src];

	for (int i = f->begin[x->route]; t->of == TURNS_OF_RESOURCES && i < f->begin[x->route + 1]; i++)
		step = t->last[f->over[i]] > step ? t->last[f->over[i]] : step;
	if (t->of == TURNS_OF_PAIRS && t->last[x->route] > step)
		step = t->last[x->route];
	step++;
	for (int i = f->begin[x->route]; t->of == TURNS_OF_RESOURCES && i < f->begin[x->route + 1]; i++)
		t->last[f->over[i]] = step;
	if (t->of == TURNS_OF_PAIRS)
		t->last[x->route] = step;
	t->brought[chunk + (size_t)route->dst] = step;
	return step;
}

struct algorithm *timed_sends_algorithm(struct timed_sends *s, const struct topology *t, const struct network *w, const struct fabric *f,
					const struct collective *k, int chunks, enum timed_turns turns, const char *method, struct error *e)
{
	size_t places = (size_t)collective_global_chunks(k, f->nodes, chunks) * (size_t)f->nodes;
	struct turns so_far = {f, turns, new_array(int, places), new_array(int, f->n_routes + f->n_resources)};
	struct schedule_builder *b = builder_new(w);
	struct step *steps;
	size_t n_steps;

	if (s->n)
		qsort(s->of, s->n, sizeof *s->of, by_start);
	for (size_t i = 0; i < s->n; i++) {
		const struct route *route = &f->routes[s->of[i].route];
		builder_send(b, take_turn(&so_far, &s->of[i]) - 1, s->of[i].chunk, route->src, route->dst);
	}
	bool ok = builder_take(b, method, &steps, &n_steps, e);
	builder_free(b);
	free(so_far.brought);
	free(so_far.last);
	return ok ? algorithm_new(t, k, chunks, n_steps, steps, method) : NULL;
}
