#include "played.h"
#include "core/schedule/cost.h"
#include "core/base/text.h"

TestSuite(simulator, .description = "time by playing messages");

Test(simulator, one_hop_takes_alpha_and_its_bytes)
{
	struct algorithm *a = HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 0 1");
	for (int i = 0; i < WAYS; i++) {
		struct simulated r = played(a, way(i), 10);
		cr_expect(near(r.microseconds, 12), "%g", r.microseconds);
		cr_expect(near(r.busiest, 10. / 12));
		cr_expect(near(r.use, 5. / 12), "the way back is idle");
		cr_expect(near(r.waiting, 0));
	}
	algorithm_free(a);
}

Test(simulator, a_line_of_hops_adds_up)
{
	/* Two chunks of 5 bytes, 0 to 1 to 2. In steps 3 (2 + 5); by dataflow the second chunk follows the first without waiting. */
	struct algorithm *a = line_broadcast();
	for (int i = 0; i < WAYS; i++) {
		struct simulated r = played(a, way(i), 10);
		cr_expect(near(r.microseconds, i & 1 ? 5 + 5 + 2 + 5 + 2 : 3 * 7), "way %d: %g", i, r.microseconds);
	}
	algorithm_free(a);
}

Test(simulator, steps_without_contention_cost_what_the_model_says)
{
	for (int which = 0; which < 3; which++) {
		struct algorithm *a = which == 0 ? ring_allgather(6) : which == 1 ? ring_reducescatter(5) : ring_allreduce(8);
		struct cost c = algorithm_cost(a);
		for (double bytes = 1; bytes < 1e9; bytes *= 10)
			for (int i = 0; i < WAYS; i += 2) {
				double model = c.steps * 2 + rational_double(c.bandwidth) * bytes, time = played(a, way(i), bytes).microseconds;
				cr_expect(fabs(time / model - 1) < 1e-9, "%g for %g", time, model);
			}
		algorithm_free(a);
	}
}

Test(simulator, the_catalog_keeps_to_the_model)
{
	static const char *const names[] = {"allgather/c6-s3-r7", "allgather/c1-s2-r2", "allreduce/c48-s14-r14", "alltoall/c24-s2-r8"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct error e = {0};
		struct text path = {0};
		text_add(&path, "%s/algorithms/dgx1/%s.json", getenv("SOURCE_ROOT"), names[i]);
		struct algorithm *a = algorithm_open(path.bytes, &e);
		cr_assert(ne(ptr, a, NULL), "%s", e.what);
		struct cost c = algorithm_cost(a);
		struct rational alpha, beta;
		cr_assert(topology_alpha_beta(a->topology, &alpha, &beta));
		for (int64_t bytes = 1024; bytes <= 1 << 30; bytes *= 32) {
			double model = rational_double(cost_time(&c, alpha, beta, bytes));
			double time = played(a, (struct simulation){.alpha = -1}, (double)bytes).microseconds;
			cr_expect(time <= model * 1.000001, "%s: %g for %g", names[i], time, model);
			cr_expect(time >= model * 0.99, "%s: %g for %g", names[i], time, model);
			struct simulation flow = {.alpha = -1, .start = START_DATAFLOW};
			cr_expect(played(a, flow, (double)bytes).microseconds <= time * 1.000001, "nobody waits for a step");
		}
		text_free(&path);
		algorithm_free(a);
	}
}

/* Sends of a step that do not share a link, of almost no bytes: the latencies of the steps are all there is. */
Test(simulator, steps_have_the_latencies_of_their_routes)
{
	static const struct {
		const char *machine, *steps[3];
	} rows[] = {
		{"dgx-h100*2:ib400", {"1: 0 0 1", "1: 0 0 8, 0 1 2", "1: 0 8 9"}},
		{"dgx-h100*2:4xib400+rails", {"1: 0 0 8", "1: 0 8 9, 0 0 2", "1: 0 9 10"}},
		{"a100-pcie-pairs", {"1: 0 0 1", "1: 0 1 2", "1: 0 0 4, 0 2 3"}},
	};
	static const struct step_overhead costs[] = {{NULL, {0, 1}}, {NULL, {5, 2}}, {"cuda", {0, 0}}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t c = 0; c < sizeof costs / sizeof *costs; c++) {
			struct error e = {0};
			struct rational us;
			struct algorithm *a = by_hand(rows[i].machine, KIND(BROADCAST, 0), 1, 3, rows[i].steps);
			cr_assert(algorithm_latency(a, &costs[c], &us, &e), "%s", e.what);
			for (int sharing = 0; sharing < 2; sharing++) {
				struct simulation how = {.alpha = -1, .sharing = (enum simulation_sharing)sharing, .step = costs[c]};
				struct simulated r = played(a, how, 1e-6);
				cr_expect(fabs(r.microseconds / rational_double(us) - 1) < 1e-6, "%s: %g, not %g", rows[i].machine, r.microseconds,
					  rational_double(us));
				cr_expect(lt(dbl, fabs(r.waiting), 1e-6));
			}
			algorithm_free(a);
		}
}

