/*
 * As in synth/program/tree_growth.c a state grows step by step, and is dropped where its cost, or what is left of the
 * prices of its sends, is too much. But here a state is a number of pairs of nodes: those with the first node informed, with
 * the second, with both. Exchanging two pairs changes no price, so that nothing else matters. A node without such a
 * partner is a pair of one. The price of a new node depends on the state before the step alone: so first all changes of each
 * kind of pairs are listed with the cheapest way to each, then one of each list is taken.
 */

#include "synth/program/block_growth.h"

#include "synth/program/commodities.h"
#include "synth/program/node_pairs.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

/* A change of pairs in a step: what it costs, and how it is made. */
struct pair_change {
	double cost, left;      /* prices of the sends, and what is left of these */
	double owed, owed_left; /* what missing nodes add at least after the step */
	size_t to;
	int moved[FORMS][FORMS]; /* pairs of one form that take another */
};

struct pair_growth {
	const struct tree_question *q;
	struct pair_table t;
	int step;
	size_t from_state;
	double spare;
	double *later, *later_left;     /* [step * nodes + node]: least to be paid from this step on */
	double *cost, *left;            /* [step * states + state] */
	uint32_t *before;               /* the same: the state before the step */
	double *rest, *rest_left;       /* [kind]: the least that it and those after it add */
	bool *informed;
};

/* The form of a pair of a kind, of which so many have each: those with none informed come first, and so on. */
static int form_of(const int *count, int pair)
{
	int form = 0;

	while (pair >= count[form])
		pair -= count[form++];
	return form;
}

static void inform(struct pair_growth *g, size_t state)
{
	for (int v = 0; v < g->t.nodes; v++)
		g->informed[v] = g->q->k->role[v] == ROLE_HAS;
	for (int i = 0; i < g->t.n; i++) {
		const struct exchanged_pairs *k = &g->t.kinds[i];
		for (int p = 0; p < k->n; p++)
			for (int end = 0; end < k->size; end++)
				g->informed[k->pair[p][end]] = form_of(k->count[pair_number_of(k, state)], p) >> end & 1;
	}
}

/* The cheapest send to V from informed nodes, of several that of which least is left. */
static double cheapest_to(const struct pair_growth *g, int v, double *left)
{
	double least = INFINITY;

	*left = INFINITY;
	for (int i = g->q->w->in_begin[v]; i < g->q->w->in_begin[v + 1]; i++) {
		int u = g->q->w->edges[g->q->w->in[i]].src;
		size_t at = pair_cell(&g->t, g->step, u, v);
		if (g->informed[u] && (g->t.price[at] < least || (g->t.price[at] == least && g->t.left_of[at] < *left))) {
			least = g->t.price[at];
			*left = g->t.left_of[at];
		}
	}
	return least;
}

/* ---- changes ---- */

/* How changes are shared out among pairs. */
struct pair_sharing {
	struct exchanged_pairs *k;
	int unchanged[FORMS];
	double cost[FORMS][FORMS], left[FORMS][FORMS];
	struct pair_change now;
	double most, left_most;
};

static void keep_change(struct pair_sharing *h)
{
	int count[FORMS];

	for (int f = 0; f < FORMS; f++) {
		count[f] = h->unchanged[f];
		for (int from = 0; from < f; from++)
			count[f] += h->now.moved[from][f];
	}
	h->now.to = *pair_number(h->k, count);
	size_t *listed = &h->k->listed[h->now.to];
	if (!*listed)
		*listed = ++h->k->n_changes;
	else if (h->k->changes[*listed - 1].cost < h->now.cost ||
		 (h->k->changes[*listed - 1].cost == h->now.cost && h->k->changes[*listed - 1].left <= h->now.left))
		return;
	h->k->changes[*listed - 1] = h->now;
}

/* CHANGE: from form CHANGE / FORMS to form CHANGE % FORMS. */
static bool is_possible(const struct pair_sharing *h, int change)
{
	int from = change / FORMS, to = change % FORMS;

	return (to & from) == from && to > from && h->unchanged[from] && h->cost[from][to] < INFINITY;
}

