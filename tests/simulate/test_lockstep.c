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

static double through_ports(const struct algorithm *a, int ports, double jitter)
{
	return played(a, (struct simulation){.start = START_LOCKSTEP, .beta = 1, .ports = ports, .jitter = jitter}, 10).microseconds;
}

/* Nodes 1 and 2 send to 0 in one step, over a link each. */
Test(lockstep, messages_of_a_step_take_ports_in_turn)
{
	struct algorithm *a = HAND("complete:3", KIND(GATHER, 0), 1, "1: 1 1 0, 2 2 0");

	cr_expect(near(through_ports(a, 0, 0), 10));
	cr_expect(near(through_ports(a, 2, 0), 10));
	cr_expect(near(through_ports(a, 1, 0), 20), "both share the one port");
	algorithm_free(a);
}

Test(lockstep, with_ports_a_node_goes_on_when_its_step_has_been_sent)
{
	struct algorithm *a = HAND("complete:4", KIND(GATHER, 1), 1, "1: 0 0 1, 2 2 1", "1: 3 3 1");

	/* Node 3 waits for the estimated time of the first step, in which two messages pass one port or two. */
	cr_expect(near(through_ports(a, 2, 0), 10 + 10));
	cr_expect(near(through_ports(a, 1, 0), 20 + 10));
	algorithm_free(a);
	a = HAND("complete:3", KIND(ALLGATHER, 0), 1, "1: 1 1 0, 2 2 0", "1: 0 0 1, 1 1 2", "1: 0 0 2, 2 2 1");
	/* 1's step takes 20 us, as its first message shares a port, and 1 begins the next no sooner. */
	cr_expect(near(through_ports(a, 1, 0), 20 + 10 + 10));
	algorithm_free(a);
}

Test(lockstep, jitter_is_the_same_each_time_and_bounded)
{
	struct algorithm *a = ring_allreduce(8);
	double still = through_ports(a, 1, 0), one = through_ports(a, 1, 0.5);

	cr_expect(near(one, through_ports(a, 1, 0.5)));
	cr_expect(one > still && one <= still + 14 * 0.5 + 1e-9, "%g after %g", one, still);
	algorithm_free(a);
}