/* Two chunks over two hops: each hop of a chunk ends 10 µs after its last byte arrived, and the link is free before. */
Test(simulator, a_step_cost_delays_what_waits_for_it)
{
	struct algorithm *a = line_broadcast();
	for (int i = 0; i < WAYS; i++) {
		struct simulation how = way(i);
		how.step.us = rational(10, 1);
		struct simulated r = played(a, how, 10);
		cr_expect(near(r.microseconds, i & 1 ? 5 + 5 + 2 + 10 + 5 + 2 + 10 : 3 * 17), "way %d: %g", i, r.microseconds);
		cr_expect(near(r.waiting, 0) || i & 1, "%g", r.waiting);
	}
	algorithm_free(a);
}

Test(simulator, units_are_shared)
{
	/* Three chunks of 10 over two units: 15 µs together, fair or in turns; alone, one would take 5. */
	struct topology *t = machine_of("\"nodes\": 2, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 2}]");
	struct algorithm *a = HAND_ON(t, KIND(BROADCAST, 0), 3, "2: 0 0 1, 1 0 1, 2 0 1");
	for (int i = 0; i < WAYS; i++) {
		struct simulated r = played(a, way(i), 30);
		cr_expect(near(r.microseconds, 17), "way %d: %g", i, r.microseconds);
		bool at_once = way(i).start == START_STEPS && way(i).sharing == SHARING_FAIR;
		cr_expect(near(r.longest_wait, 10), "%g", r.longest_wait);
		cr_expect(near(r.waiting, at_once ? 10 : 5), "%g", r.waiting);
	}
	algorithm_free(a);
}

Test(simulator, a_switch_takes_two_hops_and_its_links_are_shared)
{
	/* Nodes 1 and 2 send 10 bytes each to node 0: its one link carries 20. */
	struct algorithm *a = HAND("switch:3", KIND(GATHER, 0), 1, "2: 1 1 0, 2 2 0");
	for (int i = 0; i < WAYS; i++) {
		struct simulated r = played(a, way(i), 10);
		cr_expect(near(r.microseconds, 2 + 2 + 20), "way %d: %g", i, r.microseconds);
		cr_expect(near(r.longest_wait, 10), "%g", r.longest_wait);
		cr_expect(near(r.busiest, 20. / 24));
	}
	algorithm_free(a);
}

Test(simulator, fair_is_max_min)
{
	/* 0 sends to 3 and 4, 1 and 2 to 3: the link into 3 gives 1/3 to each of three, and 0's other message gets the 2/3 that are left of
	 * its own link. 12 bytes each: it is there after 18 + 4; the others then still have 6 of 12 and go on as they were: 36 + 4. */
	static const char lists[] = "\"pre\": [[0, 0], [1, 0], [2, 1], [3, 2]], \"post\": [[0, 3], [1, 4], [2, 3], [3, 3]]";
	struct algorithm *a = HAND("switch:5", custom_of(5, 1, lists), 1, "3: 0 0 3, 1 0 4, 2 1 3, 3 2 3");
	struct simulated r = played(a, way(0), 12);
	cr_expect(near(r.microseconds, 40), "%g", r.microseconds);
	/* Alone each takes 16: one waits 6, three 24. */
	cr_expect(near(r.waiting, (6 + 3 * 24) / 4.), "%g", r.waiting);
	algorithm_free(a);
}

