/*
 * A state is how many nodes of each class have the commodity. In one step a state grows to any larger one: each new node
 * is paid for by the cheapest edge from a class that has a member in the state, so that the cost of growth is a sum over
 * classes, and enumerating all growths of all states is a search over 3^n pairs for n classes of one node, far fewer for
 * few large classes. A state is dropped if its cost and what its missing nodes cost at least reach the limit; and also
 * if what is left of the prices of its sends, and of those that are missing, reaches what the bound leaves of the limit: no
 * tree that begins with these sends costs less than the limit then, nor does one that begins with others, which cost more.
 */

#include "synth/program/tree_growth.h"

#include "synth/program/commodities.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>

static size_t between(const struct tree_classes *c, int step, int from, int to)
{
	return ((size_t)step * (size_t)c->n + (size_t)from) * (size_t)c->n + (size_t)to;
}

static double *unit_at(const struct tree_classes *c, int step, int from, int to)
{
	return &c->unit[between(c, step, from, to)];
}

/* The prices, by the ends of edges. */
struct price_table {
	const struct tree_question *q;
	double *full; /* [(step * P + from) * P + to]; INFINITY: no edge */
};

static double price_at(const struct price_table *p, int step, int from, int to)
{
	size_t nodes = (size_t)p->q->w->nodes;
	return p->full[((size_t)step * nodes + (size_t)from) * nodes + (size_t)to];
}

static void fill_prices(struct price_table *p)
{
	size_t nodes = (size_t)p->q->w->nodes, all = (size_t)p->q->steps * nodes * nodes;

	p->full = new_array(double, all);
	for (size_t i = 0; i < all; i++)
		p->full[i] = INFINITY;
	for (int s = 0; s < p->q->steps; s++)
		for (size_t e = 0; e < p->q->w->n_edges; e++)
			p->full[((size_t)s * nodes + (size_t)p->q->w->edges[e].src) * nodes + (size_t)p->q->w->edges[e].dst] =
				p->q->prices[(size_t)s * p->q->w->n_edges + e];
}

/* Would swapping A and B change no price? */
static bool interchangeable(const struct price_table *p, int a, int b)
{
	if (p->q->k->role[a] != p->q->k->role[b])
		return false;
	for (int s = 0; s < p->q->steps; s++) {
		if (price_at(p, s, a, b) != price_at(p, s, b, a))
			return false;
		for (int v = 0; v < p->q->w->nodes; v++)
			if (v != a && v != b &&
			    (price_at(p, s, a, v) != price_at(p, s, b, v) || price_at(p, s, v, a) != price_at(p, s, v, b)))
				return false;
	}
	return true;
}

void tree_classes_new(const struct tree_question *q, struct tree_classes *c)
{
	struct price_table of = {.q = q}, *p = &of;
	int nodes = q->w->nodes;

	fill_prices(p);
	*c = (struct tree_classes){.nodes = nodes, .steps = q->steps, .of = new_array(int, (size_t)nodes),
				   .size = new_array(int, (size_t)nodes), .first = new_array(int, (size_t)nodes),
				   .role = new_array(uint8_t, (size_t)nodes)};
	for (int v = 0; v < nodes; v++) {
		int class = 0;
		while (class < c->n && !interchangeable(p, c->first[class], v))
			class++;
		if (class == c->n) {
			c->first[c->n] = v;
			c->role[c->n++] = p->q->k->role[v];
		}
		c->of[v] = class;
		c->size[class]++;
	}
	c->unit = new_array(double, (size_t)p->q->steps * (size_t)c->n * (size_t)c->n);
	c->left = new_array(double, (size_t)p->q->steps * (size_t)c->n * (size_t)c->n);
	for (size_t i = 0; i < (size_t)p->q->steps * (size_t)c->n * (size_t)c->n; i++)
		c->unit[i] = INFINITY;
	for (int s = 0; s < p->q->steps; s++)
		for (int u = 0; u < nodes; u++)
			for (int v = 0; v < nodes; v++)
				if (u != v)
					*unit_at(c, s, c->of[u], c->of[v]) = price_at(p, s, u, v);
	free(of.full);
}

