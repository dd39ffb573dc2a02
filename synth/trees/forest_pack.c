/*
 * Packs out-trees into a graph of nodes (Bérczi and Frank, 2010, as used by ForestColl). A batch is a number of equal
 * trees that grow together, edge by edge. Edge x → y goes to as many trees of a batch as leave enough for everything
 * still to grow: for every set that contains y but not x, what enters it must suffice for the batches that have not
 * reached it, and a maximum flow gives the slack. Where that is less than the batch, the batch splits in two.
 *
 * A tight set stays tight: edges into it are refused for good to every batch that has already reached it. So a batch
 * looks at every edge once, nearest the root first, and its trees are as shallow as that order allows; and tight sets
 * are kept, to refuse further edges without another flow.
 */

#include "synth/trees/forest_graph.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/watch.h"
#include "core/machine/topology.h"

#include <stdlib.h>

struct batch {
	int root, n;     /* n: nodes reached */
	int64_t count;
	int *order;      /* the nodes in the order in which they were reached */
	int *parent, *depth; /* [node]; parent -2: not reached yet */
	uint64_t *has;   /* the nodes reached, as a bit set */
	int at, next;    /* the next edge to look at: the next-th neighbour of order[at] */
	/* hub: flow vertex that stands for all nodes reached, -1 while that is the root alone; arc: from the source. */
	int hub, arc;
};

struct pack {
	struct forest_graph *g;
	struct forest *f;
	int n;
	int *begin, *neighbours; /* of node v: neighbours[begin[v]] up to begin[v + 1] */
	int *arcs;               /* same index: arcs of the flow */
	int *open;               /* [node]: arcs from the source */
	struct flow *flow;
	int source, hubs, used;  /* hubs that exist, and that are in use */
	struct batch **growing;
	size_t n_growing, room;
	int64_t total;           /* trees still growing */
	int64_t edges, all_edges; /* of trees: those that are there, and how many there will be */
	int words, n_tight;      /* tight sets found, of which the last TIGHT_KEPT are kept */
	uint64_t *tight;
};

enum { WORD = 64, TIGHT_KEPT = 256 };

static bool is_in(const uint64_t *set, int v)
{
	return set[v / WORD] >> (v % WORD) & 1;
}

static void put_in(uint64_t *set, int v)
{
	set[v / WORD] |= (uint64_t)1 << (v % WORD);
}

static void index_neighbours(struct pack *p)
{
	size_t room = 0;
	int n = 0;

	p->begin = new_array(int, (size_t)p->n + 1);
	for (int v = 0; v < p->n; v++) {
		for (int i = 1; i < p->n; i++)
			if (p->g->capacity[forest_pair(p->g, v, (v + i) % p->n)]) {
				p->neighbours = grown(p->neighbours, &room, (size_t)n + 1, sizeof *p->neighbours);
				p->neighbours[n++] = (v + i) % p->n;
			}
		p->begin[v + 1] = n;
	}
	p->arcs = new_array(int, (size_t)n);
}

static void give_hub(struct pack *p, struct batch *b)
{
	b->hub = p->source + 1 + p->used++;
	b->arc = flow_arc(p->flow, p->source, b->hub, b->count);
	for (int i = 0; i < b->n; i++)
		flow_arc(p->flow, b->hub, b->order[i], FOREST_INFINITE);
}

static void enter(struct pack *p, struct batch *b)
{
	if (b->n > 1) {
		give_hub(p, b);
		return;
	}
	b->hub = -1;
	b->arc = flow_arc(p->flow, p->source, b->root, b->count);
}

/* Rebuilds the flow, with hubs for the growing batches and spare ones. */
static void build_flow(struct pack *p)
{
	flow_free(p->flow);
	p->hubs = 2 * (int)p->n_growing + p->n;
	p->used = 0;
	p->source = p->n;
	p->flow = flow_new(p->n + 1 + p->hubs);
	for (int v = 0; v < p->n; v++) {
		p->open[v] = flow_arc(p->flow, p->source, v, 0);
		for (int i = p->begin[v]; i < p->begin[v + 1]; i++)
			p->arcs[i] = flow_arc(p->flow, v, p->neighbours[i],
					      p->g->capacity[forest_pair(p->g, v, p->neighbours[i])]);
	}
	for (size_t i = 0; i < p->n_growing; i++)
		enter(p, p->growing[i]);
}

