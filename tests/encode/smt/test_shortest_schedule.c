/* Messages that share a resource: how many at once, told by its capacity and by what each takes of it. */
#include "encode/smt/shortest_schedule.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(shortest_schedule, .description = "schedules in time, as formulas");

enum { CHUNKS = 4 };

/* From node 0 to node 1 by one route: CHUNKS chunks, each 2 ticks on the way, that take USE of CAPACITY for as long. */
static enum answer answer_of(int use, int capacity, int within, unsigned conflicts, struct shortest_arrival *arrivals)
{
	static const bool has[2 * CHUNKS] = {true, false, true, false, true, false, true, false};
	static const bool wanted[2 * CHUNKS] = {false, true, false, true, false, true, false, true};
	static const int alike[CHUNKS] = {-1, -1, -1, -1}, begin[] = {0, 1}, over[] = {0};
	static const struct shortest_route route = {0, 1, 2, 2};

	return shortest_schedule(&(struct shortest_question){2, CHUNKS, has, wanted, alike, 1, 1, &route, begin, over, &use, &capacity, within, conflicts},
				 arrivals);
}

static void expect_needs(int use, int capacity, int ticks, int at_once)
{
	struct shortest_arrival arrivals[2 * CHUNKS];

	cr_expect(eq(int, answer_of(use, capacity, ticks - 1, 0, arrivals), ANSWER_NONE), "%d of %d", use, capacity);
	cr_assert(eq(int, answer_of(use, capacity, ticks, 0, arrivals), ANSWER_FOUND), "%d of %d", use, capacity);
	for (int c = 0; c < CHUNKS; c++) {
		int time = arrivals[2 * c + 1].time, beside = 0;
		cr_expect(eq(int, arrivals[2 * c + 1].route, 0));
		cr_expect(time >= 2 && time <= ticks, "chunk %d at %d", c, time);
		for (int d = 0; d < CHUNKS; d++)
			beside += arrivals[2 * d + 1].time <= time && arrivals[2 * d + 1].time > time - 2;
		cr_expect(beside <= at_once, "%d chunks on the way when chunk %d begins, %d of %d", beside, c, use, capacity);
	}
}

Test(shortest_schedule, a_resource_carries_as_many_at_once_as_it_has_room_for)
{
	expect_needs(1, 1, 8, 1);
	expect_needs(1, 2, 4, 2);
	expect_needs(1, 3, 4, 3);
	expect_needs(1, 4, 2, 4);
	expect_needs(2, 3, 8, 1);
	expect_needs(2, 5, 4, 2);
}

Test(shortest_schedule, a_limit_of_conflicts_is_no_refutation)
{
	struct shortest_arrival arrivals[2 * CHUNKS];

	cr_expect(eq(int, answer_of(1, 1, 7, 1, arrivals), ANSWER_GAVE_UP));
	cr_expect(eq(int, answer_of(1, 1, 7, 0, arrivals), ANSWER_NONE));
}
