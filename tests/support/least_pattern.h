#ifndef SCCL_TESTS_SUPPORT_LEAST_PATTERN_H
#define SCCL_TESTS_SUPPORT_LEAST_PATTERN_H

/*
 * What a pattern of an allreduce, or a gossip, pays at least on a machine of up to NODES nodes, by trying everything: dynamic
 * programming over all values at all nodes. All is inline, as in drawn.h.
 */

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 4, STATES = 1 << (NODES * NODES), NEVER_PAID = 1 << 20 };

struct trial {
	const struct network *w;
	const int *price; /* of the step's edges */
	int *next;        /* [state]: the least that is paid */
	bool gossip;      /* contributions may arrive more than once */
};

static inline int value_of(int values, int nodes, int node)
{
	return values >> (node * nodes) & ((1 << nodes) - 1);
}

/* All ways in which the nodes from NODE on get their next values. */
static inline void try_nodes(const struct trial *t, int values, int node, int made, int paid)
{
	const struct network *w = t->w;

	if (node == w->nodes) {
		t->next[made] = paid < t->next[made] ? paid : t->next[made];
		return;
	}
	int n = w->in_begin[node + 1] - w->in_begin[node];
	for (int ways = t->gossip ? 1 << n : 0; ways < 2 << n; ways++) { /* the last bit: the value is kept */
		int sum = ways >> n ? value_of(values, w->nodes, node) : 0, cost = 0, fits = 1;
		for (int i = 0; i < n; i++) {
			int e = w->in[w->in_begin[node] + i], brought = value_of(values, w->nodes, w->edges[e].src);
			if (!(ways >> i & 1))
				continue;
			fits = fits && (t->gossip || !(sum & brought));
			sum |= brought;
			cost += t->price[e];
		}
		if (fits && ways)
			try_nodes(t, values, node + 1, made | sum << (node * w->nodes), paid + cost);
	}
}

/* PRICE: [step * n_edges + edge]. NEVER_PAID: there is no pattern. */
static inline int least_paid(const struct network *w, int steps, const int *price, bool gossip)
{
	int *now = new_array(int, STATES), *next = new_array(int, STATES), size = 1 << (w->nodes * w->nodes), start = 0, least;

	for (int v = 0; v < w->nodes; v++)
		start |= 1 << (v * w->nodes + v);
	for (int k = 0; k < size; k++)
		now[k] = k == start ? 0 : NEVER_PAID;
	for (int s = 0; s < steps; s++) {
		const struct trial t = {w, price + (size_t)s * w->n_edges, next, gossip};
		for (int k = 0; k < size; k++)
			next[k] = NEVER_PAID;
		for (int k = 0; k < size; k++)
			if (now[k] < NEVER_PAID)
				try_nodes(&t, k, 0, 0, now[k]);
		memcpy(now, next, (size_t)size * sizeof *now);
	}
	least = now[size - 1];
	free(now);
	free(next);
	return least;
}

#endif
