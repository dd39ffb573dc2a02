/*
 * Where the group is too large to list, its elements are drawn by product replacement (Celler, Leedham-Green, Murray,
 * Niemeyer, O'Brien 1995): a pool of elements, of which one after another is multiplied by another. An element that maps
 * a commodity elsewhere is brought back by the inverse of one that does the same, so that it fixes the commodity; and
 * then to each commodity of the orbit, so that all have their images.
 */

#include "synth/program/images.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/instance.h"
#include "core/schedule/symmetry.h"

#include <stdlib.h>
#include <string.h>

static int by_step(const void *va, const void *vb)
{
	const struct timed_edge *a = va, *b = vb;
	return a->step != b->step ? (a->step > b->step) - (a->step < b->step) : (a->edge > b->edge) - (a->edge < b->edge);
}

static int by_image(const void *va, const void *vb)
{
	const struct image *a = va, *b = vb;

	if (a->commodity != b->commodity)
		return a->commodity < b->commodity ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return memcmp(a->of, b->of, (size_t)a->n * sizeof *a->of);
}

void images_add(struct images *x, struct image i)
{
	x->of = grown(x->of, &x->capacity, x->n + 1, sizeof *x->of);
	x->of[x->n++] = i;
}

void images_sort(struct images *x)
{
	if (x->n)
		qsort(x->of, x->n, sizeof *x->of, by_image);
}

void images_free(struct images *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->of[i].of);
	free(x->of);
}

/* Fills ROLE with the roles of a commodity's image, and returns its number. */
static int commodity_image(const struct commodities *c, const uint8_t *from, const uint16_t *to, uint8_t *role)
{
	for (int v = 0; v < c->nodes; v++)
		role[to[v]] = from[v];
	return (int)commodities_find(c, role);
}

/* The image of a column under a permutation of the nodes. */
static struct image image_of(const struct timed_program *q, size_t column, const uint16_t *to, uint8_t *role)
{
	const struct timed_column *c = &q->columns[column];
	const struct network *w = q->instance->network;
	struct image x = {.column = column, .n = c->tree.n, .of = new_array(struct timed_edge, (size_t)c->tree.n)};

	x.commodity = commodity_image(&q->commodities, q->commodities.of[c->commodity].role, to, role);
	for (int i = 0; i < x.n; i++) {
		const struct edge *e = &w->edges[c->tree.of[i].edge];
		x.of[i] = (struct timed_edge){c->tree.of[i].step, network_edge(w, to[e->src], to[e->dst])};
	}
	if (x.n)
		qsort(x.of, (size_t)x.n, sizeof *x.of, by_step);
	return x;
}

/* Keeps each image from number FIRST on, all of one column, once, with equal shares of its amount in each commodity. */
static void share_column(const struct timed_program *q, size_t first, struct images *out)
{
	size_t n = out->n, end;

	qsort(&out->of[first], n - first, sizeof *out->of, by_image);
	out->n = first;
	for (size_t i = first; i < n; i++)
		if (i > first && by_image(&out->of[i], &out->of[out->n - 1]) == 0)
			free(out->of[i].of);
		else
			out->of[out->n++] = out->of[i];
	for (size_t begin = first; begin < out->n; begin = end) {
		for (end = begin; end < out->n && out->of[end].commodity == out->of[begin].commodity; end++)
			;
		for (size_t i = begin; i < end; i++)
			out->of[i].share = rational_div(q->columns[out->of[i].column].amount, rational((int64_t)(end - begin), 1));
	}
}

/* Sends of all trees that carry anything, each once for each commodity of its orbit if ORBITS. */
static size_t sends_of(const struct timed_program *q, bool orbits)
{
	size_t n = 1;

	for (size_t c = 0; c < q->n_columns; c++)
		if (q->columns[c].amount.num)
			n += (size_t)q->columns[c].tree.n * (orbits ? (size_t)q->commodities.of[q->columns[c].commodity].orbit : 1);
	return n;
}

/* All elements of the group; false: too many, for the images that they would make. */
static bool list_group(const struct timed_program *q, struct elements *out)
{
	enum { FEW = 1 << 12, MOST = 1 << 16, SENDS_MAX = 1 << 22 };
	size_t most = SENDS_MAX / sends_of(q, false);
	static const struct collective any = {.kind = BROADCAST};
	struct symmetry *y = symmetry_new(&any, q->commodities.nodes, 1);

	for (size_t g = 0; g < q->commodities.n_generators; g++)
		symmetry_add(y, &q->commodities.generators[g * (size_t)q->commodities.nodes], NULL);
	bool ok = elements_new(y, most < FEW ? FEW : most > MOST ? MOST : most, out);
	symmetry_free(y);
	return ok;
}

bool images_are_listed(const struct timed_program *q)
{
	struct elements group;

	if (!list_group(q, &group))
		return false;
	elements_free(&group);
	return true;
}

bool images_new(const struct timed_program *q, struct images *out)
{
	size_t nodes = (size_t)q->commodities.nodes;
	struct elements group;

	*out = (struct images){0};
	if (!list_group(q, &group))
		return false;
	uint8_t *role = new_array(uint8_t, nodes);
	for (size_t c = 0; c < q->n_columns; c++) {
		size_t first = out->n;
		if (!q->columns[c].amount.num)
			continue;
		for (size_t g = 0; g < group.n; g++)
			images_add(out, image_of(q, c, &group.nodes[g * nodes], role));
		share_column(q, first, out);
	}
	images_sort(out);
	elements_free(&group);
	free(role);
	return true;
}

