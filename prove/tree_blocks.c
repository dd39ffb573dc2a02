/*
 * A block is a node, or two: where each node of a box has one partner in another, exchanging two nodes changes prices, but
 * exchanging them together with their partners does not. Blocks of a class are interchangeable, so that a state is, for
 * each class, how many of its blocks are of each kind: which of their nodes are informed. In a step a block may become of
 * any kind that has more. What its new nodes pay depends on the state before the step alone, so that each class has a
 * list of what it may become and for what, and a growth takes one entry of each list. As in prove/tree_cost.c a
 * state is dropped where its cost and what must still be paid reach the cap.
 */

#include "prove/tree_blocks.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

enum { STATES_MAX = 1 << 22, KINDS_MAX = 4, NODE_NONE = -1 };
static const double pairs_most = 2e9; /* of a state and one that it may become */

/* Bits of a kind: 1, the first node of a block is informed; 2, the second. */
struct block_class {
	int size, n, kinds; /* nodes of a block, blocks, 2 or 4 */
	int *node;          /* [block * 2 + position] */
	size_t states, stride;
	int *count;         /* [state * KINDS_MAX + kind] */
	size_t *number;     /* [(of kind 1 * (n + 1) + of kind 2) * (n + 1) + of kind 3]: the state */
	/* What it may become in the current step, from the current state: */
	size_t n_growths;
	struct block_growth *growths;
	int64_t *best; /* [state]; COST_NONE: cannot */
};

struct block_growth {
	size_t state;
	int64_t cost, owed; /* owed: what its nodes pay at least after the step */
};

struct block_search {
	const struct step_costs *c;
	const uint8_t *role;
	int nodes, n, step;
	struct block_class *classes;
	int64_t cap, *now, *next;
	int64_t *later;  /* [step * nodes + node]: the least for which it is informed in this step or later */
	bool *informed;  /* [node] */
	int64_t *rest;   /* [class]: the least that it and those after it pay, now or later */
	size_t states;
	double work;
};

/* ---- blocks ---- */

static int64_t price(const struct step_costs *c, int s, int from, int to)
{
	return c->of[((size_t)s * (size_t)c->nodes + (size_t)from) * (size_t)c->nodes + (size_t)to];
}

static bool sees_alike(const struct step_costs *c, int a, int b, int v)
{
	for (int s = 0; s < c->steps; s++)
		if (price(c, s, a, v) != price(c, s, b, v) || price(c, s, v, a) != price(c, s, v, b))
			return false;
	return true;
}

/* The nodes that tell A from B: up to two, in TOLD. Their number; 3: they are more. */
static int told_apart_by(const struct step_costs *c, int a, int b, int told[2])
{
	int n = 0;

	for (int v = 0; v < c->nodes && n <= 2 && work_spend(c->steps); v++)
		if (v != a && v != b && !sees_alike(c, a, b, v)) {
			if (n < 2)
				told[n] = v;
			n++;
		}
	return n;
}

static int swapped(const int *block, const int *with, int size, int v)
{
	for (int i = 0; i < size; i++) {
		if (v == block[i])
			return with[i];
		if (v == with[i])
			return block[i];
	}
	return v;
}

/* Does exchanging two blocks change neither roles nor prices? */
static bool interchangeable(const struct block_search *x, const int *block, const int *with, int size)
{
	const struct step_costs *c = x->c;

	for (int i = 0; i < size; i++)
		if (x->role[block[i]] != x->role[with[i]])
			return false;
	for (int s = 0; s < c->steps; s++)
		for (int v = 0; v < c->nodes && work_spend(4 * size); v++)
			for (int i = 0; i < 2 * size; i++) {
				int u = i < size ? block[i] : with[i - size];
				int su = swapped(block, with, size, u), sv = swapped(block, with, size, v);
				if (u != v && (price(c, s, u, v) != price(c, s, su, sv) || price(c, s, v, u) != price(c, s, sv, su)))
					return false;
			}
	return !work_is_over();
}

/* The node that tells A from most others, if two nodes do: its partner. NODE_NONE: there is none. */
static int partner_of(const struct block_search *x, int a, const bool *taken)
{
	int *times = new_array(int, (size_t)x->nodes), best = NODE_NONE, told[2];

	for (int b = 0; b < x->nodes; b++)
		if (b != a && !taken[b] && x->role[b] == x->role[a] && told_apart_by(x->c, a, b, told) == 2)
			for (int i = 0; i < 2; i++)
				times[told[i]] += !taken[told[i]] && told[i] != a;
	for (int v = 0; v < x->nodes; v++)
		if (times[v] && (best == NODE_NONE || times[v] > times[best]))
			best = v;
	free(times);
	return best;
}