void tree_classes_left(const struct tree_question *q, struct tree_classes *c)
{
	for (size_t i = 0; i < (size_t)q->steps * (size_t)c->n * (size_t)c->n; i++)
		c->left[i] = INFINITY;
	for (int s = 0; s < q->steps; s++)
		for (size_t e = 0; e < q->w->n_edges; e++) {
			double *least = &c->left[between(c, s, c->of[q->w->edges[e].src], c->of[q->w->edges[e].dst])];
			*least = fmin(*least, q->left[(size_t)s * q->w->n_edges + e]);
		}
}

void tree_classes_free(struct tree_classes *c)
{
	free(c->of);
	free(c->size);
	free(c->first);
	free(c->role);
	free(c->unit);
	free(c->left);
}

/* A class that can grow in a step: what each new member adds to the sums, and each one that is left for later. */
struct opening {
	size_t place;
	int missing;
	bool is_last, waits; /* it can grow in no later step; or as cheaply in a later one */
	double unit, unit_left;
	double now, now_left, later, later_left; /* to the bounds */
};

/* The dynamic program. A state is a number: the sum of counts [class] times place [class]. */
struct tree_growth {
	const struct tree_classes *c;
	double limit, spare; /* what the bound leaves of the limit; INFINITY: no bound is known */
	size_t states;
	size_t *place;  /* [class]; 0 for classes that have the commodity from the beginning */
	double *rest;   /* [step * n + class]: the least price of an edge into the class from this step on */
	double *rest_left; /* the same: the least that is left of the price of one */
	double *cost;   /* [step * states + state]: after so many steps */
	double *left;   /* the same: what is left of the prices of the sends that cost that */
	uint32_t *from; /* the same: the state before the step */
	unsigned polled; /* for the deadline; the program ends when it has passed */
	bool late;
	/* The state that grows, and where. */
	size_t state;
	int step, *count;
	double *unit, *least; /* [class]: cheapest edge in this step; the least of this and later ones */
	double *unit_left, *least_left; /* [class]: what is left of the price of that edge; the least of it and later ones */
	int n_openings;
	struct opening *openings; /* the classes that can grow in this step */
};

static int count_of(const struct tree_growth *g, size_t state, int class)
{
	return g->place[class] ? (int)(state / g->place[class] % (size_t)(g->c->size[class] + 1)) : g->c->size[class];
}

static bool is_late(struct tree_growth *g)
{
	enum { POLL = 1 << 12 };

	if (++g->polled % POLL == 0 && stop_is_due())
		g->late = true;
	return g->late;
}

/* Paid for growth, and with the least that all missing nodes add. */
struct sums {
	double cost, bound;
	double left, left_bound; /* of what is left of prices */
};

static void reach(struct tree_growth *g, size_t state, double cost, double left)
{
	size_t at = (size_t)(g->step + 1) * g->states + state;

	if (cost < g->cost[at]) {
		g->cost[at] = cost;
		g->left[at] = left;
		g->from[at] = (uint32_t)g->state;
	}
}

/* OF: of the growth of the classes before the OPENING-th that can grow. Most calls are for the last of these, so there are none beyond it. */
static void grow(struct tree_growth *g, int opening, size_t state, struct sums of)
{
	if (is_late(g))
		return;
	const struct opening *o = &g->openings[opening];
	bool last = opening + 1 == g->n_openings;
	for (int j = o->is_last ? o->missing : 0; j <= o->missing; j++) {
		struct sums more = {of.cost + j * o->unit, of.bound + j * o->now, of.left + j * o->unit_left, of.left_bound + j * o->now_left};
		if (j < o->missing) {
			more.bound += (o->missing - j) * o->later;
			more.left_bound += (o->missing - j) * o->later_left;
		}
		if (more.bound < g->limit && more.left_bound < g->spare) {
			if (last)
				reach(g, state + (size_t)j * o->place, more.cost, more.left);
			else
				grow(g, opening + 1, state + (size_t)j * o->place, more);
		} else if (more.bound >= g->limit && o->waits)
			return; /* growth by more would only add to the bound */
	}
}