static void share(struct pair_sharing *h, int change)
{
	if (h->now.cost >= h->most || h->now.left >= h->left_most)
		return;
	while (change < FORMS * FORMS && !is_possible(h, change))
		change++;
	if (change == FORMS * FORMS) {
		keep_change(h);
		return;
	}
	struct pair_change before = h->now;
	int from = change / FORMS, to = change % FORMS, had = h->unchanged[from];
	for (int n = 0; n <= had; n++) {
		h->unchanged[from] = had - n;
		h->now = before;
		h->now.moved[from][to] = n;
		h->now.cost += n * h->cost[from][to];
		h->now.left += n * h->left[from][to];
		share(h, change + 1);
	}
	h->unchanged[from] = had;
	h->now = before;
}

/* What the nodes that are missing of a kind add at least from STEP on. */
static double owed(const struct pair_growth *g, const struct exchanged_pairs *k, const int *count, int step, const double *least)
{
	double sum = 0;

	for (int end = 0; end < k->size; end++) {
		int missing = end == 0 ? count[0] + count[2] : count[0] + count[1];
		if (missing && g->q->k->role[k->pair[0][end]] == ROLE_WANTS)
			sum += missing * least[(size_t)step * (size_t)g->t.nodes + (size_t)k->pair[0][end]];
	}
	return sum;
}

static int by_cost(const void *va, const void *vb)
{
	const struct pair_change *a = va, *b = vb;
	double left = a->cost + a->owed, right = b->cost + b->owed;

	return left != right ? (left < right ? -1 : 1) : (a->to > b->to) - (a->to < b->to);
}

/* All changes of a kind that cost less than MOST, and leave less than LEFT_MOST, from the state that is informed. */
static void list_changes(struct pair_growth *g, struct exchanged_pairs *k, size_t number, double most, double left_most)
{
	struct pair_sharing h = {.k = k, .most = most, .left_most = left_most};

	for (int f = 0; f < FORMS; f++)
		h.unchanged[f] = k->count[number][f];
	for (int f = 0, pair = 0; f < FORMS; pair += h.unchanged[f++]) {
		double cost[2], left[2];
		for (int end = 0; end < 2; end++)
			cost[end] = h.unchanged[f] && end < k->size && !(f >> end & 1) ? cheapest_to(g, k->pair[pair][end], &left[end]) : INFINITY;
		for (int to = f + 1; to < FORMS; to++) {
			int more = to & ~f;
			h.cost[f][to] = (more & 1 ? cost[0] : 0) + (more & 2 ? cost[1] : 0);
			h.left[f][to] = h.cost[f][to] < INFINITY ? (more & 1 ? left[0] : 0) + (more & 2 ? left[1] : 0) : INFINITY;
		}
	}
	k->n_changes = 0;
	share(&h, 0);
	for (size_t i = 0; i < k->n_changes; i++) {
		struct pair_change *c = &k->changes[i];
		c->owed = owed(g, k, k->count[c->to], g->step + 1, g->later);
		c->owed_left = owed(g, k, k->count[c->to], g->step + 1, g->later_left);
		k->listed[c->to] = 0;
	}
	if (k->n_changes)
		qsort(k->changes, k->n_changes, sizeof *k->changes, by_cost);
}

/* ---- growth ---- */

struct pair_sums {
	double cost, left, owed, owed_left;
};

static void combine(struct pair_growth *g, int kind, size_t to, struct pair_sums of)
{
	if (kind == g->t.n) {
		size_t at = (size_t)(g->step + 1) * g->t.states + to;
		if (of.cost < g->cost[at]) {
			g->cost[at] = of.cost;
			g->left[at] = of.left;
			g->before[at] = (uint32_t)g->from_state;
		}
		return;
	}
	const struct exchanged_pairs *k = &g->t.kinds[kind];
	for (size_t i = 0; i < k->n_changes; i++) {
		const struct pair_change *c = &k->changes[i];
		struct pair_sums more = {of.cost + c->cost, of.left + c->left, of.owed + c->owed, of.owed_left + c->owed_left};
		if (more.cost + more.owed + g->rest[kind + 1] >= g->q->limit)
			return; /* as those after it */
		if (more.left + more.owed_left + g->rest_left[kind + 1] < g->spare)
			combine(g, kind + 1, to + c->to * k->place, more);
	}
}

