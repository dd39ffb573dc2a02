#include "tests/support/drawn.h"

#include "core/bounds/bounds.h"
#include "core/bounds/cuts.h"
#include "core/base/error.h"
#include "core/graph/max_flow.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(flow, .description = "maximum flow and the cut that shows it");
TestSuite(bounds, .description = "what no algorithm can beat");

Test(flow, fills_parallel_ways_and_shows_the_cut)
{
	struct flow *f = flow_new(4);
	flow_arc(f, 0, 1, 3);
	flow_arc(f, 0, 2, 2);
	flow_arc(f, 1, 3, 1);
	flow_arc(f, 2, 3, 9);
	int across = flow_arc(f, 1, 2, 1);
	cr_expect(eq(i64, flow_run(f, 0, 3), 4));
	cr_expect(flow_on_source_side(f, 1), "the arcs out of 1 are full");
	cr_expect(not(flow_on_source_side(f, 2)));
	flow_set(f, across, 0);
	cr_expect(eq(i64, flow_run(f, 0, 3), 3), "a run begins from nothing");
	flow_free(f);
}

static struct bounds bounds_of(const char *machine, const char *kind, int root)
{
	struct error e = {0};
	struct collective k;
	struct bounds b;
	struct topology *t = topology_open(machine, &e);
	cr_assert(t != NULL, "%s: %s", e.where, e.what);
	cr_assert(collective_open(kind, t->nodes, root, &k, &e), "%s: %s", e.where, e.what);
	cr_assert(bounds_compute(t, &k, &b, &e), "%s: %s", e.where, e.what);
	collective_free(&k);
	topology_free(t);
	return b;
}

struct known {
	const char *machine, *kind;
	int root, steps;
	const char *bandwidth;
};

static void expect_all(const struct known *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char got[RATIONAL_TEXT];
		struct bounds b = bounds_of(rows[i].machine, rows[i].kind, rows[i].root);
		rational_text(b.bandwidth, got);
		cr_expect(eq(str, got, (char *)rows[i].bandwidth), "%s on %s", rows[i].kind, rows[i].machine);
		cr_expect(eq(int, b.steps, rows[i].steps), "%s on %s", rows[i].kind, rows[i].machine);
		bounds_free(&b);
	}
}

Test(bounds, of_allgather_are_the_published_ones)
{
	static const struct known rows[] = {
		{"dgx1", "allgather", 0, 2, "7/6"},        {"dgx1v", "allgather", 0, 2, "7/6"},
		{"dgx1p", "allgather", 0, 2, "7/4"},       {"ring:8", "allgather", 0, 4, "7/2"},
		{"amd-z52", "allgather", 0, 4, "7/2"},     {"hypercube:3", "allgather", 0, 3, "7/3"},
		{"hypercube:4", "allgather", 0, 4, "15/4"}, {"torus:4x4", "allgather", 0, 4, "15/4"},
		{"mesh:4x4", "allgather", 0, 6, "15/2"},   {"torus:8x8", "allgather", 0, 8, "63/4"},
		{"mesh:8x8", "allgather", 0, 14, "63/2"},  {"torus:4x4x4", "allgather", 0, 6, "21/2"},
		{"hypercube:6", "allgather", 0, 6, "21/2"}, {"switch:16", "allgather", 0, 1, "15"},
	};
	expect_all(rows, sizeof rows / sizeof *rows);
}

Test(bounds, of_the_other_kinds_are_the_published_ones)
{
	static const struct known rows[] = {
		{"dgx1", "alltoall", 0, 2, "1/3"},       {"ring:8", "alltoall", 0, 4, "1"},
		{"torus:4x4", "alltoall", 0, 4, "1/2"},  {"dgx1", "allreduce", 0, 2, "7/24"},
		{"ring:8", "allreduce", 0, 4, "7/8"},    {"complete:8", "allreduce", 0, 1, "1/4"},
		{"dgx1p", "allreduce", 0, 2, "7/16"},    {"p3.8xlarge", "allreduce", 0, 1, "1/3"},
		{"dgx1v", "broadcast", 3, 2, "1/6"},     {"dgx1p", "broadcast", 0, 2, "1/4"},
		{"dgx1", "reduce", 1, 2, "1/6"},         {"dgx1", "gather", 1, 2, "7/6"},
		{"dgx1", "scatter", 0, 2, "7/48"},       {"dgx1", "reducescatter", 0, 2, "7/48"},
		{"line:4", "gather", 0, 3, "3"},         {"star:5", "broadcast", 0, 1, "1"},
	};
	expect_all(rows, sizeof rows / sizeof *rows);
}

/* A node that has one link to a switch sends one chunk a round, whatever there is in the middle. */
Test(bounds, of_an_allreduce_heed_the_links_of_nodes_to_switches)
{
	static const struct known rows[] = {
		{"p2.16xlarge", "allreduce", 0, 1, "15/8"}, {"bigraph:4x8", "allreduce", 0, 1, "31/16"},
		{"bigraph:2x4", "allreduce", 0, 1, "7/4"},  {"fat-tree:4x4", "allreduce", 0, 1, "15/8"},
		{"dragonfly:2x4x2", "allreduce", 0, 1, "71/36"},
	};
	expect_all(rows, sizeof rows / sizeof *rows);
}

/* Between N boxes of 8 a chunk crosses 2 (N - 1) times: on larger machines than those whose parts are merged. */
Test(bounds, of_an_allreduce_count_what_crosses_between_boxes)
{
	struct bounds b = bounds_of("dgx-h100*16:4xib400+rails", "allreduce", 0);
	cr_expect(eq(int, rational_compare(b.bandwidth, rational(30, 64)), 0));
	cr_expect(eq(int, b.parts, 16));
	bounds_free(&b);
}

