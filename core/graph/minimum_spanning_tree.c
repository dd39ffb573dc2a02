/*
 * Prim's algorithm (1957) with a heap that supports decrease-key: grows the tree from node 0 by the nearest node
 * outside it, the least among equally near ones. O(m log n).
 */

#include "core/graph/arborescence.h"

#include "core/base/csr.h"
#include "core/base/heap.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

struct prim {
	const struct arc *arcs;
	struct csr at;      /* by node: the arcs that start or end there */
	double *near;       /* [node]: the length of its shortest arc to the tree, INFINITY: none */
	struct heap heap;   /* nodes outside the tree that have such an arc, the nearest first, ties by number */
	bool *in;           /* [node]: in the tree */
};

static struct csr ends_of(const struct arc *arcs, int nodes, size_t n)
{
	struct csr c = csr_new(nodes);

	for (size_t i = 0; i < n; i++) {
		csr_count(&c, arcs[i].from);
		csr_count(&c, arcs[i].to);
	}
	csr_allocate(&c);
	for (size_t i = 0; i < n; i++) {
		csr_put(&c, arcs[i].from, (int)i);
		csr_put(&c, arcs[i].to, (int)i);
	}
	return c;
}

/* Adds V to the tree and updates its neighbours. */
static void reach(struct prim *p, int v, int *parent)
{
	p->in[v] = true;
	for (int k = p->at.begin[v]; k < p->at.begin[v + 1]; k++) {
		const struct arc *a = &p->arcs[p->at.of[k]];
		int to = a->from + a->to - v;
		if (p->in[to] || a->length >= p->near[to])
			continue;
		p->near[to] = a->length;
		parent[to] = v;
		heap_put(&p->heap, (struct heap_entry){heap_key(p->near[to]), to, to});
	}
}

bool minimum_spanning_tree(int nodes, const struct arc *arcs, size_t n, int *parent)
{
	size_t v = (size_t)nodes;
	struct prim p = {arcs, ends_of(arcs, nodes, n), new_array(double, v), {.tracks = true}, new_array(bool, v)};
	int reached = 1;

	for (int u = 0; u < nodes; u++)
		p.near[u] = INFINITY;
	parent[0] = -1;
	reach(&p, 0, parent);
	for (; p.heap.n > 0; reached++)
		reach(&p, heap_take(&p.heap).item, parent);
	csr_free(&p.at);
	heap_free(&p.heap);
	free(p.near);
	free(p.in);
	return reached == nodes;
}
