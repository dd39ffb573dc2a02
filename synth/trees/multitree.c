/*
 * MultiTree (Huang et al., ISCA 2021, algorithm 1): the trees of all roots grow together. In a time step every unit of
 * every link carries one chunk; trees take turns, one node per turn, until none can grow, and the next step begins. A
 * node forwards only what it had before the step. Parents are tried in the order in which they joined; neighbours on a
 * grid in Y before X. On machines with switches a pair needs residual capacity on all links of its route. Time steps
 * are steps of one round.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/schedule_builder.h"
#include "synth/builder/grid.h"
#include "synth/builder/residual_capacity.h"
#include "synth/trees/multitree_alltoall.h"

#include <stdlib.h>
#include <string.h>

struct growing_tree {
	int root, n;            /* nodes in it */
	int height;             /* steps from the root to its last node */
	uint16_t *open;         /* nodes that may have neighbours left to send to, in the order in which they joined */
	int n_open, old;        /* the first OLD joined before this step */
	size_t links;           /* position of this step's search: the number of shared links on routes, */
	int at, neighbour;      /* the parent's index in `open`, and which of its edges */
	uint64_t *has;          /* a bit per node */
};

struct joint_growth {
	const struct network *w;
	struct residual_capacity residual;
	int *ways;              /* outgoing edges in the order in which they are tried, indexed as w->out */
	size_t most_links;      /* the most shared links on any route */
	bool *has_links;        /* [links]: some route has that many shared links */
	int n_trees;
	struct growing_tree *trees;
	struct growing_tree **turns;    /* in the order in which they grow */
	uint16_t *opens;
	uint64_t *bits;
	size_t words;
	struct step *steps;
	size_t n_steps, capacity, sends_capacity;
};

static bool has(const struct growing_tree *t, int node)
{
	return t->has[node / 64] >> node % 64 & 1;
}

static void take(struct growing_tree *t, int node)
{
	t->has[node / 64] |= UINT64_C(1) << node % 64;
	t->open[t->n_open++] = (uint16_t)node;
	t->n++;
}

struct edge_choice {
	int edge, ahead; /* distance from the source's number up to the destination's, modulo P */
	size_t links;    /* shared links on its route */
};

static int ahead(const struct network *w, int edge)
{
	return (w->edges[edge].dst - w->edges[edge].src + w->nodes) % w->nodes;
}

static int by_links(const void *va, const void *vb)
{
	const struct edge_choice *a = va, *b = vb;
	if (a->links != b->links)
		return a->links < b->links ? -1 : 1;
	return (a->ahead > b->ahead) - (a->ahead < b->ahead);
}

static size_t shared_links(const struct joint_growth *g, int edge)
{
	return (size_t)csr_size(&g->residual.limits, edge);
}

/*
 * Through switches the nearest first; among equals each node begins with the node after it, so that not all send to the
 * same.
 */
static void order_by_routes(struct joint_growth *g)
{
	const struct network *w = g->w;
	struct edge_choice *ways = new_array(struct edge_choice, w->n_edges);

	for (size_t i = 0; i < w->n_edges; i++)
		ways[i] = (struct edge_choice){w->out[i], ahead(w, w->out[i]), shared_links(g, w->out[i])};
	for (int v = 0; v < w->nodes; v++) {
		size_t first = (size_t)w->out_begin[v], n = (size_t)w->out_begin[v + 1] - first;
		if (n)
			qsort(ways + first, n, sizeof *ways, by_links);
	}
	for (size_t i = 0; i < w->n_edges; i++) {
		g->ways[i] = ways[i].edge;
		g->most_links = ways[i].links > g->most_links ? ways[i].links : g->most_links;
	}
	g->has_links = new_array(bool, g->most_links + 1);
	for (size_t i = 0; i < w->n_edges; i++)
		g->has_links[ways[i].links] = true;
	free(ways);
}