Test(simulator, messages_of_one_route_have_one_rate)
{
	/* Into 3 go one message from 0 and three from 1, at 1/4 each; of 0's link 3/4 are left for the two to 4. These, of 12 bytes, are
	 * there after 32 + 4, the others, which could not be faster without them, after 48 + 4. */
	static const char lists[] = "\"pre\": [[0, 0], [1, 0], [2, 0], [3, 1], [4, 1], [5, 1]], \"post\": [[0, 3], [1, 4], [2, 4], [3, 3], [4, 3], [5, 3]]";
	struct algorithm *a = HAND("switch:5", custom_of(5, 1, lists), 1, "4: 0 0 3, 1 0 4, 2 0 4, 3 1 3, 4 1 3, 5 1 3");
	struct simulated r = played(a, way(0), 12);
	cr_expect(near(r.microseconds, 52), "%g", r.microseconds);
	cr_expect(near(r.waiting, (2 * 20 + 4 * 36) / 6.), "%g", r.waiting);
	cr_expect(near(r.longest_wait, 36), "%g", r.longest_wait);
	algorithm_free(a);
}

Test(simulator, what_is_served_in_order_cuts_through)
{
	/* In order: 0 sends to 3 first (to 12), then to 4 (12 to 24, + 4); 3 gets 0's, 1's and 2's: 2 + 36 + 2. */
	static const char lists[] = "\"pre\": [[0, 0], [1, 0], [2, 1], [3, 2]], \"post\": [[0, 3], [1, 4], [2, 3], [3, 3]]";
	struct algorithm *a = HAND("switch:5", custom_of(5, 1, lists), 1, "3: 0 0 3, 1 0 4, 2 1 3, 3 2 3");
	struct simulated r = played(a, way(2), 12);
	cr_expect(near(r.microseconds, 40), "%g", r.microseconds);
	cr_expect(near(r.waiting, (0 + 12 + 12 + 24) / 4.), "%g", r.waiting);
	algorithm_free(a);
}

Test(simulator, a_fast_link_behind_a_slow_one_waits_for_the_last_byte)
{
	/* 12 bytes at 1 a µs, then at 3: the head is there after 4 µs, the last byte after 2 + 12 + 2. */
	struct topology *t = machine_of("\"nodes\": 2, \"switches\": 1, \"links\": [{\"src\": 0, \"dst\": 2, \"bandwidth\": 1}, "
					"{\"src\": 2, \"dst\": 1, \"bandwidth\": 3}]");
	struct algorithm *a = HAND_ON(t, KIND(BROADCAST, 0), 1, "1: 0 0 1");
	for (int i = 0; i < WAYS; i++)
		cr_expect(near(played(a, way(i), 12).microseconds, 16), "way %d", i);
	algorithm_free(a);
}

Test(simulator, of_heads_that_come_at_once_the_lowest_message_goes_first)
{
	/* Both heads are before 4-5 after 2 µs. The first message crosses it from 2 to 7 and then a slow link, 4 to 14, + 2; the other
	 * 7 to 12, its last byte 2 later, + 2. The other way round the first would be there after 21. */
	struct topology *t = machine_of("\"nodes\": 4, \"switches\": 2, \"links\": [{\"src\": 0, \"dst\": 4, \"bandwidth\": 10}, "
					"{\"src\": 1, \"dst\": 4, \"bandwidth\": 10}, {\"src\": 4, \"dst\": 5, \"bandwidth\": 2}, "
					"{\"src\": 5, \"dst\": 2, \"bandwidth\": 1}, {\"src\": 5, \"dst\": 3, \"bandwidth\": 10}]");
	struct collective k = custom_of(4, 1, "\"pre\": [[0, 0], [1, 1]], \"post\": [[0, 2], [1, 3]]");
	struct algorithm *a = HAND_ON(t, k, 1, "1: 0 0 2, 1 1 3");
	for (int i = 2; i < 4; i++) {
		struct simulated r = played(a, way(i), 10);
		cr_expect(near(r.microseconds, 16), "way %d: %g", i, r.microseconds);
		cr_expect(near(r.longest_wait, 5), "way %d: %g", i, r.longest_wait);
	}
	collective_free(&k);
	algorithm_free(a);
}

