/* Trees packed into machines: their oracles, rates, numbers and schedules. */

#include "core/bounds/bounds.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/graph/arborescence.h"
#include "synth/trees/hierarchical_trees.h"
#include "synth/trees/undirected_trees.h"
#include "synth/trees/packing.h"
#include "synth/trees/shared_links.h"
#include "synth/trees/strength.h"
#include "synth/trees/tree_proof.h"
#include "core/graph/matroid_union.h"
#include "synth/trees/weighted_trees.h"
#include "tests/synth/methods/built.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

TestSuite(packing, .description = "trees that share links", .timeout = 100);

static struct network *network_of(const char *machine)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct network *w = t ? network_new(t, &e) : NULL;

	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	topology_free(t);
	return w;
}

static uint64_t state = 0x2545f4914f6cdd1d;

static int below(int n)
{
	return random_below(&state, n);
}

static bool is_tree(int nodes, int root, const int *parent)
{
	for (int v = 0; v < nodes; v++) {
		int hops = 0;
		for (int u = v; u != root; u = parent[u])
			if (parent[u] < 0 || ++hops > nodes)
				return false;
	}
	return true;
}

/* By trying all parents of all nodes. */
static double least_of_all(int nodes, const double *lengths)
{
	int parent[5] = {-1, 0, 0, 0, 0};
	double least = INFINITY;

	for (;;) {
		double sum = 0;
		for (int v = 1; v < nodes; v++)
			sum += lengths[parent[v] * nodes + v];
		if (is_tree(nodes, 0, parent))
			least = fmin(least, sum);
		int v = 1;
		while (v < nodes && ++parent[v] == nodes)
			parent[v++] = 0;
		if (v == nodes)
			return least;
	}
}

Test(packing, the_least_arborescence_is_that_of_trying_all)
{
	for (int nth = 0; nth < 400; nth++) {
		int nodes = 2 + nth % 4, parent[5];
		double lengths[25], sum = 0;
		for (int i = 0; i < nodes * nodes; i++)
			lengths[i] = below(4) == 0 ? INFINITY : below(20);
		for (int v = 0; v < nodes; v++)
			lengths[v * nodes + v] = INFINITY;
		struct arc arcs[25];
		size_t n = 0;
		for (int i = 0; i < nodes * nodes; i++)
			if (isfinite(lengths[i]))
				arcs[n++] = (struct arc){i / nodes, i % nodes, lengths[i]};
		double least = least_of_all(nodes, lengths);
		bool is = minimum_arborescence(nodes, 0, arcs, n, parent);
		cr_assert(eq(int, is, isfinite(least)), "%d", nth);
		if (!is)
			continue;
		cr_assert(is_tree(nodes, 0, parent));
		for (int v = 1; v < nodes; v++)
			sum += lengths[parent[v] * nodes + v];
		cr_assert(eq(dbl, sum, least), "%d", nth);
	}
}

/* Whether N edges of the complete graph of 4 nodes hold so many trees; each of OF gets how many edges it has. */
static bool holds(int nodes, int n, int trees, int *of)
{
	struct graph_edge edges[6] = {{0, 1, -1}, {0, 2, -1}, {0, 3, -1}, {1, 2, -1}, {1, 3, -1}, {2, 3, -1}};
	bool is = tree_union(nodes, edges, n, trees, NULL);

	for (int i = 0; i < n; i++)
		if (edges[i].tree >= 0)
			of[edges[i].tree]++;
	return is;
}

Test(packing, trees_without_common_edges_are_found_by_exchanges_or_there_are_none)
{
	int of[3] = {0}, none[3] = {0};

	cr_expect(holds(4, 6, 2, of));
	cr_expect(of[0] == 3 && of[1] == 3);
	cr_expect(not(holds(4, 5, 2, none)));
	cr_expect(not(holds(4, 6, 3, none)));
	cr_expect(not(holds(5, 6, 1, none)));
}

Test(packing, edges_that_have_a_tree_already_may_change_it)
{
	/* A triangle with a tail: 0-1 and 1-2 in tree 0 leave no tree 1 without an exchange. */
	struct graph_edge edges[6] = {{0, 1, 0}, {1, 2, 0}, {1, 2, -1}, {0, 1, -1}, {0, 2, -1}, {0, 2, 1}};

	cr_expect(tree_union(3, edges, 6, 3, NULL));
}

/* Random small graphs, with links of several units. */
static int some_joints(int nodes, struct joint *joints)
{
	int n = 0;

	for (int a = 0; a < nodes; a++)
		for (int b = a + 1; b < nodes; b++)
			if (below(4))
				joints[n++] = (struct joint){a, b, 1 + below(3)};
	return n;
}

