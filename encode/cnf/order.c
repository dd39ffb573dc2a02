#include "encode/cnf/order.h"

#include "core/base/memory.h"
#include "encode/cnf/clause.h"

#include <stdlib.h>

/* The step in which the chunk can be at the node for the first time, 0 where it begins there or never comes. */
static int first_step(const struct plan *p, int c, int n)
{
	int s = 0;

	while (s <= p->steps && plan_have(p, c, n, s) == NEVER)
		s++;
	return s <= p->steps ? s : 0;
}

/* The nodes that the chunk can come to, those it can reach last first; the same for all parts of a thing. */
static int list_farthest(const struct plan *p, int c, int *nodes)
{
	int found = 0;

	for (int s = p->steps; s > 0; s--)
		for (int n = 0; n < p->nodes; n++)
			if (first_step(p, c, n) == s)
				nodes[found++] = n;
	return found;
}

/* Where SAME says that the two came alike so far: B comes to N no sooner than A. */
static void write_no_sooner(const struct plan *p, struct clause *k, int same, int a, int b, int n)
{
	for (int s = 0; s <= p->steps; s++) {
		clause_begin(k);
		clause_add(k, same, false);
		clause_add(k, plan_have(p, b, n, s), false);
		clause_add(k, plan_have(p, a, n, s), true);
		clause_end(k);
	}
}

/* If they came alike so far, and to N in the same step or never, they are alike STILL. */
static void write_alike(const struct plan *p, struct clause *k, int same, int a, int b, int n, int still)
{
	for (int s = 1; s <= p->steps; s++) {
		clause_begin(k);
		clause_add(k, same, false);
		clause_add(k, plan_have(p, a, n, s), false);
		clause_add(k, plan_have(p, a, n, s - 1), true);
		clause_add(k, plan_have(p, b, n, s), false);
		clause_add(k, still, true);
		clause_end(k);
	}
	clause_begin(k);
	clause_add(k, same, false);
	clause_add(k, plan_have(p, a, n, p->steps), true);
	clause_add(k, still, true);
	clause_end(k);
}

/* Chunk C and the next like it, at the first N of NODES. */
static void write_pair(const struct plan *p, struct clause *k, int c, int next, const int *nodes, int n)
{
	int same = ALWAYS;

	for (int i = 0; i < n; i++) {
		write_no_sooner(p, k, same, c, next, nodes[i]);
		if (i + 1 == n)
			break;
		int still = p->same + c * p->nodes + i + 1;
		write_alike(p, k, same, c, next, nodes[i], still);
		same = still;
	}
}

void order_write(const struct plan *p, struct clause *k, enum plan_order order)
{
	int period = collective_period(&p->instance->collective, p->nodes), *nodes = new_array(int, (size_t)p->nodes);

	for (int c = 0; c + period < p->chunks; c++) {
		int n = list_farthest(p, c, nodes);
		write_pair(p, k, c, c + period, nodes, order == ORDER_ONE_NODE && n > 1 ? 1 : n);
	}
	free(nodes);
}
