/*
 * Packs undirected spanning trees over links: every link becomes parallel edges, shallow trees grow greedily in turn,
 * matroid union (core/graph/matroid_union.h) completes them, and depth reduction follows. Multiples of the trees are
 * tried for a shorter pipeline on small machines.
 */

#include "synth/trees/undirected_trees.h"

#include "core/base/error.h"
#include "core/base/csr.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/trees/strength.h"
#include "synth/trees/depth_reduction.h"
#include "synth/trees/tree_schedule.h"
#include "core/graph/matroid_union.h"

#include <stdlib.h>
#include <string.h>

/*
 * Greedy growth, shallow trees first: each in turn takes one free edge out of the node that it reached first among
 * those that have one.
 */
struct undirected_growth {
	int nodes, n, trees;
	struct graph_edge *edges; /* parallel ones are consecutive */
	struct csr at;            /* by node: links, as the number of their first edge */
	int *next;                /* [first edge]: the first that is free */
	int *end;                 /* [first edge]: the end of the link's edges */
	struct sprout {
		bool *in;
		/* order: nodes as they were reached; head: whose turn it is; way: which of its links is next. */
		int *order, n, head, way;
	} *of;
};

/* As many parallel edges as each link has units in all rounds, but no more than there are trees. */
static void add_copies(struct undirected_growth *g, const struct network *w, int64_t rounds)
{
	size_t links, room = 0, ends = 0, starts = 0;
	struct joint *joints = joints_of(w, &links);

	for (size_t i = 0; i < links; i++) {
		int first = g->n;
		for (int64_t k = 0; k < joints[i].width * rounds && k < g->trees; k++) {
			g->edges = grown(g->edges, &room, (size_t)g->n + 1, sizeof *g->edges);
			g->edges[g->n++] = (struct graph_edge){joints[i].a, joints[i].b, -1};
		}
		g->next = grown(g->next, &starts, (size_t)g->n, sizeof *g->next);
		g->end = grown(g->end, &ends, (size_t)g->n, sizeof *g->end);
		g->next[first] = first;
		g->end[first] = g->n;
	}
	g->at = csr_new(g->nodes);
	for (int first = 0; first < g->n; first = g->end[first]) {
		csr_count(&g->at, g->edges[first].a);
		csr_count(&g->at, g->edges[first].b);
	}
	csr_allocate(&g->at);
	for (int first = 0; first < g->n; first = g->end[first]) {
		csr_put(&g->at, g->edges[first].a, first);
		csr_put(&g->at, g->edges[first].b, first);
	}
	free(joints);
}

static void reach(struct sprout *s, int v)
{
	s->in[v] = true;
	s->order[s->n++] = v;
}

/* False: tree T cannot grow any more. */
static bool grow_one(struct undirected_growth *g, int t)
{
	struct sprout *s = &g->of[t];

	for (; s->head < s->n; s->head++, s->way = 0) {
		int v = s->order[s->head], many = csr_size(&g->at, v);
		for (; s->way < many; s->way++) {
			int first = g->at.of[g->at.begin[v + 1] - 1 - (s->way + t) % many], edge = g->next[first];
			int to = g->edges[first].a + g->edges[first].b - v;
			if (s->in[to] || edge == g->end[first])
				continue;
			g->edges[edge].tree = t;
			g->next[first]++;
			reach(s, to);
			return true;
		}
	}
	return false;
}

static void grow(struct undirected_growth *g)
{
	bool more = true;

	g->of = new_array(struct sprout, (size_t)g->trees);
	for (int t = 0; t < g->trees; t++) {
		g->of[t] = (struct sprout){.in = new_array(bool, (size_t)g->nodes), .order = new_array(int, (size_t)g->nodes)};
		reach(&g->of[t], (int)((int64_t)t * g->nodes / g->trees));
	}
	while (more) {
		more = false;
		for (int t = 0; t < g->trees; t++)
			more |= grow_one(g, t);
	}
	for (int t = 0; t < g->trees; t++) {
		free(g->of[t].in);
		free(g->of[t].order);
	}
	free(g->of);
	csr_free(&g->at);
	free(g->next);
	free(g->end);
}

bool undirected_trees_of(const struct network *w, int trees, int64_t rounds, struct trees *out)
{
	struct undirected_growth g = {.nodes = w->nodes, .trees = trees};
	int *parents = new_array(int, (size_t)trees * (size_t)w->nodes);

	add_copies(&g, w, rounds);
	grow(&g);
	*out = (struct trees){.nodes = w->nodes};
	bool ok = tree_union(w->nodes, g.edges, g.n, trees, parents);
	for (int t = 0; t < trees && ok; t++)
		trees_add(out, parents + (size_t)t * (size_t)w->nodes, 1);
	if (ok)
		trees_reduce_depth(w, false, rational(rounds, 1), out);
	free(g.edges);
	free(parents);
	return ok;
}

