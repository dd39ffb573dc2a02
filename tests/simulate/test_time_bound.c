#include "played.h"
#include "core/bounds/bounds.h"
#include "simulate/time_bound.h"

TestSuite(time_bound, .description = "lower bounds on the time of any schedule");

static const struct speeds speeds = {.alpha = 2, .beta = 1};

static struct time_bound bound_of(struct topology *t, struct collective k, bool with_cuts)
{
	struct error e = {0};
	struct time_bound b;
	struct bounds cuts = {0};
	if (with_cuts)
		cr_assert(bounds_compute(t, &k, &cuts, &e), "%s", e.what);
	cr_assert(time_bound_new(t, &k, &speeds, with_cuts ? &cuts : NULL, &b, &e), "%s", e.what);
	if (with_cuts)
		bounds_free(&cuts);
	topology_free(t);
	return b;
}

Test(time_bound, one_hop_is_exact)
{
	struct time_bound b = bound_of(machine("line:2"), KIND(BROADCAST, 0), false);
	cr_expect(near(time_bound_at(&b, 10), 12));
	cr_expect(near(time_bound_at(&b, 0), 2));
	time_bound_free(&b);
}

Test(time_bound, steps_cost_on_every_hop)
{
	const struct step_overhead step = {.us = {5, 1}};
	const struct speeds slower = {.alpha = 2, .beta = 1, .step = &step};
	struct topology *t = machine("line:3");
	struct error e = {0};
	struct time_bound b;

	cr_assert(time_bound_new(t, &KIND(BROADCAST, 0), &slower, NULL, &b, &e), "%s", e.what);
	cr_expect(near(time_bound_at(&b, 10), 2 * (2 + 5) + 10), "%g", time_bound_at(&b, 10));
	time_bound_free(&b);
	topology_free(t);
}

Test(time_bound, a_line_needs_its_latencies_and_one_transmission)
{
	/* With many chunks a broadcast along a line comes as near as one likes. */
	struct time_bound b = bound_of(machine("line:5"), KIND(BROADCAST, 0), false);
	cr_expect(near(time_bound_at(&b, 100), 4 * 2 + 100), "%g", time_bound_at(&b, 100));
	time_bound_free(&b);
}

Test(time_bound, what_is_far_arrives_late)
{
	/* Into a node of a ring of eight two links: all that is there from 1, 2, 3 or 4 hops on. */
	static const double far[] = {7 / 2., 5 / 2., 3 / 2., 1 / 2.};
	struct time_bound b = bound_of(machine("ring:8"), KIND(ALLGATHER, 0), false);
	for (double bytes = 0.5; bytes < 100; bytes *= 1.5) {
		double most = 8 + bytes / 2;
		for (int d = 0; d < 4; d++)
			most = fmax(most, 2 * (d + 1) + far[d] * bytes);
		/* What a node has must leave by two links, and has 4 hops to go: no more than the last. */
		cr_expect(near(time_bound_at(&b, bytes), most), "%g: %g, not %g", bytes, time_bound_at(&b, bytes), most);
	}
	time_bound_free(&b);
}

Test(time_bound, partitions_count)
{
	/* An allreduce on a ring moves 2 (P - 1) inputs over 2 P directed links. */
	struct time_bound without = bound_of(machine("ring:4"), KIND(ALLREDUCE, 0), false), with = bound_of(machine("ring:4"), KIND(ALLREDUCE, 0), true);
	cr_expect(near(time_bound_at(&without, 1000), 4 + 500));
	cr_expect(near(time_bound_at(&with, 1000), 2 + 750), "%g", time_bound_at(&with, 1000));
	time_bound_free(&without);
	time_bound_free(&with);
}

Test(time_bound, links_of_other_speeds_count_as_they_are)
{
	/* Two nodes by a link of four fast units, and one slow link: the units alone would count 5 fast ones. */
	struct error e = {0};
	struct topology *t = machine_of("\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 4, \"kind\": \"fast\"}, "
		"{\"src\": 1, \"dst\": 2, \"kind\": \"slow\"}], \"kinds\": {\"fast\": {\"latency_us\": 1, "
		"\"gigabytes_per_second\": 1}, \"slow\": {\"latency_us\": 5, \"gigabytes_per_second\": \"1/1000\"}}");
	struct collective k = KIND(BROADCAST, 0);
	struct bounds cuts;
	struct time_bound b;
	cr_assert(bounds_compute(t, &k, &cuts, &e), "%s", e.what);
	cr_assert(time_bound_new(t, &k, &(struct speeds){.alpha = -1}, &cuts, &b, &e), "%s", e.what);
	cr_expect(near(time_bound_at(&b, 1000), 6 + 1000), "%g", time_bound_at(&b, 1000));
	bounds_free(&cuts);
	time_bound_free(&b);
	topology_free(t);
}

