/*
 * Finds a group of automorphisms that acts freely on the nodes, adding generators as long as the group grows and stays
 * free: first cyclic shifts of the node numbers within blocks, then translations found by search (transitive_search.h),
 * and last, on small machines, any automorphism (transitive_small.h).
 */

#include "core/symmetry/transitive_group.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/transitive_search.h"
#include "core/symmetry/transitive_small.h"

#include <stdlib.h>

enum { LOOKS_MAX = 1 << 25 }; /* edges examined in a search for translations: a fraction of a second */

/* x → x + step within blocks of SIZE nodes. */
static void shift(int nodes, int size, int step, int *image)
{
	for (int x = 0; x < nodes; x++)
		image[x] = x - x % size + (x % size + step) % size;
}

static bool keeps(const struct network *w, const struct symmetry *like, const int *image)
{
	struct symmetry one = *like;
	size_t which;

	one.n = 0;
	one.generators = NULL;
	struct symmetry *alone = symmetry_copy(&one);
	symmetry_add(alone, image, NULL);
	bool kept = symmetry_keeps_machine(alone, w, &which);
	symmetry_free(alone);
	return kept;
}

/* Adds the generator if the group grows and its action stays free. */
static bool try_generator(struct transitive_group *g, const int *image)
{
	const struct network *w = g->network;
	struct elements larger;

	if (!keeps(w, g->symmetry, image))
		return false;
	struct symmetry *more = symmetry_copy(g->symmetry);
	symmetry_add(more, image, NULL);
	if (!elements_new(more, (size_t)w->nodes, &larger)) {
		symmetry_free(more);
		return false;
	}
	bool taken = larger.n > g->group.n && elements_act_freely(&larger);
	symmetry_free(taken ? g->symmetry : more);
	elements_free(taken ? &g->group : &larger);
	if (taken) {
		g->symmetry = more;
		g->group = larger;
	}
	return taken;
}

static void try_shifts(struct transitive_group *g)
{
	int nodes = g->network->nodes;
	int *image = new_array(int, (size_t)nodes);

	for (int size = nodes; size > 1; size--)
		for (int step = 1; step < size && nodes % size == 0 && g->group.n < (size_t)nodes; step++) {
			if (size % step != 0)
				continue;
			shift(nodes, size, step, image);
			try_generator(g, image);
		}
	free(image);
}

static bool take_translation(void *context, const int *image)
{
	return try_generator(context, image);
}

/*
 * Do all nodes have the same in- and out-degree and the same total bandwidth in each direction? If not, no group is
 * transitive.
 */
static bool nodes_look_equal(const struct network *w)
{
	for (int v = 0; v < w->nodes; v++) {
		int64_t out = 0, in = 0;
		for (int k = w->out_begin[v]; k < w->out_begin[v + 1]; k++)
			out += w->edges[w->out[k]].bandwidth - w->edges[w->out[k - w->out_begin[v]]].bandwidth;
		for (int k = w->in_begin[v]; k < w->in_begin[v + 1]; k++)
			in += w->edges[w->in[k]].bandwidth - w->edges[w->in[k - w->in_begin[v]]].bandwidth;
		if (out || in || w->out_begin[v + 1] - w->out_begin[v] != w->out_begin[1] || w->in_begin[v + 1] - w->in_begin[v] != w->in_begin[1])
			return false;
	}
	return true;
}

/* Looks for a translation to each neighbour of node 0 that is not in node 0's orbit yet. */
static void try_translations(struct transitive_group *g)
{
	const struct network *w = g->network;
	int64_t looks = LOOKS_MAX;

	for (int k = w->out_begin[0]; k < w->out_begin[1] && g->group.n < (size_t)w->nodes; k++) {
		int to = w->edges[w->out[k]].dst;
		bool reached = false;
		for (size_t i = 0; i < g->group.n && !reached; i++)
			reached = g->group.nodes[i * (size_t)w->nodes] == to;
		if (!reached)
			transitive_group_search(w, g->symmetry, to, take_translation, g, &looks);
	}
}

static struct transitive_group nothing(const struct network *w)
{
	static const struct collective whole = {.kind = BROADCAST};
	struct transitive_group g = {.network = w, .symmetry = symmetry_new(&whole, w->nodes, 1)};

	elements_new(g.symmetry, 1, &g.group); /* without generators: the identity */
	return g;
}

/*
 * Machines with other node numbers: extends the shifts found so far, and starts over without them if that is not
 * transitive.
 */
static void try_other_numbers(struct transitive_group *g)
{
	const struct network *w = g->network;

	if (g->group.n == (size_t)w->nodes || !nodes_look_equal(w))
		return;
	try_translations(g);
	if (g->group.n == (size_t)w->nodes)
		return;
	struct transitive_group fresh = nothing(w);
	try_translations(&fresh);
	if (fresh.group.n > g->group.n) {
		struct transitive_group less = *g;
		*g = fresh;
		fresh = less;
	}
	transitive_group_free(&fresh);
}

