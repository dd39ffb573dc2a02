/*
 * A state is the number of informed nodes of each class. In a step, any nodes may be informed by nodes that were
 * informed before it. The cheapest sender to a class depends only on the set of classes that have an informed node, so
 * the states are taken by that set: first nodes are added one by one to its classes, then numbers of nodes are added to
 * the others. With n classes of one node these are the 3^n pairs of a set and a superset. A state is dropped where its
 * cost, and the least that must still be paid for nodes that want the chunks, reach the cap.
 */

#include "prove/tree_cost.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

enum { STATES_MAX = 1 << 22, EXTENDED = 3 /* work of one call of extend */ };

struct tree_search {
	const struct tree_table *t;
	int n;          /* classes besides the source: 1 .. n */
	int64_t cap;
	size_t states, stride[TREE_CLASSES_MAX + 1];
	int64_t *now, *next, *reach; /* [state]: least cost before the step, after it, and within its set of classes */
	int64_t *later; /* [step * (n + 1) + class]: the least for which a node can be informed in this step or later */

	/* In the current step: */
	int step;
	int first[TREE_CLASSES_MAX + 2]; /* of each class in the next array */
	int64_t *owed;                   /* [first[class] + waiting]: what so many nodes must pay after this step */

	/* With the current set of classes that have an informed node: */
	int64_t price[TREE_CLASSES_MAX + 1];
	int n_inside, inside[TREE_CLASSES_MAX], n_outside, outside[TREE_CLASSES_MAX];
	int64_t rest[TREE_CLASSES_MAX + 1]; /* [i]: what nodes of outside[i], outside[i + 1], ... must pay, now or later */
	double work;
};

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

/* What WAITING nodes of a class must pay after the current step. */
static int64_t owed(const struct tree_search *x, int class, int waiting)
{
	return x->owed[x->first[class] + waiting];
}

static void set_step(struct tree_search *x, int step)
{
	x->step = step;
	for (int k = 1; k <= x->n; k++)
		for (int i = 0; i <= tree_table_size(x->t, k); i++)
			x->owed[x->first[k] + i] = tree_table_wants(x->t, k) ? times(i, x->later[(step + 1) * (x->n + 1) + k]) : 0;
}

/* Adds all numbers of nodes of outside[i], outside[i + 1], ... to the state AT. OWING: what other classes still owe. */
static void extend(struct tree_search *x, int i, size_t at, int64_t paid, int64_t owing)
{
	x->work += EXTENDED;
	if (paid + owing + x->rest[i] >= x->cap)
		return;
	if (i == x->n_outside) {
		x->next[at] = least_of(x->next[at], paid);
		return;
	}
	int class = x->outside[i], size = tree_table_size(x->t, class);
	for (int added = 0; added <= size && paid < x->cap; added++) {
		extend(x, i + 1, at, paid, cost_sum(owing, owed(x, class, size - added)));
		at += x->stride[class];
		paid = cost_sum(paid, x->price[class]);
	}
}

/* The set of classes as bits, class 1 first. */
static void set_classes(struct tree_search *x, uint32_t set)
{
	x->n_inside = x->n_outside = 0;
	for (int k = 1; k <= x->n; k++)
		if (set >> (k - 1) & 1)
			x->inside[x->n_inside++] = k;
		else
			x->outside[x->n_outside++] = k;
}

static void set_prices(struct tree_search *x)
{
	for (int k = 1; k <= x->n; k++) {
		x->price[k] = tree_table_cost(x->t, x->step, 0, k);
		for (int i = 0; i < x->n_inside; i++)
			x->price[k] = least_of(x->price[k], tree_table_cost(x->t, x->step, x->inside[i], k));
	}
	x->rest[x->n_outside] = 0;
	for (int i = x->n_outside - 1; i >= 0; i--) {
		int class = x->outside[i], size = tree_table_size(x->t, class);
		int64_t one = tree_table_wants(x->t, class) ? times(size, x->price[class]) : 0;
		x->rest[i] = cost_sum(x->rest[i + 1], least_of(one, owed(x, class, size)));
	}
	x->work += (x->n_inside + 1) * x->n;
}

/* The first state with exactly this set; COUNT [i] is the number of informed nodes of inside[i]. */
static size_t first_state(const struct tree_search *x, int *count)
{
	size_t at = 0;

	for (int i = 0; i < x->n_inside; i++) {
		count[i] = 1;
		at += x->stride[x->inside[i]];
	}
	return at;
}

/* The next state, after all that have fewer nodes of a class and otherwise the same. False: it was the last. */
static bool next_state(const struct tree_search *x, int *count, size_t *at)
{
	for (int i = 0; i < x->n_inside; i++) {
		size_t stride = x->stride[x->inside[i]];
		if (count[i] < tree_table_size(x->t, x->inside[i])) {
			count[i]++;
			*at += stride;
			return true;
		}
		*at -= stride * (size_t)(count[i] - 1);
		count[i] = 1;
	}
	return false;
}

