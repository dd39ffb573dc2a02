/*
 * Exact search by dynamic programming over (set of nodes, root, levels): a tree is a root's own part and the part of
 * one child, each of a size that fits into one level less. All subsets of a set are tried, 3^P in total per root and
 * level; hence at most HALVING_SEARCH_MAX nodes.
 */

#include "synth/trees/halving_trees.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Best weights of clusters (sets of nodes as bits) under a root within a number of levels, each computed once. */
struct table {
	int nodes;
	const double *weights;
	double *best; /* [(levels * nodes + root) << nodes | set]; NAN: not computed yet, -INFINITY: no tree */
};

static double best(struct table *t, unsigned set, int root, int levels);

static int size_of(unsigned set)
{
	int n = 0;

	for (; set; set &= set - 1)
		n++;
	return n;
}

static double split(struct table *t, unsigned mine, unsigned other, int root, int child, int levels)
{
	double weight = t->weights[root * t->nodes + child];

	if (!(other >> child & 1) || weight <= 0)
		return -INFINITY;
	weight += best(t, mine, root, levels - 1);
	return isinf(weight) ? weight : weight + best(t, other, child, levels - 1);
}

/* The best weight over all bipartitions and all children, and the choice that has it. */
static double try_all(struct table *t, unsigned set, int root, int levels, unsigned *mine, int *child)
{
	unsigned rest = set & ~(1u << root);
	double most = -INFINITY;

	/* OTHER takes all non-empty subsets of the rest. */
	for (unsigned other = rest; other; other = (other - 1) & rest) {
		if (size_of(other) > 1 << (levels - 1) || size_of(set & ~other) > 1 << (levels - 1))
			continue;
		for (int c = 0; c < t->nodes; c++) {
			double weight = split(t, set & ~other, other, root, c, levels);
			if (weight <= most)
				continue;
			most = weight;
			*mine = set & ~other;
			*child = c;
		}
	}
	return most;
}

static double best(struct table *t, unsigned set, int root, int levels)
{
	unsigned mine;
	int child;

	if (set == 1u << root)
		return 0;
	if (levels == 0)
		return -INFINITY;
	double *known = &t->best[((size_t)(levels * t->nodes + root) << t->nodes) | set];
	if (isnan(*known))
		*known = try_all(t, set, root, levels, &mine, &child);
	return *known;
}

static void unfold(struct table *t, unsigned set, int root, int levels, int *parent)
{
	unsigned mine = 0;
	int child = root;

	if (set == 1u << root)
		return;
	try_all(t, set, root, levels, &mine, &child);
	parent[child] = root;
	unfold(t, mine, root, levels - 1, parent);
	unfold(t, set & ~mine, child, levels - 1, parent);
}

bool halving_by_search(int nodes, int root, const double *weights, int *parent)
{
	int levels = 0;

	if (nodes > HALVING_SEARCH_MAX)
		return false;
	while (1 << levels < nodes)
		levels++;
	size_t n = (size_t)((levels + 1) * nodes) << nodes;
	struct table t = {nodes, weights, new_array(double, n)};
	unsigned all = (1u << nodes) - 1;
	for (size_t i = 0; i < n; i++)
		t.best[i] = NAN;
	bool ok = !isinf(best(&t, all, root, levels));
	parent[root] = -1;
	if (ok)
		unfold(&t, all, root, levels, parent);
	free(t.best);
	return ok;
}