/* Lists the changes of all kinds in the step. */
static void list_all(struct pair_growth *g, size_t state, double cost, double left)
{
	inform(g, state);
	g->rest[g->t.n] = g->rest_left[g->t.n] = 0;
	for (int i = g->t.n - 1; i >= 0; i--) {
		struct exchanged_pairs *k = &g->t.kinds[i];
		double least = INFINITY, least_left = INFINITY;
		list_changes(g, k, pair_number_of(k, state), g->q->limit - cost, g->spare - left);
		for (size_t c = 0; c < k->n_changes; c++) {
			least = fmin(least, k->changes[c].cost + k->changes[c].owed);
			least_left = fmin(least_left, k->changes[c].left + k->changes[c].owed_left);
		}
		g->rest[i] = g->rest[i + 1] + least;
		g->rest_left[i] = g->rest_left[i + 1] + least_left;
	}
}

static void grow_state(struct pair_growth *g, size_t state)
{
	size_t at = (size_t)g->step * g->t.states + state;
	double bound = g->cost[at], left_bound = g->left[at];

	for (int i = 0; i < g->t.n; i++) {
		const struct exchanged_pairs *k = &g->t.kinds[i];
		bound += owed(g, k, k->count[pair_number_of(k, state)], g->step, g->later);
		left_bound += owed(g, k, k->count[pair_number_of(k, state)], g->step, g->later_left);
	}
	if (!(bound < g->q->limit && left_bound < g->spare))
		return;
	list_all(g, state, g->cost[at], g->left[at]);
	g->from_state = state;
	combine(g, 0, 0, (struct pair_sums){.cost = g->cost[at], .left = g->left[at]});
}

/* [step * nodes + node]: the least of COSTS of a send to the node in this step or later. */
static double *least_later(const struct pair_growth *g, const double *costs)
{
	size_t nodes = (size_t)g->t.nodes;
	double *least = new_array(double, (size_t)(g->q->steps + 1) * nodes);

	for (size_t v = 0; v < nodes; v++)
		least[(size_t)g->q->steps * nodes + v] = INFINITY;
	for (int s = g->q->steps - 1; s >= 0; s--)
		for (int v = 0; v < g->t.nodes; v++) {
			double *at = &least[(size_t)s * nodes + (size_t)v];
			*at = at[nodes];
			for (int i = g->q->w->in_begin[v]; i < g->q->w->in_begin[v + 1]; i++)
				*at = fmin(*at, costs[pair_cell(&g->t, s, g->q->w->edges[g->q->w->in[i]].src, v)]);
		}
	return least;
}

/* False: the deadline has come. */
static bool grow_all(struct pair_growth *g)
{
	enum { POLL = 64 };
	unsigned polled = 0;

	for (g->step = 0; g->step < g->q->steps; g->step++)
		for (size_t state = 0; state < g->t.states; state++) {
			if (g->cost[(size_t)g->step * g->t.states + state] == INFINITY)
				continue;
			if (++polled % POLL == 0 && stop_is_due())
				return false;
			grow_state(g, state);
		}
	return true;
}

/* ---- the tree ---- */

/* Sends of one step: the cheapest to each node that is informed NOW and was not BEFORE. */
static void add_sends(const struct pair_growth *g, const bool *before, const bool *now, struct timed_tree *out)
{
	const struct network *w = g->q->w;

	for (int v = 0; v < g->t.nodes; v++) {
		int best = -1;
		for (int i = w->in_begin[v]; now[v] && !before[v] && i < w->in_begin[v + 1]; i++) {
			int e = w->in[i];
			if (before[w->edges[e].src] && (best < 0 || g->t.price[pair_cell(&g->t, g->step, w->edges[e].src, v)] <
									     g->t.price[pair_cell(&g->t, g->step, w->edges[best].src, v)]))
				best = e;
		}
		if (best >= 0)
			out->of[out->n++] = (struct timed_edge){g->step, best};
	}
}

/* Changes pairs of each form, the first of it, as C says. FORM [pair]. */
static void change_forms(const struct exchanged_pairs *k, const struct pair_change *c, int *form)
{
	int left[FORMS][FORMS];

	for (int i = 0; i < FORMS * FORMS; i++)
		left[i / FORMS][i % FORMS] = c->moved[i / FORMS][i % FORMS];
	for (int p = 0; p < k->n; p++)
		for (int from = form[p], to = 0; to < FORMS; to++)
			if (left[from][to]) {
				left[from][to]--;
				form[p] = to;
				break;
			}
}

