/*
 * Edmonds' algorithm with the path growing of Gabow, Galil, Spencer and Tarjan (1986): starting at each node, the
 * shortest incoming arc is followed backwards until the root or a cycle is reached. A cycle is contracted into one
 * vertex, whose incoming arcs have reduced lengths: the excess over the cycle arcs that they would replace. The arcs
 * into a vertex form a leftist heap in which all keys can be changed at once (lazily). At the end the contractions are
 * undone in reverse order, to find the arc by which each cycle is entered.
 */

#include "core/graph/arborescence.h"

#include "core/base/csr.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* Arc i is heap node i. */
struct heap_node {
	int left, right, far; /* children, -1: none; far: the number of nodes on the rightmost path */
	double key, add;      /* add: pending for this key and all keys below */
};

struct cycle {
	int vertex, time; /* the vertex it was contracted into; the length of the undo stack before that */
	int first, last;  /* its arcs are list[first] .. list[last - 1] */
};

struct contraction {
	const struct arc *arcs;
	struct heap_node *node;
	int *heap;               /* [vertex]: the heap of arcs into it, i.e. the shortest; -1: empty */
	int *joined;             /* [node]: union-find: < 0: minus the size of the set it represents; else its parent */
	int *undo, *undo_was, n_undo;
	int *seen;               /* [vertex]: the node from which it was first reached, -1: not yet */
	int *path, *taken;       /* vertices of the current path, and the arc taken into each */
	int *in;                 /* [vertex]: the arc of the tree that enters it */
	struct cycle *cycles;
	int n_cycles, *list, n_list;
};

/* Applies what is pending at node I and passes it on to its children. */
static void settle(struct heap_node *node, int i)
{
	struct heap_node *a = &node[i];

	a->key += a->add;
	if (a->left >= 0)
		node[a->left].add += a->add;
	if (a->right >= 0)
		node[a->right].add += a->add;
	a->add = 0;
}

static int merge(struct heap_node *node, int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	settle(node, a);
	settle(node, b);
	if (node[b].key < node[a].key || (node[b].key <= node[a].key && b < a)) {
		int other = a;
		a = b;
		b = other;
	}
	node[a].right = merge(node, node[a].right, b);
	int left = node[a].left, right = node[a].right;
	if (left < 0 || node[left].far < node[right].far) {
		node[a].left = right;
		node[a].right = left;
	}
	node[a].far = node[a].right < 0 ? 1 : node[node[a].right].far + 1;
	return a;
}

/* Removes the shortest arc into VERTEX, and subtracts its key from those of all others. */
static int take_nearest(struct contraction *c, int vertex)
{
	int a = c->heap[vertex];

	settle(c->node, a);
	c->node[a].add -= c->node[a].key;
	settle(c->node, a);
	c->heap[vertex] = merge(c->node, c->node[a].left, c->node[a].right);
	return a;
}

/* Union by size without path compression, so that unions can be undone. */
static int find(const struct contraction *c, int v)
{
	while (c->joined[v] >= 0)
		v = c->joined[v];
	return v;
}

static bool join(struct contraction *c, int a, int b)
{
	a = find(c, a);
	b = find(c, b);
	if (a == b)
		return false;
	int large = c->joined[a] <= c->joined[b] ? a : b, small = a + b - large;
	c->undo[c->n_undo] = small;
	c->undo_was[c->n_undo++] = c->joined[small];
	c->joined[large] += c->joined[small];
	c->joined[small] = large;
	return true;
}

static void undo_to(struct contraction *c, int time)
{
	while (c->n_undo > time) {
		int small = c->undo[--c->n_undo];
		c->joined[c->joined[small]] -= c->undo_was[c->n_undo];
		c->joined[small] = c->undo_was[c->n_undo];
	}
}

/* The path ends in a cycle through VERTEX: contracts it and removes it from the path. Returns the new vertex. */
static int contract(struct contraction *c, int vertex, int *length)
{
	int all = -1, end = *length, time = c->n_undo, v;

	do {
		v = c->path[--*length];
		all = merge(c->node, all, c->heap[v]);
	} while (join(c, vertex, v));
	vertex = find(c, vertex);
	c->heap[vertex] = all;
	c->seen[vertex] = -1;
	if (c->n_undo == time) /* only an arc from VERTEX to itself */
		return vertex;
	c->cycles[c->n_cycles++] = (struct cycle){vertex, time, c->n_list, c->n_list + end - *length};
	for (int i = *length; i < end; i++)
		c->list[c->n_list++] = c->taken[i];
	return vertex;
}

