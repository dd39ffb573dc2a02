/* Edge-disjoint spanning trees, where there are enough and where a part of the graph is full. */
#include "core/graph/matroid_union.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(matroid_union, .description = "edge-disjoint spanning trees");

enum { NODES = 4, TREES = 2, EDGES_MAX = 16 };

/* Are there TREES trees of the N edges? If so, each is seen to have a path from every node to node 0 by its own edges. */
static bool has_trees(const struct graph_edge *of, int n)
{
	struct graph_edge edges[EDGES_MAX];
	int parents[TREES * NODES], size[TREES] = {0};

	for (int i = 0; i < n; i++)
		edges[i] = (struct graph_edge){of[i].a, of[i].b, -1};
	if (!tree_union(NODES, edges, n, TREES, parents))
		return false;
	for (int i = 0; i < n; i++) {
		int t = edges[i].tree, a = edges[i].a, b = edges[i].b;
		if (t < 0)
			continue;
		size[t]++;
		cr_expect(parents[t * NODES + a] == b || parents[t * NODES + b] == a, "edge %d is in tree %d", i, t);
	}
	for (int t = 0; t < TREES; t++) {
		cr_expect(eq(int, size[t], NODES - 1), "tree %d", t);
		for (int v = 0; v < NODES; v++) {
			int at = v, steps = 0;
			while (at > 0 && steps++ < NODES)
				at = parents[t * NODES + at];
			cr_expect(eq(int, at, 0), "tree %d, node %d", t, v);
		}
	}
	return true;
}

/* Two trees of three nodes have four edges: of a fifth and a sixth between these nodes one is looked at, and none is taken. */
Test(matroid_union, a_full_part_takes_no_more)
{
	static const struct graph_edge graph[] = {{0, 1, -1}, {0, 1, -1}, {1, 2, -1}, {1, 2, -1}, {0, 2, -1}, {0, 2, -1}, {0, 3, -1}, {2, 3, -1}};

	cr_expect(has_trees(graph, 8));
	cr_expect(not(has_trees(graph, 7)), "one edge alone leads to node 3");
}

Test(matroid_union, edges_change_places)
{
	static const struct graph_edge whole[] = {{0, 1, -1}, {0, 2, -1}, {0, 3, -1}, {1, 2, -1}, {1, 3, -1}, {2, 3, -1}};

	cr_expect(has_trees(whole, 6), "all six edges of four nodes are needed");
	cr_expect(not(has_trees(whole, 5)));
}