/* Only those that have the commodity from the beginning. */
static void clear(const struct pair_growth *g, bool *informed)
{
	for (int v = 0; v < g->t.nodes; v++)
		informed[v] = g->q->k->role[v] == ROLE_HAS;
}

static void trace(struct pair_growth *g, size_t end, struct timed_tree *out)
{
	size_t steps = (size_t)g->q->steps, nodes = (size_t)g->t.nodes, *state = new_array(size_t, steps + 1);
	int *form = new_array(int, (size_t)g->t.n * nodes);
	bool *before = new_array(bool, nodes), *now = new_array(bool, nodes);

	*out = (struct timed_tree){0, new_array(struct timed_edge, nodes)};
	state[steps] = end;
	for (size_t s = steps; s > 0; s--)
		state[s - 1] = g->before[s * g->t.states + state[s]];
	clear(g, before);
	for (g->step = 0; g->step < g->q->steps; g->step++) {
		size_t s = (size_t)g->step;
		list_all(g, state[s], g->cost[s * g->t.states + state[s]], g->left[s * g->t.states + state[s]]);
		clear(g, now);
		for (int i = 0; i < g->t.n; i++) {
			const struct exchanged_pairs *k = &g->t.kinds[i];
			for (size_t c = 0; c < k->n_changes; c++)
				if (k->changes[c].to == pair_number_of(k, state[s + 1]))
					change_forms(k, &k->changes[c], &form[(size_t)i * nodes]);
			for (int p = 0; p < k->n; p++)
				for (int e = 0; e < k->size; e++)
					now[k->pair[p][e]] = form[(size_t)i * nodes + (size_t)p] >> e & 1;
		}
		add_sends(g, before, now, out);
		for (size_t v = 0; v < nodes; v++)
			before[v] = now[v];
	}
	free(state);
	free(form);
	free(before);
	free(now);
}

/* The cheapest state in which nothing is owed; the number of states: none. */
static size_t best_end(const struct pair_growth *g)
{
	const double *cost = &g->cost[(size_t)g->q->steps * g->t.states];
	size_t best = g->t.states;

	for (size_t i = 0; i < g->t.states; i++)
		if (cost[i] < g->q->limit && (best == g->t.states || cost[i] < cost[best]))
			best = i;
	return best;
}

static bool search(struct pair_growth *g, struct priced_tree *out)
{
	size_t all = (size_t)(g->q->steps + 1) * g->t.states;

	g->cost = new_array(double, all);
	g->left = new_array(double, all);
	g->before = new_array(uint32_t, all);
	g->later = least_later(g, g->t.price);
	g->later_left = least_later(g, g->t.left_of);
	g->rest = new_array(double, (size_t)g->t.n + 1);
	g->rest_left = new_array(double, (size_t)g->t.n + 1);
	g->informed = new_array(bool, (size_t)g->t.nodes);
	for (size_t i = 1; i < all; i++)
		g->cost[i] = INFINITY;
	bool done = grow_all(g);
	if (done) {
		size_t end = best_end(g);
		out->found = end < g->t.states;
		out->at_least = out->cost = out->found ? g->cost[(size_t)g->q->steps * g->t.states + end] : g->q->limit;
		if (out->found)
			trace(g, end, &out->tree);
	}
	return done;
}

bool block_growth_cheapest(const struct tree_question *q, struct priced_tree *out)
{
	struct pair_growth g = {.q = q, .spare = q->left ? q->limit - q->bound : INFINITY};
	bool done = pair_table_new(q, &g.t);

	for (int i = 0; done && i < g.t.n; i++)
		g.t.kinds[i].changes = new_array(struct pair_change, g.t.kinds[i].states);
	done = done && search(&g, out);
	pair_table_free(&g.t);
	free(g.later);
	free(g.later_left);
	free(g.cost);
	free(g.left);
	free(g.before);
	free(g.rest);
	free(g.rest_left);
	free(g.informed);
	return done;
}
