/* Runs that overlap, and chunks on their way in little memory: what the judge lets pass and what it refuses. */

#include "tests/support/by_hand.h"

#include "core/schedule/constraints.h"
#include "core/verify/verify.h"

TestSuite(constraints, .description = "what a schedule keeps to beside its cost", .timeout = 120);

/* Frees the algorithm. */
static struct verdict judged(struct algorithm *a, int pipeline, int extra_memory)
{
	const struct schedule_constraints constraints = {.pipeline = pipeline, .is_short = extra_memory >= 0, .extra_memory = extra_memory < 0 ? 0 : extra_memory};

	algorithm_set_constraints(a, &constraints);
	struct verdict v = algorithm_verify(a);
	algorithm_free(a);
	return v;
}

/* Node 2's two chunks, 2 and 5, go by node 1 to the root 0: both at once, or one after the other. */
static struct algorithm *both_at_once(void)
{
	return HAND("line:3", KIND(GATHER, 0), 2, "2: 1 1 0, 4 1 0, 2 2 1, 5 2 1", "2: 2 1 0, 5 1 0");
}

static struct algorithm *one_by_one(void)
{
	return HAND("line:3", KIND(GATHER, 0), 2, "1: 1 1 0, 2 2 1", "1: 2 1 0", "1: 4 1 0, 5 2 1", "1: 5 1 0");
}

Test(constraints, memory_is_counted_from_coming_to_leaving)
{
	cr_expect(eq(int, judged(both_at_once(), 0, 2).fault, FAULT_NONE));
	struct verdict v = judged(both_at_once(), 0, 1);
	cr_expect(eq(int, v.fault, FAULT_MEMORY));
	cr_expect(eq(int, v.step, 0));
	cr_expect(eq(int, v.dst, 1));
	cr_expect(eq(int, judged(one_by_one(), 0, 1).fault, FAULT_NONE));
	cr_expect(eq(int, judged(one_by_one(), 0, 0).fault, FAULT_MEMORY));
	cr_expect(eq(int, judged(both_at_once(), 0, -1).fault, FAULT_NONE), "nothing is claimed");
}

/* In the step in which one leaves its place is not yet free for one that comes. */
Test(constraints, memory_is_not_exchanged_within_a_step)
{
	const char *const steps[] = {"1: 1 1 0, 2 2 1", "1: 2 1 0, 5 2 1", "1: 5 1 0", "1: 4 1 0"};
	cr_expect(eq(int, judged(by_hand("line:3", KIND(GATHER, 0), 2, 4, steps), 0, 1).fault, FAULT_MEMORY));
	cr_expect(eq(int, judged(by_hand("line:3", KIND(GATHER, 0), 2, 4, steps), 0, 2).fault, FAULT_NONE));
}

/* What comes and is of no use takes a place for that step; what begins or ends at a node takes none. */
Test(constraints, memory_counts_what_comes_for_nothing)
{
	cr_expect(eq(int, judged(HAND("ring:3", KIND(GATHER, 0), 1, "1: 1 1 0, 2 2 0, 1 1 2"), 0, 0).fault, FAULT_MEMORY));
	cr_expect(eq(int, judged(HAND("ring:3", KIND(GATHER, 0), 1, "1: 1 1 0, 2 2 0, 1 1 2"), 0, 1).fault, FAULT_NONE));
	cr_expect(eq(int, judged(HAND("ring:3", KIND(GATHER, 0), 1, "1: 1 1 0, 2 2 0"), 0, 0).fault, FAULT_NONE));
	cr_expect(eq(int, judged(ring_allgather(4), 0, 0).fault, FAULT_NONE), "all of it ends everywhere");
}

Test(constraints, memory_is_not_for_sums)
{
	cr_expect(eq(int, judged(ring_reducescatter(3), 0, 3).fault, FAULT_COST));
}

/* One chunk a step over each link of a one-way ring: two runs at once ask for twice that. */
Test(constraints, overlapping_runs_share_the_links)
{
	cr_expect(eq(int, judged(ring_allgather(4), 3, -1).fault, FAULT_NONE), "3 steps later nothing overlaps");
	struct verdict v = judged(ring_allgather(4), 2, -1);
	cr_expect(eq(int, v.fault, FAULT_OVERLOAD));
	cr_expect(eq(int, v.step, 0));
	cr_expect(eq(int, judged(ring_allgather(4), 1, -1).fault, FAULT_OVERLOAD));
	cr_expect(eq(int, judged(HAND("line:3", KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 1 2"), 1, -1).fault, FAULT_NONE));
	cr_expect(eq(int, judged(HAND("line:3", KIND(BROADCAST, 0), 2, "2: 0 0 1, 1 0 1", "2: 0 1 2, 1 1 2"), 1, -1).fault, FAULT_NONE));
}

Test(constraints, overlapping_runs_share_limits)
{
	/* One switch: a node takes one chunk in and gives one out in a round. */
	cr_expect(eq(int, judged(HAND("switch:3", KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 1 2"), 1, -1).fault, FAULT_NONE));
	cr_expect(eq(int, judged(HAND("switch:3", KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 0 2"), 1, -1).fault, FAULT_OVERLOAD));
	cr_expect(eq(int, judged(HAND("switch:3", KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 0 2"), 2, -1).fault, FAULT_NONE));
}

Test(constraints, steps_that_fall_together_have_as_many_rounds)
{
	cr_expect(eq(int, judged(HAND("line:3", KIND(BROADCAST, 0), 1, "1: 0 0 1", "2: 0 1 2"), 1, -1).fault, FAULT_COST));
	cr_expect(eq(int, judged(HAND("line:3", KIND(BROADCAST, 0), 1, "1: 0 0 1", "2: 0 1 2"), 2, -1).fault, FAULT_NONE));
}

Test(constraints, are_in_the_name)
{
	struct algorithm *a = ring_allgather(4);
	algorithm_set_constraints(a, &(struct schedule_constraints){.pipeline = 3, .is_short = true});
	cr_expect(eq(str, a->name, "ring:4-allgather-c1-s3-r3-pipeline3-memory0-hand"));
	algorithm_free(a);
}