static struct batch *batch_new(int nodes, int root, int64_t count)
{
	struct batch *b = new(struct batch);

	*b = (struct batch){.root = root, .n = 1, .count = count, .order = new_array(int, (size_t)nodes),
			    .parent = new_array(int, (size_t)nodes), .depth = new_array(int, (size_t)nodes),
			    .has = new_array(uint64_t, (size_t)(nodes + WORD - 1) / WORD)};
	for (int v = 0; v < nodes; v++)
		b->parent[v] = -2;
	b->parent[root] = -1;
	b->order[0] = root;
	put_in(b->has, root);
	return b;
}

static void batch_free(struct batch *b)
{
	free(b->order);
	free(b->parent);
	free(b->depth);
	free(b->has);
	free(b);
}

static void add_growing(struct pack *p, struct batch *b)
{
	p->growing = grown(p->growing, &p->room, p->n_growing + 1, sizeof(struct batch *));
	p->growing[p->n_growing++] = b;
}

/* Splits off the rest of a batch, which continues with the next edge: this one is used up, or tight. */
static void part(struct pack *p, struct batch *b, int64_t count)
{
	size_t bytes = (size_t)p->n * sizeof(int);
	struct batch *rest = copy_bytes(b, sizeof *b);

	rest->order = copy_bytes(b->order, bytes);
	rest->parent = copy_bytes(b->parent, bytes);
	rest->depth = copy_bytes(b->depth, bytes);
	rest->has = copy_bytes(b->has, (size_t)p->words * sizeof *b->has);
	rest->count = b->count - count;
	rest->next++;
	b->count = count;
	flow_set(p->flow, b->arc, count);
	add_growing(p, rest);
	if (p->used == p->hubs)
		build_flow(p);
	else
		enter(p, rest);
}

/* The batch has more than its root from now on, and needs a hub. */
static void leave_root(struct pack *p, struct batch *b)
{
	if (p->used == p->hubs)
		build_flow(p);
	flow_set(p->flow, b->arc, 0);
	give_hub(p, b);
}

/* Does a tight set that the batch has already reached contain y but not x? */
static bool is_refused(const struct pack *p, const struct batch *b, int x, int y)
{
	int n = p->n_tight < TIGHT_KEPT ? p->n_tight : TIGHT_KEPT;

	for (int i = 0; i < n; i++) {
		const uint64_t *set = p->tight + (size_t)i * (size_t)p->words;
		if (!is_in(set, y) || is_in(set, x))
			continue;
		for (int k = 0; k < p->words; k++)
			if (set[k] & b->has[k])
				return true;
	}
	return false;
}

/* Keeps the sink's side of the last flow as a tight set. */
static void keep_tight(struct pack *p)
{
	uint64_t *set = p->tight + (size_t)(p->n_tight++ % TIGHT_KEPT) * (size_t)p->words;

	for (int k = 0; k < p->words; k++)
		set[k] = 0;
	for (int v = 0; v < p->n; v++)
		if (!flow_on_source_side(p->flow, v))
			put_in(set, v);
}

/* How many trees of the batch may take x → y. Where a set decides that, taking them makes it tight. */
static int64_t allowed(struct pack *p, const struct batch *b, int x, int y)
{
	int64_t most = p->g->capacity[forest_pair(p->g, x, y)];

	if (is_refused(p, b, x, y))
		return 0;
	if (most > b->count)
		most = b->count;
	flow_set(p->flow, b->arc, 0);
	flow_set(p->flow, p->open[x], FOREST_INFINITE);
	int64_t others = p->total - b->count, over = flow_run_up_to(p->flow, p->source, y, others + most) - others;
	flow_set(p->flow, p->open[x], 0);
	flow_set(p->flow, b->arc, b->count);
	if (over < most)
		keep_tight(p);
	return over;
}

static void finish(struct pack *p, struct batch *b)
{
	flow_set(p->flow, b->arc, 0);
	p->total -= b->count;
	trees_add(&p->f->trees, b->parent, b->count);
	b->count = 0;
}

