/*
 * The cheapest timed tree. If only one node wants the commodity, that is a shortest path over (step, node). Otherwise a
 * state is how many nodes of each class have the commodity. In one step a state grows to any larger one: each new node
 * is paid for by the cheapest edge from a class that has a member in the state, so that the cost of growth is a sum over
 * classes, and enumerating all growths of all states is a search over 3^n pairs for n classes of one node, far fewer for
 * few large classes. A state is dropped if its cost and what its missing nodes cost at least reach the limit.
 */

#include "synth/program/timed_tree.h"

#include "synth/program/commodities.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Classes of interchangeable nodes, and the price of an edge from class to class, in each step. */
struct classes {
	int n, nodes, steps;
	int *of;        /* [node] */
	int *size, *first; /* [class]: members; the least of them */
	uint8_t *role;  /* [class] */
	double *unit;   /* [(step * n + from) * n + to]; INFINITY: no edge */
};

static double *unit_at(const struct classes *c, int step, int from, int to)
{
	return &c->unit[((size_t)step * (size_t)c->n + (size_t)from) * (size_t)c->n + (size_t)to];
}

/* What the pricing works on. */
struct pricer {
	const struct network *w;
	const struct commodity *k;
	int steps;
	const double *prices;
	double *full; /* [(step * P + from) * P + to] */
	double limit;
};

static double price_at(const struct pricer *p, int step, int from, int to)
{
	size_t nodes = (size_t)p->w->nodes;
	return p->full[((size_t)step * nodes + (size_t)from) * nodes + (size_t)to];
}

static void fill_prices(struct pricer *p)
{
	size_t nodes = (size_t)p->w->nodes, all = (size_t)p->steps * nodes * nodes;

	p->full = new_array(double, all);
	for (size_t i = 0; i < all; i++)
		p->full[i] = INFINITY;
	for (int s = 0; s < p->steps; s++)
		for (size_t e = 0; e < p->w->n_edges; e++)
			p->full[((size_t)s * nodes + (size_t)p->w->edges[e].src) * nodes + (size_t)p->w->edges[e].dst] =
				p->prices[(size_t)s * p->w->n_edges + e];
}

/* Would swapping A and B change no price? */
static bool interchangeable(const struct pricer *p, int a, int b)
{
	if (p->k->role[a] != p->k->role[b])
		return false;
	for (int s = 0; s < p->steps; s++) {
		if (price_at(p, s, a, b) != price_at(p, s, b, a))
			return false;
		for (int v = 0; v < p->w->nodes; v++)
			if (v != a && v != b &&
			    (price_at(p, s, a, v) != price_at(p, s, b, v) || price_at(p, s, v, a) != price_at(p, s, v, b)))
				return false;
	}
	return true;
}

static void classes_new(const struct pricer *p, struct classes *c)
{
	int nodes = p->w->nodes;

	*c = (struct classes){.nodes = nodes, .steps = p->steps, .of = new_array(int, (size_t)nodes),
			      .size = new_array(int, (size_t)nodes), .first = new_array(int, (size_t)nodes),
			      .role = new_array(uint8_t, (size_t)nodes)};
	for (int v = 0; v < nodes; v++) {
		int class = 0;
		while (class < c->n && !interchangeable(p, c->first[class], v))
			class++;
		if (class == c->n) {
			c->first[c->n] = v;
			c->role[c->n++] = p->k->role[v];
		}
		c->of[v] = class;
		c->size[class]++;
	}
	c->unit = new_array(double, (size_t)p->steps * (size_t)c->n * (size_t)c->n);
	for (size_t i = 0; i < (size_t)p->steps * (size_t)c->n * (size_t)c->n; i++)
		c->unit[i] = INFINITY;
	for (int s = 0; s < p->steps; s++)
		for (int u = 0; u < nodes; u++)
			for (int v = 0; v < nodes; v++)
				if (u != v)
					*unit_at(c, s, c->of[u], c->of[v]) = price_at(p, s, u, v);
}

static void classes_free(struct classes *c)
{
	free(c->of);
	free(c->size);
	free(c->first);
	free(c->role);
	free(c->unit);
}

/* The dynamic program. A state is a number: the sum of counts [class] times place [class]. */
struct tree_growth {
	const struct classes *c;
	double limit;
	size_t states;
	size_t *place;  /* [class]; 0 for classes that have the commodity from the beginning */
	double *rest;   /* [step * n + class]: the least price of an edge into the class from this step on */
	double *cost;   /* [step * states + state]: after so many steps */
	uint32_t *from; /* the same: the state before the step */
	/* The state that grows, and where. */
	size_t state;
	int step, *count;
	double *unit, *least; /* [class]: cheapest edge in this step; the least of this and later ones */
};

static int count_of(const struct tree_growth *g, size_t state, int class)
{
	return g->place[class] ? (int)(state / g->place[class] % (size_t)(g->c->size[class] + 1)) : g->c->size[class];
}

/*
 * COST: paid for the growth of classes before CLASS; BOUND: that, and the least that all other missing nodes cost.
 */