Test(simulator, in_the_order_of_the_algorithm_a_link_waits_for_what_comes_first)
{
	/* Chunk 0 comes to node 1 at 2 + 10 + 2, and goes on to 2. In order, chunk 1 of node 0 goes to 2 before it, or after it. */
	static const char lists[] = "\"pre\": [[0, 0], [1, 0]], \"post\": [[0, 1], [0, 2], [1, 2]]";
	struct algorithm *before = HAND("switch:3", custom_of(3, 1, lists), 1, "1: 0 0 1", "1: 1 0 2", "1: 0 1 2");
	struct algorithm *after = HAND("switch:3", custom_of(3, 1, lists), 1, "1: 0 0 1", "1: 0 1 2", "1: 1 0 2");
	cr_expect(near(played(before, way(5), 10).microseconds, 20 + 10 + 4));
	cr_expect(near(played(after, way(5), 10).microseconds, 14 + 10 + 10 + 4));
	cr_expect(near(played(before, way(1), 10).microseconds, 20 + 4 + 10 + 4), "with fair shares both leave node 0 at the same time");
	algorithm_free(before);
	algorithm_free(after);
}

Test(simulator, in_the_order_of_the_algorithm_narrow_routes_go_beside_each_other)
{
	/* The link 0-4 has room for two of three routes that are limited behind the switch. */
	struct topology *t = machine_of("\"nodes\": 4, \"switches\": 1, \"links\": [{\"src\": 0, \"dst\": 4, \"bandwidth\": 2}, "
					"{\"src\": 4, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 4, \"dst\": 2, \"bandwidth\": 1}, "
					"{\"src\": 4, \"dst\": 3, \"bandwidth\": 1}]");
	struct algorithm *a = HAND_ON(t, KIND(BROADCAST, 0), 1, "2: 0 0 1, 0 0 2, 0 0 3");
	for (int i = 4; i < WAYS; i++) {
		struct simulated r = played(a, way(i), 10);
		cr_expect(near(r.microseconds, 10 + 10 + 4), "way %d: %g", i, r.microseconds);
		cr_expect(near(r.longest_wait, 10), "way %d: %g", i, r.longest_wait);
	}
	algorithm_free(a);
}

