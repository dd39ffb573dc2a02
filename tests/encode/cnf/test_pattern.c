/* What one chunk of an allreduce costs at least, where the answer is known by counting: every node sends, and every node receives. */

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "encode/cnf/pattern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(pattern, .description = "the least that a pattern of sends pays");

enum { NODES = 4, STEPS = 2, EDGES = NODES * (NODES - 1) };

/* Sums and copies alike, has every node the values of all in the end? */
static bool is_gossip(const struct solution *x)
{
	unsigned have[NODES], next[NODES];

	for (int v = 0; v < NODES; v++)
		have[v] = 1u << v;
	for (size_t s = 0; s < x->n_steps; s++) {
		for (int v = 0; v < NODES; v++)
			next[v] = have[v];
		for (size_t i = 0; i < x->steps[s].n_reduces; i++)
			next[x->steps[s].reduces[i].dst] |= have[x->steps[s].reduces[i].src];
		for (int v = 0; v < NODES; v++)
			have[v] = next[v];
	}
	for (int v = 0; v < NODES; v++)
		if (have[v] != (1u << NODES) - 1)
			return false;
	return true;
}

static int64_t paid(const struct network *w, const int *price, size_t step, const struct send *sends, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += price[step * EDGES + (size_t)network_edge(w, sends[i].src, sends[i].dst)];
	return sum;
}

/* Two steps of four nodes that are all joined. What nodes 0 and 1 send each other is FREE, or costs 1 like the rest. */
static void expect_least(bool free_pair, int least, bool gossip, bool mirrored)
{
	static const struct collective allreduce = {.kind = ALLREDUCE};
	static const int swap[NODES] = {0, 1, 3, 2};
	int price[STEPS * EDGES];
	struct error e = {0};
	struct instance i;
	struct topology *t = topology_open("complete:4", &e);
	cr_assert(t != NULL, "%s", e.what);
	struct network *w = network_new(t, &e);
	cr_assert(w && instance_new(w, &allreduce, 1, STEPS, STEPS, &i, &e), "%s", e.what);
	cr_assert(eq(sz, w->n_edges, (size_t)EDGES));
	for (size_t k = 0; k < STEPS * EDGES; k++)
		price[k] = !(free_pair && w->edges[k % EDGES].src < 2 && w->edges[k % EDGES].dst < 2);
	struct pattern_limit limit = {price, least - 1, gossip, mirrored, 1, swap};
	struct solution got = {.answer = ANSWER_GAVE_UP};
	cr_expect(eq(int, solve_pattern(&i, &limit, &got), ANSWER_NONE), "less than %d", least);
	limit.most = least;
	cr_assert(eq(int, solve_pattern(&i, &limit, &got), ANSWER_FOUND), "%d", least);
	int64_t sum = 0;
	for (size_t s = 0; s < got.n_steps; s++)
		sum += paid(w, price, s, got.steps[s].sends, got.steps[s].n_sends) + paid(w, price, s, got.steps[s].reduces, got.steps[s].n_reduces);
	cr_expect(eq(i64, sum, (int64_t)least));
	if (gossip) {
		cr_expect(is_gossip(&got));
		steps_free(got.steps, got.n_steps);
	} else {
		struct algorithm *a = algorithm_new(t, &allreduce, 1, got.n_steps, got.steps, "smt");
		struct verdict v = algorithm_verify(a);
		cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
		algorithm_free(a);
	}
	network_free(w);
	topology_free(t);
}

Test(pattern, each_node_sends_and_receives)
{
	for (int k = 0; k < 4; k++)
		expect_least(false, 2 * (NODES - 1), k & 1, k >> 1);
}

Test(pattern, what_costs_nothing_is_not_counted)
{
	for (int k = 0; k < 4; k++)
		expect_least(true, 4, k & 1, k >> 1);
}