/*
 * Grows a path backwards from START to the root or to a vertex of an earlier path. False: a vertex cannot be entered.
 */
static bool follow(struct contraction *c, int start)
{
	int length = 0, v = start;

	while (c->seen[v] < 0) {
		if (c->heap[v] < 0)
			return false;
		c->taken[length] = take_nearest(c, v);
		c->path[length] = v;
		c->seen[v] = start;
		v = find(c, c->arcs[c->taken[length++]].from);
		if (c->seen[v] == start)
			v = contract(c, v, &length);
	}
	for (int i = 0; i < length; i++)
		c->in[find(c, c->arcs[c->taken[i]].to)] = c->taken[i];
	return true;
}

/* A cycle keeps all its arcs except the one into the vertex at which it is entered. */
static void expand(struct contraction *c)
{
	for (int i = c->n_cycles - 1; i >= 0; i--) {
		const struct cycle *y = &c->cycles[i];
		undo_to(c, y->time);
		int entry = c->in[y->vertex];
		for (int k = y->first; k < y->last; k++)
			c->in[find(c, c->arcs[c->list[k]].to)] = c->list[k];
		c->in[find(c, c->arcs[entry].to)] = entry;
	}
}

/* Builds the heap of the arcs into each vertex by merging pairwise, in linear time. */
static void heap_arcs(struct contraction *c, int nodes, int root, size_t n)
{
	struct csr into = csr_new(nodes);

	for (size_t i = 0; i < n; i++)
		csr_count(&into, c->arcs[i].to);
	csr_allocate(&into);
	for (size_t i = 0; i < n; i++) {
		c->node[i] = (struct heap_node){-1, -1, 1, c->arcs[i].length, 0};
		csr_put(&into, c->arcs[i].to, (int)i);
	}
	for (int v = 0; v < nodes; v++) {
		int *heaps = into.of + into.begin[v];
		size_t many = (size_t)csr_size(&into, v);
		for (; many > 1; many = (many + 1) / 2)
			for (size_t k = 0; 2 * k < many; k++)
				heaps[k] = merge(c->node, heaps[2 * k], 2 * k + 1 < many ? heaps[2 * k + 1] : -1);
		c->heap[v] = many && v != root ? heaps[0] : -1;
	}
	csr_free(&into);
}

static struct contraction contraction_new(int nodes, int root, const struct arc *arcs, size_t n)
{
	size_t v = (size_t)nodes;
	struct contraction c = {.arcs = arcs, .node = new_array(struct heap_node, n), .heap = new_array(int, v), .joined = new_array(int, v),
				.undo = new_array(int, v), .undo_was = new_array(int, v), .seen = new_array(int, v),
				.path = new_array(int, 2 * v), .taken = new_array(int, 2 * v), .in = new_array(int, v),
				.cycles = new_array(struct cycle, v), .list = new_array(int, 2 * v)};

	for (int u = 0; u < nodes; u++)
		c.joined[u] = c.seen[u] = -1;
	heap_arcs(&c, nodes, root, n);
	c.seen[root] = root;
	return c;
}

static void contraction_free(struct contraction *c)
{
	free(c->node);
	free(c->heap);
	free(c->joined);
	free(c->undo);
	free(c->undo_was);
	free(c->seen);
	free(c->path);
	free(c->taken);
	free(c->in);
	free(c->cycles);
	free(c->list);
}

bool minimum_arborescence(int nodes, int root, const struct arc *arcs, size_t n, int *parent)
{
	struct contraction c = contraction_new(nodes, root, arcs, n);
	bool ok = true;

	for (int v = 0; v < nodes && ok; v++)
		ok = follow(&c, v);
	if (ok)
		expand(&c);
	for (int v = 0; v < nodes && ok; v++)
		parent[v] = v == root ? -1 : arcs[c.in[v]].from;
	contraction_free(&c);
	return ok;
}