static void grow(struct tree_growth *g, int class, size_t state, double cost, double bound)
{
	const struct classes *c = g->c;

	while (class < c->n && (!g->place[class] || g->count[class] == c->size[class] || g->unit[class] == INFINITY)) {
		if (g->place[class] && c->role[class] == ROLE_WANTS && g->count[class] < c->size[class] &&
		    g->rest[(size_t)(g->step + 1) * (size_t)c->n + (size_t)class] == INFINITY)
			return;
		class++;
	}
	if (class == c->n) {
		size_t at = (size_t)(g->step + 1) * g->states + state;
		if (cost < g->cost[at]) {
			g->cost[at] = cost;
			g->from[at] = (uint32_t)g->state;
		}
		return;
	}
	int missing = c->size[class] - g->count[class];
	bool wanted = c->role[class] == ROLE_WANTS;
	double later = wanted ? g->rest[(size_t)(g->step + 1) * (size_t)c->n + (size_t)class] : 0;
	double least = wanted ? g->least[class] : 0;
	for (int j = 0; j <= missing; j++) {
		if (later == INFINITY && j < missing)
			continue;
		double more = j * (g->unit[class] - least) + (j < missing ? (missing - j) * (later - least) : 0);
		if (bound + more < g->limit)
			grow(g, class + 1, state + (size_t)j * g->place[class], cost + j * g->unit[class], bound + more);
		else if (g->unit[class] >= later)
			return; /* growth by more would only add to the bound */
	}
}

/* Lets a state grow in the step. */
static void grow_state(struct tree_growth *g, size_t state)
{
	const struct classes *c = g->c;
	double cost = g->cost[(size_t)g->step * g->states + state], bound = cost;

	g->state = state;
	for (int class = 0; class < c->n; class++) {
		g->count[class] = count_of(g, state, class);
		g->unit[class] = INFINITY;
	}
	for (int class = 0; class < c->n; class++) {
		if (g->count[class] == c->size[class])
			continue;
		for (int d = 0; d < c->n; d++)
			if (g->count[d])
				g->unit[class] = fmin(g->unit[class], *unit_at(c, g->step, d, class));
		g->least[class] = fmin(g->unit[class], g->rest[(size_t)(g->step + 1) * (size_t)c->n + (size_t)class]);
		if (c->role[class] == ROLE_WANTS)
			bound += (c->size[class] - g->count[class]) * g->least[class];
	}
	if (bound < g->limit)
		grow(g, 0, state, cost, bound);
}

static void least_rest(struct tree_growth *g)
{
	const struct classes *c = g->c;
	size_t n = (size_t)c->n;

	g->rest = new_array(double, ((size_t)c->steps + 1) * n);
	for (size_t i = 0; i < n; i++)
		g->rest[(size_t)c->steps * n + i] = INFINITY;
	for (int s = c->steps - 1; s >= 0; s--)
		for (int to = 0; to < c->n; to++) {
			double least = g->rest[(size_t)(s + 1) * n + (size_t)to];
			for (int from = 0; from < c->n; from++)
				least = fmin(least, *unit_at(c, s, from, to));
			g->rest[(size_t)s * n + (size_t)to] = least;
		}
}

/* False: too many states. */
static bool growth_new(const struct classes *c, double limit, struct tree_growth *g)
{
	double pairs = 1; /* of a state and one that it grows to */

	*g = (struct tree_growth){.c = c, .limit = limit, .states = 1, .place = new_array(size_t, (size_t)c->n)};
	for (int class = 0; class < c->n; class++)
		if (c->role[class] != ROLE_HAS) {
			g->place[class] = g->states;
			g->states *= (size_t)c->size[class] + 1;
			pairs *= (c->size[class] + 1) * (c->size[class] + 2) / 2.0;
			if (pairs > TREE_PAIRS_MAX) {
				free(g->place);
				return false;
			}
		}
	size_t all = ((size_t)c->steps + 1) * g->states;
	g->cost = new_array(double, all);
	g->from = new_array(uint32_t, all);
	for (size_t i = 0; i < all; i++)
		g->cost[i] = INFINITY;
	g->cost[0] = 0;
	g->count = new_array(int, (size_t)c->n);
	g->unit = new_array(double, (size_t)c->n);
	g->least = new_array(double, (size_t)c->n);
	least_rest(g);
	return true;
}

static void growth_free(struct tree_growth *g)
{
	free(g->place);
	free(g->rest);
	free(g->cost);
	free(g->from);
	free(g->count);
	free(g->unit);
	free(g->least);
}

/* The cheapest state in which all nodes that want the commodity have it; the number of states: none. */
static size_t best_end(const struct tree_growth *g)
{
	const double *cost = &g->cost[(size_t)g->c->steps * g->states];
	size_t best = g->states;

	for (size_t state = 0; state < g->states; state++) {
		if (cost[state] >= g->limit || (best < g->states && cost[state] >= cost[best]))
			continue;
		bool whole = true;
		for (int class = 0; class < g->c->n && whole; class++)
			whole = g->c->role[class] != ROLE_WANTS || count_of(g, state, class) == g->c->size[class];
		if (whole)
			best = state;
	}
	return best;
}