Test(simulator, a_limit_is_as_fast_as_the_slowest_of_its_links)
{
	struct topology *t = machine_of("\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"kind\": \"fast\"}, "
		"{\"src\": 0, \"dst\": 2, \"kind\": \"slow\"}], \"limits\": [{\"out_of\": 0, \"gigabytes_per_second\": 2}], "
		"\"kinds\": {\"fast\": {\"latency_us\": 1, \"gigabytes_per_second\": 8}, \"slow\": {\"latency_us\": 1, "
		"\"gigabytes_per_second\": 1}}");
	struct algorithm *a = HAND_ON(t, KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 0 2");
	/* Two units of 1 GB/s for the one that could go at 8; 1 for the other. */
	cr_expect(near(played(a, (struct simulation){.alpha = -1}, 8000).microseconds, 1 + 4 + 1 + 8));
	algorithm_free(a);
}

Test(simulator, a_limit_is_shared_like_a_link)
{
	/* Both ways of a pair together carry one chunk a round. */
	struct topology *t = machine_of("\"nodes\": 2, \"duplex\": true, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}], "
					"\"limits\": [{\"name\": \"bus\", \"edges\": [[0, 1], [1, 0]], \"bandwidth\": 1}]");
	struct algorithm *a = HAND_ON(t, KIND(ALLGATHER, 0), 1, "2: 0 0 1, 1 1 0");
	for (int i = 0; i < WAYS; i++) {
		struct error e = {0};
		struct simulation how = way(i);
		struct simulated r = played(a, how, 10);
		cr_expect(near(r.microseconds, 22), "way %d: %g", i, r.microseconds);
		struct simulator *s = simulator_new(a, &how, &e);
		struct link_load loads[9];
		cr_expect(eq(sz, simulator_busiest(s, 10, r.microseconds, loads, 9), 3), "two links and a limit");
		cr_expect(eq(int, loads[0].link, -1));
		cr_expect(near(loads[0].use, 20. / 22));
		cr_expect(near(loads[1].use, 10. / 22));
		cr_expect(eq(sz, simulator_busiest(s, 10, r.microseconds, loads, 1), 1));
		cr_expect(eq(int, loads[0].link, -1));
		simulator_free(s);
	}
	algorithm_free(a);
}

static void expect_time(const char *machine, struct collective k, int chunks, const char *step, double time)
{
	struct algorithm *a = HAND(machine, k, chunks, step);

	for (int i = 0; i < WAYS; i++) {
		if (way(i).sharing == SHARING_FIFO && topology_has_abilities(a->topology))
			continue; /* refused */
		struct simulated r = played(a, way(i), 10 * chunks);
		cr_expect(near(r.microseconds, time), "%s, way %d: %g for %g", machine, i, r.microseconds, time);
		cr_expect(r.busiest <= 1, "no port sends more than all the time");
	}
	algorithm_free(a);
}

/* In whatever order, a limit over both links of a route carries half of its rate for it. */
Test(simulator, a_limit_is_crossed_twice)
{
	for (int i = 0; i < WAYS; i++) {
		struct topology *t = machine_of("\"nodes\": 2, \"switches\": 1, \"links\": [{\"src\": 0, \"dst\": 2, \"bandwidth\": 1}, {\"src\": 2, \"dst\": 1, \"bandwidth\": 1}], "
						"\"limits\": [{\"edges\": [[0, 2], [2, 1]], \"bandwidth\": 1}]");
		struct algorithm *a = HAND_ON(t, KIND(BROADCAST, 0), 1, "2: 0 0 1");
		double took = played(a, way(i), 100).microseconds;
		cr_expect(took >= 2 * 100, "way %d: %g", i, took);
		algorithm_free(a);
	}
}

Test(simulator, what_switches_copy_and_add_crosses_a_port_once)
{
	static const char copies[] = "1: 0 0 1, 0 0 2, 0 0 3", sums[] = "1: +0 1 0, +0 2 0, +0 3 0";
	static const char two[] = "2: 0 0 1, 0 0 2, 0 0 3, 1 0 1, 1 0 2, 1 0 3";
	static const char all[] = "3: +0 0 1, +0 0 2, +0 0 3, +0 1 0, +0 1 2, +0 1 3, +0 2 0, +0 2 1, +0 2 3, +0 3 0, +0 3 1, +0 3 2";

	/* Two hops of 2 µs; 10 bytes a chunk. */
	expect_time("switch:4+nvls", KIND(BROADCAST, 0), 1, copies, 4 + 10);
	expect_time("switch:4", KIND(BROADCAST, 0), 1, "3: 0 0 1, 0 0 2, 0 0 3", 4 + 30);
	expect_time("switch:4+nvls", KIND(REDUCE, 0), 1, sums, 4 + 10);
	expect_time("switch:4", KIND(REDUCE, 0), 1, "3: +0 1 0, +0 2 0, +0 3 0", 4 + 30);
	expect_time("switch:4+nvls", KIND(BROADCAST, 0), 2, two, 4 + 20);
	expect_time("switch:4+nvls", KIND(ALLREDUCE, 0), 1, all, 4 + 30);
}

Test(simulator, no_sum_is_sent_before_its_addends_have_come)
{
	struct algorithm *a = HAND("switch:4+nvls", KIND(REDUCE, 0), 1, "1: +0 1 0, +0 2 0, +0 3 0");
	struct simulation fifo = way(2);
	struct error e = {0};
	cr_expect(eq(ptr, simulator_new(a, &fifo, &e), NULL));
	cr_expect(ne(ptr, strstr(e.what, "fifo is not for a machine whose switches copy or add"), NULL), "%s", e.what);
	algorithm_free(a);
}

Test(simulator, packets_and_messages_have_heads)
{
	struct algorithm *a = HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 0 1");
	for (int i = 0; i < WAYS; i++) {
		struct simulation how = way(i);
		how.head = 16;
		cr_expect(near(played(a, how, 1000).microseconds, 2 + 1016), "one head a message");
		how.packet = 256;
		cr_expect(near(played(a, how, 1000).microseconds, 2 + 1000 + 4 * 16), "1000 bytes are four packets");
		cr_expect(near(played(a, how, 1024).microseconds, 2 + 1024 + 4 * 16));
		cr_expect(near(played(a, how, 1025).microseconds, 2 + 1025 + 5 * 16));
	}
	algorithm_free(a);
}

Test(simulator, a_small_buffer_slows_a_long_link)
{
	/* 2 µs there, 2 back: with 2 bytes unacknowledged half a byte a µs; MultiTree's 318 flits of 16 bytes are enough for 16 GB/s and
	 * 150 ns, packets of 256 bytes with their head. */
	struct algorithm *a = HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 0 1");
	struct simulation how = way(0);
	how.buffer = 2;
	cr_expect(near(played(a, how, 100).microseconds, 2 + 200));
	how.buffer = 4;
	cr_expect(near(played(a, how, 100).microseconds, 2 + 100));
	how = (struct simulation){.alpha = 0.15, .beta = 1. / 16000, .packet = 256, .head = 16};
	double free = played(a, how, 1 << 20).microseconds;
	how.buffer = 318 * 16;
	cr_expect(near(played(a, how, 1 << 20).microseconds, free));
	how.buffer = 159 * 16;
	cr_expect(gt(dbl, played(a, how, 1 << 20).microseconds, 1.9 * free));
	algorithm_free(a);
}

Test(simulator, each_link_takes_what_its_kind_says)
{
	struct topology *t = machine_of("\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"kind\": \"fast\"}, "
		"{\"src\": 1, \"dst\": 2, \"kind\": \"slow\"}], \"kinds\": {\"fast\": {\"latency_us\": 1, "
		"\"gigabytes_per_second\": 4}, \"slow\": {\"latency_us\": 10, \"gigabytes_per_second\": 2}}");
	struct algorithm *a = HAND_ON(t, KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 1 2");
	cr_expect(near(played(a, (struct simulation){.alpha = -1}, 8000).microseconds, 1 + 2 + 10 + 4));
	cr_expect(near(played(a, (struct simulation){.alpha = 0}, 8000).microseconds, 2 + 4));
	cr_expect(near(played(a, (struct simulation){.alpha = -1, .beta = 0.001}, 8000).microseconds, 1 + 4 + 10 + 8));
	algorithm_free(a);
}

Test(simulator, a_sum_leaves_when_all_its_parts_are_there)
{
	/* Node 1 waits for what node 0 adds, which comes over a slow link, though node 3's is there long before. */
	struct topology *t = machine_of("\"nodes\": 4, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, "
		"{\"src\": 3, \"dst\": 1, \"bandwidth\": 10}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 10}]");
	struct algorithm *a = HAND_ON(t, KIND(REDUCE, 2), 1, "1: +0 0 1, +0 3 1", "1: +0 1 2");
	for (int i = 0; i < WAYS; i++)
		cr_expect(near(played(a, way(i), 10).microseconds, 2 + 10 + 2 + 1), "way %d", i);
	algorithm_free(a);
}

Test(simulator, a_pair_sends_in_the_order_of_the_schedule)
{
	/* Chunk 0 is at node 1 late, over two hops; chunk 1, of node 1 itself, may not overtake it on 1-2. */
	static const char lists[] = "\"pre\": [[0, 0], [1, 1]], \"post\": [[0, 2], [1, 2]]";
	struct algorithm *a = HAND("line:3", custom_of(3, 1, lists), 1, "1: 0 0 1", "1: 0 1 2", "1: 1 1 2");
	struct algorithm *b = HAND("line:3", custom_of(3, 1, lists), 1, "1: 0 0 1, 1 1 2", "1: 0 1 2");
	cr_expect(near(played(a, way(1), 10).microseconds, 2 + 10 + 10 + 10 + 2));
	cr_expect(near(played(b, way(1), 10).microseconds, 2 + 10 + 10 + 2));
	algorithm_free(a);
	algorithm_free(b);
}

Test(simulator, fair_and_in_order_take_as_long_where_only_links_are_shared)
{
	for (int which = 0; which < HANDMADE; which++) {
		struct algorithm *a = handmade(which);
		struct simulated fair = played(a, way(0), 1000), fifo = played(a, way(2), 1000);
		cr_expect(near(fair.microseconds, fifo.microseconds), "%s", a->name);
		struct simulated order = played(a, way(4), 1000);
		cr_expect(near(fair.microseconds, order.microseconds), "%s", a->name);
		struct simulated flow = played(a, way(1), 1000);
		cr_expect(le(dbl, flow.microseconds, fair.microseconds * 1.000001), "%s", a->name);
		algorithm_free(a);
	}
}

Test(simulator, a_run_is_the_same_each_time)
{
	struct algorithm *a = ring_allreduce(8);
	for (int i = 0; i < WAYS; i++) {
		struct error e = {0};
		struct simulation how = way(i);
		struct simulator *s = simulator_new(a, &how, &e);
		struct simulated first, second;
		simulator_run(s, 1e6, &first);
		simulator_run(s, 1e3, &second);
		simulator_run(s, 1e6, &second);
		cr_expect(eq(int, memcmp(&first, &second, sizeof first), 0));
		simulator_free(s);
	}
	algorithm_free(a);
}

Test(simulator, what_is_last_in_a_step_depends_on_the_size)
{
	/* In one step a message over a quick link with little room, and one over a slow link with much: 1 + 4 L against 10 + L. */
	static const char lists[] = "\"pre\": [[0, 0], [1, 0]], \"post\": [[0, 1], [1, 2]]";
	struct topology *t = machine_of("\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"kind\": \"quick\"}, "
		"{\"src\": 0, \"dst\": 2, \"kind\": \"wide\"}], \"kinds\": {\"quick\": {\"latency_us\": 1, "
		"\"gigabytes_per_second\": \"1/4000\"}, \"wide\": {\"latency_us\": 10, \"gigabytes_per_second\": \"1/1000\"}}");
	struct collective k = custom_of(3, 1, lists);
	struct algorithm *a = HAND_ON(t, k, 1, "1: 0 0 1, 1 0 2");
	struct simulation how = {.alpha = -1};
	struct error e = {0};
	struct simulator *s = simulator_new(a, &how, &e);
	cr_assert(ne(ptr, s, NULL), "%s", e.what);
	for (double bytes = 1; bytes < 10; bytes++) {
		struct simulated r;
		simulator_run(s, bytes, &r);
		cr_expect(near(r.microseconds, fmax(1 + 4 * bytes, 10 + bytes)), "%g bytes: %g", bytes, r.microseconds);
	}
	simulator_free(s);
	algorithm_free(a);
	collective_free(&k);
}

Test(simulator, refuses_links_that_say_nothing_and_pairs_that_are_not_joined)
{
	struct error e = {0};
	struct algorithm *a = HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 0 1");
	cr_expect(eq(ptr, simulator_new(a, &(struct simulation){.alpha = -1}, &e), NULL));
	cr_expect(eq(str, e.what, "has no alpha and beta for link 0-1; give --alpha and --beta"));
	cr_expect(eq(ptr, simulator_new(a, &(struct simulation){.alpha = -1, .beta = 1}, &e), NULL), "α is missing");
	cr_expect(eq(ptr, simulator_new(a, &(struct simulation){.alpha = 1}, &e), NULL), "β is missing");
	algorithm_free(a);
	e = (struct error){0};
	a = HAND("line:3", KIND(BROADCAST, 0), 1, "1: 0 0 2, 0 0 1");
	cr_expect(eq(ptr, simulator_new(a, &(struct simulation){.alpha = 1, .beta = 1}, &e), NULL));
	cr_expect(eq(str, e.what, "step 1 sends from 0 to 2, which no link joins"));
	algorithm_free(a);
}

Test(simulator, one_node_has_nothing_to_do)
{
	struct topology *t = machine_of("\"nodes\": 1, \"links\": []");
	struct step *none = new_array(struct step, 1);
	struct algorithm *a = algorithm_new(t, &KIND(BROADCAST, 0), 1, 0, none, "hand");
	for (int i = 0; i < WAYS; i++)
		cr_expect(near(played(a, way(i), 10).microseconds, 0));
	topology_free(t);
	algorithm_free(a);
}

Test(simulator, busbw_is_of_what_each_collective_asks_of_a_link)
{
	/* As nccl-tests count, by L; every kind has its own, a scan that of a chain. */
	static const double of_four[COLLECTIVE_KINDS] = {
		[ALLGATHER] = 3, [BROADCAST] = 1, [GATHER] = 3, [SCATTER] = 0.75, [ALLTOALL] = 0.75, [REDUCE] = 1, [REDUCESCATTER] = 0.75,
		[ALLREDUCE] = 1.5, [SCAN] = 1, [CUSTOM] = 1,
	};
	struct topology *t = machine("ring:4");

	for (int kind = 0; kind < COLLECTIVE_KINDS; kind++) {
		struct algorithm a = {.topology = t, .collective = KIND((enum collective_kind)kind, 0)};
		cr_expect(near(bus_factor(&a), of_four[kind]), "kind %d", kind);
	}
	topology_free(t);
}
