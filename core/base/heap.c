/*
 * An array-based binary heap. If it tracks items, the index of each is kept up to date at every move, so that a key can
 * be changed in place (decrease-key and increase-key).
 */

#include "core/base/heap.h"

#include "core/base/memory.h"

#include <stdlib.h>

static inline bool is_before(const struct heap_entry *a, const struct heap_entry *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->rank != b->rank ? a->rank < b->rank : a->item < b->item;
}

static inline void set(struct heap *h, size_t at, struct heap_entry e)
{
	h->of[at] = e;
	if (h->tracks)
		h->place[e.item] = (int)at;
}

/* Moves E from index AT towards the root until its parent is not greater. Returns the final index. */
static size_t rise(struct heap *h, size_t at, struct heap_entry e)
{
	for (; at > 0 && is_before(&e, &h->of[(at - 1) / 2]); at = (at - 1) / 2)
		set(h, at, h->of[(at - 1) / 2]);
	set(h, at, e);
	return at;
}

/* Moves E from index AT away from the root until no child is less. */
static void sink(struct heap *h, size_t at, struct heap_entry e)
{
	for (size_t child; (child = 2 * at + 1) < h->n; at = child) {
		child += child + 1 < h->n && is_before(&h->of[child + 1], &h->of[child]);
		if (!is_before(&h->of[child], &e))
			break;
		set(h, at, h->of[child]);
	}
	set(h, at, e);
}

/* The item's index; a new one at the end if it is absent. */
static size_t place_of(struct heap *h, int item)
{
	h->place = grown(h->place, &h->places_capacity, (size_t)item + 1, sizeof *h->place);
	while (h->n_places <= (size_t)item)
		h->place[h->n_places++] = -1;
	return h->place[item] < 0 ? h->n++ : (size_t)h->place[item];
}

void heap_put(struct heap *h, struct heap_entry e)
{
	h->of = grown(h->of, &h->capacity, h->n + 1, sizeof *h->of);
	if (h->tracks)
		sink(h, rise(h, place_of(h, e.item), e), e);
	else
		rise(h, h->n++, e);
}

struct heap_entry heap_take(struct heap *h)
{
	struct heap_entry first = h->of[0], last = h->of[--h->n];

	if (h->n)
		sink(h, 0, last);
	if (h->tracks)
		h->place[first.item] = -1;
	return first;
}

void heap_free(struct heap *h)
{
	free(h->of);
	free(h->place);
	*h = (struct heap){0};
}