/* Elements of the group, drawn one after another; and for each commodity one that maps its representative to it. */
struct sampler {
	const struct timed_program *q;
	size_t nodes, n_pool;
	uint16_t *pool; /* [i * nodes + node] */
	uint16_t *to;   /* [commodity * nodes + node] */
	bool *reached;  /* [commodity]: TO is known */
	uint8_t *role;
	uint64_t state;
};

static size_t draw(struct sampler *s, size_t below)
{
	s->state = s->state * 6364136223846793005U + 1442695040888963407U;
	return (size_t)(s->state >> 33) % below;
}

/* OUT = first A, then B; OUT is neither. */
static void compose(const uint16_t *a, const uint16_t *b, size_t nodes, uint16_t *out)
{
	for (size_t v = 0; v < nodes; v++)
		out[v] = b[a[v]];
}

static uint16_t *to_commodity(const struct sampler *s, size_t k)
{
	return &s->to[k * s->nodes];
}

/* Breadth-first over the images of the representatives under the generators. */
static void reach_commodities(struct sampler *s)
{
	const struct commodities *c = &s->q->commodities;
	int *queue = new_array(int, c->n_all), head = 0, tail = 0;
	uint16_t *generator = new_array(uint16_t, s->nodes);

	for (size_t k = 0; k < c->n; k++) {
		size_t first = commodities_find(c, c->of[k].role);
		for (size_t v = 0; v < s->nodes; v++)
			to_commodity(s, first)[v] = (uint16_t)v;
		s->reached[first] = true;
		queue[tail++] = (int)first;
	}
	for (; head < tail; head++)
		for (size_t g = 0; g < c->n_generators; g++) {
			for (size_t v = 0; v < s->nodes; v++)
				generator[v] = (uint16_t)c->generators[g * s->nodes + v];
			size_t k = (size_t)queue[head];
			int next = commodity_image(c, &c->roles[k * s->nodes], generator, s->role);
			if (s->reached[next])
				continue;
			compose(to_commodity(s, k), generator, s->nodes, to_commodity(s, (size_t)next));
			s->reached[next] = true;
			queue[tail++] = next;
		}
	free(queue);
	free(generator);
}

/* OUT: another element. */
static void next_element(struct sampler *s, uint16_t *out)
{
	size_t i = draw(s, s->n_pool), j = (i + 1 + draw(s, s->n_pool - 1)) % s->n_pool;
	uint16_t *of = &s->pool[i * s->nodes], *by = &s->pool[j * s->nodes];

	if (draw(s, 2))
		compose(of, by, s->nodes, out);
	else
		compose(by, of, s->nodes, out);
	memcpy(of, out, s->nodes * sizeof *out);
}

static void sampler_new(const struct timed_program *q, struct sampler *s)
{
	enum { POOL_LEAST = 10, WARM = 16 };
	const struct commodities *c = &q->commodities;

	*s = (struct sampler){.q = q, .nodes = (size_t)c->nodes, .n_pool = c->n_generators > POOL_LEAST ? c->n_generators : POOL_LEAST};
	s->pool = new_array(uint16_t, s->n_pool * s->nodes);
	s->to = new_array(uint16_t, c->n_all * s->nodes);
	s->reached = new_array(bool, c->n_all);
	s->role = new_array(uint8_t, s->nodes);
	for (size_t i = 0; i < s->n_pool; i++)
		for (size_t v = 0; v < s->nodes; v++)
			s->pool[i * s->nodes + v] = (uint16_t)(c->n_generators ? c->generators[i % c->n_generators * s->nodes + v] : (int)v);
	reach_commodities(s);
	uint16_t *unused = new_array(uint16_t, s->nodes);
	for (size_t i = 0; i < WARM * s->n_pool; i++)
		next_element(s, unused);
	free(unused);
}

static void sampler_free(struct sampler *s)
{
	free(s->pool);
	free(s->to);
	free(s->reached);
	free(s->role);
}

/* OUT: an element that fixes a representative, with the roles FROM. */
static void next_fixing(struct sampler *s, const uint8_t *from, uint16_t *element, uint16_t *out)
{
	next_element(s, element);
	const uint16_t *same = to_commodity(s, (size_t)commodity_image(&s->q->commodities, from, element, s->role));
	uint16_t *back = new_array(uint16_t, s->nodes);

	for (size_t v = 0; v < s->nodes; v++)
		back[same[v]] = (uint16_t)v;
	compose(element, back, s->nodes, out);
	free(back);
}

/* Images of a column for all commodities of its orbit, under MANY elements. */
static void sample_column(struct sampler *s, size_t column, size_t many, struct images *out)
{
	const struct commodities *c = &s->q->commodities;
	int orbit = s->q->columns[column].commodity;
	uint16_t *element = new_array(uint16_t, s->nodes), *fixing = new_array(uint16_t, s->nodes);
	size_t first = out->n;

	for (size_t i = 0; i < many; i++) {
		next_fixing(s, c->of[orbit].role, element, fixing);
		for (size_t k = 0; k < c->n_all; k++) {
			if (c->orbit[k] != orbit)
				continue;
			compose(fixing, to_commodity(s, k), s->nodes, element);
			images_add(out, image_of(s->q, column, element, s->role));
		}
	}
	share_column(s->q, first, out);
	free(element);
	free(fixing);
}

void images_sample(const struct timed_program *q, struct images *out)
{
	enum { EDGES_MAX = 1 << 21, MANY = 128 };
	struct sampler s;
	size_t edges = sends_of(q, true);

	*out = (struct images){0};
	sampler_new(q, &s);
	size_t many = EDGES_MAX / edges < 1 ? 1 : EDGES_MAX / edges > MANY ? MANY : EDGES_MAX / edges;
	for (size_t c = 0; c < q->n_columns; c++)
		if (q->columns[c].amount.num)
			sample_column(&s, c, many, out);
	images_sort(out);
	sampler_free(&s);
}