static struct rational quotient(const struct joint *joints, int n, const int *part, int parts)
{
	int64_t crossing = 0;

	for (int i = 0; i < n; i++)
		crossing += part[joints[i].a] != part[joints[i].b] ? joints[i].width : 0;
	return rational(crossing, parts - 1);
}

/* Over all partitions: node V joins a part there is, or begins one. */
static struct rational least_quotient(const struct joint *joints, int n, int nodes, int *part, int v, int parts)
{
	struct rational least = rational(1000, 1);

	if (v == nodes)
		return parts > 1 ? quotient(joints, n, part, parts) : least;
	for (part[v] = 0; part[v] <= parts; part[v]++) {
		int now = part[v];
		struct rational one = least_quotient(joints, n, nodes, part, v + 1, now == parts ? parts + 1 : parts);
		part[v] = now;
		least = rational_compare(one, least) < 0 ? one : least;
	}
	return least;
}

Test(packing, the_strength_is_that_of_trying_all_partitions)
{
	for (int nth = 0; nth < 300; nth++) {
		struct joint joints[15];
		int nodes = 2 + nth % 5, part[6], parts, n = some_joints(nodes, joints);
		struct rational is = strength(nodes, joints, (size_t)n, part, &parts);
		cr_expect(rational_compare(quotient(joints, n, part, parts), is) == 0, "%d", nth);
		cr_expect(rational_compare(least_quotient(joints, n, nodes, part, 0, 0), is) == 0, "%d", nth);
	}
}

