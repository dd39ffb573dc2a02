/*
 * Enumerates the group that the generators generate, breadth first with a hash set, and tests whether generators are
 * automorphisms of a machine.
 */

#include "core/schedule/symmetry.h"

#include "core/machine/limit_images.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

static bool keeps_limits(const struct network *w, const int *image, const struct limit_image *before)
{
	struct limit_image *after = limit_images_new(w, image);
	bool same = true;

	for (size_t i = 0; i < w->n_limits && same; i++)
		same = limit_images_same(&before[i], &after[i]);
	limit_images_free(after, w->n_limits);
	return same;
}

bool symmetry_keeps_machine(const struct symmetry *y, const struct network *w, size_t *which)
{
	struct limit_image *limits = NULL; /* computed only if edges are preserved: limits may cover a million pairs */
	int *image = new_array(int, w->n_edges);
	bool keeps = true;

	for (*which = 0; *which < y->n && keeps; ++*which) {
		const int *nodes = y->generators[*which].nodes;
		for (size_t i = 0; i < w->n_edges && keeps; i++) {
			image[i] = network_edge(w, nodes[w->edges[i].src], nodes[w->edges[i].dst]);
			keeps = image[i] >= 0 && w->edges[image[i]].bandwidth == w->edges[i].bandwidth;
		}
		if (keeps && !limits)
			limits = limit_images_new(w, NULL);
		keeps = keeps && keeps_limits(w, image, limits);
	}
	*which -= !keeps;
	free(image);
	limit_images_free(limits, w->n_limits);
	return keeps;
}

/* The elements found so far: a hash set of their images with open addressing. */
struct element_set {
	size_t *slots; /* number + 1; 0: free */
	size_t size;
};

/* A hash of the first images and a sample of the others: few elements agree on all of these. */
static uint64_t hash(const uint16_t *nodes, int n_nodes, const int *parts, int n_parts)
{
	enum { DENSE = 32 };
	uint64_t h = 0xcbf29ce484222325u;

	for (int i = 0; i < n_nodes; i += i < DENSE ? 1 : n_nodes / DENSE + 1)
		h = (h ^ nodes[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
	for (int i = 0; i < n_parts; i += i < DENSE ? 1 : n_parts / DENSE + 1)
		h = (h ^ (uint64_t)parts[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
	return h;
}

static bool same(const struct elements *x, size_t a, size_t b)
{
	size_t p = (size_t)x->n_nodes, k = (size_t)x->n_parts;
	return memcmp(x->nodes + a * p, x->nodes + b * p, p * sizeof *x->nodes) == 0 &&
	       memcmp(x->parts + a * k, x->parts + b * k, k * sizeof *x->parts) == 0;
}

/* Adds element LAST to the set. False: it is in the set already. */
static bool is_new(struct element_set *s, const struct elements *x, size_t last)
{
	size_t p = (size_t)x->n_nodes, k = (size_t)x->n_parts;
	size_t i = (size_t)(hash(x->nodes + last * p, x->n_nodes, x->parts + last * k, x->n_parts) >> 20) & (s->size - 1);

	for (; s->slots[i]; i = (i + 1) & (s->size - 1))
		if (same(x, s->slots[i] - 1, last))
			return false;
	s->slots[i] = last + 1;
	return true;
}

/* Stores the product, G after element I, behind the last element. */
static void multiply(struct elements *x, size_t i, const struct generator *g)
{
	const uint16_t *from = x->nodes + i * (size_t)x->n_nodes;
	uint16_t *to = x->nodes + x->n * (size_t)x->n_nodes;

	for (int n = 0; n < x->n_nodes; n++)
		to[n] = (uint16_t)g->nodes[from[n]];
	for (int k = 0; k < x->n_parts; k++)
		x->parts[x->n * (size_t)x->n_parts + (size_t)k] = g->parts[x->parts[i * (size_t)x->n_parts + (size_t)k]];
}

/* Makes place for one more element. */
static void reserve_next(struct elements *x, size_t *capacity)
{
	size_t nodes = *capacity * (size_t)x->n_nodes, parts = *capacity * (size_t)x->n_parts;

	if (x->n < *capacity)
		return;
	*capacity = *capacity ? 2 * *capacity : 16;
	x->nodes = grown(x->nodes, &nodes, *capacity * (size_t)x->n_nodes, sizeof *x->nodes);
	x->parts = grown(x->parts, &parts, *capacity * (size_t)x->n_parts, sizeof *x->parts);
}

/* Limits for about a second of time: on products, and on the images in all products together. */
enum { PRODUCTS_MAX = 1 << 22, PRODUCT_IMAGES_MAX = 1 << 30 };

bool elements_new(const struct symmetry *y, size_t most, struct elements *out)
{
	struct elements x = {.n_nodes = y->nodes, .n_parts = y->parts, .n = 1};
	struct element_set seen = {.size = 64};
	size_t capacity = 0, each = (size_t)y->nodes + (size_t)y->parts, products = 0;
	bool fits = true;

	while (seen.size < 2 * most + 2 && seen.size < (size_t)ELEMENT_IMAGES_MAX)
		seen.size *= 2;
	seen.slots = new_array(size_t, seen.size);
	x.n = 0;
	reserve_next(&x, &capacity);
	for (int n = 0; n < y->nodes; n++)
		x.nodes[n] = (uint16_t)n;
	for (int k = 0; k < y->parts; k++)
		x.parts[k] = k;
	x.n = is_new(&seen, &x, 0);
	for (size_t i = 0; i < x.n && fits; i++)
		for (size_t g = 0; g < y->n && fits; g++) {
			reserve_next(&x, &capacity);
			multiply(&x, i, &y->generators[g]);
			x.n += is_new(&seen, &x, x.n);
			fits = x.n <= most && x.n * each <= ELEMENT_IMAGES_MAX && ++products <= PRODUCTS_MAX &&
			       products * each <= PRODUCT_IMAGES_MAX;
		}
	free(seen.slots);
	*out = x;
	if (!fits)
		elements_free(out);
	return fits;
}

bool elements_act_freely(const struct elements *x)
{
	for (size_t i = 1; i < x->n; i++)
		for (int n = 0; n < x->n_nodes; n++)
			if (x->nodes[i * (size_t)x->n_nodes + (size_t)n] == n)
				return false;
	return true;
}

void elements_free(struct elements *x)
{
	free(x->nodes);
	free(x->parts);
	*x = (struct elements){0};
}

int elements_chunk(const struct symmetry *y, const struct elements *x, size_t i, int chunk)
{
	const uint16_t *nodes = x->nodes + i * (size_t)x->n_nodes;
	int rest = chunk % y->period, weight = 1;
	int out = x->parts[i * (size_t)x->n_parts + (size_t)(chunk / y->period)] * y->period;

	for (int d = 0; d < y->digits; d++, rest /= y->nodes, weight *= y->nodes)
		out += nodes[rest % y->nodes] * weight;
	return out;
}
