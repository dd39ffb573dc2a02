/*
 * The formula of a gossip: every node's contribution reaches every node, alone or within sums, and may do so more than once.
 * All sends that cost nothing take place, so that there are variables only for sends with a price.
 */

#include "prove/cnf_parts.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

static void number_sends(struct writer *k)
{
	for (int s = 1; s <= k->steps; s++)
		for (int e = 0; e < k->edges; e++)
			*send_at(k, 0, e, s) = k->pattern->price[(size_t)(s - 1) * (size_t)k->edges + (size_t)e] ? ++k->f->variables : YES;
}

/* The literal of A and B. If both are variables it is a new one, with the clauses that it is true only if both are. */
static int both(struct writer *k, int a, int b)
{
	if (a == NO || b == NO)
		return NO;
	if (a == YES || b == YES)
		return a == YES ? b : a;
	int x = ++k->f->variables;
	cnf_clause(k, -x, a, NO);
	cnf_clause(k, -x, b, NO);
	return x;
}

/* Whether a contribution is at node N after step S, if BEFORE [node] says where it was before. */
static int reached(struct writer *k, const int *before, int n, int s)
{
	const int *in = k->w->in + k->w->in_begin[n];
	int size = k->w->in_begin[n + 1] - k->w->in_begin[n], *ways = new_array(int, (size_t)size + 1), n_ways = 0, x = NO;
	bool surely = before[n] == YES;

	for (int i = 0; i < size; i++)
		surely = surely || (before[k->w->edges[in[i]].src] == YES && *send_at(k, 0, in[i], s) == YES);
	for (int i = 0; i < size && !surely; i++) {
		int way = both(k, before[k->w->edges[in[i]].src], *send_at(k, 0, in[i], s));
		if (way != NO)
			ways[n_ways++] = way;
	}
	if (!surely && (n_ways || before[n] != NO)) {
		x = ++k->f->variables;
		cnf_add(k, -x);
		cnf_add(k, before[n]);
		for (int i = 0; i < n_ways; i++)
			cnf_add(k, ways[i]);
		cnf_end(k);
	}
	free(ways);
	return surely ? YES : x;
}

/* The contribution of node FROM reaches all nodes. */
static void write_contribution(struct writer *k, int from)
{
	int *before = new_array(int, (size_t)k->nodes), *after = new_array(int, (size_t)k->nodes);

	for (int n = 0; n < k->nodes; n++)
		before[n] = n == from ? YES : NO;
	for (int s = 1; s <= k->steps && !k->full && work_spend((double)k->edges); s++) {
		for (int n = 0; n < k->nodes; n++)
			after[n] = reached(k, before, n, s);
		int *swap = before;
		before = after;
		after = swap;
	}
	for (int n = 0; n < k->nodes; n++)
		cnf_clause(k, before[n], NO, NO);
	free(before);
	free(after);
}

void cnf_gossip(struct writer *k)
{
	number_sends(k);
	for (int from = 0; from < k->nodes && !k->full && !work_is_over(); from++)
		write_contribution(k, from);
	cnf_write_prices(k);
}
