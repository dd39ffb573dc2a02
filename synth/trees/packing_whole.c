/*
 * Integer weights at a rate p/q: links q times as wide, p trees. By the theorems of Edmonds and of Nash-Williams and
 * Tutte they exist where only links bind. The integer parts of a fractional optimum are taken first. For undirected
 * trees over links the rest comes from exchanges (core/graph/matroid_union.h) if it is small; otherwise trees are taken
 * one at a time such that the remaining links still carry the rest, with backtracking. Where limits over several links
 * bind no theorem applies, and the search may fail.
 */

#include "synth/trees/packing.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/graph/matroid_union.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct peeling {
	struct packing *p;
	int64_t *taken;   /* [candidate] */
	size_t room;
	int64_t left;
	int solves;       /* linear programs that may still be solved */
	bool by_exchange; /* undirected trees, and only links bind */
};

static void take(struct peeling *s, size_t at, int64_t n)
{
	const struct packed *t = &s->p->of[at];

	if (at >= s->room) {
		size_t before = s->room;
		s->taken = grown(s->taken, &s->room, at + 1, sizeof *s->taken);
		memset(s->taken + before, 0, (s->room - before) * sizeof *s->taken);
	}
	s->taken[at] += n;
	s->left -= n;
	for (int i = 0; i < t->n_loads; i++)
		s->p->width[t->row[i]] -= n * t->load[i];
}

/* Can the remaining links carry the remaining trees? Weights then show how. */
static bool goes_on(struct peeling *s)
{
	if (s->left == 0)
		return true;
	for (size_t i = 0; i < s->p->n; i++)
		s->p->of[i].weight = 0;
	return s->solves-- > 0 && packing_best(s->p, NULL) >= (double)s->left - 1e-6;
}

static void take_whole(struct peeling *s)
{
	for (size_t i = 0; i < s->p->n && s->left; i++) {
		int64_t n = (int64_t)floor(s->p->of[i].weight + 1e-6);
		n = n < s->left ? n : s->left;
		if (n > 0) {
			take(s, i, n);
			s->p->of[i].weight -= (double)n;
		}
	}
}

static bool fits(const struct peeling *s, size_t at)
{
	const struct packed *t = &s->p->of[at];

	for (int i = 0; i < t->n_loads; i++)
		if (s->p->width[t->row[i]] < t->load[i])
			return false;
	return true;
}

/* As many parallel edges as each link has units left, but no more than trees can use. The caller frees them. */
static struct graph_edge *edges_left(const struct peeling *s, int *n)
{
	const struct network *w = s->p->network;
	struct graph_edge *edges = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t i = 0; i < w->n_edges; i++) {
		int back = network_edge(w, w->edges[i].dst, w->edges[i].src);
		if (w->edges[i].src > w->edges[i].dst || back < 0)
			continue;
		int64_t many = s->p->width[i] < s->p->width[back] ? s->p->width[i] : s->p->width[back];
		for (int64_t k = 0; k < many && k < s->left; k++) {
			edges = grown(edges, &room, (size_t)*n + 1, sizeof *edges);
			edges[(*n)++] = (struct graph_edge){w->edges[i].src, w->edges[i].dst, -1};
		}
	}
	return edges;
}

/* Takes all remaining trees at once. */
static bool exchange(struct peeling *s)
{
	enum { WORK_MAX = 1 << 14 };
	int n, trees = (int)s->left, nodes = s->p->network->nodes;
	struct graph_edge *edges = edges_left(s, &n);
	bool few = (int64_t)n * trees <= WORK_MAX;
	int *parents = new_array(int, few ? (size_t)trees * (size_t)nodes : 0);
	bool ok = few && tree_union(nodes, edges, n, trees, parents);

	for (int t = 0; t < trees && ok; t++)
		take(s, packing_add(s->p, parents + (size_t)t * (size_t)nodes), 1);
	free(edges);
	free(parents);
	return ok;
}

static bool peel_on(struct peeling *s);

/* Takes one tree, heaviest first, and then all others; a choice after which the rest does not fit is undone. */
static bool take_one(struct peeling *s)
{
	enum { CHOICES_MAX = 12 };
	size_t n = s->p->n;
	double *weights = new_array(double, n);
	bool found = false;

	for (size_t i = 0; i < n; i++)
		weights[i] = fits(s, i) ? s->p->of[i].weight : 0;
	for (int choice = 0; choice < CHOICES_MAX && !found && s->solves > 0; choice++) {
		size_t at = 0;
		for (size_t i = 1; i < n; i++)
			at = weights[i] > weights[at] ? i : at;
		if (weights[at] < 1e-7)
			break;
		weights[at] = 0;
		take(s, at, 1);
		found = goes_on(s) && peel_on(s);
		if (!found)
			take(s, at, -1);
	}
	free(weights);
	return found;
}

/* Needs weights that show how what is left can be carried. False: everything taken here was given back. */
static bool peel_on(struct peeling *s)
{
	size_t n = s->room;
	int64_t *before = copy_bytes(s->taken, n * sizeof *before);

	take_whole(s);
	bool ok = s->left == 0 || (s->by_exchange && exchange(s)) || take_one(s);
	for (size_t i = 0; i < s->room && i < s->p->n && !ok; i++)
		take(s, i, (i < n ? before[i] : 0) - s->taken[i]);
	free(before);
	return ok;
}

/* As many as take seconds. */
static int solves_for(const struct packing *p)
{
	enum { ALL = 1 << 18, MOST = 400 };
	int n = ALL / p->network->nodes / p->network->nodes;

	return n < MOST ? n : MOST;
}

static bool peel(struct packing *p, int64_t trees, int64_t rounds, int solves)
{
	struct peeling s = {.p = p, .left = trees, .solves = solves, .by_exchange = p->root < 0 && p->network->n_limits == 0};
	int64_t *widths = copy_bytes(p->width, p->n_rows * sizeof *widths);

	for (size_t r = 0; r < p->n_rows; r++)
		p->width[r] *= rounds;
	p->narrowed = true;
	bool ok = goes_on(&s) && peel_on(&s);
	p->narrowed = false;
	for (size_t i = 0; i < p->n; i++)
		p->of[i].weight = i < s.room ? (double)s.taken[i] / (double)rounds : 0;
	free(p->width);
	p->width = widths;
	free(s.taken);
	return ok;
}

int packing_parts(struct packing *p, double best, double threshold)
{
	enum { PARTS_MAX = 64 };

	for (int parts = 2; parts <= PARTS_MAX; parts++) {
		double trees = floor(best * parts + 1e-6);
		if (trees >= (1 - threshold) * best * parts - 1e-6 && peel(p, (int64_t)trees, parts, solves_for(p)))
			return parts;
	}
	return 0;
}

/* A lucky run needs about one linear program per tree: all multiples are tried briefly before any is tried for long. */
bool packing_whole(struct packing *p, struct rational rate)
{
	enum { MULTIPLES_MAX = 4, MORE = 16 };

	for (int patient = 0; patient < 2; patient++)
		for (int64_t times = 1; times <= MULTIPLES_MAX; times *= 2) {
			int64_t trees = rate.num * times, most = solves_for(p), few = 2 * trees + MORE;
			if (peel(p, trees, rate.den * times, (int)(patient || most < few ? most : few)))
				return true;
		}
	return false;
}