static void add_block(struct block_class *k, const int *block, bool *taken)
{
	for (int i = 0; i < k->size; i++) {
		k->node[2 * k->n + i] = block[i];
		taken[block[i]] = true;
	}
	k->n++;
}

/* Adds to the class all blocks that are interchangeable with FIRST, its first. */
static void fill_class(const struct block_search *x, struct block_class *k, const int *first, bool *taken)
{
	int told[2];

	add_block(k, first, taken);
	for (int b = 0; b < x->nodes && !work_is_over(); b++) {
		int with[2] = {b, NODE_NONE};
		if (taken[b] || told_apart_by(x->c, first[0], b, told) != (k->size == 2 ? 2 : 0))
			continue;
		if (k->size == 2)
			with[1] = told[0] == first[1] ? told[1] : told[1] == first[1] ? told[0] : NODE_NONE;
		if (k->size == 2 && (with[1] == NODE_NONE || taken[with[1]]))
			continue;
		if (interchangeable(x, first, with, k->size))
			add_block(k, with, taken);
	}
}

static void find_classes(struct block_search *x)
{
	size_t nodes = (size_t)x->nodes;
	bool *taken = new_array(bool, nodes);

	x->classes = new_array(struct block_class, nodes);
	for (int v = 0; v < x->nodes; v++)
		taken[v] = x->role[v] == ROLE_HAS;
	for (int v = 0; v < x->nodes && !work_is_over(); v++) {
		if (taken[v])
			continue;
		struct block_class *k = &x->classes[x->n++];
		int partner = partner_of(x, v, taken), first[2] = {v, partner};
		*k = (struct block_class){.size = partner == NODE_NONE ? 1 : 2, .node = new_array(int, 2 * nodes)};
		fill_class(x, k, first, taken);
		if (k->size == 2 && k->n == 1) { /* no other is like it: two blocks of a node are as good */
			taken[partner] = false;
			k->size = 1;
		}
		k->kinds = 1 << k->size;
	}
	free(taken);
}

/* ---- states ---- */

static size_t *number_of(const struct block_class *k, const int *count)
{
	size_t side = (size_t)k->n + 1;

	return &k->number[((size_t)count[1] * side + (size_t)count[2]) * side + (size_t)count[3]];
}

/* All ways to share out the blocks of a class among its kinds. */
static void list_states(struct block_class *k)
{
	size_t side = (size_t)k->n + 1, capacity = 0;
	int most = k->kinds == 4 ? k->n : 0;

	k->number = new_array(size_t, side * side * side);
	for (int a = 0; a <= k->n; a++)
		for (int b = 0; b <= most && a + b <= k->n; b++)
			for (int both = 0; both <= most && a + b + both <= k->n; both++) {
				int count[KINDS_MAX] = {k->n - a - b - both, a, b, both};
				k->count = grown(k->count, &capacity, (k->states + 1) * KINDS_MAX, sizeof *k->count);
				for (int i = 0; i < KINDS_MAX; i++)
					k->count[k->states * KINDS_MAX + (size_t)i] = count[i];
				*number_of(k, count) = k->states++;
			}
	k->growths = new_array(struct block_growth, k->states);
	k->best = new_array(int64_t, k->states);
	for (size_t i = 0; i < k->states; i++)
		k->best[i] = COST_NONE;
}

/* False: too many. */
static bool count_states(struct block_search *x)
{
	double pairs = 1;

	x->states = 1;
	for (int i = 0; i < x->n; i++) {
		struct block_class *k = &x->classes[i];
		double states = 1;
		for (int j = 1; j < k->kinds; j++)
			states *= (double)(k->n + j) / j;
		pairs *= states * (states + 1) / 2;
		if ((double)x->states * states > STATES_MAX || pairs > pairs_most)
			return false;
		list_states(k);
		k->stride = x->states;
		x->states *= k->states;
	}
	return true;
}

static const int *counts(const struct block_class *k, size_t state)
{
	return &k->count[state * KINDS_MAX];
}

static size_t state_of(const struct block_class *k, size_t at)
{
	return at / k->stride % k->states;
}

