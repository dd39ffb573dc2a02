#include "tests/synth/methods/built.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/builder/schedule_builder.h"
#include "synth/builder/grid.h"
#include "synth/classic/ranks.h"
#include "synth/classic/rings.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

TestSuite(baselines, .description = "what vendors ship, and the classics", .timeout = 100);

static struct network *network_of(const char *machine)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct network *w = t ? network_new(t, &e) : NULL;

	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	topology_free(t);
	return w;
}

Test(baselines, rings_cost_on_dgx1_what_those_of_nccl_do)
{
	expect_cost("ring", "dgx1", ALLGATHER, (struct candidate){6, 7, 7});
	expect_cost("ring", "dgx1", REDUCESCATTER, (struct candidate){48, 7, 7});
	expect_cost("ring", "dgx1", ALLREDUCE, (struct candidate){48, 14, 14});
}

/* Every ring visits all nodes, and all together fit into the links. */
static void check_rings(const char *machine, int wanted)
{
	struct network *w = network_of(machine);
	struct rings r = rings_find(w, RINGS_MAX);
	int64_t *loads = new_array(int64_t, w->n_edges);
	bool *seen = new_array(bool, (size_t)w->nodes);

	cr_expect(r.n == wanted && !r.by_hops, "%s: %d rings, not %d", machine, r.n, wanted);
	for (int i = 0; i < r.n; i++) {
		const int *order = r.order + i * w->nodes;
		memset(seen, 0, (size_t)w->nodes * sizeof *seen);
		for (int k = 0; k < w->nodes; k++) {
			int edge = network_edge(w, order[k], order[(k + 1) % w->nodes]);
			cr_assert(edge >= 0 && !seen[order[k]], "%s, ring %d, place %d", machine, i, k);
			seen[order[k]] = true;
			loads[edge]++;
		}
	}
	cr_expect(network_rounds(w, loads) <= 1, "%s: rings share links", machine);
	free(loads);
	free(seen);
	rings_free(&r);
	network_free(w);
}

