/*
 * Local search on packed trees: a node moves to a parent nearer the root over an edge with residual capacity, or swaps
 * parents with another tree of the same weight, whenever the sum of squared depths falls. Sweeps over all trees and
 * nodes repeat until nothing moves, at most 16 times; before each, undirected trees are rooted at their centres.
 */

#include "synth/trees/depth_reduction.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/trees/strength.h"

#include <stdlib.h>
#include <string.h>

/*
 * A tree with its whole weight, as arrays by node except `order`: the nodes in preorder, so that a subtree is
 * contiguous.
 */
struct laid {
	int64_t weight;
	int *parent, *depth, *size, *at, *order; /* size: nodes in the subtree; at: position in `order` */
	int64_t *sum;                            /* of the depths in the subtree */
};

struct lowering {
	const struct network *w;
	bool rooted;
	int64_t *left; /* [edge]: residual capacity; undirected: of both directions, at the edge from the lesser node */
	int n;
	struct laid *of;
	int *child, *sister; /* [node], scratch */
};

static struct laid laid_new(int nodes, const struct tree *t)
{
	size_t n = (size_t)nodes;
	return (struct laid){t->weight, copy_bytes(t->parent, n * sizeof *t->parent), new_array(int, n), new_array(int, n), new_array(int, n),
			     new_array(int, n), new_array(int64_t, n)};
}

static void laid_free(struct laid *t)
{
	free(t->parent);
	free(t->depth);
	free(t->size);
	free(t->at);
	free(t->order);
	free(t->sum);
}

static void list_children(struct lowering *l, const struct laid *t, int *root)
{
	for (int v = 0; v < l->w->nodes; v++)
		l->child[v] = -1;
	for (int v = 0; v < l->w->nodes; v++) {
		int up = t->parent[v];
		if (up < 0) {
			*root = v;
			continue;
		}
		l->sister[v] = l->child[up];
		l->child[up] = v;
	}
}

static void lay(struct lowering *l, struct laid *t)
{
	int n = 0, root = 0;

	list_children(l, t, &root);
	for (int v = root; v >= 0;) {
		t->depth[v] = v == root ? 0 : t->depth[t->parent[v]] + 1;
		t->at[v] = n;
		t->order[n++] = v;
		if (l->child[v] >= 0) {
			v = l->child[v];
			continue;
		}
		while (v != root && l->sister[v] < 0)
			v = t->parent[v];
		v = v == root ? -1 : l->sister[v];
	}
	for (int i = 0; i < n; i++) {
		t->size[i] = 1;
		t->sum[i] = t->depth[i];
	}
	for (int i = n - 1; i > 0; i--) {
		int v = t->order[i], up = t->parent[v];
		t->size[up] += t->size[v];
		t->sum[up] += t->sum[v];
	}
}

static bool hangs_from(const struct laid *t, int v, int top)
{
	return t->at[v] >= t->at[top] && t->at[v] < t->at[top] + t->size[top];
}

/* Increase of the sum of squared depths if V and its subtree moved below UP. */
static int64_t rise(const struct laid *t, int v, int up)
{
	int64_t by = t->depth[up] + 1 - t->depth[v];
	return 2 * by * t->sum[v] + by * by * t->size[v];
}

static int64_t *left_of(const struct lowering *l, int up, int v)
{
	return &l->left[l->rooted || up < v ? network_edge(l->w, up, v) : network_edge(l->w, v, up)];
}

static void rehang(struct lowering *l, struct laid *t, int v, int up)
{
	*left_of(l, t->parent[v], v) += t->weight;
	*left_of(l, up, v) -= t->weight;
	t->parent[v] = up;
	lay(l, t);
}

/*
 * Moves V below Q over a full edge if another tree of the same weight can give that edge up and take V's old one
 * instead.
 */