/* Informs the first blocks of each class as the state says, and those that have the chunks. */
static void set_informed(struct block_search *x, size_t at)
{
	for (int v = 0; v < x->nodes; v++)
		x->informed[v] = x->role[v] == ROLE_HAS;
	for (int i = 0; i < x->n; i++) {
		const struct block_class *k = &x->classes[i];
		const int *count = counts(k, state_of(k, at));
		for (int kind = 0, block = 0; kind < k->kinds; kind++)
			for (int end = block + count[kind]; block < end; block++)
				for (int p = 0; p < k->size; p++)
					x->informed[k->node[2 * block + p]] = kind >> p & 1;
	}
	x->work += x->nodes;
}

/* ---- costs ---- */

static int64_t least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t times(int n, int64_t cost)
{
	if (n == 0 || cost == 0)
		return 0;
	return cost > COST_MAX / n ? COST_NONE : n * cost;
}

static void find_later(struct block_search *x)
{
	size_t nodes = (size_t)x->nodes;

	x->later = new_array(int64_t, (size_t)(x->c->steps + 1) * nodes);
	for (size_t v = 0; v < nodes; v++)
		x->later[(size_t)x->c->steps * nodes + v] = COST_NONE;
	for (int s = x->c->steps - 1; s >= 0; s--)
		for (int v = 0; v < x->nodes && work_spend(x->nodes); v++) {
			int64_t least = x->later[(size_t)(s + 1) * nodes + (size_t)v];
			for (int u = 0; u < x->nodes; u++)
				least = u == v ? least : least_of(least, price(x->c, s, u, v));
			x->later[(size_t)s * nodes + (size_t)v] = least;
		}
}

/* What the nodes of a class that are missing pay at least from STEP on. */
static int64_t owed_by(const struct block_search *x, const struct block_class *k, size_t state, int step)
{
	const int *count = counts(k, state);
	int64_t sum = 0;

	for (int p = 0; p < k->size; p++) {
		int v = k->node[p], missing = 0;
		for (int kind = 0; kind < k->kinds; kind++)
			missing += kind >> p & 1 ? 0 : count[kind];
		if (x->role[v] == ROLE_WANTS)
			sum = cost_sum(sum, times(missing, x->later[(size_t)step * (size_t)x->nodes + (size_t)v]));
	}
	return sum;
}

/* The cheapest send to a node from those that are informed. */
static int64_t cheapest(struct block_search *x, int v)
{
	int64_t least = COST_NONE;

	for (int u = 0; u < x->nodes; u++)
		if (x->informed[u] && u != v)
			least = least_of(least, price(x->c, x->step, u, v));
	x->work += x->nodes;
	return least;
}

/* What a block of one kind pays to become of another; COST_NONE unless that has more. */
static void find_costs(struct block_search *x, const struct block_class *k, const int *count, int64_t cost[KINDS_MAX][KINDS_MAX])
{
	for (int from = 0, block = 0; from < k->kinds; block += count[from++])
		for (int to = 0; to < k->kinds; to++) {
			cost[from][to] = from == to ? 0 : COST_NONE;
			if (from == to || (from & to) != from || !count[from])
				continue;
			cost[from][to] = 0;
			for (int p = 0; p < k->size; p++)
				if ((to & ~from) >> p & 1)
					cost[from][to] = cost_sum(cost[from][to], cheapest(x, k->node[2 * block + p]));
		}
}

/* ---- growth ---- */

