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

#include <stdlib.h>

enum { WIDTH_MAX = 64, WAVES_A_LINK = 4 }; /* default number of waves per link of height */

/* A spanning tree of links. */
struct binary_tree {
	int *parent, *depth; /* [node]; -1 and 0 at the root */
	int height;
};

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
static void lay_way(const struct network *w, struct binary_tree *t, bool *in, int from, int to, int turn)
{
	for (int at = from; at != to;) {
		int next = builder_next_hop(w, at, to, turn);
		if (!in[next]) {
			in[next] = true;
			t->parent[next] = at;
			t->depth[next] = t->depth[at] + 1;
			t->height = t->depth[next] > t->height ? t->depth[next] : t->height;
		}
		at = next;
	}
}

/* ROOT -1: the tree spans all nodes and has its own root. Otherwise ROOT stands above the tree of all other nodes. */
static struct binary_tree tree_new(const struct network *w, int number, int root)
{
	int n = root < 0 ? w->nodes : w->nodes - 1, head = 0, tail = 0;
	struct binary_tree t = {new_array(int, (size_t)w->nodes), new_array(int, (size_t)w->nodes), 0};
	bool *in = new_array(bool, (size_t)w->nodes);
	int *queue = new_array(int, (size_t)w->nodes);

	for (int rank = 0; rank < n; rank++)
		if (parent_in(number, rank, n) < 0)
			queue[tail++] = rank;
	int first = root < 0 ? queue[0] : root;
	in[first] = true;
	t.parent[first] = -1;
	while (head < tail) {
		int rank = queue[head++], node = root < 0 ? rank : (root + 1 + rank) % w->nodes;
		int up = parent_in(number, rank, n);
		if (node != first)
			lay_way(w, &t, in, up < 0 ? root : root < 0 ? up : (root + 1 + up) % w->nodes, node, number);
		for (int child = 0; child < n; child++)
			if (parent_in(number, child, n) == rank)
				queue[tail++] = child;
	}
	free(in);
	free(queue);
	return t;
}

static void tree_free(struct binary_tree *t)
{
	free(t->parent);
	free(t->depth);
}

/* Reports an edge of the tree without an edge the other way, which the way up needs. */
static bool check_both_ways(const struct network *w, const struct binary_tree *t, struct error *e)
{
	for (int v = 0; v < w->nodes; v++)
		if (t->parent[v] >= 0 && network_edge(w, v, t->parent[v]) < 0)
			return error_set(e, ERROR_INPUT, "double-binary-tree", "needs links both ways, and none leads from %d to %d", v,
					 t->parent[v]);
	return true;
}

/* Rounds of a step in which every edge of both trees carries CHUNKS. */
static int64_t busy_rounds(const struct network *w, const struct binary_tree *trees, bool up, int chunks)
{
	int64_t *loads = new_array(int64_t, w->n_edges);

	for (int i = 0; i < 2 * w->nodes; i++) {
		int v = i / 2, parent = trees[i % 2].parent[v];
		if (parent < 0)
			continue;
		loads[network_edge(w, parent, v)] += chunks;
		if (up)
			loads[network_edge(w, v, parent)] += chunks;
	}
	int64_t rounds = network_rounds(w, loads);
	free(loads);
	return rounds;
}

/* Chunks per wave: as many as need no more rounds than a single one. */
static int wave_width(const struct network *w, const struct binary_tree *trees, bool up)
{
	int width = 1;
	int64_t rounds = busy_rounds(w, trees, up, 1);

	while (width < WIDTH_MAX && busy_rounds(w, trees, up, width + 1) <= rounds)
		width++;
	return width;
}

/* Waves follow one another a step apart: up, for an allreduce, and down as soon as the root has the whole sum. */
static void draw_chunk(struct schedule_builder *d, const struct network *w, const struct binary_tree *t, int chunk, int width, bool up)
{
	int begins = chunk / 2 / width, turns = begins + (up ? t->height : 0);

	for (int v = 0; v < w->nodes; v++) {
		if (t->parent[v] < 0)
			continue;
		if (up)
			builder_reduce(d, begins + t->height - t->depth[v], chunk, v, t->parent[v]);
		builder_send(d, turns + t->depth[v] - 1, chunk, t->parent[v], v);
	}
}

bool double_binary_tree_draw(const struct method_request *r, struct drawing *out, struct error *e)
{
	const struct network *w = r->network;
	bool up = r->collective.kind == ALLREDUCE;

	if (!all_joined(w, "double-binary-tree", e))
		return false;
	struct binary_tree trees[2] = {tree_new(w, 0, up ? -1 : r->collective.root), tree_new(w, 1, up ? -1 : r->collective.root)};
	int height = trees[0].height > trees[1].height ? trees[0].height : trees[1].height;
	bool ok = !up || (check_both_ways(w, &trees[0], e) && check_both_ways(w, &trees[1], e));
	if (ok) {
		int width = wave_width(w, trees, up);
		struct schedule_builder *d = builder_new(w);
		text_add(r->report, "two trees, %d and %d links high\n", trees[0].height, trees[1].height);
		out->chunks = r->options.chunks ? r->options.chunks : 2 * width * WAVES_A_LINK * height;
		for (int c = 0; c < out->chunks && !builder_is_full(d); c++)
			draw_chunk(d, w, &trees[c % 2], c, width, up);
		ok = builder_take(d, "double-binary-tree", &out->steps, &out->n_steps, e);
		builder_free(d);
	}
	tree_free(&trees[0]);
	tree_free(&trees[1]);
	return ok;
}
