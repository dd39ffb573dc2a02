/* Balanced binary trees by clustering and by search. */

#include "core/schedule/cost.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "synth/trees/halving_trees.h"
#include "tests/synth/methods/built.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

TestSuite(halving, .description = "balanced binary trees", .timeout = 100);

static uint64_t state = 0x2545f4914f6cdd1d;

static int below(int n)
{
	return random_below(&state, n);
}

static void construct_weights(int nodes, double *weights)
{
	for (int a = 0; a < nodes; a++)
		for (int b = 0; b <= a; b++)
			weights[a * nodes + b] = weights[b * nodes + a] = a == b || below(3) == 0 ? 0 : 1 + below(3);
}

static int levels_of(int nodes)
{
	int levels = 0;

	while (1 << levels < nodes)
		levels++;
	return levels;
}

/* The sum of its weights; it must span, over links alone, within its depth. */
static double check(int nodes, int root, const double *weights, const int *parent)
{
	double sum = 0;

	for (int v = 0; v < nodes; v++) {
		int hops = 0;
		for (int u = v; u != root; u = parent[u]) {
			cr_assert(parent[u] >= 0 && hops < nodes);
			hops++;
		}
		cr_expect(le(int, hops, levels_of(nodes)));
		cr_assert(v == root || weights[parent[v] * nodes + v] > 0, "no link");
		sum += v == root ? 0 : weights[parent[v] * nodes + v];
	}
	return sum;
}

/* Whether there is a tree, and the heaviest, by trying all: a cluster as bits. */
static double heaviest(int nodes, const double *weights, int set, int root, int levels)
{
	double most = -1;

	if (set == 1 << root)
		return 0;
	for (int other = 1; other < 1 << nodes; other++)
		for (int c = 0; c < nodes; c++) {
			bool is = (other & ~set) == 0 && !(other >> root & 1) && other >> c & 1 && weights[root * nodes + c] > 0;
			if (!is || levels == 0)
				continue;
			double a = heaviest(nodes, weights, set & ~other, root, levels - 1);
			double b = heaviest(nodes, weights, other, c, levels - 1);
			if (a >= 0 && b >= 0 && a + b + weights[root * nodes + c] > most)
				most = a + b + weights[root * nodes + c];
		}
	return most;
}

Test(halving, search_finds_the_heaviest_tree_if_there_is_one)
{
	double weights[25];
	int parent[5], found = 0;

	for (int nth = 0; nth < 200; nth++) {
		int nodes = 2 + nth % 4, root = below(nodes);
		construct_weights(nodes, weights);
		double most = heaviest(nodes, weights, (1 << nodes) - 1, root, levels_of(nodes));
		bool is = halving_by_search(nodes, root, weights, parent);
		cr_assert(eq(int, is, most >= 0), "%d", nth);
		if (is)
			cr_assert(eq(dbl, check(nodes, root, weights, parent), most), "%d", nth);
		found += is;
	}
	cr_expect(found > 20 && found < 200);
}

Test(halving, clustering_finds_trees_and_none_that_is_heavier_than_the_search_does)
{
	double weights[121];
	int clustered[11], searched[11], found = 0;

	for (int nth = 0; nth < 100; nth++) {
		int nodes = 3 + nth % 9, root = below(nodes);
		construct_weights(nodes, weights);
		if (!halving_by_clusters(nodes, root, weights, clustered))
			continue;
		found++;
		cr_assert(halving_by_search(nodes, root, weights, searched), "%d", nth);
		cr_expect(check(nodes, root, weights, clustered) <= check(nodes, root, weights, searched), "%d", nth);
	}
	cr_expect(gt(int, found, 50));
}

Test(halving, trees_of_mxnet_take_three_levels_for_eight_nodes)
{
	expect_cost("kernighan-lin", "dgx1v", BROADCAST, (struct candidate){1, 3, 3});
	expect_cost("kernighan-lin", "dgx1v", ALLREDUCE, (struct candidate){1, 6, 6});
	struct algorithm *a = built_well("kernighan-lin", "dgx1v", ALLREDUCE, 0);
	cr_expect(eq(int, a->chunks, 8));
	algorithm_free(a);
	for (int c = 1; c < 20; c += 3)
		algorithm_free(built_well("kernighan-lin", "dgx1v", ALLREDUCE, c));
}

/* For an input of so many bytes, with the machine's own costs. */
static struct algorithm *built_for(struct topology *t, int64_t bytes, struct method_options *o)
{
	struct error e = {0};
	struct text report = {0};

	o->bytes = bytes;
	cr_assert(topology_alpha_beta(t, &o->alpha, &o->beta));
	struct algorithm *a = method_build(method_find("kernighan-lin", &e), t, &(struct collective){.kind = ALLREDUCE}, o, &report, &e);
	cr_assert(ne(ptr, a, NULL), "%s: %s", e.where, e.what);
	text_free(&report);
	return a;
}

static double time_of(const struct algorithm *a, const struct method_options *o, int64_t bytes)
{
	struct cost c = algorithm_cost(a);
	return rational_double(cost_time(&c, o->alpha, o->beta, bytes));
}

/* 6 α + 5 L β against 7 α + 7/8 L β: α/β is 17500 bytes, so that they are equal at 17500 * 8/33 = 4242.4. */
Test(halving, one_tree_serves_what_is_small_and_one_per_node_what_is_large)
{
	struct error e = {0};
	struct method_options o = {0};
	struct topology *t = topology_open("dgx1v", &e);
	struct algorithm *small = built_for(t, 4242, &o), *large = built_for(t, 4243, &o);

	cr_expect(eq(int, (int)small->n_steps, 6));
	cr_expect(eq(int, (int)large->n_steps, 7));
	cr_expect(lt(dbl, time_of(small, &o, 4242), time_of(large, &o, 4242)));
	cr_expect(gt(dbl, time_of(small, &o, 4243), time_of(large, &o, 4243)));
	algorithm_free(small);
	algorithm_free(large);
	topology_free(t);
}

Test(halving, machines_without_such_trees_are_refused)
{
	expect_refused("kernighan-lin", "line:4", ALLREDUCE, 0, "no balanced binary tree of links was found from node 0");
	expect_refused("kernighan-lin", "mi250x16", ALLREDUCE, 0, "no balanced binary tree");
	expect_refused("kernighan-lin", "torus:8x8", ALLREDUCE, 0, "no balanced binary tree");
	expect_refused("kernighan-lin", "dgx1v", ALLGATHER, 0, "kernighan-lin serves broadcast, reduce, allreduce");
}
