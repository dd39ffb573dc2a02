/*
 * An edge is placed in a forest in which it joins two components. If there is none, each edge on the path between its
 * ends in a forest can be displaced by it and moved to the next forest (cyclically), displacing others in turn (Roskind
 * and Tarjan 1985). A search scans each edge at most once, for one forest only, so that it examines no more edges than
 * are placed. A failed search has found a clump: a set of nodes on which every forest is a spanning tree. No further
 * edge within a clump can ever be placed, so no other search starts there.
 */

#include "core/graph/matroid_union.h"

#include "core/base/csr.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { UNSEEN = -1, START = -2 };

/* One forest. Each component is rooted at its least node. */
struct forest_of {
	int n, *edges;                  /* at most nodes - 1 */
	int *above, *by, *depth, *part; /* [node]: parent and the edge to it (both -1 at a root), depth, root */
};

struct exchange {
	int nodes, trees;
	struct graph_edge *edges;
	struct forest_of *of; /* [tree] */
	int *before;          /* [edge]: the edge that would take its place; UNSEEN, or START for the new edge */
	int *queue, n_queue;  /* edges labelled by the current search */
	int *clump;           /* [node]: the clump it belongs to, initially only itself */
	int *todo;            /* scratch for hang */
};

static int other_end(const struct graph_edge *e, int v)
{
	return e->a == v ? e->b : e->a;
}

static struct csr ends_of(const struct exchange *x, const struct forest_of *f)
{
	struct csr c = csr_new(x->nodes);

	for (int i = 0; i < f->n; i++) {
		csr_count(&c, x->edges[f->edges[i]].a);
		csr_count(&c, x->edges[f->edges[i]].b);
	}
	csr_allocate(&c);
	for (int i = f->n; i-- > 0;) {
		csr_put(&c, x->edges[f->edges[i]].a, f->edges[i]);
		csr_put(&c, x->edges[f->edges[i]].b, f->edges[i]);
	}
	return c;
}

/* Roots every component at its least node, breadth first. */
static void hang(struct exchange *x, struct forest_of *f)
{
	struct csr at = ends_of(x, f);

	for (int v = 0; v < x->nodes; v++)
		f->part[v] = UNSEEN;
	for (int root = 0; root < x->nodes; root++) {
		int head = 0, tail = 0;
		if (f->part[root] != UNSEEN)
			continue;
		f->part[root] = root;
		f->above[root] = f->by[root] = -1;
		f->depth[root] = 0;
		x->todo[tail++] = root;
		while (head < tail) {
			int v = x->todo[head++];
			for (int k = at.begin[v]; k < at.begin[v + 1]; k++) {
				int to = other_end(&x->edges[at.of[k]], v);
				if (f->part[to] != UNSEEN)
					continue;
				f->part[to] = root;
				f->above[to] = v;
				f->by[to] = at.of[k];
				f->depth[to] = f->depth[v] + 1;
				x->todo[tail++] = to;
			}
		}
	}
	csr_free(&at);
}

/* Labels EDGE as replaceable by INSTEAD_OF, unless it has a label. */
static void ask(struct exchange *x, int edge, int instead_of)
{
	if (x->before[edge] != UNSEEN)
		return;
	x->before[edge] = instead_of;
	x->queue[x->n_queue++] = edge;
}

/* Labels the edges on the path between the ends of EDGE in forest T. False: EDGE joins two components of T. */
static bool ask_between(struct exchange *x, int edge, int t)
{
	const struct forest_of *f = &x->of[t];
	int a = x->edges[edge].a, b = x->edges[edge].b;

	if (f->part[a] != f->part[b])
		return false;
	while (a != b) {
		int *lower = f->depth[a] > f->depth[b] ? &a : &b;
		ask(x, f->by[*lower], edge);
		*lower = f->above[*lower];
	}
	return true;
}

static void swap_edge(struct forest_of *f, int out, int in)
{
	int i = 0;

	while (f->edges[i] != out)
		i++;
	f->edges[i] = in;
}