/* Adds the edges by which BEFORE became AFTER in STEP; members of a class get the commodity in ascending order. */
static void trace_step(const struct pricer *p, const struct tree_growth *g, int step, size_t before, size_t after,
		       struct timed_tree *out)
{
	const struct classes *c = g->c;

	for (int class = 0; class < c->n; class++) {
		int had = count_of(g, before, class), has = count_of(g, after, class), source = -1;
		if (has == had)
			continue;
		for (int d = 0; d < c->n; d++)
			if (count_of(g, before, d) && (source < 0 || *unit_at(c, step, d, class) < *unit_at(c, step, source, class)))
				source = d;
		for (int v = 0, seen = 0; v < c->nodes; v++)
			if (c->of[v] == class && seen++ >= had && seen <= has)
				out->of[out->n++] = (struct timed_edge){step, network_edge(p->w, c->first[source], v)};
	}
}

static void trace(const struct pricer *p, const struct tree_growth *g, size_t end, struct timed_tree *out)
{
	size_t *state = new_array(size_t, (size_t)g->c->steps + 1);

	*out = (struct timed_tree){0, new_array(struct timed_edge, (size_t)g->c->nodes)};
	state[g->c->steps] = end;
	for (int s = g->c->steps; s > 0; s--)
		state[s - 1] = g->from[(size_t)s * g->states + state[s]];
	for (int s = 0; s < g->c->steps; s++)
		trace_step(p, g, s, state[s], state[s + 1], out);
	free(state);
}

static enum tree_answer cheapest_growth(const struct pricer *p, struct timed_tree *out, double *cost)
{
	struct classes c;
	struct tree_growth g;
	enum tree_answer answer = TREE_TOO_LARGE;

	classes_new(p, &c);
	if (growth_new(&c, p->limit, &g)) {
		for (g.step = 0; g.step < p->steps; g.step++)
			for (size_t state = 0; state < g.states; state++)
				if (g.cost[(size_t)g.step * g.states + state] < g.limit)
					grow_state(&g, state);
		size_t end = best_end(&g);
		answer = end < g.states ? TREE_FOUND : TREE_NONE;
		if (answer == TREE_FOUND) {
			*cost = g.cost[(size_t)p->steps * g.states + end];
			trace(p, &g, end, out);
		}
		growth_free(&g);
	}
	classes_free(&c);
	return answer;
}

/* The shortest path to the only node that wants the commodity. */
static enum tree_answer cheapest_path(const struct pricer *p, struct timed_tree *out, double *cost)
{
	int nodes = p->w->nodes, to = 0;
	double *at = new_array(double, (size_t)(p->steps + 1) * (size_t)nodes);
	int *by = new_array(int, (size_t)(p->steps + 1) * (size_t)nodes); /* edge + 1; 0: waits */

	for (int v = 0; v < nodes; v++) {
		at[v] = p->k->role[v] == ROLE_HAS ? 0 : INFINITY;
		to = p->k->role[v] == ROLE_WANTS ? v : to;
	}
	for (int s = 0; s < p->steps; s++) {
		double *now = &at[(size_t)s * (size_t)nodes], *next = now + nodes;
		int *next_by = &by[(size_t)(s + 1) * (size_t)nodes];
		memcpy(next, now, (size_t)nodes * sizeof *next);
		for (size_t e = 0; e < p->w->n_edges; e++) {
			double price = now[p->w->edges[e].src] + p->prices[(size_t)s * p->w->n_edges + e];
			int dst = p->w->edges[e].dst;
			if (price < next[dst]) {
				next[dst] = price;
				next_by[dst] = (int)e + 1;
			}
		}
	}
	*cost = at[(size_t)p->steps * (size_t)nodes + (size_t)to];
	bool found = *cost < p->limit;
	if (found) {
		*out = (struct timed_tree){0, new_array(struct timed_edge, (size_t)p->steps)};
		for (int s = p->steps, v = to; s > 0; s--) {
			int e = by[(size_t)s * (size_t)nodes + (size_t)v] - 1;
			if (e < 0)
				continue;
			out->of[out->n++] = (struct timed_edge){s - 1, e};
			v = p->w->edges[e].src;
		}
		for (int i = 0, j = out->n - 1; i < j; i++, j--) {
			struct timed_edge swap = out->of[i];
			out->of[i] = out->of[j];
			out->of[j] = swap;
		}
	}
	free(at);
	free(by);
	return found ? TREE_FOUND : TREE_NONE;
}

enum tree_answer timed_tree_cheapest(const struct network *w, const struct commodity *k, int steps, const double *prices,
				     double limit, struct timed_tree *out, double *cost)
{
	struct pricer p = {.w = w, .k = k, .steps = steps, .prices = prices, .limit = limit};
	enum tree_answer answer;

	if (k->wanted == 1)
		return cheapest_path(&p, out, cost);
	fill_prices(&p);
	answer = cheapest_growth(&p, out, cost);
	free(p.full);
	return answer;
}
