/* The compact form of an algorithm file, expanded: the orbits of its sends. */

#include "core/algorithm_parts.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/symmetry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { EXPANDED_MAX = 1 << 26 }; /* 64x64 nodes, 4 chunks each: just below */

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
static bool expand_list(const struct symmetry *y, struct send **list, size_t *n, size_t *total)
{
	struct seen seen = {0};
	size_t capacity = *n, kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (insert(&seen, (*list)[i]))
			(*list)[kept++] = (*list)[i];
	bool twice = kept < *n;
	for (size_t i = 0; i < kept && *total + kept <= EXPANDED_MAX; i++)
		for (size_t k = 0; k < y->n; k++) {
			const struct generator *g = &y->generators[k];
			struct send s = (*list)[i];
			struct send image = {symmetry_chunk(y, g, s.chunk), g->nodes[s.src], g->nodes[s.dst]};
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

bool algorithm_expand(struct algorithm *a, struct error *e)
{
	const struct symmetry *y = a->symmetry;
	size_t total = 0;

	for (size_t s = 0; y && s < a->n_steps; s++) {
		struct step *step = &a->steps[s];
		if (!expand_list(y, &step->sends, &step->n_sends, &total) || !expand_list(y, &step->reduces, &step->n_reduces, &total))
			return error_set(e, ERROR_INPUT, a->name, "step %zu lists a send twice, or there are more than %d in all", s + 1,
					 EXPANDED_MAX);
		step_sort(step);
	}
	symmetry_free(a->symmetry);
	a->symmetry = NULL;
	return true;
}