/* The classes that can grow in the step. False: one cannot, and must, as it cannot grow later. */
static bool find_openings(struct tree_growth *g)
{
	const struct tree_classes *c = g->c;

	g->n_openings = 0;
	for (int class = 0; class < c->n; class++) {
		size_t next = (size_t)(g->step + 1) * (size_t)c->n + (size_t)class;
		bool wanted = c->role[class] == ROLE_WANTS;
		if (!g->place[class] || g->count[class] == c->size[class])
			continue;
		if (g->unit[class] == INFINITY) {
			if (wanted && g->rest[next] == INFINITY)
				return false;
			continue;
		}
		double least = wanted ? g->least[class] : 0, least_left = wanted ? g->least_left[class] : 0;
		double later = wanted ? g->rest[next] : 0, later_left = wanted ? g->rest_left[next] : 0;
		g->openings[g->n_openings++] = (struct opening){g->place[class], c->size[class] - g->count[class], later == INFINITY,
								g->unit[class] >= later, g->unit[class], g->unit_left[class],
								g->unit[class] - least, g->unit_left[class] - least_left,
								later - least, later_left - least_left};
	}
	return true;
}

/* Fills count [class]. */
static void find_counts(struct tree_growth *g, size_t state)
{
	uint32_t rest = (uint32_t)state; /* 32 bits divide faster */

	for (int class = 0; class < g->c->n; class++) {
		uint32_t counts = (uint32_t)g->c->size[class] + 1;
		g->count[class] = g->c->size[class];
		if (g->place[class]) {
			g->count[class] = (int)(rest % counts);
			rest /= counts;
		}
	}
}

/* The cheapest edges into a class from those that have members in the state; of several that of which least is left. */
static void find_cheapest(struct tree_growth *g, int class)
{
	const struct tree_classes *c = g->c;
	size_t later = (size_t)(g->step + 1) * (size_t)c->n + (size_t)class;
	double unit = INFINITY, left = INFINITY;

	for (int d = 0; d < c->n; d++) {
		if (!g->count[d])
			continue;
		size_t at = between(c, g->step, d, class);
		if (c->unit[at] < unit || (c->unit[at] == unit && c->left[at] < left)) {
			unit = c->unit[at];
			left = c->left[at];
		}
	}
	g->unit[class] = unit;
	g->unit_left[class] = left;
	g->least[class] = unit < g->rest[later] ? unit : g->rest[later];
	g->least_left[class] = left < g->rest_left[later] ? left : g->rest_left[later];
}

/* Lets a state grow in the step. */
static void grow_state(struct tree_growth *g, size_t state)
{
	const struct tree_classes *c = g->c;
	size_t at = (size_t)g->step * g->states + state;
	struct sums of = {g->cost[at], g->cost[at], g->left[at], g->left[at]};

	g->state = state;
	find_counts(g, state);
	for (int class = 0; class < c->n && of.bound < g->limit && of.left_bound < g->spare; class++) {
		g->unit[class] = INFINITY;
		if (g->count[class] == c->size[class])
			continue;
		find_cheapest(g, class);
		if (c->role[class] == ROLE_WANTS) {
			of.bound += (c->size[class] - g->count[class]) * g->least[class];
			of.left_bound += (c->size[class] - g->count[class]) * g->least_left[class];
		}
	}
	if (of.bound >= g->limit || of.left_bound >= g->spare || !find_openings(g))
		return;
	if (g->n_openings)
		grow(g, 0, state, of);
	else
		reach(g, state, of.cost, of.left);
}

/* [class]: after how many steps at the earliest a member has the commodity. The caller frees it. */
static int *earliest_steps(const struct tree_classes *c)
{
	int *earliest = new_array(int, (size_t)c->n);

	for (int class = 0; class < c->n; class++)
		earliest[class] = c->role[class] == ROLE_HAS ? 0 : c->steps + 1;
	for (int s = 0; s < c->steps; s++)
		for (int to = 0; to < c->n; to++)
			for (int from = 0; from < c->n && earliest[to] > s + 1; from++)
				if (earliest[from] <= s && *unit_at(c, s, from, to) < INFINITY)
					earliest[to] = s + 1;
	return earliest;
}

