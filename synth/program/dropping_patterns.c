/* The images are few, so that all are looked through. */

#include "synth/program/dropping_patterns.h"

#include "synth/program/node_groups.h"
#include "synth/program/timed_program.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

#include <stdlib.h>

/* A send of an image. */
struct image_send {
	int step, dst, src;
};

static int by_place(const void *va, const void *vb)
{
	const struct image_send *a = va, *b = vb;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return a->dst != b->dst ? (a->dst > b->dst) - (a->dst < b->dst) : (a->src > b->src) - (a->src < b->src);
}

/* Adds the image of a column under TO [node], NULL for the column itself. */
static void add_image(struct dropping_patterns *all, const struct network *w, const struct timed_tree *t, const uint64_t *drops,
		      const int *to)
{
	size_t steps = (size_t)all->steps, n = (size_t)t->n;
	struct image_send *sends = new_array(struct image_send, n);
	struct dropping_pattern x = {.n = n, .dst = new_array(uint16_t, n), .src = new_array(uint16_t, n), .end = new_array(size_t, steps),
				     .drops = new_array(uint64_t, steps)};

	for (size_t i = 0; i < n; i++) {
		const struct edge *e = &w->edges[t->of[i].edge];
		sends[i] = (struct image_send){t->of[i].step, to ? to[e->dst] : e->dst, to ? to[e->src] : e->src};
	}
	if (n)
		qsort(sends, n, sizeof *sends, by_place);
	for (size_t i = 0; i < n; i++) {
		x.dst[i] = (uint16_t)sends[i].dst;
		x.src[i] = (uint16_t)sends[i].src;
		x.end[sends[i].step] = i + 1;
	}
	for (size_t s = 0; s < steps; s++) {
		x.end[s] = s && x.end[s] < x.end[s - 1] ? x.end[s - 1] : x.end[s];
		for (int v = 0; v < w->nodes; v++)
			x.drops[s] |= (drops[s] >> v & 1) << (to ? to[v] : v);
	}
	free(sends);
	all->of = grown(all->of, &all->capacity, all->n + 1, sizeof x);
	all->of[all->n++] = x;
}

void dropping_patterns_new(const struct timed_program *p, const uint64_t *drops, const struct node_group *group,
			   struct dropping_patterns *out)
{
	enum { ELEMENTS_MOST = 256 };
	const struct network *w = p->instance->network;
	size_t steps = (size_t)p->steps;
	struct node_group elements = node_group_elements(group, w->nodes, ELEMENTS_MOST);

	*out = (struct dropping_patterns){.steps = p->steps};
	for (size_t c = 0; c < p->n_columns; c++) {
		uint64_t any = 0;
		for (size_t s = 0; s < steps; s++)
			any |= drops[c * steps + s];
		if (!any || !p->columns[c].amount.num)
			continue;
		add_image(out, w, &p->columns[c].tree, drops + c * steps, NULL);
		for (size_t g = 0; g < elements.n; g++)
			add_image(out, w, &p->columns[c].tree, drops + c * steps, elements.generators + g * (size_t)w->nodes);
	}
	node_group_free(&elements);
}

void dropping_patterns_free(struct dropping_patterns *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->of[i].dst);
		free(all->of[i].src);
		free(all->of[i].end);
		free(all->of[i].drops);
	}
	free(all->of);
	*all = (struct dropping_patterns){0};
}

static bool is_sent(const struct dropping_pattern *x, int n, const struct step *steps, const size_t *first, const size_t *end)
{
	size_t k = 0;

	for (int s = 0; s < n; s++) {
		if (x->end[s] != k + end[s] - first[s])
			return false;
		for (size_t i = first[s]; i < end[s]; i++, k++)
			if (steps[s].sends[i].dst != x->dst[k] || steps[s].sends[i].src != x->src[k])
				return false;
	}
	return true;
}

const struct dropping_pattern *dropping_patterns_find(const struct dropping_patterns *all, const struct step *steps, const size_t *first,
						      const size_t *end)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_sent(&all->of[i], all->steps, steps, first, end))
			return &all->of[i];
	return NULL;
}
