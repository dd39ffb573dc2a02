#include "methods/tree_union.h"

#include "core/memory.h"

#include <stdlib.h>

struct exchange {
	int nodes, n, trees;
	struct graph_edge *edges;
	int *before;  /* [edge]: who takes its place, -1: nobody asked yet */
	int *queue;
	int *from;    /* [node], scratch: the edge by which a search in a tree came */
	int *todo;    /* [node], scratch */
};

enum { UNSEEN = -1, START = -2 };

/* Searches tree T from node A; FROM tells the ways. */
static void walk(struct exchange *x, int t, int a)
{
	int head = 0, tail = 0;

	for (int v = 0; v < x->nodes; v++)
		x->from[v] = UNSEEN;
	x->from[a] = START;
	x->todo[tail++] = a;
	while (head < tail) {
		int v = x->todo[head++];
		for (int i = 0; i < x->n; i++) {
			const struct graph_edge *e = &x->edges[i];
			if (e->tree != t || (e->a != v && e->b != v))
				continue;
			int to = e->a == v ? e->b : e->a;
			if (x->from[to] != UNSEEN)
				continue;
			x->from[to] = i;
			x->todo[tail++] = to;
		}
	}
}

/* The edges of the tree between the ends of EDGE could leave for it: asked once. */
static int ask_cycle(struct exchange *x, int edge, int tail)
{
	int v = x->edges[edge].b;

	while (x->from[v] != START) {
		int i = x->from[v];
		if (x->before[i] == UNSEEN) {
			x->before[i] = edge;
			x->queue[tail++] = i;
		}
		v = x->edges[i].a == v ? x->edges[i].b : x->edges[i].a;
	}
	return tail;
}

/* EDGE joins two parts of tree T: it goes there, and each on the way back into the tree that it was asked for. */
static void shift(struct exchange *x, int edge, int t)
{
	for (int e = edge; e != START; e = x->before[e]) {
		int was = x->edges[e].tree;
		x->edges[e].tree = t;
		t = was;
	}
}

static bool place(struct exchange *x, int edge)
{
	int head = 0, tail = 0;

	for (int i = 0; i < x->n; i++)
		x->before[i] = UNSEEN;
	x->before[edge] = START;
	x->queue[tail++] = edge;
	while (head < tail) {
		int e = x->queue[head++];
		for (int t = 0; t < x->trees; t++) {
			if (x->edges[e].tree == t)
				continue;
			walk(x, t, x->edges[e].a);
			if (x->from[x->edges[e].b] == UNSEEN) {
				shift(x, e, t);
				return true;
			}
			tail = ask_cycle(x, e, tail);
		}
	}
	return false;
}

bool tree_union(int nodes, struct graph_edge *edges, int n, int trees)
{
	struct exchange x = {nodes, n, trees, edges, new_array(int, (size_t)n), new_array(int, (size_t)n),
			     new_array(int, (size_t)nodes), new_array(int, (size_t)nodes)};
	int placed = 0;

	for (int i = 0; i < n; i++)
		edges[i].tree = -1;
	for (int i = 0; i < n && placed < trees * (nodes - 1); i++)
		placed += place(&x, i);
	free(x.before);
	free(x.queue);
	free(x.from);
	free(x.todo);
	return placed == trees * (nodes - 1);
}