/* Adds EDGE to forest T; the edge that displaced it takes its old place, and so on back to the new edge. */
static void shift(struct exchange *x, int edge, int t)
{
	x->of[t].edges[x->of[t].n++] = edge;
	for (int e = edge; e != START; e = x->before[e]) {
		int was = x->edges[e].tree;
		if (was >= 0)
			swap_edge(&x->of[was], e, x->before[e]);
		x->edges[e].tree = t;
		hang(x, &x->of[t]);
		t = was;
	}
}

/* After a failed search: the ends of all labelled edges form one clump. */
static void clump(struct exchange *x)
{
	for (int i = 0; i < x->n_queue; i++) {
		int from = x->clump[x->edges[x->queue[i]].b], to = x->clump[x->edges[x->queue[i]].a];
		for (int v = 0; v < x->nodes && from != to; v++)
			x->clump[v] = x->clump[v] == from ? to : x->clump[v];
	}
}

static bool place_at_once(struct exchange *x, int edge)
{
	for (int t = 0; t < x->trees; t++)
		if (x->of[t].part[x->edges[edge].a] != x->of[t].part[x->edges[edge].b]) {
			shift(x, edge, t);
			return true;
		}
	return false;
}

static bool place(struct exchange *x, int edge)
{
	bool placed = x->clump[x->edges[edge].a] == x->clump[x->edges[edge].b];

	if (placed)
		return false;
	x->n_queue = 0;
	ask(x, edge, START);
	placed = place_at_once(x, edge);
	for (int head = 0; head < x->n_queue && !placed; head++) {
		int e = x->queue[head], t = (x->edges[e].tree + 1) % x->trees;
		placed = !ask_between(x, e, t);
		if (placed)
			shift(x, e, t);
	}
	if (!placed)
		clump(x);
	for (int i = 0; i < x->n_queue; i++)
		x->before[x->queue[i]] = UNSEEN;
	return placed;
}

static struct exchange exchange_new(int nodes, struct graph_edge *edges, int n, int trees)
{
	size_t v = (size_t)nodes;
	struct exchange x = {nodes, trees, edges, new_array(struct forest_of, (size_t)trees), new_array(int, (size_t)n),
			     new_array(int, (size_t)n), 0, new_array(int, v), new_array(int, v)};

	for (int t = 0; t < trees; t++) {
		x.of[t] = (struct forest_of){0, new_array(int, v), new_array(int, v), new_array(int, v), new_array(int, v),
					     new_array(int, v)};
	}
	for (int i = 0; i < n; i++) {
		x.before[i] = UNSEEN;
		if (edges[i].tree >= 0)
			x.of[edges[i].tree].edges[x.of[edges[i].tree].n++] = i;
	}
	for (int t = 0; t < trees; t++)
		hang(&x, &x.of[t]);
	for (int u = 0; u < nodes; u++)
		x.clump[u] = u;
	return x;
}

static void exchange_free(struct exchange *x)
{
	for (int t = 0; t < x->trees; t++) {
		free(x->of[t].edges);
		free(x->of[t].above);
		free(x->of[t].by);
		free(x->of[t].depth);
		free(x->of[t].part);
	}
	free(x->of);
	free(x->before);
	free(x->queue);
	free(x->clump);
	free(x->todo);
}

bool tree_union(int nodes, struct graph_edge *edges, int n, int trees, int *parents)
{
	struct exchange x = exchange_new(nodes, edges, n, trees);
	int placed = 0;

	for (int i = 0; i < n; i++)
		placed += edges[i].tree >= 0;
	for (int i = 0; i < n && placed < trees * (nodes - 1); i++)
		placed += edges[i].tree < 0 && place(&x, i);
	for (int t = 0; t < trees && parents; t++)
		memcpy(parents + (size_t)t * (size_t)nodes, x.of[t].above, (size_t)nodes * sizeof *parents);
	exchange_free(&x);
	return placed == trees * (nodes - 1);
}