static const uint16_t *images(const struct transitive_group *g, size_t element)
{
	return g->group.nodes + element * (size_t)g->network->nodes;
}

static void find_directions(struct transitive_group *g)
{
	const struct network *w = g->network;

	g->to = new_array(size_t, (size_t)w->nodes);
	g->direction = new_array(int, w->n_edges);
	g->neighbours = new_array(int, (size_t)w->nodes);
	for (size_t i = 0; i < g->group.n; i++)
		g->to[images(g, i)[0]] = i;
	for (int k = w->out_begin[0]; k < w->out_begin[1]; k++)
		g->neighbours[g->n_neighbours++] = w->edges[w->out[k]].dst;
	for (int n = 0; n < w->nodes; n++)
		for (int i = 0; i < g->n_neighbours; i++) {
			int edge = network_edge(w, n, images(g, g->to[n])[g->neighbours[i]]);
			if (edge >= 0)
				g->direction[edge] = g->neighbours[i];
		}
}

bool transitive_group_find_free(const struct network *w, struct transitive_group *out)
{
	*out = nothing(w);
	if (w->nodes > 1) {
		try_shifts(out);
		try_other_numbers(out);
	}
	if (out->group.n > 1)
		return true;
	transitive_group_free(out);
	*out = nothing(w);
	elements_free(&out->group);
	if (transitive_group_search_small(w, out->symmetry, &out->group))
		return true;
	transitive_group_free(out);
	return false;
}

bool transitive_group_find(const struct network *w, struct transitive_group *out)
{
	if (!transitive_group_find_free(w, out))
		return false;
	if (out->group.n == (size_t)w->nodes) {
		find_directions(out);
		return true;
	}
	transitive_group_free(out);
	return false;
}

void transitive_group_free(struct transitive_group *g)
{
	symmetry_free(g->symmetry);
	elements_free(&g->group);
	free(g->to);
	free(g->direction);
	free(g->neighbours);
	*g = (struct transitive_group){0};
}

int transitive_group_neighbour(const struct transitive_group *g, int node)
{
	int i = 0;
	while (g->neighbours[i] != node)
		i++;
	return i;
}

/* The neighbour whose element is the inverse of that of neighbour I. */
static int opposite(const struct transitive_group *g, int i)
{
	for (int k = 0; k < g->n_neighbours; k++)
		if (images(g, g->to[g->neighbours[i]])[g->neighbours[k]] == 0)
			return k;
	return -1;
}

/* Arranges the directions in a cycle: one of each pair of opposites, then, in the same order, their opposites. */
static bool order_cycle(const struct transitive_group *g, int *cycle)
{
	int n = 0, pairs = 0;

	for (int i = 0; i < g->n_neighbours; i++) {
		int back = opposite(g, i);
		if (back < 0)
			return false;
		pairs += back != i;
		if (back >= i)
			cycle[n++] = i;
	}
	if (pairs == 0)
		return true;
	if (pairs != g->n_neighbours)
		return false;
	for (int i = 0; i < n; i++)
		cycle[n + i] = opposite(g, cycle[i]);
	return true;
}

/*
 * Extends the map NEXT of directions to a map TURN of nodes: a breadth-first path of directions from 0 maps to the path
 * of their images. The result need not be a permutation.
 */
static bool follow(const struct transitive_group *g, const int *next, int *turn)
{
	const struct network *w = g->network;
	int *queue = new_array(int, (size_t)w->nodes), n = 0;

	for (int v = 0; v < w->nodes; v++)
		turn[v] = -1;
	turn[0] = 0;
	queue[n++] = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < g->n_neighbours; k++) {
			int v = images(g, g->to[queue[i]])[g->neighbours[k]];
			if (turn[v] >= 0)
				continue;
			turn[v] = images(g, g->to[turn[queue[i]]])[g->neighbours[next[k]]];
			queue[n++] = v;
		}
	free(queue);
	return n == w->nodes;
}

static bool is_permutation(const int *image, int n)
{
	bool *seen = new_array(bool, (size_t)n), fine = true;

	for (int i = 0; i < n && fine; i++) {
		fine = !seen[image[i]];
		seen[image[i]] = true;
	}
	free(seen);
	return fine;
}

int *transitive_group_rotation(const struct transitive_group *g)
{
	int n = g->n_neighbours, *cycle = new_array(int, (size_t)n), *next = new_array(int, (size_t)n);
	int *turn = new_array(int, (size_t)g->network->nodes);
	bool found = order_cycle(g, cycle);

	for (int i = 0; i < n && found; i++)
		next[cycle[i]] = cycle[(i + 1) % n];
	found = found && follow(g, next, turn) && is_permutation(turn, g->network->nodes) && keeps(g->network, g->symmetry, turn);
	for (int i = 0; i < n && found; i++) /* and it must map the directions as intended */
		found = turn[g->neighbours[i]] == g->neighbours[next[i]];
	free(cycle);
	free(next);
	if (found)
		return turn;
	free(turn);
	return NULL;
}
