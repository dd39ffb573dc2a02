/*
 * Expands trees into moves: an allreduce sends each chunk up and down every tree edge, with a virtual move at the root
 * in between; a gather sends each node's chunk along its path to the root. Precedence pairs become two adjacency
 * indexes; a backward pass computes heights.
 */

#include "synth/trees/tree_moves.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

static int add(struct tree_moves *m, struct tree_move one)
{
	m->of = grown(m->of, &m->capacity, m->n + 1, sizeof *m->of);
	m->of[m->n] = one;
	return (int)m->n++;
}

static void order(struct tree_moves *m, int before, int after)
{
	m->pairs = grown(m->pairs, &m->pairs_capacity, m->n_pairs + 1, sizeof *m->pairs);
	m->pairs[m->n_pairs++] = (struct tree_pair){before, after};
}

/* Depths, and nodes from the root down; scratch for one tree. */
struct layers {
	int *depth, *order, *up, *down; /* [node]; up, down: the moves over the edge above it */
};

static void lay(const struct weighted_tree *t, int nodes, struct layers *l)
{
	int n = 0;

	for (int v = 0; v < nodes; v++) {
		l->depth[v] = 0;
		for (int u = v; t->parent[u] >= 0; u = t->parent[u])
			l->depth[v]++;
	}
	for (int depth = 0; depth <= t->depth; depth++)
		for (int v = 0; v < nodes; v++)
			if (l->depth[v] == depth)
				l->order[n++] = v;
}

/* A node sends its sum up after all below it have; the total goes down after all sums have reached the root. */
static void add_allreduce(struct tree_moves *m, const struct weighted_tree *t, int nodes, const struct layers *l, int chunk, int wave)
{
	for (int i = nodes - 1; i > 0; i--) {
		int v = l->order[i];
		l->up[v] = add(m, (struct tree_move){chunk, v, t->parent[v], 0, true, wave, wave + t->depth - l->depth[v], 0});
	}
	int turn = add(m, (struct tree_move){chunk, t->root, t->root, -1, false, wave, wave + t->depth, 0});
	for (int i = 1; i < nodes; i++) {
		int v = l->order[i], above = t->parent[v];
		l->down[v] = add(m, (struct tree_move){chunk, above, v, 0, false, wave, wave + t->depth + l->depth[v] - 1, 0});
	}
	for (int i = 1; i < nodes; i++) {
		int v = l->order[i], above = t->parent[v];
		order(m, l->up[v], above == t->root ? turn : l->up[above]);
		order(m, above == t->root ? turn : l->down[above], l->down[v]);
	}
}

static void add_gather(struct tree_moves *m, const struct weighted_tree *t, int nodes, int chunk, int wave)
{
	for (int from = 0; from < nodes; from++) {
		int before = -1, hop = 0;
		for (int v = from; v != t->root; v = t->parent[v], hop++) {
			struct tree_move one = {chunk * nodes + from, v, t->parent[v], 0, false, wave, wave + hop, 0};
			int now = add(m, one);
			if (before >= 0)
				order(m, before, now);
			before = now;
		}
	}
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

static void finish(struct tree_moves *m, const struct network *w)
{
	m->after = order_of(m, true);
	m->before = order_of(m, false);
	for (size_t i = m->n; i-- > 0;) {
		struct tree_move *one = &m->of[i];
		int most = 0;
		for (int k = m->after.begin[i]; k < m->after.begin[i + 1]; k++)
			most = m->of[m->after.of[k]].height > most ? m->of[m->after.of[k]].height : most;
		one->edge = one->edge < 0 ? -1 : network_edge(w, one->src, one->dst);
		one->height = most + (one->edge >= 0);
		m->n_sends += one->edge >= 0;
	}
}

struct tree_moves tree_moves_new(const struct network *w, const struct trees *s, const int64_t *counts, enum collective_kind kind)
{
	size_t n = (size_t)s->nodes;
	struct layers l = {new_array(int, n), new_array(int, n), new_array(int, n), new_array(int, n)};
	struct tree_moves m = {0};
	int chunk = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct weighted_tree *t = &s->of[i];
		lay(t, s->nodes, &l);
		for (int64_t k = 0; k < counts[i]; k++, chunk++) {
			int wave = (int)(k / t->weight);
			if (kind == ALLREDUCE)
				add_allreduce(&m, t, s->nodes, &l, chunk, wave);
			else
				add_gather(&m, t, s->nodes, chunk, wave);
		}
	}
	finish(&m, w);
	free(l.depth);
	free(l.order);
	free(l.up);
	free(l.down);
	return m;
}

void tree_moves_free(struct tree_moves *m)
{
	free(m->of);
	free(m->pairs);
	csr_free(&m->after);
	csr_free(&m->before);
}
