/* reached(o,n,s): o's contribution is at n after step s, and then got there in some way. Only that direction is needed. */

#include "encode/cnf/gossip.h"

#include "core/base/memory.h"
#include "core/schedule/algorithm.h"
#include "encode/cnf/clause.h"
#include "encode/solve.h"

#include <stdlib.h>
#include <string.h>

struct gossip {
	const struct plan *p;
	const int *price;
	struct clause *k;
	int *variables;
};

static int send_of(const struct gossip *g, int e, int s)
{
	return g->price[(size_t)(s - 1) * (size_t)g->p->edges + (size_t)e] ? plan_send(g->p, 0, e, s) : ALWAYS;
}

static int both(struct gossip *g, int a, int b)
{
	if (a == NEVER || b == NEVER)
		return NEVER;
	if (a == ALWAYS || b == ALWAYS)
		return a == ALWAYS ? b : a;
	int x = ++*g->variables;
	clause_implies(g->k, x, a, true);
	clause_implies(g->k, x, b, true);
	return x;
}

static int reached(struct gossip *g, const int *before, int n, int s)
{
	const struct network *w = g->p->network;
	int begin = w->in_begin[n], size = w->in_begin[n + 1] - begin, *ways = new_array(int, (size_t)size + 1), x = NEVER;
	bool always = false, never = true;

	ways[size] = before[n];
	for (int i = 0; i < size; i++) {
		int e = w->in[begin + i], from = before[w->edges[e].src], send = send_of(g, e, s);
		ways[i] = from == ALWAYS && send == ALWAYS ? ALWAYS : before[n] == ALWAYS ? NEVER : both(g, from, send);
	}
	for (int i = 0; i <= size; i++) {
		always = always || ways[i] == ALWAYS;
		never = never && ways[i] == NEVER;
	}
	if (!always && !never) {
		x = ++*g->variables;
		clause_begin(g->k);
		clause_add(g->k, x, false);
		for (int i = 0; i <= size; i++)
			clause_add(g->k, ways[i], true);
		clause_end(g->k);
	}
	free(ways);
	return always ? ALWAYS : x;
}

void gossip_write(const struct plan *p, const int *price, struct clause *k, int *variables)
{
	struct gossip g = {p, price, k, variables};
	size_t nodes = (size_t)p->nodes;
	int *before = new_array(int, nodes), *after = new_array(int, nodes);

	for (int from = 0; from < p->nodes; from++) {
		for (int n = 0; n < p->nodes; n++)
			before[n] = n == from ? ALWAYS : NEVER;
		for (int s = 1; s <= p->steps; s++) {
			for (int n = 0; n < p->nodes; n++)
				after[n] = reached(&g, before, n, s);
			memcpy(before, after, nodes * sizeof *before);
		}
		for (int n = 0; n < p->nodes; n++) {
			clause_begin(k);
			clause_add(k, before[n], true);
			clause_end(k);
		}
	}
	free(before);
	free(after);
}

void gossip_decode(const struct plan *p, const int *price, bool (*value)(void *context, int variable), void *context, struct solution *out)
{
	out->n_steps = (size_t)p->steps;
	out->steps = new_array(struct step, out->n_steps);
	for (int s = 1; s <= p->steps; s++) {
		struct step *to = &out->steps[s - 1];
		to->reduces = new_array(struct send, (size_t)p->edges);
		to->rounds = 1;
		for (int e = 0; e < p->edges; e++)
			if (!price[(size_t)(s - 1) * (size_t)p->edges + (size_t)e] || value(context, plan_send(p, 0, e, s)))
				to->reduces[to->n_reduces++] = (struct send){0, p->network->edges[e].src, p->network->edges[e].dst};
	}
}
