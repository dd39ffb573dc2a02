/*
 * Breaks the symmetry between interchangeable chunks: the arrival steps of consecutive ones, at the nodes listed from
 * the farthest on, must be in lexicographic order.
 */

#include "encode/cnf/order.h"

#include "core/base/memory.h"
#include "encode/cnf/clause.h"

#include <stdlib.h>

/* The first step after which the chunk can be at the node; 0 if it begins there or never arrives. */
static int first_step(const struct plan *p, int c, int n)
{
	int s = 0;

	while (s <= p->steps && plan_have(p, c, n, s) == NEVER)
		s++;
	return s <= p->steps ? s : 0;
}

/*
 * The nodes that the chunk can arrive at, those it can reach last first. The list is the same for interchangeable
 * chunks.
 */
static int list_farthest(const struct plan *p, int c, int *nodes)
{
	int found = 0;

	for (int s = p->steps; s > 0; s--)
		for (int n = 0; n < p->nodes; n++)
			if (first_step(p, c, n) == s)
				nodes[found++] = n;
	return found;
}

/* If SAME, which states that both chunks arrived in the same steps so far: B does not arrive at N before A. */
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

/* If SAME, and both arrive at N in the same step or never, then STILL. */
static void write_equal(const struct plan *p, struct clause *k, int same, int a, int b, int n, int still)
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

/* Orders chunk C and the next one like it at the first N of NODES. */
static void write_pair(const struct plan *p, struct clause *k, int c, int next, const int *nodes, int n)
{
	int same = ALWAYS;

	for (int i = 0; i < n; i++) {
		write_no_sooner(p, k, same, c, next, nodes[i]);
		if (i + 1 == n)
			break;
		int still = p->same + c * p->nodes + i + 1;
		write_equal(p, k, same, c, next, nodes[i], still);
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
