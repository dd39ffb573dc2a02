#include "core/base/heap.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

TestSuite(heap, .description = "a heap with ranks among equals");

static int by_key_then_rank(const void *va, const void *vb)
{
	const struct heap_entry *a = va, *b = vb;
	if (a->key < b->key || a->key > b->key)
		return a->key < b->key ? -1 : 1;
	return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->item > b->item) - (a->item < b->item);
}

Test(heap, gives_the_least_first_and_of_equals_the_least_rank)
{
	struct heap h = {0};
	struct heap_entry all[500];

	for (int i = 0; i < 500; i++) {
		all[i] = (struct heap_entry){i * 7919 % 23, i * 104729 % 11, i};
		heap_put(&h, all[i]);
	}
	qsort(all, 500, sizeof *all, by_key_then_rank);
	for (int i = 0; i < 500; i++)
		cr_expect(eq(int, heap_take(&h).item, all[i].item));
	cr_expect(eq(sz, h.n, 0));
	heap_free(&h);
}

Test(heap, keys_sort_as_the_doubles_do)
{
	static const double rising[] = {-INFINITY, -1e300, -2, -1e-310, 0, 1e-310, 1, 1 + 1e-15, 1e300, INFINITY};

	for (size_t i = 0; i < sizeof rising / sizeof *rising; i++) {
		cr_expect(eq(dbl, heap_double(heap_key(rising[i])), rising[i]));
		cr_expect(i == 0 || heap_key(rising[i - 1]) < heap_key(rising[i]));
	}
	cr_expect(heap_key(-0.0) == heap_key(0.0));
}

Test(heap, moves_an_item_that_is_there_where_it_tracks_them)
{
	struct heap h = {.tracks = true};

	for (int i = 0; i < 10; i++)
		heap_put(&h, (struct heap_entry){i, i, i});
	heap_put(&h, (struct heap_entry){-1, 7, 7});
	heap_put(&h, (struct heap_entry){20, 0, 0});
	cr_expect(eq(sz, h.n, 10));
	cr_expect(eq(int, heap_take(&h).item, 7));
	cr_expect(eq(int, heap_take(&h).item, 1));
	heap_put(&h, (struct heap_entry){0, 7, 7}); /* anew */
	cr_expect(eq(int, heap_take(&h).item, 7));
	while (h.n > 1)
		heap_take(&h);
	cr_expect(eq(int, heap_take(&h).item, 0));
	heap_free(&h);
}