/* On a grid Y before X: the last side first, and the neighbour of lower coordinate before the other. */
static void order_ways(struct joint_growth *g)
{
	const struct network *w = g->w;
	struct grid grid;

	g->ways = new_array(int, w->n_edges);
	order_by_routes(g);
	if (!grid_find(w, &grid))
		return;
	for (int v = 0; v < w->nodes; v++) {
		int *way = &g->ways[w->out_begin[v]];
		for (size_t side = grid.n_sides; side-- > 0;)
			for (int direction = -1; direction <= 1; direction += 2) {
				int to = grid_beside(&grid, v, side, direction);
				if (to >= 0)
					*way++ = network_edge(w, v, to);
			}
	}
}

/* C trees per root; ROOT -1: for every node. Trees are numbered part * P + root, as chunks are. */
static void plant(struct joint_growth *g, int chunks, int root)
{
	size_t nodes = (size_t)g->w->nodes, n = (size_t)chunks * (root < 0 ? nodes : 1);

	g->n_trees = (int)n;
	g->words = (nodes + 63) / 64;
	g->trees = new_array(struct growing_tree, n);
	g->turns = new_array(struct growing_tree *, n);
	g->opens = new_array(uint16_t, n * nodes);
	g->bits = new_array(uint64_t, n * g->words);
	for (size_t i = 0; i < n; i++) {
		struct growing_tree *t = &g->trees[i];
		*t = (struct growing_tree){.root = root < 0 ? (int)(i % nodes) : root, .open = g->opens + i * nodes, .has = g->bits + i * g->words};
		g->turns[i] = t;
		take(t, t->root);
	}
}

static void growth_free(struct joint_growth *g)
{
	residual_free(&g->residual);
	free(g->ways);
	free(g->has_links);
	free(g->trees);
	free(g->turns);
	free(g->opens);
	free(g->bits);
}

static bool is_open(const struct network *w, const struct growing_tree *t, int node)
{
	for (int i = w->out_begin[node]; i < w->out_begin[node + 1]; i++)
		if (!has(t, w->edges[w->out[i]].dst))
			return true;
	return false;
}

/* Drops nodes with no neighbour left to send to, which keeps a step's search short. */
static void begin_step(const struct network *w, struct growing_tree *t)
{
	int kept = 0;

	for (int i = 0; i < t->n_open; i++)
		if (is_open(w, t, t->open[i]))
			t->open[kept++] = t->open[i];
	t->n_open = t->old = kept;
	t->at = t->neighbour = 0;
	t->links = 0;
}

/*
 * Adds one node, by the first free edge whose route has T->links shared links. An edge without capacity in this step
 * stays so until the next: the search never goes back.
 */
static bool grow_over(struct joint_growth *g, struct growing_tree *t, struct send *out)
{
	for (; t->at < t->old; t->at++, t->neighbour = 0) {
		int from = t->open[t->at], end = g->w->out_begin[from + 1] - g->w->out_begin[from];
		if (!residual_lead_out(&g->residual, from))
			continue;
		while (t->neighbour < end) {
			int edge = g->ways[g->w->out_begin[from] + t->neighbour++], to = g->w->edges[edge].dst;
			if (has(t, to) || shared_links(g, edge) != t->links || !residual_take(&g->residual, edge))
				continue;
			take(t, to);
			*out = (struct send){(int)(t - g->trees), from, to};
			return true;
		}
	}
	return false;
}

/* Short routes from any parent before long ones: a tree reaches a switch once, and spreads from there. */
static bool grow(struct joint_growth *g, struct growing_tree *t, struct send *out)
{
	for (; t->links <= g->most_links; t->links++, t->at = t->neighbour = 0)
		if (g->has_links[t->links] && grow_over(g, t, out))
			return true;
	return false;
}

