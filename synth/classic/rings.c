/*
 * Edge-disjoint rings: Hamiltonian cycles over units of links, found by randomized backtracking with restarts. The next
 * node is the one with the fewest onward edges, then the one over the link with the most capacity left; a ring is taken
 * in both directions where links allow it. Where the search fails: two edge-disjoint rings of a torus (torus_rings.c),
 * a back-and-forth ring on grids with an even side, or an order in which neighbours are at most three hops apart
 * (Sekanina 1960).
 */

#include "synth/classic/rings.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/grid.h"
#include "synth/builder/residual_capacity.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MAX = (1 << 20) - 1 }; /* at least any link's residual capacity */
/* Edges examined: per attempt at one ring, and in total; then the number of restarts. */
enum { LOOKS_A_TRY = 200000, LOOKS_IN_ALL = 20000000, BEGINNINGS = 400 };

struct ring_search {
	const struct network *w;
	struct residual_capacity residual;
	bool *visited;
	int *degree;      /* onward edges of a node: edges with residual capacity to unvisited nodes */
	int *path;
	uint64_t seed;    /* 0: no randomness */
	int64_t looks, stop; /* the attempt gives up at STOP */
	bool gave_up;
	struct rings now;
};

static uint64_t mixed(uint64_t seed, int depth, int at)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u + (uint64_t)depth * 0xbf58476d1ce4e5b9u + (uint64_t)at * 0x94d049bb133111ebu;
	x = (x ^ x >> 31) * 0xff51afd7ed558ccdu;
	return x ^ x >> 29;
}

static void visit(struct ring_search *s, int node, bool comes)
{
	s->visited[node] = comes;
	for (int i = s->w->in_begin[node]; i < s->w->in_begin[node + 1]; i++)
		if (s->residual.edge[s->w->in[i]] > 0)
			s->degree[s->w->edges[s->w->in[i]].src] += comes ? -1 : 1;
}

static void count_degrees(struct ring_search *s)
{
	memset(s->visited, 0, (size_t)s->w->nodes * sizeof *s->visited);
	memset(s->degree, 0, (size_t)s->w->nodes * sizeof *s->degree);
	for (size_t e = 0; e < s->w->n_edges; e++)
		if (s->residual.edge[e] > 0)
			s->degree[s->w->edges[e].src]++;
}

/*
 * Sort key: fewest onward edges first, then most residual capacity, then chance. Keys of edges out of one node differ.
 */
static uint64_t key_of(const struct ring_search *s, int depth, int i)
{
	int edge = s->w->out[i];
	uint64_t degree = (uint64_t)s->degree[s->w->edges[edge].dst], taken = ROOM_MAX - (uint64_t)s->residual.edge[edge];
	uint64_t chance = s->seed ? mixed(s->seed, depth, i) & 0xff : 0;

	if (s->seed % 4 == 3)
		degree = 0; /* odd seeds ignore capacity, every second of them the degree too */
	if (s->seed % 2)
		taken = 0;
	return degree << 44 | taken << 24 | chance << 13 | (uint64_t)(i - s->w->out_begin[s->path[depth - 1]]);
}

/* The next edge to try from the end of the path, the one with the least key above *LAST; -1: none is left. */
static int next_edge(struct ring_search *s, int depth, bool first, uint64_t *last)
{
	int from = s->path[depth - 1], best = -1;
	uint64_t least = UINT64_MAX;

	for (int i = s->w->out_begin[from]; i < s->w->out_begin[from + 1]; i++) {
		int edge = s->w->out[i];
		if (s->visited[s->w->edges[edge].dst] || s->residual.edge[edge] == 0)
			continue;
		uint64_t key = key_of(s, depth, i);
		if ((first || key > *last) && key < least) {
			least = key;
			best = edge;
		}
	}
	s->looks += s->w->out_begin[from + 1] - s->w->out_begin[from];
	*last = least;
	return best;
}

static bool close_ring(struct ring_search *s, int depth)
{
	int edge = network_edge(s->w, s->path[depth - 1], s->path[0]);
	return edge >= 0 && residual_take(&s->residual, edge);
}