Test(baselines, rings_take_links_of_their_own)
{
	static const struct {
		const char *machine;
		int rings;
	} rows[] = {
		{"dgx1", 6},      {"dgx1v", 6},     {"dgx1p", 4},       {"amd-z52", 2},  {"p3.8xlarge", 4}, {"dgx-a100", 12},
		{"torus:4x4", 4}, {"torus:5x5", 4}, {"hypercube:4", 4}, {"mesh:4x4", 2}, {"complete:5", 4}, {"p2.16xlarge", 1},
		{"dgx-h100*4:ib400", 8}, {"dgx-h100*4:ib400+rails", 8}, {"dgx-h100*3:ib400", 8}, {"dgx-h100*16:4xib400+rails", 4}, {"line:2", 1},    {"torus:32x32", 4}, {"torus:12x9", 4}, {"torus:16x16", 4}, {"mesh:20x20", 2}, {"torus:11x16", 4},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_rings(rows[i].machine, rows[i].rings);
}

Test(baselines, where_no_ring_is_there_nodes_are_at_most_three_hops_apart)
{
	static const char *const machines[] = {"line:4", "line:9", "star:7", "mesh:3x3"};

	for (int i = 0; i < 4; i++) {
		struct network *w = network_of(machines[i]);
		struct rings r = rings_find(w, RINGS_MAX);
		cr_expect(r.by_hops && r.n == 2, "%s", machines[i]);
		for (int k = 0; k < 2 * w->nodes; k++) {
			const int *order = r.order + k / w->nodes * w->nodes;
			cr_expect(network_distance(w, order[k % w->nodes], order[(k + 1) % w->nodes]) <= 3, "%s", machines[i]);
		}
		rings_free(&r);
		network_free(w);
	}
}

Test(baselines, grids_are_known_by_their_links)
{
	static const struct {
		const char *machine;
		size_t sides;
		int first;
		bool wraps;
	} rows[] = {
		{"torus:4x4", 2, 4, true}, {"torus:3x5", 2, 3, true},  {"mesh:2x3x4", 3, 2, false}, {"hypercube:3", 3, 2, false},
		{"ring:7", 1, 7, true},    {"line:7", 1, 7, false},    {"torus:3x2", 2, 3, true},   {"mesh:6x2", 2, 6, false},
		{"dgx1", 0, 0, false},     {"complete:6", 0, 0, false}, {"torus:4x4@drop=0-1", 0, 0, false}, {"star:5", 0, 0, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct network *w = network_of(rows[i].machine);
		struct grid g;
		bool is = grid_find(w, &g);
		cr_expect(is == (rows[i].sides > 0), "%s", rows[i].machine);
		if (is)
			cr_expect(g.n_sides == rows[i].sides && g.sides[0] == rows[i].first && g.wraps == rows[i].wraps, "%s",
				  rows[i].machine);
		network_free(w);
	}
}

Test(baselines, rings_along_sides_meet_the_bound_of_square_tori_with_few_steps)
{
	expect_cost("2d-ring", "torus:4x4", ALLGATHER, (struct candidate){4, 6, 15});
	expect_cost("2d-ring", "torus:8x8", ALLGATHER, (struct candidate){4, 14, 63});
	expect_cost("2d-ring", "mesh:3x3", ALLGATHER, (struct candidate){2, 4, 8});
	expect_refused("2d-ring", "dgx1", ALLGATHER, 0, "dgx1 is neither");
	/* Two whole allreduces, one a side: 16 N/(N - 1) GB/s on an N x N torus of 16 GB/s links. */
	expect_cost("2d-ring-whole", "torus:4x4", ALLREDUCE, (struct candidate){16, 12, 12});
	expect_cost("2d-ring-whole", "torus:8x8", ALLREDUCE, (struct candidate){32, 28, 28});
	expect_cost("blink", "dgx1v", ALLGATHER, (struct candidate){48, 5, 66});
	expect_cost("blink", "dgx2", ALLGATHER, (struct candidate){8, 1, 20});
	expect_refused("2d-ring-whole", "mesh:4x4", ALLREDUCE, 0, "needs a torus");
}

Test(baselines, doubling_finds_the_cube_in_a_machine)
{
	expect_cost("recursive-doubling", "torus:4x4", ALLREDUCE, (struct candidate){1, 4, 4});
	expect_cost("recursive-doubling", "dgx1", ALLREDUCE, (struct candidate){1, 3, 3});
	expect_cost("recursive-doubling", "complete:6", ALLREDUCE, (struct candidate){1, 4, 4});
	expect_cost("halving-doubling", "hypercube:4", ALLGATHER, (struct candidate){4, 4, 15});
	expect_cost("halving-doubling", "torus:4x4", ALLREDUCE, (struct candidate){64, 8, 30});
}

Test(baselines, values_are_not_exchanged_over_nodes_that_have_their_own)
{
	expect_refused("recursive-doubling", "line:4", ALLREDUCE, 0, "must be joined directly");
	expect_refused("recursive-doubling", "amd-z52", ALLREDUCE, 0, "halving-doubling needs none");
}

Test(baselines, mapped_ranks_do_not_meet_on_the_links_of_a_bigraph)
{
	expect_cost("hdrm", "bigraph:4x8", ALLGATHER, (struct candidate){1, 5, 31});
	expect_cost("hdrm", "bigraph:4x16", ALLGATHER, (struct candidate){1, 6, 63});
	expect_cost("hdrm", "bigraph:8x16", ALLGATHER, (struct candidate){1, 7, 127});
	expect_cost("hdrm", "switch:16", ALLGATHER, (struct candidate){1, 4, 15});
}

Test(baselines, ranks_are_a_numbering_of_all_nodes)
{
	static const char *const machines[] = {"bigraph:4x8", "bigraph:2x8", "fat-tree:3x3", "dgx1", "mesh:3x3", "p2.16xlarge"};

	for (int i = 0; i < 6; i++) {
		struct error e = {0};
		const char *how;
		struct topology *t = topology_open(machines[i], &e);
		struct network *w = network_new(t, &e);
		struct ranks r = hdrm_ranks(t, w, &how);
		bool *seen = new_array(bool, (size_t)w->nodes);
		for (int k = 0; k < w->nodes; k++) {
			cr_expect(r.node[k] >= 0 && r.node[k] < w->nodes && !seen[r.node[k]], "%s", machines[i]);
			seen[r.node[k]] = true;
		}
		free(seen);
		ranks_free(&r);
		network_free(w);
		topology_free(t);
	}
}

Test(baselines, bruck_and_binomial_take_as_many_phases_as_bits)
{
	expect_cost("bruck", "switch:7", ALLGATHER, (struct candidate){1, 3, 6});
	expect_cost("bruck", "complete:6", ALLGATHER, (struct candidate){1, 3, 5});
	expect_cost("binomial", "switch:7", BROADCAST, (struct candidate){1, 3, 3});
	expect_cost("binomial", "torus:4x4", BROADCAST, (struct candidate){1, 4, 4});
	expect_cost("binomial", "hypercube:3", GATHER, (struct candidate){1, 3, 7});
}

Test(baselines, an_allreduce_may_take_one_step)
{
	expect_cost("one-shot", "dgx-h100", ALLREDUCE, (struct candidate){1, 1, 1});
	expect_cost("one-shot", "gb200-nvl72", ALLREDUCE, (struct candidate){1, 1, 4});
	expect_cost("one-shot", "dgx-h100*4:ib400", ALLREDUCE, (struct candidate){1, 1, 24});
	expect_refused("one-shot", "ring:4", ALLREDUCE, 0, "not every pair of the nodes of ring:4 is joined");
	expect_refused("one-shot", "dgx1", ALLREDUCE, 0, "not every pair of the nodes of dgx1 is joined");
}

/* A step for each block, ceil(log2 N) more, one to scatter the first in the root's box, and one to spread the last. */
Test(baselines, a_pipeline_fills_the_links_between_boxes)
{
	expect_cost("hierarchical", "dgx-h100*4:ib400", BROADCAST, (struct candidate){4096, 515, 515});
	expect_cost("hierarchical", "dgx-h100*4:4xib400+rails", REDUCE, (struct candidate){4096, 515, 1028});
	expect_cost("hierarchical", "switch:16", BROADCAST, (struct candidate){768, 771, 771});
	expect_refused("hierarchical", "dgx1", BROADCAST, 0, "has no boxes whose nodes of the same number are all joined");
	expect_refused("hierarchical", "torus:4x4", BROADCAST, 0, "has no boxes");
}

Test(baselines, chunks_can_be_chosen)
{
	static const char *const methods[] = {"ring", "2d-ring", "recursive-doubling", "halving-doubling", "hdrm", "bruck", "multitree"};

	for (int i = 0; i < 7; i++)
		for (int c = 1; c <= 5; c += 2) {
			struct algorithm *a = built_well(methods[i], "torus:3x3", ALLGATHER, c);
			cr_expect(eq(int, a->chunks, c), "%s", methods[i]);
			algorithm_free(a);
		}
	expect_refused("ring", "dgx1", ALLREDUCE, 7, "C must be a multiple of 8 (the number of nodes), not 7");
	expect_refused("bruck", "dgx1", ALLTOALL, 7, "C must be a multiple of 8 (the number of nodes), not 7");
}

Test(baselines, switches_that_copy_and_add_take_few_rounds)
{
	static const int nodes[] = {2, 3, 5, 8, 72};

	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
		int n = nodes[i];
		char name[32];
		snprintf(name, sizeof name, "switch:%d+nvls", n);
		expect_cost("nvls", name, BROADCAST, (struct candidate){1, 1, 1});
		expect_cost("nvls", name, REDUCE, (struct candidate){1, 1, 1});
		expect_cost("nvls", name, ALLGATHER, (struct candidate){1, 1, n - 1});
		expect_cost("nvls", name, REDUCESCATTER, (struct candidate){n, 1, n - 1});
		for (int steps = 1; steps <= 5; steps++) {
			struct error e = {0};
			struct text report = {0};
			struct topology *t = topology_open(name, &e);
			const struct collective k = {.kind = ALLREDUCE};
			struct algorithm *a = method_build(method_find("nvls", &e), t, &k, &(struct method_options){.steps = steps}, &report, &e);
			cr_assert(ne(ptr, a, NULL), "%s in %d steps: %s", name, steps, e.what);
			cr_expect(eq(int, a->chunks, n * (steps - 1) + 1), "%s in %d steps", name, steps);
			cr_expect(eq(int, (int)a->n_steps, steps));
			cr_expect(eq(int, algorithm_rounds(a), n * steps - 1));
			algorithm_free(a);
			topology_free(t);
			text_free(&report);
		}
	}
	expect_cost("nvls", "dgx-h100+nvls", BROADCAST, (struct candidate){18, 1, 1});
	expect_cost("nvls", "dgx-h100+nvls", ALLREDUCE, (struct candidate){450, 4, 31});
	expect_cost("direct", "switch:8+nvls", BROADCAST, (struct candidate){3, 1, 3}); /* any method, where sends happen to share */
	expect_cost("direct", "switch:8+nvls", GATHER, (struct candidate){1, 1, 7});
	expect_refused("nvls", "dgx-h100", BROADCAST, 0, "needs switches that copy and add, as in dgx-h100+nvls");
	expect_refused("nvls", "switch:4+nvls@add=0-1@drop=0-4", BROADCAST, 0, "needs a machine that joins all pairs of nodes");
	expect_refused("nvls", "switch:4+nvls", ALLTOALL, 0, "nvls serves allgather, broadcast, reduce, reducescatter, allreduce, not alltoall");
}

Test(baselines, one_node_has_nothing_to_send)
{
	expect_refused("ring", "line:1", ALLGATHER, 0, "there is nothing to send");
	expect_refused("double-binary-tree", "switch:1", ALLREDUCE, 0, "there is nothing to send");
}

Test(baselines, a_draft_with_a_send_over_no_link_is_not_taken)
{
	struct network *w = network_of("line:3");
	struct schedule_builder *d = builder_new(w);
	struct error e = {0};
	struct step *steps;
	size_t n;

	builder_send(d, 0, 0, 0, 1);
	builder_send(d, 0, 0, 0, 2);
	cr_expect(not(builder_take(d, "test", &steps, &n, &e)));
	cr_expect(eq(int, e.kind, ERROR_SYSTEM));
	cr_expect(eq(str, e.what, "made a send of chunk 0 from 0 to 2, which no link joins"));
	builder_free(d);
	network_free(w);
}

static void expect_each_once(const char *method, const char *machine, enum collective_kind kind)
{
	struct error e = {0};
	struct algorithm *a = built(method, machine, kind, 0, &e);

	if (!a)
		return;
	int nodes = a->topology->nodes, *times = new_array(int, (size_t)a->global_chunks * (size_t)nodes);
	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++) {
			const struct send *m = &a->steps[s].sends[i];
			times[m->chunk * nodes + m->dst]++;
		}
	for (int i = 0; i < a->global_chunks * nodes; i++)
		cr_expect(times[i] <= 1, "%s, kind %d on %s: chunk %d comes to node %d %d times", method, (int)kind, machine, i / nodes,
			  i % nodes, times[i]);
	free(times);
	algorithm_free(a);
}