static void take_edge(struct pack *p, struct batch *b, int x, int y, int64_t count)
{
	size_t pair = forest_pair(p->g, x, y);

	if (count < b->count)
		part(p, b, count);
	p->g->capacity[pair] -= count;
	flow_set(p->flow, p->arcs[p->begin[x] + b->next], p->g->capacity[pair]);
	if (b->hub < 0)
		leave_root(p, b);
	flow_arc(p->flow, b->hub, y, FOREST_INFINITE);
	b->parent[y] = x;
	b->depth[y] = b->depth[x] + 1;
	b->order[b->n++] = y;
	put_in(b->has, y);
	if (b->n == p->n)
		finish(p, b);
}

/* Grows a batch from its nodes up to that depth. False: no edge is left that it could take. */
static bool grow(struct pack *p, struct batch *b, int depth)
{
	while (b->count > 0 && b->at < b->n && b->depth[b->order[b->at]] <= depth && !stop_is_due()) {
		int x = b->order[b->at];
		if (b->next == p->begin[x + 1] - p->begin[x]) {
			b->at++;
			b->next = 0;
			continue;
		}
		int y = p->neighbours[p->begin[x] + b->next];
		int64_t count = 0;
		if (b->parent[y] == -2 && p->g->capacity[forest_pair(p->g, x, y)])
			count = allowed(p, b, x, y);
		if (count > 0) {
			take_edge(p, b, x, y, count);
			watch_note("packing trees, edges", p->edges += count, p->all_edges);
		}
		b->next++;
	}
	return b->count == 0 || b->at < b->n;
}

static void drop_finished(struct pack *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n_growing; i++) {
		if (p->growing[i]->count)
			p->growing[kept++] = p->growing[i];
		else
			batch_free(p->growing[i]);
	}
	p->n_growing = kept;
}

/* Few trees grow level by level in turn, so that all are shallow; many grow root by root, which needs smaller flows. */
static bool grow_all(struct pack *p)
{
	enum { IN_TURN_UP_TO = 40000 };
	bool ok = true, in_turn = p->total <= IN_TURN_UP_TO / p->n;

	for (int depth = 0; ok && in_turn && p->n_growing && !stop_is_due(); depth++) {
		for (size_t i = 0; i < p->n_growing && ok; i++)
			ok = grow(p, p->growing[i], depth);
		drop_finished(p);
	}
	for (int root = 0; root < p->n && ok && p->n_growing && !stop_is_due(); root++) {
		for (size_t i = 0; i < p->n_growing && ok; i++)
			if (p->growing[i]->root == root)
				ok = grow(p, p->growing[i], p->n);
		drop_finished(p);
		build_flow(p);
	}
	return ok;
}

static int by_root(const void *va, const void *vb)
{
	const struct tree *a = va, *b = vb;
	if (a->root != b->root)
		return a->root < b->root ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->weight < b->weight) - (a->weight > b->weight);
}

bool forest_pack(struct forest_graph *g, struct forest *f, struct error *e)
{
	struct pack p = {.g = g, .f = f, .n = g->nodes, .open = new_array(int, (size_t)g->nodes)};

	p.words = (p.n + WORD - 1) / WORD;
	p.tight = new_array(uint64_t, (size_t)TIGHT_KEPT * (size_t)p.words);
	index_neighbours(&p);
	for (int v = 0; v < g->nodes; v++)
		if (g->is_root[v]) {
			add_growing(&p, batch_new(p.n, v, f->chunks));
			p.total += f->chunks;
		}
	build_flow(&p);
	p.all_edges = p.total * (p.n - 1);
	bool ok = grow_all(&p) && (p.n_growing == 0 || forest_in_time(g, e));
	for (size_t i = 0; i < p.n_growing; i++)
		batch_free(p.growing[i]);
	free(p.growing);
	flow_free(p.flow);
	free(p.begin);
	free(p.neighbours);
	free(p.arcs);
	free(p.open);
	free(p.tight);
	if (ok)
		qsort(f->trees.of, f->trees.n, sizeof *f->trees.of, by_root);
	return ok || error_set(e, ERROR_SYSTEM, g->topology->name, "the trees that fit could not be packed");
}