/* [step * n + class]: the least of UNIT into the class from this step on, from classes that can have it. The caller frees it. */
static double *least_rest(const struct tree_classes *c, const double *unit)
{
	size_t n = (size_t)c->n;
	int *earliest = earliest_steps(c);
	double *rest = new_array(double, ((size_t)c->steps + 1) * n);

	for (size_t i = 0; i < n; i++)
		rest[(size_t)c->steps * n + i] = INFINITY;
	for (int s = c->steps - 1; s >= 0; s--)
		for (int to = 0; to < c->n; to++) {
			double least = rest[(size_t)(s + 1) * n + (size_t)to];
			for (int from = 0; from < c->n; from++)
				if (earliest[from] <= s)
					least = fmin(least, unit[between(c, s, from, to)]);
			rest[(size_t)s * n + (size_t)to] = least;
		}
	free(earliest);
	return rest;
}

/* What all nodes that want the commodity cost at least: each is sent it, in some step, by a node that can have it. */
static double least_sends(const struct tree_growth *g)
{
	const struct tree_classes *c = g->c;
	double sum = 0;

	for (int class = 0; class < c->n; class++)
		if (c->role[class] == ROLE_WANTS)
			sum += c->size[class] * g->rest[class];
	return sum;
}

double tree_classes_pairs(const struct tree_classes *c)
{
	double pairs = 1;

	for (int class = 0; class < c->n && pairs <= TREE_PAIRS_MAX; class++)
		if (c->role[class] != ROLE_HAS)
			pairs *= (c->size[class] + 1) * (c->size[class] + 2) / 2.0;
	return pairs;
}

static void growth_new(const struct tree_question *p, const struct tree_classes *c, struct tree_growth *g)
{
	*g = (struct tree_growth){.c = c, .limit = p->limit, .spare = p->left ? p->limit - p->bound : INFINITY, .states = 1, .place = new_array(size_t, (size_t)c->n)};
	for (int class = 0; class < c->n; class++)
		if (c->role[class] != ROLE_HAS) {
			g->place[class] = g->states;
			g->states *= (size_t)c->size[class] + 1;
		}
	size_t all = ((size_t)c->steps + 1) * g->states;
	g->cost = new_array(double, all);
	g->left = new_array(double, all);
	g->from = new_array(uint32_t, all);
	for (size_t i = 0; i < all; i++)
		g->cost[i] = INFINITY;
	g->cost[0] = 0;
	g->count = new_array(int, (size_t)c->n);
	g->unit = new_array(double, (size_t)c->n);
	g->least = new_array(double, (size_t)c->n);
	g->unit_left = new_array(double, (size_t)c->n);
	g->least_left = new_array(double, (size_t)c->n);
	g->openings = new_array(struct opening, (size_t)c->n);
	g->rest = least_rest(c, c->unit);
	g->rest_left = least_rest(c, c->left);
}

static void growth_free(struct tree_growth *g)
{
	free(g->place);
	free(g->rest);
	free(g->rest_left);
	free(g->cost);
	free(g->left);
	free(g->from);
	free(g->count);
	free(g->unit);
	free(g->least);
	free(g->unit_left);
	free(g->least_left);
	free(g->openings);
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
static void trace_step(const struct tree_question *p, const struct tree_growth *g, int step, size_t before, size_t after,
		       struct timed_tree *out)
{
	const struct tree_classes *c = g->c;

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

static void trace(const struct tree_question *p, const struct tree_growth *g, size_t end, struct timed_tree *out)
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

void tree_growth_cheapest(const struct tree_question *p, const struct tree_classes *c, struct priced_tree *out)
{
	struct tree_growth g;

	growth_new(p, c, &g);
	out->at_least = fmax(out->at_least, fmin(p->limit, least_sends(&g)));
	for (g.step = 0; g.step < p->steps; g.step++)
		for (size_t state = 0; state < g.states && !is_late(&g); state++)
			if (g.cost[(size_t)g.step * g.states + state] < g.limit)
				grow_state(&g, state);
	if (!g.late) {
		size_t end = best_end(&g);
		out->found = end < g.states;
		out->at_least = out->cost = out->found ? g.cost[(size_t)p->steps * g.states + end] : p->limit;
		if (out->found)
			trace(p, &g, end, &out->tree);
	}
	growth_free(&g);
}

