/*
 * `double-binary-tree`: two binary trees over the ranks, each with half of the chunks; an inner node of one tree is a
 * leaf of the other (Sanders, Speck, Träff 2009; NCCL 2.4). An allreduce goes up and down both trees; a broadcast
 * enters both at its root; chunks are pipelined. Tree edges without a link become multi-hop paths, whose intermediate
 * nodes join the tree there: they forward, and reduce, what is theirs anyway.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/hop_router.h"
#include "synth/trees/tree_schedule.h"
#include "synth/trees/weighted_trees.h"

#include <stdlib.h>

enum { WIDTH_MAX = 64, WAVES_A_LINK = 4 }; /* default number of waves per link of height */

/* The parent of RANK in NCCL's binary tree of N ranks with root 0: the lowest set bit moves up by one place. */
static int parent_in_one(int rank, int n)
{
	int bit = rank & -rank, up = (rank ^ bit) | bit << 1;

	if (rank == 0)
		return -1;
	return up < n ? up : rank ^ bit;
}

/* The second tree is the mirror image where N is even, and shifted by one rank where N is odd. */
static int parent_in(int tree, int rank, int n)
{
	if (tree == 0)
		return parent_in_one(rank, n);
	int turned = n % 2 ? (rank + n - 1) % n : n - 1 - rank, up = parent_in_one(turned, n);
	if (up < 0)
		return -1;
	return n % 2 ? (up + 1) % n : n - 1 - up;
}

/* Lays a shortest path from FROM to TO; of its nodes only those not yet in the tree are attached. */
static void lay_path(const struct network *w, int *parent, bool *in, int from, int to, int turn)
{
	for (int at = from; at != to;) {
		int next = builder_next_hop(w, at, to, turn);
		if (!in[next]) {
			in[next] = true;
			parent[next] = at;
		}
		at = next;
	}
}

/* ROOT -1: the tree spans all nodes and has its own root. Otherwise ROOT stands above the tree of all other nodes. */
static void add_tree(const struct network *w, int number, int root, struct trees *out)
{
	int n = root < 0 ? w->nodes : w->nodes - 1, head = 0, tail = 0;
	int *parent = new_array(int, (size_t)w->nodes), *queue = new_array(int, (size_t)w->nodes);
	bool *in = new_array(bool, (size_t)w->nodes);

	for (int rank = 0; rank < n; rank++)
		if (parent_in(number, rank, n) < 0)
			queue[tail++] = rank;
	int first = root < 0 ? queue[0] : root;
	in[first] = true;
	parent[first] = -1;
	while (head < tail) {
		int rank = queue[head++], node = root < 0 ? rank : (root + 1 + rank) % w->nodes;
		int up = parent_in(number, rank, n);
		if (node != first)
			lay_path(w, parent, in, up < 0 ? root : root < 0 ? up : (root + 1 + up) % w->nodes, node, number);
		for (int child = 0; child < n; child++)
			if (parent_in(number, child, n) == rank)
				queue[tail++] = child;
	}
	trees_add(out, parent, 1);
	free(parent);
	free(queue);
	free(in);
}

/* Reports an edge of the tree without an edge the other way, which the way up needs. */
static bool check_both_ways(const struct network *w, const struct tree *t, struct error *e)
{
	for (int v = 0; v < w->nodes; v++)
		if (t->parent[v] >= 0 && network_edge(w, v, t->parent[v]) < 0)
			return error_set(e, ERROR_INPUT, "double-binary-tree", "needs links in both directions, but there is none from %d to %d", v,
					 t->parent[v]);
	return true;
}

/* Chunks of each tree in a wave: as many as need no more rounds than a single one. */
static int wave_width(const struct network *w, const struct trees *s, bool up)
{
	struct rational need = rational_div(rational(trees_weight(s), 1), trees_rate(s, w, up));
	int64_t width = rational_floor(rational_div(rational(rational_ceil(need), 1), need));

	return width < WIDTH_MAX ? (int)width : WIDTH_MAX;
}

/* Waves follow one another a step apart: up, for an allreduce, and down as soon as the root has the whole sum. */
static bool construct(const struct method_request *r, struct trees *s, struct construction *out, struct error *e)
{
	int width = wave_width(r->network, s, r->collective.kind == ALLREDUCE);

	text_add(r->report, "two trees, %d and %d links high\n", s->of[0].depth, s->of[1].depth);
	out->chunks = r->options.chunks ? r->options.chunks : 2 * width * WAVES_A_LINK * trees_depth(s);
	s->of[0].weight = s->of[1].weight = width;
	const int64_t counts[] = {(out->chunks + 1) / 2, out->chunks / 2};
	const struct tree_plan p = {.kind = r->collective.kind, .counts = counts, .in_turn = true, .in_waves = true};
	return trees_schedule(r->network, s, &p, "double-binary-tree", &out->steps, &out->n_steps, e);
}

bool double_binary_tree_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	const struct network *w = r->network;
	struct trees s = {.nodes = w->nodes};
	bool up = r->collective.kind == ALLREDUCE;

	if (!all_joined(w, "double-binary-tree", e))
		return false;
	add_tree(w, 0, up ? -1 : r->collective.root, &s);
	add_tree(w, 1, up ? -1 : r->collective.root, &s);
	bool ok = (!up || (check_both_ways(w, &s.of[0], e) && check_both_ways(w, &s.of[1], e))) && construct(r, &s, out, e);
	trees_free(&s);
	return ok;
}
