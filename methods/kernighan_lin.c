/*
 * `kernighan-lin`: MXNet's trees (src/kvstore/gpu_topology.h, 2018). Links weigh 1 more than they have units; a tree of each node is
 * found by clustering, or by search where that gets stuck; links that a tree has weigh 0.7 times as much to the next. Small messages go
 * over the tree of node 0 (C = 1), large ones in equal parts over all trees (C = P).
 */

#include "methods/rows.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/network.h"
#include "core/topology.h"
#include "methods/halving_trees.h"
#include "methods/trees.h"

#include <stdlib.h>

static const double link_usage_penalty = 0.7;

/* PCIe, here a way through switches, is 1, and is left out where links of another kind are there. */
static double *weigh_links(const struct method_request *r)
{
	const struct network *w = r->network;
	size_t n = (size_t)w->nodes;
	double *weights = new_array(double, n * n);
	bool has_links = false;

	for (size_t i = 0; i < w->n_edges; i++) {
		int a = w->edges[i].src, b = w->edges[i].dst, back = network_edge(w, b, a);
		const struct link *there = topology_link(r->topology, a, b), *again = topology_link(r->topology, b, a);
		if (back < 0)
			continue;
		bool direct = there && again;
		int units = direct ? there->bandwidth < again->bandwidth ? there->bandwidth : again->bandwidth : 0;
		weights[(size_t)a * n + (size_t)b] = 1 + units;
		has_links |= direct;
	}
	for (size_t i = 0; i < n * n && has_links; i++)
		weights[i] = weights[i] > 1 ? weights[i] : 0;
	return weights;
}

/* Those that there are, each once. */
static void tell_weights(const struct method_request *r, const double *weights)
{
	size_t n = (size_t)r->network->nodes * (size_t)r->network->nodes;
	double last = 0, next;

	text_add(r->report, "links weigh");
	do {
		next = 0;
		for (size_t i = 0; i < n; i++)
			if (weights[i] > last && (next <= 0 || weights[i] < next))
				next = weights[i];
		if (next > 0)
			text_add(r->report, " %g", next);
		last = next;
	} while (next > 0);
	text_add(r->report, "\n");
}

static bool add_tree(struct trees *s, int root, double *weights, int *parent, int *searched)
{
	int n = s->nodes;

	if (!halving_by_clusters(n, root, weights, parent)) {
		if (!halving_by_search(n, root, weights, parent))
			return false;
		++*searched;
	}
	trees_add(s, parent, 1);
	for (int v = 0; v < n; v++)
		if (v != root) {
			weights[parent[v] * n + v] *= link_usage_penalty;
			weights[v * n + parent[v]] *= link_usage_penalty;
		}
	return true;
}

/* From FIRST on to before LAST. */
static bool find_trees(const struct method_request *r, int first, int last, struct trees *out, struct error *e)
{
	double *weights = weigh_links(r);
	int *parent = new_array(int, (size_t)out->nodes), searched = 0, root = first;

	tell_weights(r, weights);
	while (root < last && add_tree(out, root, weights, parent, &searched))
		root++;
	free(weights);
	free(parent);
	if (root < last)
		return error_set(e, ERROR_INPUT, "kernighan-lin", "no balanced binary tree of links was found from node %d", root);
	text_add(r->report, "%d tree%s by clustering, %d by search\n", last - first - searched, last - first - searched == 1 ? "" : "s",
		 searched);
	trees_tell(out, r->report);
	return true;
}

bool kernighan_lin_draw(const struct method_request *r, struct drawing *out, struct error *e)
{
	struct trees s = {.nodes = r->network->nodes};
	bool broadcast = r->collective.kind == BROADCAST;
	struct method_request asked = *r;
	int first = broadcast ? r->collective.root : 0;

	/* MXNet does not pipeline: a chunk a tree, unless more are asked for. */
	if (!asked.options.chunks)
		asked.options.chunks = broadcast ? 1 : s.nodes;
	bool one = broadcast || asked.options.chunks == 1;
	bool ok = find_trees(r, first, one ? first + 1 : s.nodes, &s, e) && trees_draw(&asked, &s, "kernighan-lin", out, e);
	trees_free(&s);
	return ok;
}