/* Also where two ways cross at a node, and the one that is drawn first comes last. */
Test(baselines, what_is_there_is_not_sent_there_again)
{
	static const char *const machines[] = {"line:4", "dgx1", "mi250x-frontier", "torus:4x5", "mesh:3x3", "star:5"};
	size_t n;
	const struct method *all = methods_all(&n);

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		for (size_t m = 0; m < n; m++) {
			expect_each_once(all[m].name, machines[i], ALLGATHER);
			expect_each_once(all[m].name, machines[i], BROADCAST);
		}
	expect_cost("binomial", "line:4", BROADCAST, (struct candidate){1, 3, 3});
}

/* Nodes 1 and 2 of the first four are not joined, so boxes of four are none; those of two are. */
Test(baselines, boxes_of_a_hierarchical_broadcast_hold_the_ways_between_their_nodes)
{
	struct algorithm *a = built_well("hierarchical", "complete:8@drop=1-2", BROADCAST, 64), *whole = built_well("hierarchical", "complete:8", BROADCAST, 64);

	cr_expect(lt(int, rational_compare(algorithm_bandwidth(whole), algorithm_bandwidth(a)), 0));
	algorithm_free(a);
	algorithm_free(whole);
}

/* With the options, and what is reported. */
static struct algorithm *built_with(const char *method, const char *machine, enum collective_kind kind, const struct method_options *o,
				    struct text *report)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);

	cr_assert(t != NULL, "%s", e.what);
	struct algorithm *a = method_build(method_find(method, &e), t, &(struct collective){.kind = kind}, o, report, &e);
	cr_assert(a != NULL, "%s: %s", e.where, e.what);
	topology_free(t);
	return a;
}

/* 70/69 is a multiple of no fraction from 1/2 to 1/64. */
Test(baselines, blink_goes_on_to_the_cut_where_no_simple_weights_are_near)
{
	struct text report = {0};
	struct algorithm *a = built_with("blink", "ring:70", ALLREDUCE, &(struct method_options){.threshold = 1e-6}, &report);

	cr_expect(ne(ptr, strstr(report.bytes, "no simple weights"), NULL));
	cr_expect(ne(ptr, strstr(report.bytes, "rate 70/69"), NULL));
	text_free(&report);
	algorithm_free(a);
}

/* A byte, which one message brings to each node: two chunks of half a byte take as long, and are not taken. */
Test(baselines, an_exact_schedule_has_more_chunks_only_if_they_gain)
{
	const struct method_options o = {.bytes = 1, .alpha = rational(10, 1), .alpha_given = true, .beta = rational(1, 1000), .beta_given = true};
	struct text report = {0};
	struct algorithm *a = built_with("exact-schedule", "complete:7", BROADCAST, &o, &report);

	cr_expect(eq(int, a->chunks, 1));
	cr_expect(ne(ptr, strstr(report.bytes, "chunks of 0.5 bytes"), NULL));
	text_free(&report);
	algorithm_free(a);
}
