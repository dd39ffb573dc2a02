/*
 * Finds classes of interchangeable nodes and writes their prices as a table. Classes are ordered by hashes of what can
 * be seen from them, so that demands that a symmetry of the prices maps to each other mostly get the same table. The
 * order has no influence on the result: a poor one costs time alone.
 */

#include "prove/tree_table.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

/* Prices among the source, number 0, and the nodes that do not have the chunks. */
struct reduced {
	int steps, n;
	int64_t *cost; /* [(step * n + from) * n + to] */
	uint8_t *role; /* [number] */
	int *first;    /* [class]: its first number */
	int *second;   /* [class]: its second number; 0: it has one node */
	int *size;     /* [class] */
	int classes;
};

static int64_t cost_of(const struct reduced *r, int step, int from, int to)
{
	return r->cost[((size_t)step * (size_t)r->n + (size_t)from) * (size_t)r->n + (size_t)to];
}

static void reduce(const struct step_costs *c, const uint8_t *role, struct reduced *r)
{
	size_t nodes = (size_t)c->nodes;
	int *number = new_array(int, nodes);

	r->n = 1;
	for (size_t v = 0; v < nodes; v++)
		number[v] = role[v] == ROLE_HAS ? 0 : r->n++;
	r->steps = c->steps;
	r->cost = new_array(int64_t, (size_t)r->steps * (size_t)r->n * (size_t)r->n);
	r->role = new_array(uint8_t, (size_t)r->n);
	for (size_t i = 0; i < (size_t)r->steps * (size_t)r->n * (size_t)r->n; i++)
		r->cost[i] = COST_NONE;
	for (size_t v = 0; v < nodes; v++)
		r->role[number[v]] = role[v];
	for (size_t s = 0; s < (size_t)r->steps; s++)
		for (size_t u = 0; u < nodes && work_spend((double)nodes); u++)
			for (size_t v = 0; v < nodes; v++) {
				int64_t cost = c->of[(s * nodes + u) * nodes + v];
				int64_t *at = &r->cost[(s * (size_t)r->n + (size_t)number[u]) * (size_t)r->n + (size_t)number[v]];
				if (number[v] > 0 && cost < *at)
					*at = cost;
			}
	free(number);
}

/* Does exchanging two nodes leave all prices as they are? */
static bool interchangeable(const struct reduced *r, int a, int b)
{
	if (r->role[a] != r->role[b])
		return false;
	for (int s = 0; s < r->steps; s++) {
		if (cost_of(r, s, a, b) != cost_of(r, s, b, a))
			return false;
		for (int v = 0; v < r->n && work_spend(1); v++)
			if (v != a && v != b &&
			    (cost_of(r, s, a, v) != cost_of(r, s, b, v) || cost_of(r, s, v, a) != cost_of(r, s, v, b)))
				return false;
	}
	return true;
}

/* Being interchangeable is an equivalence: the exchange of a and c is made of those of a and b, and of b and c. */
static bool find_classes(struct reduced *r)
{
	for (int v = 1; v < r->n && !work_is_over(); v++) {
		int k = 1;
		while (k < r->classes && !interchangeable(r, r->first[k], v))
			k++;
		if (k > TREE_CLASSES_MAX)
			return false;
		if (k == r->classes) {
			r->classes++;
			r->first[k] = v;
		} else if (r->size[k] == 1) {
			r->second[k] = v;
		}
		r->size[k]++;
	}
	return !work_is_over();
}

static int64_t class_cost(const struct reduced *r, int step, int from, int to)
{
	if (from == to && !r->second[from])
		return COST_NONE;
	return cost_of(r, step, r->first[from], from == to ? r->second[to] : r->first[to]);
}

/* ---- the order of classes ---- */

/* A step of SplitMix64. */
static uint64_t mixed(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* One round of color refinement. */
static void refine(const struct reduced *r, uint64_t *color)
{
	uint64_t fresh[TREE_CLASSES_MAX + 1];

	for (int k = 0; k < r->classes; k++) {
		uint64_t sum = 0;
		for (int j = 0; j < r->classes && work_spend(2 * r->steps); j++) {
			uint64_t seen = color[j];
			for (int s = 0; s < r->steps; s++)
				seen = mixed(mixed(seen, (uint64_t)class_cost(r, s, j, k)), (uint64_t)class_cost(r, s, k, j));
			sum += mixed(seen, 1);
		}
		fresh[k] = mixed(color[k], sum);
	}
	for (int k = 0; k < r->classes; k++)
		color[k] = fresh[k];
}

/* The class of the least color that another has too and is later in the list; 0: all colors differ. */
static int tied(const struct reduced *r, const uint64_t *color)
{
	int found = 0;

	for (int k = 1; k < r->classes; k++)
		for (int j = 1; j < k; j++)
			if (color[j] == color[k] && (!found || color[j] < color[found]))
				found = j;
	return found;
}

/* ORDER [place]: the class; the source stays first. */
static void order_classes(const struct reduced *r, int *order)
{
	uint64_t color[TREE_CLASSES_MAX + 1];

	for (int k = 0; k < r->classes; k++)
		color[k] = mixed((uint64_t)r->size[k] * 4 + r->role[r->first[k]], k == 0);
	for (int tie = -1; tie && !work_is_over(); tie = tied(r, color)) {
		if (tie > 0)
			color[tie] = mixed(color[tie], 2);
		for (int round = 0; round < 4; round++)
			refine(r, color);
	}
	for (int k = 0; k < r->classes; k++) {
		int at = k;
		for (; at > 1 && color[order[at - 1]] > color[k]; at--)
			order[at] = order[at - 1];
		order[at] = k;
	}
}

/* ---- the table ---- */

static void write_table(const struct reduced *r, const int *order, struct tree_table *out)
{
	int m = r->classes;
	int64_t *word;

	out->steps = r->steps;
	out->classes = m;
	out->n = 2 + 2 * (size_t)m + (size_t)r->steps * (size_t)m * (size_t)m;
	word = out->words = new_array(int64_t, out->n);
	*word++ = r->steps;
	*word++ = m;
	for (int k = 0; k < m; k++) {
		*word++ = r->size[order[k]];
		*word++ = k > 0 && r->role[r->first[order[k]]] == ROLE_WANTS;
	}
	for (int s = 0; s < r->steps; s++)
		for (int from = 0; from < m; from++)
			for (int to = 0; to < m; to++)
				*word++ = class_cost(r, s, order[from], order[to]);
}

bool tree_table_new(const struct step_costs *c, const struct demand *d, struct tree_table *out)
{
	int order[TREE_CLASSES_MAX + 1], first[TREE_CLASSES_MAX + 2] = {0}, second[TREE_CLASSES_MAX + 2] = {0};
	int size[TREE_CLASSES_MAX + 2] = {1};
	struct reduced r = {.first = first, .second = second, .size = size, .classes = 1};

	*out = (struct tree_table){0};
	reduce(c, d->role, &r);
	bool ok = find_classes(&r);
	if (ok) {
		order_classes(&r, order);
		write_table(&r, order, out);
	}
	free(r.cost);
	free(r.role);
	return ok;
}

void tree_table_free(struct tree_table *t)
{
	free(t->words);
}
