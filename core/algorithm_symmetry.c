/* The compact form of an algorithm file, expanded: the orbits of its sends. */

#include "core/algorithm_parts.h"

#include "core/error.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/topology.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATORS_MAX = 64, EXPANDED_MAX = 1 << 26 }; /* 64x64 nodes, 4 chunks each: just below */

struct generator {
	int *nodes, *parts; /* images */
};

/* How chunks are numbered: c = (part * P + n) * P + m ..., with as many node numbers as there are digits. */
struct numbering {
	int nodes, digits, period;
};

static bool read_images(const struct json_place *at, int n, int **out, struct error *e)
{
	size_t length;

	if (!json_array_length(at, &length, e))
		return false;
	if (length != (size_t)n)
		return json_fault(at, e, "must list the images of %d", n);
	*out = new_array(int, length);
	bool *seen = new_array(bool, length), ok = true;
	for (size_t i = 0; i < length && ok; i++) {
		struct json_place image = json_element(at, i);
		ok = json_get_int(&image, 0, n - 1, &(*out)[i], e) &&
		     (!seen[(*out)[i]] || json_fault(&image, e, "%d is the image of two", (*out)[i]));
		if (ok)
			seen[(*out)[i]] = true;
	}
	free(seen);
	return ok;
}

static struct numbering numbering_of(const struct algorithm *a)
{
	struct numbering b = {a->topology->nodes, collective_row(&a->collective)->node_digits, 1};
	for (int d = 0; d < b.digits; d++)
		b.period *= b.nodes;
	return b;
}

static int image_of_chunk(const struct numbering *b, const struct generator *g, int chunk)
{
	int rest = chunk % b->period, out = g->parts[chunk / b->period] * b->period, weight = 1;
	for (int d = 0; d < b->digits; d++, rest /= b->nodes, weight *= b->nodes)
		out += g->nodes[rest % b->nodes] * weight;
	return out;
}

/* A custom collective and allreduce give images of all chunks: each is a part of its own. */
static bool read_generator(const struct json_place *at, const struct algorithm *a, const struct numbering *b,
			   struct generator *g, struct error *e)
{
	static const char *const by_parts[] = {"nodes", "parts", NULL}, *const by_chunks[] = {"nodes", "chunks", NULL};
	bool listed = a->collective.kind == CUSTOM || a->collective.kind == ALLREDUCE;
	struct json_place nodes, parts;

	return json_object_with(at, listed ? by_chunks : by_parts, e) && json_member_needed(at, "nodes", &nodes, e) &&
	       read_images(&nodes, b->nodes, &g->nodes, e) && json_member_needed(at, listed ? "chunks" : "parts", &parts, e) &&
	       read_images(&parts, a->global_chunks / b->period, &g->parts, e);
}

/* Sends seen, by open addressing: a key is never 0. */
struct seen {
	uint64_t *keys;
	size_t n, size; /* size is a power of two, at most half full */
};

static uint64_t key_of(struct send s)
{
	return ((uint64_t)s.chunk << 24 | (uint64_t)s.src << 12 | (uint64_t)s.dst) + 1;
}

static bool place(struct seen *t, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->size - 1);
	while (t->keys[i] && t->keys[i] != key)
		i = (i + 1) & (t->size - 1);
	if (t->keys[i])
		return false;
	t->keys[i] = key;
	t->n++;
	return true;
}

static bool insert(struct seen *t, struct send s)
{
	if (2 * (t->n + 1) > t->size) {
		struct seen bigger = {new_array(uint64_t, t->size ? 2 * t->size : 64), 0, t->size ? 2 * t->size : 64};
		for (size_t i = 0; i < t->size; i++)
			if (t->keys[i])
				place(&bigger, t->keys[i]);
		free(t->keys);
		*t = bigger;
	}
	return place(t, key_of(s));
}

/* Grows the list by images until there are no new ones. */
static bool expand_list(const struct numbering *b, const struct generator *g, size_t n_generators, struct send **list,
			size_t *n, size_t *total)
{
	struct seen seen = {0};
	size_t capacity = *n, kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (insert(&seen, (*list)[i]))
			(*list)[kept++] = (*list)[i];
	bool twice = kept < *n;
	for (size_t i = 0; i < kept && *total + kept <= EXPANDED_MAX; i++)
		for (size_t k = 0; k < n_generators; k++) {
			struct send s = (*list)[i];
			struct send image = {image_of_chunk(b, &g[k], s.chunk), g[k].nodes[s.src], g[k].nodes[s.dst]};
			if (!insert(&seen, image))
				continue;
			*list = grown(*list, &capacity, kept + 1, sizeof image);
			(*list)[kept++] = image;
		}
	free(seen.keys);
	*n = kept;
	*total += kept;
	return !twice && *total <= EXPANDED_MAX;
}

static bool expand_steps(const struct json_place *at, const struct numbering *b, const struct generator *g, size_t n,
			 struct algorithm *a, struct error *e)
{
	size_t total = 0;

	for (size_t s = 0; s < a->n_steps; s++) {
		struct step *step = &a->steps[s];
		if (!expand_list(b, g, n, &step->sends, &step->n_sends, &total) ||
		    !expand_list(b, g, n, &step->reduces, &step->n_reduces, &total))
			return json_fault(at, e, "step %zu lists a send twice, or there are more than %d in all", s + 1,
					  EXPANDED_MAX);
		step_sort(step);
	}
	return true;
}

bool symmetry_expand(const struct json_place *at, struct algorithm *a, struct error *e)
{
	struct generator g[GENERATORS_MAX] = {{0}};
	struct numbering b = numbering_of(a);
	size_t n;
	bool ok = json_array_length(at, &n, e) &&
		  (n <= GENERATORS_MAX || json_fault(at, e, "has %zu generators; at most %d", n, GENERATORS_MAX));

	for (size_t i = 0; ok && i < n; i++) {
		struct json_place generator = json_element(at, i);
		ok = read_generator(&generator, a, &b, &g[i], e);
	}
	ok = ok && expand_steps(at, &b, g, n, a, e);
	for (size_t i = 0; i < GENERATORS_MAX; i++) {
		free(g[i].nodes);
		free(g[i].parts);
	}
	return ok;
}
