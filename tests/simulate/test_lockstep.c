#include "played.h"

TestSuite(lockstep, .description = "schedule tables as network interfaces play them");

static struct simulated in_lockstep(struct algorithm *a, double alpha, int64_t interface, double bytes)
{
	struct simulated r = played(a, (struct simulation){.start = START_LOCKSTEP, .alpha = alpha, .beta = 1, .interface = interface}, bytes);

	algorithm_free(a);
	return r;
}

/* Node 1 forwards the first chunk at 7, when it comes, and the second at 12, not at 14, when the first has arrived. */
Test(lockstep, rows_wait_for_their_parents_and_for_no_other_node)
{
	cr_expect(near(in_lockstep(line_broadcast(), 2, 0, 10).microseconds, 12 + 5 + 2));
}

Test(lockstep, is_step_by_step_where_each_step_needs_the_one_before)
{
	cr_expect(near(in_lockstep(ring_allgather(6), 2, 0, 10).microseconds, 5 * (10 + 2)));
	cr_expect(near(in_lockstep(ring_allreduce(8), 2, 0, 80).microseconds, 14 * (10 + 2)));
}

static struct algorithm *late_sender(void)
{
	return HAND("line:3", KIND(ALLGATHER, 0), 1, "1: 0 0 1", "1: 0 1 2", "1: 1 1 0, 1 1 2, 2 2 1", "1: 2 1 0");
}

/* Node 2 has nothing to do for two steps of 10 us: its chunk could go at once, and goes at 20. */
Test(lockstep, a_nop_stalls_for_the_estimated_time_of_its_step)
{
	cr_expect(near(in_lockstep(late_sender(), 0, 0, 10).microseconds, 40));
	struct algorithm *a = late_sender();
	cr_expect(near(played(a, (struct simulation){.start = START_DATAFLOW, .alpha = 0, .beta = 1}, 10).microseconds, 30));
	algorithm_free(a);
}

Test(lockstep, what_an_interface_holds_makes_estimates_shorter)
{
	cr_expect(near(in_lockstep(late_sender(), 0, 10, 10).microseconds, 30), "no step takes any time: as by dataflow");
	/* Steps of 6 us; 2's chunk leaves at 12, is there at 22, and gets to 0 at 32. */
	cr_expect(near(in_lockstep(late_sender(), 0, 4, 10).microseconds, 32));
}

Test(lockstep, reductions_and_calls_cost_what_they_are_given)
{
	struct algorithm *a = HAND("line:2", KIND(REDUCE, 1), 1, "1: +0 0 1");

	for (int i = 0; i <= WAYS; i++) {
		struct simulation how = i < WAYS ? way(i) : (struct simulation){.start = START_LOCKSTEP, .alpha = 2, .beta = 1};
		how.reduce = 0.5;
		cr_expect(near(played(a, how, 10).microseconds, 12 + 5), "way %d", i);
		how.call = 100;
		cr_expect(near(played(a, how, 10).microseconds, 12 + 5 + 100), "way %d", i);
		how.calls = 5; /* launches one after another, beside which the calls before them run */
		cr_expect(near(played(a, how, 10).microseconds, (5 * 100 + 17) / 5.), "way %d", i);
		how.call = 1;
		cr_expect(near(played(a, how, 10).microseconds, (1 + 5 * 17) / 5.), "way %d", i);
	}
	algorithm_free(a);
}