/* Kinds that a block can have, and get. */
static const int changes[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
enum { CHANGES = sizeof changes / sizeof *changes };

struct shares {
	struct block_class *k;
	int left[KINDS_MAX], got[KINDS_MAX]; /* [kind]: blocks that have not changed; those that became of it */
	int64_t cost[KINDS_MAX][KINDS_MAX], cap;
};

static void share_out(struct block_search *x, struct shares *h, int change, int64_t paid)
{
	x->work++;
	if (paid >= h->cap)
		return;
	if (change == CHANGES) {
		int count[KINDS_MAX];
		for (int i = 0; i < KINDS_MAX; i++)
			count[i] = h->left[i] + h->got[i];
		size_t to = *number_of(h->k, count);
		if (h->k->best[to] == COST_NONE)
			h->k->growths[h->k->n_growths++].state = to;
		h->k->best[to] = least_of(h->k->best[to], paid);
		return;
	}
	int from = changes[change][0], to = changes[change][1], had = h->left[from];
	for (int n = 0; n <= (to < h->k->kinds ? had : 0); n++) {
		int64_t more = times(n, h->cost[from][to]);
		if (more == COST_NONE)
			break;
		h->left[from] = had - n;
		h->got[to] += n;
		share_out(x, h, change + 1, cost_sum(paid, more));
		h->got[to] -= n;
	}
	h->left[from] = had;
}

static int by_sum(const void *va, const void *vb)
{
	const struct block_growth *a = va, *b = vb;
	int64_t left = cost_sum(a->cost, a->owed), right = cost_sum(b->cost, b->owed);

	return left != right ? (left < right ? -1 : 1) : (a->state > b->state) - (a->state < b->state);
}

/* Lists what a class may become in the step, the cheapest first. */
static void list_growths(struct block_search *x, struct block_class *k, size_t state, int64_t cap)
{
	struct shares h = {.k = k, .cap = cap};

	for (int i = 0; i < KINDS_MAX; i++)
		h.left[i] = counts(k, state)[i];
	k->n_growths = 0;
	find_costs(x, k, counts(k, state), h.cost);
	share_out(x, &h, 0, 0);
	for (size_t i = 0; i < k->n_growths; i++) {
		struct block_growth *g = &k->growths[i];
		g->cost = k->best[g->state];
		g->owed = owed_by(x, k, g->state, x->step + 1);
		k->best[g->state] = COST_NONE;
	}
	if (k->n_growths)
		qsort(k->growths, k->n_growths, sizeof *k->growths, by_sum);
}

/* Takes a growth of class I and those after it. PAID: what others pay in all; OWING: after the step. */
static void extend(struct block_search *x, int i, size_t at, int64_t paid, int64_t owing)
{
	x->work++;
	if (i == x->n) {
		x->next[at] = least_of(x->next[at], paid);
		return;
	}
	const struct block_class *k = &x->classes[i];
	for (size_t j = 0; j < k->n_growths; j++) {
		const struct block_growth *g = &k->growths[j];
		int64_t more = cost_sum(paid, g->cost), owes = cost_sum(owing, g->owed);
		if (cost_sum(cost_sum(more, owes), x->rest[i + 1]) >= x->cap)
			break; /* so are those after it, by their order */
		extend(x, i + 1, at + g->state * k->stride, more, owes);
	}
}

static void grow_state(struct block_search *x, size_t at)
{
	int64_t cost = x->now[at], owing = 0;

	for (int i = 0; i < x->n; i++)
		owing = cost_sum(owing, owed_by(x, &x->classes[i], state_of(&x->classes[i], at), x->step));
	x->work += x->n;
	if (cost_sum(cost, owing) >= x->cap)
		return;
	set_informed(x, at);
	x->rest[x->n] = 0;
	for (int i = x->n - 1; i >= 0; i--) {
		struct block_class *k = &x->classes[i];
		list_growths(x, k, state_of(k, at), x->cap - cost);
		x->rest[i] = k->n_growths ? cost_sum(x->rest[i + 1], cost_sum(k->growths[0].cost, k->growths[0].owed)) : COST_NONE;
	}
	extend(x, 0, 0, cost, 0);
}

static int64_t search(struct block_search *x)
{
	int64_t least = x->cap;

	x->now = new_array(int64_t, x->states);
	x->next = new_array(int64_t, x->states);
	x->informed = new_array(bool, (size_t)x->nodes);
	x->rest = new_array(int64_t, (size_t)x->n + 1);
	for (size_t i = 1; i < x->states; i++)
		x->now[i] = COST_NONE;
	for (x->step = 0; x->step < x->c->steps && !work_is_over(); x->step++) {
		for (size_t i = 0; i < x->states; i++)
			x->next[i] = COST_NONE;
		x->work += (double)x->states;
		for (size_t at = 0; at < x->states && work_spend(x->work); at++) {
			x->work = 0;
			if (x->now[at] < x->cap)
				grow_state(x, at);
		}
		int64_t *was = x->now;
		x->now = x->next;
		x->next = was;
	}
	/* After the last step nothing can be informed any more, so the states that were kept have all that is wanted. */
	for (size_t i = 0; i < x->states; i++)
		least = least_of(least, x->now[i]);
	free(x->now);
	free(x->next);
	free(x->informed);
	free(x->rest);
	return least;
}

int64_t tree_blocks_least(const struct step_costs *c, const struct demand *d, int64_t cap)
{
	struct block_search x = {.c = c, .role = d->role, .nodes = c->nodes, .cap = cap};
	int64_t least = -1;

	find_classes(&x);
	if (!work_is_over() && count_states(&x)) {
		find_later(&x);
		least = search(&x);
	}
	for (int i = 0; i < x.n; i++) {
		free(x.classes[i].node);
		free(x.classes[i].count);
		free(x.classes[i].number);
		free(x.classes[i].growths);
		free(x.classes[i].best);
	}
	free(x.classes);
	free(x.later);
	return least;
}
