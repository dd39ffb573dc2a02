/*
 * Expands trees into moves: a broadcast or allgather sends each chunk down every tree edge; an allreduce sends it up and
 * down, with a virtual move at the root in between; a gather sends each node's chunk along its path to the root.
 * A backward pass over precedence pairs computes heights; the pairs become two adjacency indexes.
 */

#include "synth/trees/tree_moves.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/schedule_builder.h"
#include "synth/trees/weighted_trees.h"

#include <stdlib.h>

static int add(struct tree_moves *m, struct tree_move one)
{
	m->of = grown(m->of, &m->capacity, m->n + 1, sizeof *m->of);
	m->of[m->n] = one;
	m->of[m->n].height = one.edge >= 0;
	m->n_sends += one.edge >= 0;
	return (int)m->n++;
}

static void order(struct tree_moves *m, int before, int after)
{
	m->pairs = grown(m->pairs, &m->pairs_capacity, m->n_pairs + 1, sizeof *m->pairs);
	m->pairs[m->n_pairs++] = (struct tree_pair){before, after};
}

/* A tree's nodes from the root down, their depths, and the edges above them; scratch for one tree. */
struct layers {
	const struct tree *tree;
	int nodes;
	int *depth, *order;      /* [node], [position] */
	int *up_edge, *down_edge; /* [node]; -1: the network has none */
	int *up, *down;          /* [node]: the moves over these edges */
};

static void lay(const struct network *w, const struct tree *t, struct layers *l)
{
	int n = 0;

	l->tree = t;
	for (int v = 0; v < l->nodes; v++) {
		l->depth[v] = 0;
		for (int u = v; t->parent[u] >= 0; u = t->parent[u])
			l->depth[v]++;
		l->up_edge[v] = t->parent[v] < 0 ? -1 : network_edge(w, v, t->parent[v]);
		l->down_edge[v] = t->parent[v] < 0 ? -1 : network_edge(w, t->parent[v], v);
	}
	for (int depth = 0; depth <= t->depth; depth++)
		for (int v = 0; v < l->nodes; v++)
			if (l->depth[v] == depth)
				l->order[n++] = v;
}

/* Sends the chunk down all tree edges. TURN: the move after which the root has it; -1: from the beginning. */
static void add_down(struct tree_moves *m, const struct layers *l, int chunk, int wave, int early, int turn)
{
	for (int i = 1; i < l->nodes; i++) {
		int v = l->order[i], above = l->tree->parent[v], before = above == l->tree->root ? turn : l->down[above];
		l->down[v] = add(m, (struct tree_move){chunk, l->down_edge[v], false, wave, early + l->depth[v] - 1, 0});
		if (before >= 0)
			order(m, before, l->down[v]);
	}
}

static void add_copies(struct tree_moves *m, const struct layers *l, int chunk, int wave)
{
	add_down(m, l, chunk, wave, wave, -1);
}

/* A node sends its sum up after all below it have; the total goes down after all sums have reached the root. */
static void add_allreduce(struct tree_moves *m, const struct layers *l, int chunk, int wave)
{
	const struct tree *t = l->tree;

	for (int i = l->nodes - 1; i > 0; i--) {
		int v = l->order[i];
		l->up[v] = add(m, (struct tree_move){chunk, l->up_edge[v], true, wave, wave + t->depth - l->depth[v], 0});
	}
	int turn = add(m, (struct tree_move){chunk, -1, false, wave, wave + t->depth, 0});
	for (int i = l->nodes - 1; i > 0; i--) {
		int v = l->order[i], above = t->parent[v];
		order(m, l->up[v], above == t->root ? turn : l->up[above]);
	}
	add_down(m, l, chunk, wave, wave + t->depth, turn);
}

static void add_gather(struct tree_moves *m, const struct layers *l, int chunk, int wave)
{
	for (int from = 0; from < l->nodes; from++) {
		int before = -1, hop = 0;
		for (int v = from; v != l->tree->root; v = l->tree->parent[v], hop++) {
			struct tree_move one = {chunk * l->nodes + from, l->up_edge[v], false, wave, wave + hop, 0};
			int now = add(m, one);
			if (before >= 0)
				order(m, before, now);
			before = now;
		}
	}
}

typedef void add_chunk(struct tree_moves *m, const struct layers *l, int chunk, int wave);

static add_chunk *const adders[COLLECTIVE_KINDS] = {
	[ALLGATHER] = add_copies, [BROADCAST] = add_copies, [GATHER] = add_gather, [ALLREDUCE] = add_allreduce,
};