/* Marks the sets of classes that occur in the states from which the step can begin. They are usually few. */
static void mark_sets(const struct tree_search *x, bool *marked)
{
	for (size_t at = 0; at < x->states; at++) {
		uint32_t set = 0;
		if (x->now[at] >= x->cap)
			continue;
		for (int k = 1; k <= x->n; k++)
			if (at / x->stride[k] % ((size_t)tree_table_size(x->t, k) + 1))
				set |= (uint32_t)1 << (k - 1);
		marked[set] = true;
	}
}

static void step_from(struct tree_search *x)
{
	int count[TREE_CLASSES_MAX];
	size_t at = first_state(x, count);

	do {
		int64_t cost = x->now[at], owing = 0;
		for (int i = 0; i < x->n_inside; i++) {
			int class = x->inside[i];
			if (count[i] > 1)
				cost = least_of(cost, cost_sum(x->reach[at - x->stride[class]], x->price[class]));
			owing = cost_sum(owing, owed(x, class, tree_table_size(x->t, class) - count[i]));
		}
		x->reach[at] = cost;
		x->work += 1 + x->n_inside;
		if (cost < x->cap)
			extend(x, 0, at, cost, owing);
	} while (next_state(x, count, &at));
}

static void take_step(struct tree_search *x)
{
	for (size_t i = 0; i < x->states; i++)
		x->next[i] = COST_NONE;
	x->work += 2 * (double)x->states;
	bool *marked = new_array(bool, (size_t)1 << x->n);
	mark_sets(x, marked);
	for (uint32_t set = 0; set < (uint32_t)1 << x->n && work_spend(x->work); set++) {
		x->work = 0;
		if (marked[set]) {
			set_classes(x, set);
			set_prices(x);
			step_from(x);
		}
	}
	free(marked);
	int64_t *was = x->now;
	x->now = x->next;
	x->next = was;
}

static void find_later(struct tree_search *x)
{
	int n = x->n + 1;

	for (int k = 1; k < n; k++)
		x->later[x->t->steps * n + k] = COST_NONE;
	for (int s = x->t->steps - 1; s >= 0; s--)
		for (int k = 1; k < n && work_spend(n); k++) {
			x->later[s * n + k] = x->later[(s + 1) * n + k];
			for (int from = 0; from < n; from++)
				x->later[s * n + k] = least_of(x->later[s * n + k], tree_table_cost(x->t, s, from, k));
		}
}

static bool count_states(struct tree_search *x)
{
	x->states = 1;
	for (int k = 1; k <= x->n; k++) {
		x->first[k + 1] = x->first[k] + tree_table_size(x->t, k) + 1;
		x->stride[k] = x->states;
		x->states *= (size_t)tree_table_size(x->t, k) + 1;
		if (x->states > STATES_MAX)
			return false;
	}
	return true;
}

/* What all nodes owe before the first step. */
static int64_t owed_by_all(struct tree_search *x)
{
	int64_t owing = 0;

	set_step(x, -1);
	for (int k = 1; k <= x->n; k++)
		owing = cost_sum(owing, owed(x, k, tree_table_size(x->t, k)));
	return owing;
}

static int64_t search(struct tree_search *x)
{
	int64_t least = x->cap;

	x->now = new_array(int64_t, x->states);
	x->next = new_array(int64_t, x->states);
	x->reach = new_array(int64_t, x->states);
	for (size_t i = 1; i < x->states; i++)
		x->now[i] = COST_NONE;
	for (int step = 0; step < x->t->steps && !work_is_over(); step++) {
		set_step(x, step);
		take_step(x);
	}
	/* After the last step nothing can be informed any more, so the states that were kept have all that is wanted. */
	for (size_t i = 0; i < x->states; i++)
		least = least_of(least, x->now[i]);
	free(x->now);
	free(x->next);
	free(x->reach);
	return least;
}

int64_t tree_least(const struct tree_table *t, int64_t cap)
{
	struct tree_search x = {.t = t, .n = t->classes - 1, .cap = cap};

	if (!count_states(&x))
		return -1;
	x.owed = new_array(int64_t, (size_t)x.first[x.n + 1]);
	x.later = new_array(int64_t, (size_t)(t->steps + 1) * (size_t)(x.n + 1));
	find_later(&x);
	int64_t least = owed_by_all(&x) >= cap ? cap : search(&x);
	free(x.owed);
	free(x.later);
	return least;
}

void path_least(const struct step_costs *c, const uint8_t *role, int64_t *least)
{
	size_t n = (size_t)c->nodes;
	int64_t *before = new_array(int64_t, n);

	for (size_t v = 0; v < n; v++)
		least[v] = role[v] == ROLE_HAS ? 0 : COST_NONE;
	for (size_t s = 0; s < (size_t)c->steps; s++) {
		for (size_t v = 0; v < n; v++)
			before[v] = least[v];
		for (size_t u = 0; u < n && work_spend((double)n); u++)
			for (size_t v = 0; v < n && before[u] < COST_NONE; v++)
				least[v] = least_of(least[v], cost_sum(before[u], c->of[(s * n + u) * n + v]));
	}
	free(before);
}
