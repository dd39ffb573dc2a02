#include "methods/tree_moves.h"

#include "core/memory.h"

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
	m->of[after].waits++;
}

/* Depths, and nodes from the root down; scratch for one tree. */
struct layers {
	int *depth, *order, *up, *down; /* [node]; the moves over the edge above it */
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

/* A node passes its sum up when all below it have; the whole goes down when all have come to the root. */
static void add_allreduce(struct tree_moves *m, const struct weighted_tree *t, int nodes, const struct layers *l, int chunk, int wave)
{
	for (int i = nodes - 1; i > 0; i--) {
		int v = l->order[i];
		l->up[v] = add(m, (struct tree_move){chunk, v, t->parent[v], true, wave, wave + t->depth - l->depth[v], 0, 0});
	}
	for (int i = 1; i < nodes; i++) {
		int v = l->order[i], above = t->parent[v];
		l->down[v] = add(m, (struct tree_move){chunk, above, v, false, wave, wave + t->depth + l->depth[v] - 1, 0, 0});
	}
	for (int i = 1; i < nodes; i++) {
		int v = l->order[i], above = t->parent[v];
		if (above != t->root) {
			order(m, l->up[v], l->up[above]);
			order(m, l->down[above], l->down[v]);
			continue;
		}
		for (int k = 1; k < nodes && l->depth[l->order[k]] == 1; k++)
			order(m, l->up[v], l->down[l->order[k]]);
	}
}

static void add_gather(struct tree_moves *m, const struct weighted_tree *t, int nodes, int chunk, int wave)
{
	for (int from = 0; from < nodes; from++) {
		int before = -1, hop = 0;
		for (int v = from; v != t->root; v = t->parent[v], hop++) {
			struct tree_move one = {chunk * nodes + from, v, t->parent[v], false, wave, wave + hop, 0, 0};
			int now = add(m, one);
			if (before >= 0)
				order(m, before, now);
			before = now;
		}
	}
}

static int by_before(const void *a, const void *b)
{
	const struct tree_pair *x = a, *y = b;
	return x->before != y->before ? (x->before > y->before) - (x->before < y->before) : (x->after > y->after) - (x->after < y->after);
}

static void finish(struct tree_moves *m)
{
	if (m->n_pairs)
		qsort(m->pairs, m->n_pairs, sizeof *m->pairs, by_before);
	m->begin = new_array(size_t, m->n + 1);
	for (size_t i = 0; i < m->n_pairs; i++)
		m->begin[m->pairs[i].before + 1]++;
	for (size_t i = 0; i < m->n; i++)
		m->begin[i + 1] += m->begin[i];
	for (size_t i = m->n; i-- > 0;) {
		int most = 0;
		for (size_t k = m->begin[i]; k < m->begin[i + 1]; k++)
			most = m->of[m->pairs[k].after].height > most ? m->of[m->pairs[k].after].height : most;
		m->of[i].height = most + 1;
	}
}

struct tree_moves tree_moves_new(const struct trees *s, const int64_t *counts, enum collective_kind kind)
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
	finish(&m);
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
	free(m->begin);
}