/* Extends the path of DEPTH nodes to a ring. False: it cannot be, or the attempt gave up. */
static bool extend(struct ring_search *s, int depth)
{
	uint64_t last = 0;

	if (depth == s->w->nodes)
		return close_ring(s, depth);
	for (bool first = true;; first = false) {
		int edge = next_edge(s, depth, first, &last);
		if (edge < 0)
			return false;
		if (s->looks > s->stop) {
			s->gave_up = true;
			return false;
		}
		if (!residual_take(&s->residual, edge))
			continue;
		int to = s->w->edges[edge].dst;
		s->path[depth] = to;
		visit(s, to, true);
		if (extend(s, depth + 1))
			return true;
		visit(s, to, false);
		residual_give_back(&s->residual, edge);
	}
}

static void keep(struct ring_search *s, bool backwards)
{
	int nodes = s->w->nodes, *order = s->now.order + (size_t)s->now.n * (size_t)nodes;

	for (int i = 0; i < nodes; i++)
		order[i] = s->path[backwards ? nodes - 1 - i : i];
	s->now.n++;
}

/* Takes the ring on the path in the opposite direction too, if all its links have capacity left. */
static bool take_reverse(struct ring_search *s)
{
	int n = s->w->nodes, taken = 0;

	for (; taken < n; taken++) {
		int edge = network_edge(s->w, s->path[(taken + 1) % n], s->path[taken]);
		if (edge < 0 || !residual_take(&s->residual, edge))
			break;
	}
	if (taken == n)
		return true;
	while (taken-- > 0)
		residual_give_back(&s->residual, network_edge(s->w, s->path[(taken + 1) % n], s->path[taken]));
	return false;
}

static bool find_one(struct ring_search *s)
{
	int64_t least = 8 * (int64_t)s->w->n_edges;

	s->stop = s->looks + (least > LOOKS_A_TRY ? least : LOOKS_A_TRY);
	s->gave_up = false;
	count_degrees(s);
	s->path[0] = 0;
	visit(s, 0, true);
	return extend(s, 1);
}

/* One restart: takes rings until no more is found. One restart in eight takes no reverse rings. */
static void find_many(struct ring_search *s, int most)
{
	residual_refill(&s->residual, 1);
	s->now.n = 0;
	while (s->now.n < most && find_one(s)) {
		keep(s, false);
		if (s->now.n < most && s->w->nodes > 2 && s->seed % 8 != 5 && take_reverse(s))
			keep(s, true);
	}
}

/* There are no more rings than units that leave, or enter, any node. */
static int most_rings(const struct network *w, int most)
{
	struct residual_capacity residual = residual_new(w);

	for (int v = 0; v < w->nodes; v++)
		for (int into = 0; into < 2; into++) {
			const int *begin = into ? w->in_begin : w->out_begin, *edges = into ? w->in : w->out;
			int units = 0;
			for (int i = begin[v]; i < begin[v + 1]; i++)
				while (units < most && residual_take(&residual, edges[i]))
					units++;
			most = units < most ? units : most;
			residual_refill(&residual, 1);
		}
	residual_free(&residual);
	return most;
}

/*
 * A grid with an even side has a Hamiltonian cycle: layers along that side are traversed back and forth, each along a
 * snake through the other coordinates, and the snake's first place is left free for the way back.
 */
static bool traverse_grid(const struct network *w, int *order)
{
	struct grid g;
	size_t even = 0;
	int n = 0;

	if (!grid_find(w, &g) || g.n_sides < 2)
		return false;
	while (even < g.n_sides && g.sides[even] % 2)
		even++;
	if (even == g.n_sides)
		return false;
	int side = g.sides[even], rest = w->nodes / side;
	int *path = new_array(int, (size_t)rest); /* the snake through the other sides, alternating in direction */
	for (int i = 0; i < rest; i++) {
		int left = i;
		for (size_t d = 0; d < g.n_sides; d++) {
			if (d == even)
				continue;
			int at = left % g.sides[d];
			left /= g.sides[d];
			path[i] += (left % 2 ? g.sides[d] - 1 - at : at) * g.strides[d];
		}
	}
	for (int y = 0; y < side; y++)
		for (int x = 1; x < rest; x++)
			order[n++] = path[y % 2 ? rest - x : x] + y * g.strides[even];
	for (int y = side; y-- > 0;)
		order[n++] = path[0] + y * g.strides[even];
	free(path);
	return true;
}