static bool swap(struct lowering *l, struct laid *t, int v, int q)
{
	int p = t->parent[v];
	int64_t gain = -rise(t, v, q), best = gain;
	struct laid *with = NULL;

	for (int i = 0; i < l->n; i++) {
		struct laid *o = &l->of[i];
		if (o->parent[v] != q || o == t || o->weight != t->weight || hangs_from(o, p, v) || rise(o, v, p) >= best)
			continue;
		best = rise(o, v, p);
		with = o;
	}
	if (with) {
		rehang(l, t, v, q);
		rehang(l, with, v, p);
	}
	return with != NULL;
}

static bool lower_node(struct lowering *l, struct laid *t, int v)
{
	const struct network *w = l->w;

	for (int k = w->in_begin[v]; k < w->in_begin[v + 1]; k++) {
		int q = w->edges[w->in[k]].src;
		if (t->parent[v] < 0 || t->depth[q] + 1 >= t->depth[v] || (!l->rooted && network_edge(w, v, q) < 0))
			continue;
		if (*left_of(l, q, v) >= t->weight) {
			rehang(l, t, v, q);
			return true;
		}
		if (swap(l, t, v, q))
			return true;
	}
	return false;
}

static bool lower_all(struct lowering *l)
{
	bool any = false;

	for (int i = 0; i < l->n; i++)
		for (int v = 0; v < l->w->nodes; v++)
			any |= lower_node(l, &l->of[i], v);
	return any;
}

/* In fractions of a unit: a unit has as many parts as the denominator of ROUNDS. */
static void count_left(struct lowering *l, struct rational rounds)
{
	for (size_t e = 0; e < l->w->n_edges; e++)
		l->left[e] = rounds.num * (l->rooted ? l->w->edges[e].bandwidth : joint_width(l->w, e));
	for (int i = 0; i < l->n; i++)
		for (int v = 0; v < l->w->nodes; v++)
			if (l->of[i].parent[v] >= 0)
				*left_of(l, l->of[i].parent[v], v) -= l->of[i].weight;
}

static void turn_to_centres(struct lowering *l)
{
	for (int i = 0; i < l->n; i++) {
		struct tree one = {.parent = l->of[i].parent};
		if (!l->rooted)
			trees_turn(&one, l->w->nodes, trees_centre(&one, l->w->nodes));
		lay(l, &l->of[i]);
	}
}

/* Adds the tree's weight to an equal tree, or adds a new one. */
static void add_tree(struct trees *s, const struct laid *t)
{
	for (size_t i = 0; i < s->n; i++)
		if (memcmp(s->of[i].parent, t->parent, (size_t)s->nodes * sizeof *t->parent) == 0) {
			s->of[i].weight += t->weight;
			return;
		}
	trees_add(s, t->parent, t->weight);
}

void trees_reduce_depth(const struct network *w, bool rooted, struct rational rounds, struct trees *s)
{
	enum { SWEEPS_MAX = 16 };
	size_t n = (size_t)w->nodes;
	struct lowering l = {w, rooted, new_array(int64_t, w->n_edges), (int)s->n, new_array(struct laid, s->n), new_array(int, n),
			     new_array(int, n)};
	struct trees now = {.nodes = w->nodes};
	bool more = true;

	for (size_t i = 0; i < s->n; i++) {
		l.of[i] = laid_new(w->nodes, &s->of[i]);
		l.of[i].weight *= rounds.den;
	}
	count_left(&l, rounds);
	for (int sweep = 0; sweep < SWEEPS_MAX && more; sweep++) {
		turn_to_centres(&l);
		more = lower_all(&l);
	}
	turn_to_centres(&l);
	for (int i = 0; i < l.n; i++) {
		l.of[i].weight /= rounds.den;
		add_tree(&now, &l.of[i]);
		laid_free(&l.of[i]);
	}
	trees_free(s);
	*s = now;
	free(l.of);
	free(l.left);
	free(l.child);
	free(l.sister);
}
