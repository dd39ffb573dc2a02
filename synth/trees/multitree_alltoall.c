/*
 * An alltoall over MultiTree's allgather trees (section VII-B): what a node sends to another follows the path from the
 * root to that node in its own tree. Time steps are steps of one round: those with the longest way left go first, each over
 * the next link of its path if that has room in this step.
 */

#include "synth/trees/multitree_alltoall.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/residual_capacity.h"

#include <stdlib.h>

/* A chunk on its way: `left` links to go, the next of them from `at`. */
struct tree_parcel {
	int tree, to, at, left;
};

/* Of all trees: the parent of each node, -1 at the root, and its depth. */
struct grown_trees {
	int nodes;
	int *parent, *depth; /* [tree * nodes + node] */
};

static struct grown_trees trees_of(const struct step *steps, size_t n_steps, int n_trees, int nodes)
{
	size_t n = (size_t)n_trees * (size_t)nodes;
	struct grown_trees t = {nodes, new_array(int, n), new_array(int, n)};

	for (size_t i = 0; i < n; i++)
		t.parent[i] = -1;
	for (size_t s = 0; s < n_steps; s++)
		for (size_t i = 0; i < steps[s].n_sends; i++) {
			const struct send *x = &steps[s].sends[i];
			size_t row = (size_t)x->chunk * (size_t)nodes;
			t.parent[row + (size_t)x->dst] = x->src;
			t.depth[row + (size_t)x->dst] = t.depth[row + (size_t)x->src] + 1;
		}
	return t;
}

/* The node after AT on the tree's path to TO. */
static int next_on_path(const struct grown_trees *t, const struct tree_parcel *p)
{
	const int *parent = &t->parent[(size_t)p->tree * (size_t)t->nodes];
	int node = p->to;

	while (parent[node] != p->at)
		node = parent[node];
	return node;
}

static int by_way_left(const void *va, const void *vb)
{
	const struct tree_parcel *a = va, *b = vb;

	if (a->left != b->left)
		return a->left > b->left ? -1 : 1;
	if (a->tree != b->tree)
		return a->tree < b->tree ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* One time step of the N parcels that are still on their way, which are sorted; returns how many are left. */
static size_t time_step(const struct network *w, const struct grown_trees *t, struct residual_capacity *room, struct tree_parcel *all, size_t n,
			struct step *out)
{
	size_t kept = 0;

	*out = (struct step){.rounds = 1, .sends = new_array(struct send, n)};
	residual_refill(room, 1);
	for (size_t i = 0; i < n; i++) {
		struct tree_parcel p = all[i];
		int to = next_on_path(t, &p), part = p.tree / t->nodes, from = p.tree % t->nodes;
		if (residual_take(room, network_edge(w, p.at, to))) {
			out->sends[out->n_sends++] = (struct send){(part * t->nodes + p.to) * t->nodes + from, p.at, to};
			p.at = to;
			p.left--;
		}
		if (p.left)
			all[kept++] = p;
	}
	qsort(all, kept, sizeof *all, by_way_left);
	return kept;
}

bool multitree_alltoall(const struct network *w, int n_trees, struct step **steps, size_t *n_steps, struct error *e)
{
	struct grown_trees t = trees_of(*steps, *n_steps, n_trees, w->nodes);
	struct tree_parcel *all = new_array(struct tree_parcel, (size_t)n_trees * (size_t)w->nodes);
	struct residual_capacity room = residual_new(w);
	struct step *list = NULL;
	size_t n = 0, done = 0, capacity = 0;

	for (int tree = 0; tree < n_trees; tree++)
		for (int v = 0; v < w->nodes; v++)
			if (v != tree % w->nodes)
				all[n++] = (struct tree_parcel){tree, v, tree % w->nodes, t.depth[(size_t)tree * (size_t)w->nodes + (size_t)v]};
	qsort(all, n, sizeof *all, by_way_left);
	while (n && done < STEPS_MAX) {
		list = grown(list, &capacity, done + 1, sizeof *list);
		n = time_step(w, &t, &room, all, n, &list[done++]);
	}
	residual_free(&room);
	free(all);
	free(t.parent);
	free(t.depth);
	steps_free(*steps, *n_steps);
	*steps = list;
	*n_steps = done;
	return !n || error_set(e, ERROR_LIMIT, "multitree", "needs too many steps");
}