/* Height left to grow: the distance to the farthest missing node, less the height so far. */
static int left_height(const struct joint_growth *g, struct growing_tree *t)
{
	int farthest = 0;

	for (int v = 0; v < g->w->nodes; v++)
		if (!has(t, v) && network_distance(g->w, t->root, v) > farthest)
			farthest = network_distance(g->w, t->root, v);
	return farthest - t->height;
}

struct ranked {
	struct growing_tree *tree;
	int left, number;
};

static int by_left_height(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;
	if (a->left != b->left)
		return a->left > b->left ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void order_turns(struct joint_growth *g)
{
	struct ranked *ranked = new_array(struct ranked, (size_t)g->n_trees);

	for (int i = 0; i < g->n_trees; i++)
		ranked[i] = (struct ranked){&g->trees[i], left_height(g, &g->trees[i]), i};
	qsort(ranked, (size_t)g->n_trees, sizeof *ranked, by_left_height);
	for (int i = 0; i < g->n_trees; i++)
		g->turns[i] = ranked[i].tree;
	free(ranked);
}

/* One time step: its sends, none if no tree can grow. */
static struct step time_step(struct joint_growth *g)
{
	struct step s = {.rounds = 1};
	size_t capacity = 0;
	bool grew = true;

	residual_refill(&g->residual, 1);
	for (int i = 0; i < g->n_trees; i++)
		begin_step(g->w, &g->trees[i]);
	while (grew && g->residual.left > 0) {
		grew = false;
		for (int i = 0; i < g->n_trees && g->residual.left > 0; i++) {
			struct growing_tree *t = g->turns[i];
			s.sends = grown(s.sends, &capacity, s.n_sends + 1, sizeof *s.sends);
			if (t->links <= g->most_links && grow(g, t, &s.sends[s.n_sends])) {
				s.n_sends++;
				t->height = (int)g->n_steps + 1;
				grew = true;
			}
		}
	}
	return s;
}

static bool grow_all(struct joint_growth *g, const struct method_request *r, struct error *e)
{
	int64_t wanted = (int64_t)g->n_trees * (g->w->nodes - 1);

	for (int64_t n = 0; n < wanted;) {
		if (r->options.prefer_height)
			order_turns(g);
		struct step s = time_step(g);
		if (s.n_sends == 0 || g->n_steps == STEPS_MAX) {
			free(s.sends);
			return error_set(e, s.n_sends ? ERROR_LIMIT : ERROR_INPUT, "multitree",
					 s.n_sends ? "needs too many steps" : "its trees cannot reach all nodes of this machine");
		}
		n += (int64_t)s.n_sends;
		g->steps = grown(g->steps, &g->capacity, g->n_steps + 1, sizeof *g->steps);
		g->steps[g->n_steps++] = s;
	}
	return true;
}

bool multitree_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	const struct network *w = r->network;
	int root = r->collective.kind == BROADCAST ? r->collective.root : -1;

	int blocks = r->collective.kind == ALLTOALL ? w->nodes : 1; /* C counts a tree of an alltoall once for each destination */
	out->chunks = r->options.chunks ? r->options.chunks : blocks;
	if (out->chunks % blocks)
		return error_set(e, ERROR_INPUT, "multitree", "needs a multiple of %d chunks for an alltoall here", blocks);
	int64_t trees = (int64_t)(out->chunks / blocks) * (root < 0 ? w->nodes : 1);
	if (trees * w->nodes > BUILDER_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, "multitree", "needs more than %d sends here: too many to list", BUILDER_SENDS_MAX);
	struct joint_growth g = {.w = w, .residual = residual_new(w)};
	order_ways(&g);
	plant(&g, out->chunks / blocks, root);
	bool ok = grow_all(&g, r, e) && (r->collective.kind != ALLTOALL || multitree_alltoall(w, g.n_trees, &g.steps, &g.n_steps, e));
	out->steps = g.steps;
	out->n_steps = g.n_steps;
	if (!ok)
		steps_free(g.steps, g.n_steps);
	growth_free(&g);
	return ok;
}
