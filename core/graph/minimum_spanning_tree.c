#include "core/graph/arborescence.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

struct prim {
	const struct arc *arcs;
	int *begin, *ways;  /* of node v, arcs at either end: ways[begin[v]] .. ways[begin[v + 1] - 1] */
	double *near;       /* [node]: its nearest node in the tree, INFINITY: none */
	int *heap, n, *at;  /* nodes outside that have one, the nearest first, the least of equals; [node]: where in it, -1: not */
	bool *in;
};

static void index_ways(struct prim *p, int nodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		p->begin[p->arcs[i].from]++;
		p->begin[p->arcs[i].to]++;
	}
	for (int v = 0; v < nodes; v++)
		p->begin[v + 1] += p->begin[v];
	for (size_t i = n; i-- > 0;) {
		p->ways[--p->begin[p->arcs[i].from]] = (int)i;
		p->ways[--p->begin[p->arcs[i].to]] = (int)i;
	}
}

static bool is_nearer(const struct prim *p, int a, int b)
{
	return p->near[a] < p->near[b] || (p->near[a] <= p->near[b] && a < b);
}

static void put(struct prim *p, int place, int v)
{
	p->heap[place] = v;
	p->at[v] = place;
}

static void rise(struct prim *p, int v)
{
	int place = p->at[v] < 0 ? p->n++ : p->at[v];

	for (; place > 0 && is_nearer(p, v, p->heap[(place - 1) / 2]); place = (place - 1) / 2)
		put(p, place, p->heap[(place - 1) / 2]);
	put(p, place, v);
}

static int take(struct prim *p)
{
	int first = p->heap[0], last = p->heap[--p->n], place = 0;

	for (int child = 1; child < p->n; child = 2 * place + 1) {
		child += child + 1 < p->n && is_nearer(p, p->heap[child + 1], p->heap[child]);
		if (!is_nearer(p, p->heap[child], last))
			break;
		put(p, place, p->heap[child]);
		place = child;
	}
	put(p, place, last);
	return first;
}

static void reach(struct prim *p, int v, int *parent)
{
	p->in[v] = true;
	for (int k = p->begin[v]; k < p->begin[v + 1]; k++) {
		const struct arc *a = &p->arcs[p->ways[k]];
		int to = a->from + a->to - v;
		if (p->in[to] || a->length >= p->near[to])
			continue;
		p->near[to] = a->length;
		parent[to] = v;
		rise(p, to);
	}
}

bool minimum_spanning_tree(int nodes, const struct arc *arcs, size_t n, int *parent)
{
	size_t v = (size_t)nodes;
	struct prim p = {arcs, new_array(int, v + 1), new_array(int, 2 * n), new_array(double, v), new_array(int, v), 0, new_array(int, v),
			 new_array(bool, v)};
	int reached = 1;

	index_ways(&p, nodes, n);
	for (int u = 0; u < nodes; u++) {
		p.near[u] = INFINITY;
		p.at[u] = -1;
	}
	parent[0] = -1;
	reach(&p, 0, parent);
	for (; p.n > 0; reached++)
		reach(&p, take(&p), parent);
	free(p.begin);
	free(p.ways);
	free(p.near);
	free(p.heap);
	free(p.at);
	free(p.in);
	return reached == nodes;
}