Test(time_bound, limits_count)
{
	/* A switch whose port takes less than its link: 0 sends 10 bytes each to two others through a limit of one unit. */
	struct topology *t = machine_of("\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 4}, "
		"{\"src\": 0, \"dst\": 2, \"bandwidth\": 4}], \"limits\": [{\"out_of\": 0, \"bandwidth\": 1}]");
	struct time_bound b = bound_of(t, KIND(SCATTER, 0), false);
	cr_expect(near(time_bound_at(&b, 30), 2 + 20), "%g", time_bound_at(&b, 30));
	time_bound_free(&b);
}

/* Takes T. */
static double own_bound_at(struct topology *t, struct collective k, const struct step_overhead *step, double bytes)
{
	const struct speeds own = {.alpha = -1, .step = step};
	struct error e = {0};
	struct time_bound b;
	cr_assert(time_bound_new(t, &k, &own, NULL, &b, &e), "%s", e.what);
	double bound = time_bound_at(&b, bytes);
	time_bound_free(&b);
	topology_free(t);
	return bound;
}

Test(time_bound, what_enters_a_box_still_has_to_go_on)
{
	/* Half of the nodes have no link into their box: what comes for them crosses eight links, and takes a hop more. */
	double bound = own_bound_at(machine("dgx2x2"), KIND(ALLGATHER, 0), NULL, 8000);
	cr_expect(near(bound, 2.6 + 0.35 + 16 * 8000 / (8 * 12.5e3)), "%g", bound);
	/* Of small blocks those of nodes that have no link out of their box come late. */
	bound = own_bound_at(machine("dgx2x2"), KIND(ALLGATHER, 0), NULL, 2000);
	cr_expect(near(bound, 2.6 + 2 * 0.35 + 8 * 2000 / (8 * 12.5e3)), "%g", bound);
}

/* Two pairs of nodes at 4 bytes a ns, joined by one link of 1 byte a ns, each way. */
static struct topology *two_pairs(void)
{
	return machine_of("\"nodes\": 4, \"duplex\": true, \"links\": [{\"src\": 0, \"dst\": 1, \"kind\": \"fast\"}, {\"src\": 1, \"dst\": 2, "
			  "\"kind\": \"slow\"}, {\"src\": 2, \"dst\": 3, \"kind\": \"fast\"}], \"kinds\": {\"fast\": {\"latency_us\": 1, "
			  "\"gigabytes_per_second\": 4}, \"slow\": {\"latency_us\": 5, \"gigabytes_per_second\": 1}}");
}

Test(time_bound, the_ways_to_a_set_and_inside_it_count)
{
	static const struct collective kinds[] = {{.kind = BROADCAST}, {.kind = REDUCE, .root = 3}};
	const struct step_overhead step = {.us = {10, 1}};
	for (int i = 0; i < 2; i++) {
		double bound = own_bound_at(two_pairs(), kinds[i], NULL, 8000);
		cr_expect(near(bound, 1 + 5 + 1 + 8), "%g", bound);
	}
	/* Both chunks of a pair pass; that of the node at the link is there at once, so that it alone has the longer way. */
	double bound = own_bound_at(two_pairs(), KIND(ALLGATHER, 0), NULL, 8000);
	cr_expect(near(bound, 5 + 1 + 2 * 8), "%g", bound);
	bound = own_bound_at(two_pairs(), KIND(ALLGATHER, 0), NULL, 1);
	cr_expect(near(bound, 1 + 5 + 1 + 1e-3), "%g", bound);
	/* Of an alltoall four quarters of an input pass each way; one of them from the far node to the far node. */
	bound = own_bound_at(two_pairs(), KIND(ALLTOALL, 0), NULL, 8000);
	cr_expect(near(bound, 5 + 8), "%g", bound);
	bound = own_bound_at(two_pairs(), KIND(ALLTOALL, 0), NULL, 4);
	cr_expect(near(bound, 1 + 5 + 1 + 1e-3), "%g", bound);
	bound = own_bound_at(two_pairs(), KIND(BROADCAST, 0), &step, 8000);
	cr_expect(near(bound, 1 + 5 + 1 + 3 * 10 + 8), "%g", bound);
}

Test(time_bound, the_narrowest_link_on_the_way_into_a_set_counts)
{
	/* Between the sockets of dgx1-pcie all routes share one link. */
	double bound = own_bound_at(machine("dgx1-pcie"), KIND(ALLGATHER, 0), NULL, 2000);
	cr_expect(near(bound, 5 + 4 * 2000 / 6e3), "%g", bound);
}

Test(time_bound, needs_speeds)
{
	struct error e = {0};
	struct topology *t = machine("ring:4");
	struct time_bound b;
	cr_expect(not(time_bound_new(t, &KIND(ALLGATHER, 0), &(struct speeds){.alpha = -1}, NULL, &b, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	topology_free(t);
}