/*
 * The first of the rates k trees per fewest rounds, in order of k, that comes within a hundredth; if none of at most
 * MOST trees does, the best.
 */
static struct rational near_rate(struct rational rate, int64_t most)
{
	struct rational best = rational(0, 1), enough = rational_mul(rate, rational(99, 100));

	for (int64_t k = 1; k <= most && rational_compare(best, enough) < 0; k++) {
		struct rational trees = rational(k, 1), rounds = rational(rational_ceil(rational_div(trees, rate)), 1);
		struct rational now = rational_div(trees, rounds);
		best = rational_compare(now, best) > 0 ? now : best;
	}
	return best;
}

/* TIMES as many trees in TIMES as many rounds, and the pipeline over them. */
struct trial {
	struct trees trees;
	struct construction construction;
	struct rational bandwidth;
};

static void trial_free(struct trial *t)
{
	trees_free(&t->trees);
	if (t->construction.steps)
		steps_free(t->construction.steps, t->construction.n_steps);
}

static bool try_times(const struct method_request *r, struct rational rate, int64_t times, const char *name, struct trial *out, struct error *e)
{
	int64_t rounds = 0;

	*out = (struct trial){0};
	if (!undirected_trees_of(r->network, (int)(rate.num * times), rate.den * times, &out->trees))
		return error_set(e, ERROR_SYSTEM, name, "found less than the strength of the machine");
	if (!trees_construct(r, &out->trees, name, &out->construction, e))
		return false;
	for (size_t s = 0; s < out->construction.n_steps; s++)
		rounds += out->construction.steps[s].rounds;
	out->bandwidth = rational(rounds, out->construction.chunks);
	return true;
}

/* Fewer steps where both are near enough and C is free; otherwise less R/C. */
static bool is_better(const struct trial *a, const struct trial *b, struct rational enough)
{
	int order = rational_compare(a->bandwidth, b->bandwidth);
	bool both = rational_compare(a->bandwidth, enough) <= 0 && rational_compare(b->bandwidth, enough) <= 0;

	if ((both || order == 0) && a->construction.n_steps != b->construction.n_steps)
		return a->construction.n_steps < b->construction.n_steps;
	return order < 0;
}

/*
 * Trees of other roots and shapes keep both directions of links busy, so that more of them may make a shorter pipeline.
 */
static bool best_times(const struct method_request *r, struct rational rate, int64_t most, const char *name, struct trees *out, struct error *e)
{
	static const int times[] = {1, 2, 3, 4, 6, 8};
	struct rational enough = r->options.chunks ? rational(0, 1) : rational_div(rational(17, 16), rate);
	struct trial best = {0};
	bool ok = true;

	for (size_t i = 0; i < sizeof times / sizeof *times && ok && (i == 0 || rate.num * times[i] <= most); i++) {
		struct trial now;
		ok = try_times(r, rate, times[i], name, &now, e);
		bool first = !ok || (i > 0 && !is_better(&now, &best, enough));
		trial_free(first ? &now : &best);
		best = first ? best : now;
	}
	if (ok) {
		*out = best.trees;
		best.trees = (struct trees){0};
	}
	trial_free(&best);
	return ok;
}

bool undirected_trees(const struct method_request *r, struct rational rate, const char *name, struct trees *out, struct error *e)
{
	enum { PLACED_MAX = 1 << 15, TRIED_MAX = 1 << 12, MANY = 32 }; /* edges of all trees; trees of many shapes */
	int64_t each = r->network->nodes - 1, most = PLACED_MAX / each, times = 1;
	struct rational near = rate.num > most ? near_rate(rate, most) : rate;

	if (near.num == 0)
		return error_set(e, ERROR_LIMIT, name, "needs more than %lld trees on %d nodes", (long long)most, r->network->nodes);
	if (near.num == rate.num && near.num * each * 2 <= TRIED_MAX)
		return best_times(r, near, TRIED_MAX / each, name, out, e);
	while (near.num < rate.num && near.num * times < MANY && near.num * times * 2 <= most)
		times *= 2;
	return undirected_trees_of(r->network, (int)(near.num * times), near.den * times, out) ||
	       error_set(e, ERROR_SYSTEM, name, "found less than the strength of the machine");
}
