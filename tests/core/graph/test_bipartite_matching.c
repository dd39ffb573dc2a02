#include "core/graph/bipartite_matching.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(fill, .description = "items into bins");

static struct bipartite_matching *empty(const int64_t *room, int bins)
{
	struct bipartite_matching *f = matching_new(bins);
	matching_begin(f, room);
	return f;
}

Test(fill, an_item_goes_where_it_may)
{
	const int64_t room[] = {1, 1, 1};
	const int only[] = {2};
	struct bipartite_matching *f = empty(room, 3);

	cr_expect(matching_add(f, only, 1));
	cr_expect(eq(int, matching_bin(f, 0), 2));
	cr_expect(not(matching_add(f, only, 1)), "the bin is full");
	cr_expect(eq(int, matching_bin(f, 1), -1));
	cr_expect(not(matching_add(f, only, 0)), "no bin at all");
	cr_expect(not(matching_is_full(f)));
	cr_expect(eq(sz, matching_items(f), 3));
	matching_free(f);
}

Test(fill, a_later_item_moves_earlier_ones_along)
{
	const int64_t room[] = {1, 1, 1};
	const int first[] = {0, 1}, second[] = {1, 2}, third[] = {0}, fourth[] = {1};
	struct bipartite_matching *f = empty(room, 3);

	cr_expect(matching_add(f, first, 2));
	cr_expect(matching_add(f, second, 2));
	cr_expect(matching_add(f, third, 1));
	cr_expect(eq(int, matching_bin(f, 2), 0));
	cr_expect(eq(int, matching_bin(f, 0), 1));
	cr_expect(eq(int, matching_bin(f, 1), 2));
	cr_expect(matching_is_full(f));
	cr_expect(not(matching_add(f, fourth, 1)));
	matching_free(f);
}

Test(fill, who_is_in_stays_in)
{
	const int64_t room[] = {1, 0};
	const int both[] = {0, 1};
	struct bipartite_matching *f = empty(room, 2);

	cr_expect(matching_add(f, both, 2));
	cr_expect(not(matching_add(f, both, 2)));
	cr_expect(eq(int, matching_bin(f, 0), 0));
	matching_free(f);
}

/* Every item into one of two neighbouring bins of a circle: all fit, whichever comes first. */
Test(fill, as_many_get_in_as_can_be)
{
	enum { BINS = 12, EACH = 5 };
	int64_t room[BINS];

	for (int b = 0; b < BINS; b++)
		room[b] = EACH;
	struct bipartite_matching *f = empty(room, BINS);
	for (int i = 0; i < BINS * EACH; i++) {
		int at = i * 7 % BINS, bins[] = {at, (at + 1) % BINS};
		cr_expect(matching_add(f, bins, i % 3 ? 2 : 1), "item %d", i);
	}
	cr_expect(matching_is_full(f));
	matching_begin(f, room);
	cr_expect(eq(sz, matching_items(f), 0));
	matching_free(f);
	matching_free(NULL);
}