static int64_t count_of(const struct trees *s, const struct tree_plan *p, size_t i)
{
	return p->counts ? p->counts[i] : s->of[i].weight;
}

/* The moves of tree I. FIRST: chunks on the trees before it. EACH: chunks in a wave that is repeated, of one root. */
static void add_tree(struct tree_moves *m, const struct trees *s, const struct tree_plan *p, size_t i, const struct layers *l,
		     int64_t first, int64_t each)
{
	int64_t n = count_of(s, p, i) * (p->waves ? p->waves : 1);

	for (int64_t k = 0; k < n && m->n_sends <= m->most; k++) {
		int64_t wave = p->waves ? k % p->waves : k / l->tree->weight, chunk = first + k;
		if (p->in_turn)
			chunk = k * (int64_t)s->n + (int64_t)i;
		else if (p->waves)
			chunk = first + wave * each + k / p->waves;
		if (p->kind == ALLGATHER)
			chunk = chunk * l->nodes + l->tree->root;
		adders[p->kind](m, l, (int)chunk, (int)wave);
	}
}

/* A move's pairs come after those of its predecessors. */
static void measure(struct tree_moves *m)
{
	for (size_t i = m->n_pairs; i-- > 0;) {
		const struct tree_move *after = &m->of[m->pairs[i].after];
		struct tree_move *before = &m->of[m->pairs[i].before];
		int height = after->height + (before->edge >= 0);
		before->height = height > before->height ? height : before->height;
	}
}

/* Highest first, otherwise stable, for tree_moves_place. */
static void sort_by_height(struct tree_moves *m)
{
	struct csr of_height = csr_by_row(m->depth + 1, &m->of[0].height, m->n, sizeof *m->of);
	struct tree_move *sorted = new_array(struct tree_move, m->n);
	int *now = new_array(int, m->n), n = 0;

	for (int height = m->depth; height > 0; height--)
		for (int k = of_height.begin[height]; k < of_height.begin[height + 1]; k++) {
			now[of_height.of[k]] = n;
			sorted[n++] = m->of[of_height.of[k]];
		}
	for (size_t i = 0; i < m->n_pairs; i++)
		m->pairs[i] = (struct tree_pair){now[m->pairs[i].before], now[m->pairs[i].after]};
	csr_free(&of_height);
	free(now);
	free(m->of);
	m->of = sorted;
}

static struct csr order_of(const struct tree_moves *m, bool after)
{
	struct csr o = csr_new((int)m->n);

	for (size_t i = 0; i < m->n_pairs; i++)
		csr_count(&o, after ? m->pairs[i].before : m->pairs[i].after);
	csr_allocate(&o);
	for (size_t i = 0; i < m->n_pairs; i++) {
		const struct tree_pair *p = &m->pairs[i];
		csr_put(&o, after ? p->before : p->after, after ? p->after : p->before);
	}
	return o;
}

/* Chunks of the first tree's root in a wave. */
static int64_t chunks_of_root(const struct trees *s, const struct tree_plan *p)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->of[i].root == s->of[0].root ? count_of(s, p, i) : 0;
	return sum;
}

struct tree_moves tree_moves_new(const struct network *w, const struct trees *s, const struct tree_plan *p)
{
	size_t n = (size_t)s->nodes;
	struct layers l = {NULL, s->nodes, new_array(int, n), new_array(int, n), new_array(int, n), new_array(int, n), new_array(int, n),
			   new_array(int, n)};
	struct tree_moves m = {.network = w, .copies = adders[p->kind] == add_copies, .depth = trees_depth(s)};
	int64_t first = 0, each = chunks_of_root(s, p);

	m.most = m.copies && !p->in_waves ? TREE_SENDS_MAX : BUILDER_SENDS_MAX;
	for (size_t i = 0; i < s->n; i++) {
		if (p->kind == ALLGATHER && i > 0 && s->of[i - 1].root != s->of[i].root)
			first = 0;
		lay(w, &s->of[i], &l);
		add_tree(&m, s, p, i, &l, first, each);
		first += count_of(s, p, i);
	}
	measure(&m);
	if (m.copies)
		sort_by_height(&m);
	m.after = order_of(&m, true);
	m.before = order_of(&m, false);
	free(m.pairs);
	m.pairs = NULL;
	free(l.depth);
	free(l.order);
	free(l.up_edge);
	free(l.down_edge);
	free(l.up);
	free(l.down);
	return m;
}

void tree_moves_free(struct tree_moves *m)
{
	free(m->of);
	csr_free(&m->after);
	csr_free(&m->before);
}