Test(bounds, their_cut_shows_them)
{
	struct bounds b = bounds_of("dgx1", "alltoall", 0);
	int inside = 0;
	for (int n = 0; n < b.nodes; n++)
		inside += b.part[n];
	cr_expect(eq(int, inside, 4), "the halves");
	cr_expect(eq(i64, b.capacity, 6));
	cr_expect(eq(int, rational_compare(b.bandwidth, rational_div(b.demand, rational(b.capacity, 1))), 0));
	bounds_free(&b);
}

Test(bounds, a_composition_is_bounded_by_both_halves)
{
	struct error e = {0};
	struct bounds b;
	struct collective k = {.kind = ALLREDUCE};
	struct topology *t = topology_open("ring:4", &e);
	cr_assert(bounds_composition(t, &k, &b, &e));
	cr_expect(eq(int, b.steps, 4));
	cr_expect(eq(int, rational_compare(b.bandwidth, rational(3, 4)), 0), "3/2 twice, over 4");
	bounds_free(&b);
	topology_free(t);
}

Test(bounds, a_node_that_cannot_be_reached_is_named)
{
	struct error e = {0};
	struct bounds b;
	struct collective k = {.kind = ALLGATHER};
	struct topology *t = topology_open("line:3@drop=1-2", &e);
	cr_expect(not(bounds_compute(t, &k, &b, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.what, "node 2 cannot be reached from node 0, but chunk 0 must get there"));
	topology_free(t);
}

/* More comes in there than 2^30 in a round. */
Test(bounds, of_a_node_are_what_all_its_links_carry)
{
	enum { SPOKES = 1199 };
	struct error e = {0};
	struct bounds b;
	struct collective k = {.kind = GATHER};
	struct topology *t = new(struct topology);

	t->name = copy_string("wide");
	t->nodes = SPOKES + 1;
	t->links = new_array(struct link, SPOKES);
	for (int n = 1; n <= SPOKES; n++)
		t->links[t->n_links++] = (struct link){n, 0, BANDWIDTH_MAX, -1};
	cr_assert(t && bounds_compute(t, &k, &b, &e), "%s", e.what);
	cr_expect(eq(int, rational_compare(b.bandwidth, rational(1, BANDWIDTH_MAX)), 0));
	cr_expect(eq(i64, b.capacity, (int64_t)SPOKES * BANDWIDTH_MAX));
	bounds_free(&b);
	topology_free(t);
}

/* ---- against all subsets of random machines ---- */

/* The largest demand over capacity, over every set that leaves out a receiver. */
static struct rational by_all_sets(const struct network *w, enum collective_kind kind, int root)
{
	struct rational best = rational(0, 1);
	int part[8];

	for (unsigned set = 1; set + 1 < 1u << w->nodes; set++) {
		int size = 0;
		for (int v = 0; v < w->nodes; v++)
			size += part[v] = set >> v & 1;
		int demand = kind == ALLGATHER ? size : kind == GATHER ? (part[root] ? 0 : size) : part[root];
		struct rational ratio = rational(demand, cut_capacity_out(w, part));
		if (rational_compare(ratio, best) > 0)
			best = ratio;
	}
	return best;
}

Test(bounds, by_flow_are_those_of_the_best_of_all_sets)
{
	static const enum collective_kind kinds[] = {ALLGATHER, GATHER, BROADCAST};

	state = 12345;
	for (int round = 0; round < 300; round++) {
		struct error e = {0};
		struct topology *t = random_machine(4, 3, 3);
		struct network *w = network_new(t, &e);
		for (size_t i = 0; i < 3; i++) {
			struct collective k = {.kind = kinds[i], .root = kinds[i] == ALLGATHER ? 0 : below(t->nodes)};
			struct bounds b;
			char got[RATIONAL_TEXT], wanted[RATIONAL_TEXT];
			cr_assert(bounds_compute(t, &k, &b, &e));
			rational_text(b.bandwidth, got);
			rational_text(by_all_sets(w, k.kind, k.root), wanted);
			cr_expect(eq(str, got, wanted), "%s, machine %d", collective_name(&k), round);
			bounds_free(&b);
		}
		network_free(w);
		topology_free(t);
	}
}

/* ---- switches that copy and add ---- */

static struct rational bound_of(const char *machine_name, enum collective_kind kind)
{
	struct error e = {0};
	struct bounds b;
	struct collective k = {.kind = kind};
	struct topology *t = topology_open(machine_name, &e);

	cr_assert(t && bounds_compute(t, &k, &b, &e), "%s", e.what);
	struct rational r = b.bandwidth;
	bounds_free(&b);
	topology_free(t);
	return r;
}

Test(bounds, where_switches_copy_and_add_count_each_chunk_once)
{
	static const struct {
		enum collective_kind kind;
		struct rational plain, nvls;
	} rows[] = {
		{ALLREDUCE, {7, 4}, {1, 1}}, {SCAN, {1, 1}, {1, 1}},    {BROADCAST, {1, 1}, {1, 1}},     {REDUCE, {1, 1}, {1, 1}},
		{ALLGATHER, {7, 1}, {7, 1}}, {GATHER, {7, 1}, {7, 1}},  {REDUCESCATTER, {7, 8}, {7, 8}}, {SCATTER, {7, 8}, {7, 8}},
		{ALLTOALL, {7, 8}, {7, 8}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect(eq(int, rational_compare(bound_of("switch:8", rows[i].kind), rows[i].plain), 0), "row %zu", i);
		cr_expect(eq(int, rational_compare(bound_of("switch:8+nvls", rows[i].kind), rows[i].nvls), 0), "row %zu", i);
	}
}