/*
 * Traverses a tree of shortest paths: nodes of even depth come before their subtrees, the others after. Where links
 * lead both ways, consecutive nodes are at most three hops apart (Sekanina).
 */
static void traverse_tree(const struct network *w, int node, bool *visited, bool before, int *order, int *n)
{
	visited[node] = true;
	if (before)
		order[(*n)++] = node;
	for (int i = w->out_begin[node]; i < w->out_begin[node + 1]; i++) {
		int to = w->edges[w->out[i]].dst;
		if (!visited[to] && network_distance(w, 0, to) == network_distance(w, 0, node) + 1)
			traverse_tree(w, to, visited, !before, order, n);
	}
	if (!before)
		order[(*n)++] = node;
}

/* Makes two rings of each of N orders: forwards and backwards. */
static void use_orders(struct ring_search *s, int n, int most, struct rings *best)
{
	size_t nodes = (size_t)s->w->nodes;

	for (int i = n; i-- > 0;) {
		int *order = best->order + (size_t)i * nodes, *forth = best->order + (size_t)(2 * i) * nodes, *back = forth + nodes;
		memmove(forth, order, nodes * sizeof *order);
		for (size_t k = 0; k < nodes; k++)
			back[k] = forth[nodes - 1 - k];
	}
	best->n = s->w->nodes == 2 ? n : 2 * n;
	best->n = best->n < most ? best->n : most;
}

static void search_all(struct ring_search *s, int most, struct rings *best)
{
	for (int i = 0; i < BEGINNINGS && s->looks < LOOKS_IN_ALL && best->n < most; i++) {
		s->seed = (uint64_t)i;
		find_many(s, most);
		if (s->now.n > best->n) {
			best->n = s->now.n;
			memcpy(best->order, s->now.order, (size_t)best->n * (size_t)s->w->nodes * sizeof *best->order);
		}
		if (s->now.n == 0 && !s->gave_up)
			return; /* the search was exhaustive: there is none */
	}
}

struct rings rings_find(const struct network *w, int most)
{
	size_t nodes = (size_t)w->nodes;
	int wanted = most < RINGS_MAX ? most : RINGS_MAX, found = 0;
	struct rings best = {.order = new_array(int, (RINGS_MAX + 1) * nodes)};
	struct ring_search s = {.w = w, .residual = residual_new(w), .visited = new_array(bool, nodes), .degree = new_array(int, nodes),
			   .path = new_array(int, nodes)};

	s.now.order = new_array(int, (RINGS_MAX + 1) * nodes);
	wanted = most_rings(w, wanted);
	search_all(&s, wanted, &best);
	found = best.n < wanted ? box_rings(w, wanted, s.now.order) : 0;
	if (found > best.n) {
		memcpy(best.order, s.now.order, (size_t)found * nodes * sizeof *best.order);
		best.n = found;
	} else if (best.n < 4 && best.n < wanted && torus_rings(w, s.now.order)) {
		memcpy(best.order, s.now.order, 2 * nodes * sizeof *best.order);
		use_orders(&s, 2, wanted, &best);
	} else if (best.n == 0 && traverse_grid(w, best.order))
		use_orders(&s, 1, most, &best);
	else if (best.n == 0) {
		memset(s.visited, 0, nodes * sizeof *s.visited);
		found = 0;
		traverse_tree(w, 0, s.visited, true, best.order, &found);
		use_orders(&s, 1, most, &best);
		best.by_hops = true;
	}
	residual_free(&s.residual);
	free(s.visited);
	free(s.degree);
	free(s.path);
	rings_free(&s.now);
	return best;
}

void rings_free(struct rings *r)
{
	free(r->order);
	r->order = NULL;
}