/* As many trees as Nash-Williams and Tutte say, and not one more; whatever exchanges made them less deep. */
Test(packing, trees_over_links_have_the_strength_of_any_machine)
{
	static const struct {
		const char *machine;
		int depth; /* no tree is deeper; 0: not looked at */
	} rows[] = {{"torus:8x8", 8}, {"hypercube:6", 6}, {"complete:16", 3}, {"dgx1v", 3}, {"torus:5x7", 0}, {"mesh:6x4", 0},
		    {"line:5@add=0-2", 0}, {"mesh:5x5@widen=0-1", 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct network *w = network_of(rows[i].machine);
		size_t n;
		struct joint *joints = joints_of(w, &n);
		int *part = new_array(int, (size_t)w->nodes), parts;
		struct rational rate = strength(w->nodes, joints, n, part, &parts);
		struct trees s, none;
		cr_assert(undirected_trees_of(w, (int)rate.num, rate.den, &s), "%s", rows[i].machine);
		cr_expect(rational_compare(trees_rate(&s, w, true), rate) == 0, "%s", rows[i].machine);
		cr_expect(not(undirected_trees_of(w, (int)rate.num + 1, rate.den, &none)), "%s", rows[i].machine);
		for (size_t k = 0; k < s.n; k++) {
			cr_expect(is_tree(w->nodes, s.of[k].root, s.of[k].parent), "%s", rows[i].machine);
			cr_expect(rows[i].depth == 0 || s.of[k].depth <= rows[i].depth, "%s: %d", rows[i].machine, s.of[k].depth);
		}
		trees_free(&s);
		trees_free(&none);
		free(joints);
		free(part);
		network_free(w);
	}
}

/* Two hundred and more nodes: exact C(G), trees that come within a hundredth of it. */
Test(packing, machines_of_hundreds_of_nodes_are_served)
{
	struct algorithm *a = built_well("linear-program", "torus:16x16", ALLREDUCE, 64), *b = built_well("blink", "hypercube:8", BROADCAST, 16);

	cr_expect(eq(int, a->chunks, 64));
	cr_expect(eq(int, b->chunks, 16));
	algorithm_free(a);
	algorithm_free(b);
}

/* What comes of trees of many shapes whose sends are drawn to both ends. */
Test(packing, pipelines_of_an_allreduce_are_short)
{
	static const struct {
		const char *machine;
		int steps;
	} rows[] = {{"complete:8", 2}, {"ring:5", 4}, {"p3.8xlarge", 12}, {"dgx1v", 40}, {"hypercube:4", 40}, {"torus:4x4", 60}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct algorithm *a = built_well("linear-program", rows[i].machine, ALLREDUCE, 0);
		cr_expect(a->n_steps <= (size_t)rows[i].steps, "%s", a->name);
		cr_expect(rational_compare(algorithm_bandwidth(a), rational_mul(a->bound_bandwidth, rational(17, 16))) <= 0, "%s", a->name);
		algorithm_free(a);
	}
}

static void check_broadcast(const char *machine, int root, double rate, int trees)
{
	struct network *w = network_of(machine);
	struct packing p;
	struct error e = {0};
	struct trees s;
	double most;

	cr_assert(packing_new(w, root, machine, &p, &e));
	double near = packing_approximate(&p, 0.03, &most);
	cr_expect(near >= 0.97 * rate && near <= rate + 1e-9, "%s, root %d: %g", machine, root, near);
	cr_expect(most >= rate - 1e-9);
	cr_expect(epsilon_eq(dbl, packing_best(&p, NULL), rate, 1e-7));
	cr_assert(packing_fewest(&p, rate) && trees_of_packing(&p, &s));
	cr_expect(s.n == (size_t)trees, "%s, root %d: %zu trees", machine, root, s.n);
	cr_expect(rational_compare(trees_rate(&s, w, false), rational((int64_t)rate, 1)) == 0);
	trees_free(&s);
	packing_free(&p);
	network_free(w);
}

Test(packing, four_trees_broadcast_at_the_cut_from_any_node_of_both_generations_of_dgx1)
{
	for (int root = 0; root < 8; root++) {
		check_broadcast("dgx1v", root, 6, 4);
		check_broadcast("dgx1p", root, 4, 4);
	}
}

Test(packing, six_trees_of_weight_1_are_among_those_of_multiplicative_weights)
{
	struct network *w = network_of("dgx1v");
	struct packing p;
	struct error e = {0};
	double most;

	cr_assert(packing_new(w, 0, "dgx1v", &p, &e));
	packing_approximate(&p, 0.03, &most);
	cr_expect(eq(int, packing_ones(&p, most), 6));
	packing_free(&p);
	network_free(w);
}

Test(packing, trees_of_weight_1_are_told_by_weights_that_fit)
{
	struct network *w = network_of("dgx1v");
	struct packing p;
	struct error e = {0};
	struct trees s;
	double most;

	cr_assert(packing_new(w, 0, "dgx1v", &p, &e));
	packing_approximate(&p, 0.03, &most);
	int ones = packing_ones(&p, most);
	cr_assert(trees_of_packing(&p, &s));
	cr_expect(eq(int, (int)s.n, ones));
	cr_expect(rational_compare(trees_rate(&s, w, false), rational(6, 1)) == 0);
	trees_free(&s);
	packing_free(&p);
	network_free(w);
}

/* 16/7 and 24/7: quarters and thirds come within 5 %, halves within 15 %, and within 0.1 % only what is exact. */
Test(packing, the_largest_fractions_that_come_near_enough_are_taken)
{
	static const struct {
		const char *machine;
		double best, threshold;
		int parts;
		struct rational rate;
	} rows[] = {{"dgx1p", 16.0 / 7, 0.05, 4, {9, 4}}, {"dgx1p", 16.0 / 7, 0.15, 2, {2, 1}}, {"dgx1p", 16.0 / 7, 0.001, 7, {16, 7}},
		    {"dgx1v", 24.0 / 7, 0.05, 3, {10, 3}}, {"ring:8", 8.0 / 7, 0.001, 7, {8, 7}}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct network *w = network_of(rows[i].machine);
		struct packing p;
		struct error e = {0};
		struct trees s;
		cr_assert(packing_new(w, -1, rows[i].machine, &p, &e));
		cr_assert(epsilon_eq(dbl, packing_best(&p, NULL), rows[i].best, 1e-7));
		cr_expect(eq(int, packing_parts(&p, rows[i].best, rows[i].threshold), rows[i].parts), "%s", rows[i].machine);
		cr_assert(trees_of_packing(&p, &s));
		cr_expect(rational_compare(trees_rate(&s, w, true), rows[i].rate) == 0, "%s", rows[i].machine);
		trees_free(&s);
		cr_expect(zero(int, packing_parts(&p, rows[i].best * 1.2, 0.001)), "%s has more than it can", rows[i].machine);
		packing_free(&p);
		network_free(w);
	}
}

Test(packing, undirected_trees_have_the_strength_of_the_machine)
{
	static const struct {
		const char *machine;
		struct rational rate;
	} rows[] = {{"dgx1v", {24, 7}}, {"p3.8xlarge", {3, 1}}, {"dgx1p", {16, 7}}, {"ring:8", {8, 7}}, {"complete:8", {4, 1}},
		    {"torus:4x4", {32, 15}}, {"hypercube:4", {32, 15}}, {"line:5", {1, 1}}, {"p2.16xlarge", {8, 15}}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct network *w = network_of(rows[i].machine);
		struct packing p;
		struct error e = {0};
		struct trees s;
		cr_assert(packing_new(w, -1, rows[i].machine, &p, &e));
		double rate = packing_best(&p, NULL);
		cr_expect(epsilon_eq(dbl, rate, rational_double(rows[i].rate), 1e-7), "%s: %g", rows[i].machine, rate);
		packing_spare(&p, rate);
		cr_expect(packing_whole(&p, rows[i].rate) && trees_of_packing(&p, &s), "%s", rows[i].machine);
		cr_expect(rational_compare(trees_rate(&s, w, true), rows[i].rate) == 0, "%s", rows[i].machine);
		cr_expect(not(packing_whole(&p, rational_mul(rows[i].rate, rational(101, 100)))), "%s has more than it can", rows[i].machine);
		trees_free(&s);
		packing_free(&p);
		network_free(w);
	}
}

/* The optimum as an exact ratio, and a partition or prices that show in whole numbers that nothing is better. */
Test(packing, the_optimum_over_spanning_trees_is_proved_in_whole_numbers)
{
	static const struct {
		const char *machine;
		struct rational rate;
		int parts; /* 0: by prices alone */
	} rows[] = {{"dgx1v", {24, 7}, 8}, {"p3.8xlarge", {3, 1}, 4}, {"dgx1p", {16, 7}, 8}, {"ring:8", {8, 7}, 8}, {"complete:8", {4, 1}, 8},
		    {"line:4@add=0-2", {1, 1}, 2}, {"mi50-two-rings", {1, 1}, 0}, {"p2.16xlarge", {8, 15}, 0}, {"dgx2", {16, 5}, 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct network *w = network_of(rows[i].machine);
		struct packing p;
		struct error e = {0};
		int part[16], parts = 0;
		size_t n;
		struct joint *joints = joints_of(w, &n);
		cr_assert(packing_new(w, -1, rows[i].machine, &p, &e));
		double *lengths = new_array(double, p.n_rows);
		packing_best(&p, lengths);
		struct rational partition = strength(w->nodes, joints, n, part, &parts), prices = price_bound(&p, lengths);
		cr_expect(rational_ok(prices) && rational_compare(prices, rows[i].rate) == 0, "%s", rows[i].machine);
		cr_expect(rows[i].parts == 0 || parts == rows[i].parts, "%s: %d parts", rows[i].machine, parts);
		cr_expect(rows[i].parts == 0 || rational_compare(partition, rows[i].rate) == 0, "%s", rows[i].machine);
		/* Other prices show less. */
		for (size_t r = 0; r < p.n_rows; r++)
			lengths[r] = r == 0;
		prices = price_bound(&p, lengths);
		cr_expect(prices.den == 0 || rational_compare(prices, rows[i].rate) >= 0, "%s", rows[i].machine);
		free(lengths);
		free(joints);
		packing_free(&p);
		network_free(w);
	}
}

/* Exact trees are not found everywhere where limits bind: near ones serve then. */
Test(packing, rounded_weights_come_near_the_rate)
{
	static const char *const machines[] = {"dgx1v", "bigraph:4x4", "fat-tree:4x4"};

	for (int i = 0; i < 3; i++) {
		struct network *w = network_of(machines[i]);
		struct packing p;
		struct error e = {0};
		struct trees s;
		cr_assert(packing_new(w, -1, machines[i], &p, &e));
		double rate = packing_best(&p, NULL);
		cr_assert(trees_near(&p, rate, &s));
		double near = rational_double(trees_rate(&s, w, true));
		cr_expect(near > 0.98 * rate && near < rate + 1e-9, "%s: %g of %g", machines[i], near, rate);
		trees_free(&s);
		packing_free(&p);
		network_free(w);
	}
}

Test(packing, boxes_on_a_switch_are_known)
{
	static const struct {
		const char *machine;
		int boxes;
	} rows[] = {{"dgx1v*2", 2}, {"ring:4*3x2", 3}, {"dgx1v", 0}, {"switch:8", 0}, {"torus:4x4", 0}, {"ring:4*3@drop=0-1", 0},
		    {"dgx-a100*2", 0}, {"star:5", 0}, {"ring:4*3@widen=0-12", 0}, {"ring:4*3@add=4-0", 0}, {"ring:4*3@add=4-8", 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error e = {0};
		struct topology *t = topology_open(rows[i].machine, &e), *one = NULL;
		int boxes = 0;
		cr_assert(t != NULL, "%s", e.what);
		cr_expect(eq(int, boxes_found(t, &one, &boxes), rows[i].boxes > 0), "%s", rows[i].machine);
		cr_expect(eq(int, boxes, rows[i].boxes), "%s", rows[i].machine);
		cr_expect(rows[i].boxes == 0 || one->nodes * boxes == t->nodes);
		topology_free(one);
		topology_free(t);
	}
}

/* Eight links to and from one switch are one for each of four nodes only if all have the same bandwidth. */
Test(packing, one_hop_trees_are_for_a_switch_of_equal_links)
{
	struct algorithm *even = built_well("blink", "switch:4", ALLREDUCE, 4), *wider = built_well("blink", "switch:4@widen=0-4", ALLREDUCE, 4);

	cr_expect(eq(sz, even->n_steps, (size_t)2));
	cr_expect(gt(sz, wider->n_steps, (size_t)2));
	algorithm_free(even);
	algorithm_free(wider);
}

/* The search for trees that share links is for small machines and small rates. */
Test(packing, links_are_shared_on_small_machines_alone)
{
	static const struct {
		const char *machine;
		struct rational rate;
		bool found;
	} rows[] = {{"ring:3", {3, 2}, true}, {"ring:3", {130, 2}, false}, {"ring:33", {1, 1}, false}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct network *w = network_of(rows[i].machine);
		struct trees s = {.nodes = w->nodes};
		bool found = trees_sharing_links(w, rows[i].rate, SIZE_MAX, &s);
		cr_expect(eq(int, found, rows[i].found), "%s", rows[i].machine);
		cr_expect(rational_compare(found ? trees_rate(&s, w, true) : rows[i].rate, rows[i].rate) == 0, "%s", rows[i].machine);
		trees_free(&s);
		network_free(w);
	}
}

/* What each node has spreads over the trees of an allreduce: between boxes, too. */
Test(packing, an_allgather_over_boxes_takes_their_trees)
{
	struct algorithm *a = built_well("blink", "ring:4*3x2", ALLGATHER, 0);

	cr_expect(rational_compare(algorithm_bandwidth(a), rational_mul(a->bound_bandwidth, rational(2, 1))) < 0, "%s", a->name);
	algorithm_free(a);
}

Test(packing, gathers_and_scatters_over_the_trees_meet_the_bound)
{
	expect_cost("blink", "dgx1v", GATHER, (struct candidate){6, 7, 7});
	expect_cost("blink", "dgx1p", SCATTER, (struct candidate){32, 3, 7});
}

/* So many waves that R/C comes within a sixteenth of the bound. */
Test(packing, pipelines_come_near_the_bound)
{
	static const char *const machines[] = {"dgx1v", "dgx1p", "p3.8xlarge", "torus:3x3", "hypercube:3", "switch:5", "complete:5"};
	static const enum collective_kind kinds[] = {BROADCAST, REDUCE, ALLREDUCE};

	for (int i = 0; i < 21; i++) {
		struct algorithm *a = built_well("blink", machines[i / 3], kinds[i % 3], 0);
		struct rational most = rational_mul(a->bound_bandwidth, rational(17, 16));
		cr_expect(rational_compare(algorithm_bandwidth(a), most) <= 0, "%s", a->name);
		algorithm_free(a);
	}
}

Test(packing, chunks_are_shared_out_by_weight_whatever_their_number)
{
	static const enum collective_kind kinds[] = {BROADCAST, REDUCE, ALLREDUCE, GATHER, SCATTER};

	for (int c = 1; c <= 7; c += 2)
		for (int k = 0; k < 5; k++) {
			int chunks = kinds[k] == SCATTER ? 8 * c : c;
			struct algorithm *a = built_well("blink", "dgx1v", kinds[k], chunks);
			cr_expect(eq(int, a->chunks, chunks));
			algorithm_free(a);
		}
}

Test(packing, an_allreduce_over_boxes_has_the_rate_of_one)
{
	struct algorithm *a = built_well("blink", "ring:4*3x2", ALLREDUCE, 0);

	cr_expect(rational_compare(algorithm_bandwidth(a), rational(3 * 17, 4 * 16)) <= 0, "%s", a->name);
	algorithm_free(a);
}

Test(packing, what_trees_do_not_serve_is_told)
{
	struct error e = {0};

	expect_refused("blink", "dgx1v", ALLTOALL, 0, "blink serves");
	expect_refused("linear-program", "dgx1v", BROADCAST, 0, "linear-program serves allreduce, not broadcast");
	expect_refused("blink", "line:1", BROADCAST, 0, "there is nothing to send");
	cr_expect(eq(ptr, built("blink", "torus:33x33", BROADCAST, 0, &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_LIMIT));
}
