/* An allreduce, or a scan, asked directly, held against trying everything by the words of docs/reference/formats.md. */

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "encode/solve.h"
#include "tests/encode/random_instance.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(direct, .description = "allreduce as one question", .timeout = 3000);

static const struct collective allreduce = {.kind = ALLREDUCE}, scan = {.kind = SCAN};

/* Asked, and what is found judged: its steps, its rounds, its values. */
static enum answer asked(const struct topology *t, const struct instance *i, const char *engine)
{
	struct error e = {0};
	struct solution got;

	cr_assert(solve(i, &(struct solve_options){.engine = engine, .timeout = 100}, &got, &e), "%s", e.what);
	if (got.answer != ANSWER_FOUND)
		return got.answer;
	struct algorithm *a = algorithm_new(t, &i->collective, i->chunks, got.n_steps, got.steps, "smt");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", engine, v.why);
	cr_expect(eq(int, algorithm_rounds(a), i->rounds));
	cr_expect(eq(sz, a->n_steps, (size_t)i->steps));
	algorithm_free(a);
	return ANSWER_FOUND;
}

static enum answer answer_of(const struct collective *k, const char *machine, int chunks, int steps, int rounds)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	cr_assert(t != NULL, "%s", e.what);
	struct network *w = network_new(t, &e);
	struct instance i;
	cr_assert(instance_new(w, k, chunks, steps, rounds, &i, &e), "%s", e.what);
	enum answer got = asked(t, &i, "bits");
	network_free(w);
	topology_free(t);
	return got;
}

static enum answer answer(const char *machine, int chunks, int steps, int rounds)
{
	return answer_of(&allreduce, machine, chunks, steps, rounds);
}

/* ---- everything ---- */

enum { CELLS_MAX = 18, CHOICES_MAX = 2200, WORK_MAX = 40000000 };

/* What each node holds of each chunk, a set of contributions each, in one number. */
struct trial {
	const struct instance *i;
	int choices;          /* of one step: each chunk crosses each edge not, as a copy, or to be added: 3^(C E) */
	unsigned char *now, *next; /* [state]: it can be had */
	long work;
};

static unsigned get(const struct trial *t, unsigned state, int c, int n)
{
	int nodes = t->i->network->nodes;
	return state >> ((c * nodes + n) * nodes) & ((1U << nodes) - 1);
}

static bool fits(const struct instance *i, const int *load, int rounds)
{
	const struct network *w = i->network;

	for (size_t e = 0; e < w->n_edges; e++)
		if (load[e] > w->edges[e].bandwidth * rounds)
			return false;
	for (size_t l = 0; l < w->n_limits; l++) {
		int sum = 0;
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			sum += load[w->limits[l].edges[k]];
		if (sum > w->limits[l].bandwidth * rounds)
			return false;
	}
	return true;
}

static bool choice_fits(const struct trial *t, int choice, int rounds)
{
	int load[64] = {0}, edges = (int)t->i->network->n_edges;

	for (int k = 0; k < t->i->chunks * edges; k++, choice /= 3)
		load[k % edges] += choice % 3 != 0;
	return fits(t->i, load, rounds);
}

/* The state after a choice; -1: it breaks a rule. */
static long after(const struct trial *t, unsigned state, int choice)
{
	const struct network *w = t->i->network;
	int edges = (int)w->n_edges, nodes = w->nodes;
	unsigned value[CELLS_MAX] = {0}, copied = 0;

	for (int k = 0; k < t->i->chunks * nodes; k++)
		value[k] = get(t, state, k / nodes, k % nodes);
	for (int k = 0, rest = choice; k < t->i->chunks * edges; k++, rest /= 3) {
		int cell = k / edges * nodes + w->edges[k % edges].dst;
		if (rest % 3 != 1)
			continue;
		if (copied >> cell & 1)
			return -1;
		copied |= 1U << cell;
		value[cell] = get(t, state, k / edges, w->edges[k % edges].src);
	}
	for (int k = 0, rest = choice; k < t->i->chunks * edges; k++, rest /= 3) {
		int cell = k / edges * nodes + w->edges[k % edges].dst;
		unsigned from = get(t, state, k / edges, w->edges[k % edges].src);
		if (rest % 3 != 2)
			continue;
		if (value[cell] & from)
			return -1;
		value[cell] |= from;
	}
	long result = 0;
	for (int k = 0; k < t->i->chunks * nodes; k++)
		result |= (long)value[k] << (k * nodes);
	return result;
}

static void try_step(struct trial *t, unsigned states, int rounds)
{
	memset(t->next, 0, states);
	for (int choice = 0; choice < t->choices; choice++) {
		if (!choice_fits(t, choice, rounds))
			continue;
		for (unsigned state = 0; state < states; state++) {
			t->work++;
			long to = t->now[state] ? after(t, state, choice) : -1;
			if (to >= 0)
				t->next[to] = 1;
		}
	}
	unsigned char *now = t->now;
	t->now = t->next;
	t->next = now;
}

static unsigned begin(const struct trial *t)
{
	int nodes = t->i->network->nodes;
	unsigned state = 0;
	for (int k = 0; k < t->i->chunks * nodes; k++)
		state |= 1U << (k * nodes + k % nodes);
	return state;
}

/* Of an allreduce all at every node; of a scan, node n has 0..n. */
static unsigned end(const struct trial *t)
{
	int nodes = t->i->network->nodes;
	unsigned state = 0;
	for (int k = 0; k < t->i->chunks * nodes; k++)
		for (int of = 0; of < nodes; of++)
			if (t->i->collective.kind == ALLREDUCE || of <= k % nodes)
				state |= 1U << (k * nodes + of);
	return state;
}

/* A way to share the rounds: the digits of a number are what each step has beyond one. */
static int digit(int way, int base, int s)
{
	for (; s > 0; s--)
		way /= base;
	return way % base;
}

static int digits_sum(int way, int base, int n)
{
	int sum = 0;
	for (int s = 0; s < n; s++)
		sum += digit(way, base, s);
	return sum;
}

static enum tried try_all(const struct instance *i)
{
	int cells = i->chunks * i->network->nodes * i->network->nodes, extra = i->rounds - i->steps, ways = 1;
	double choices = 1;
	for (size_t k = 0; k < (size_t)i->chunks * i->network->n_edges; k++)
		choices *= 3;
	if (cells > CELLS_MAX || choices > CHOICES_MAX)
		return TRIED_TOO_LARGE;
	unsigned states = 1U << cells;
	struct trial t = {i, (int)choices, new_array(unsigned char, states), new_array(unsigned char, states), 0};
	enum tried result = TRIED_NONE;

	for (int s = 0; s < i->steps; s++)
		ways *= extra + 1;
	for (int way = 0; way < ways && result == TRIED_NONE; way++) {
		if (digits_sum(way, extra + 1, i->steps) != extra)
			continue;
		memset(t.now, 0, states);
		t.now[begin(&t)] = 1;
		for (int s = 0; s < i->steps; s++)
			try_step(&t, states, 1 + digit(way, extra + 1, s));
		if (t.now[end(&t)])
			result = TRIED_FOUND;
		if (t.work > WORK_MAX && result == TRIED_NONE)
			result = TRIED_TOO_LARGE;
	}
	free(t.now);
	free(t.next);
	return result;
}

static void expect_agreement(const struct collective *k)
{
	int found = 0, refuted = 0, confirmed = 0;

	random_seed(11);
	for (int nth = 0; nth < 150; nth++) {
		struct random_question q = random_question();
		struct error e = {0};
		struct instance i;
		int chunks = 1 + nth % 2, steps = 1 + nth % 3;
		cr_assert(instance_new(q.network, k, chunks, steps, steps + nth / 3 % 3, &i, &e), "%s", e.what);
		enum answer first = asked(q.topology, &i, "bits");
		cr_expect(eq(int, asked(q.topology, &i, "bits-z3"), first), "question %d", nth);
		cr_expect(eq(int, asked(q.topology, &i, "lia"), first), "question %d", nth);
		enum tried tried = try_all(&i);
		cr_expect(tried == TRIED_TOO_LARGE || (tried == TRIED_FOUND) == (first == ANSWER_FOUND), "question %d", nth);
		found += first == ANSWER_FOUND;
		refuted += first == ANSWER_NONE;
		confirmed += tried != TRIED_TOO_LARGE;
		question_free(&q);
	}
	cr_log_info("%d found, %d refuted, %d confirmed by trying everything", found, refuted, confirmed);
	cr_expect(gt(int, found, 10));
	cr_expect(gt(int, refuted, 10));
	cr_expect(gt(int, confirmed, 20));
}

Test(direct, all_solvers_agree_with_trying_everything)
{
	expect_agreement(&allreduce);
}

Test(direct, all_solvers_agree_with_trying_every_scan)
{
	expect_agreement(&scan);
}

/* A hypercube's dimensions in turn leave no node with its prefix alone; along a line the sums grow. */
Test(direct, a_scan_leaves_each_node_its_prefix)
{
	cr_expect(eq(int, answer_of(&scan, "complete:4", 1, 1, 1), ANSWER_FOUND), "each to all after it");
	cr_expect(eq(int, answer_of(&scan, "line:4", 1, 3, 3), ANSWER_FOUND));
	cr_expect(eq(int, answer_of(&scan, "line:4", 2, 3, 3), ANSWER_NONE));
	cr_expect(eq(int, answer_of(&scan, "ring:4", 2, 3, 3), ANSWER_FOUND));
	cr_expect(eq(int, answer_of(&scan, "ring:4", 3, 3, 3), ANSWER_NONE));
	cr_expect(eq(int, answer_of(&scan, "dgx1", 1, 2, 2), ANSWER_FOUND));
	cr_expect(eq(int, answer_of(&scan, "dgx1", 2, 2, 3), ANSWER_NONE));
}

Test(direct, a_complete_graph_takes_one_step)
{
	cr_expect(eq(int, answer("complete:8", 1, 1, 1), ANSWER_FOUND));
	cr_expect(eq(int, answer("complete:8", 2, 1, 1), ANSWER_NONE));
}

Test(direct, a_hypercube_takes_recursive_doubling)
{
	cr_expect(eq(int, answer("hypercube:3", 1, 3, 3), ANSWER_FOUND));
	cr_expect(eq(int, answer("hypercube:3", 3, 3, 3), ANSWER_FOUND), "each chunk takes the dimensions in another order");
	cr_expect(eq(int, answer("hypercube:3", 4, 3, 3), ANSWER_NONE));
	cr_expect(eq(int, answer("hypercube:3", 1, 2, 9), ANSWER_NONE), "the diameter is 3");
}

Test(direct, dgx1_takes_two_steps)
{
	cr_expect(eq(int, answer("dgx1", 2, 2, 2), ANSWER_FOUND));
	cr_expect(eq(int, answer("dgx1", 3, 2, 3), ANSWER_NONE));
	cr_expect(eq(int, answer("dgx1", 6, 3, 3), ANSWER_FOUND));
	cr_expect(eq(int, answer("dgx1", 7, 3, 3), ANSWER_NONE));
}

/* Too long for the whole question at once: one chunk alone has more sends than its share of what the links carry. */
Test(direct, a_share_that_is_too_small_for_one_chunk_refutes_many)
{
	cr_expect(eq(int, answer("amd-z52", 9, 6, 11), ANSWER_NONE));
	cr_expect(eq(int, answer("amd-z52", 4, 5, 5), ANSWER_FOUND));
	cr_expect(eq(int, answer("amd-z52", 8, 7, 7), ANSWER_FOUND), "both less than a composition's eight steps and its best R/C");
}

/* From both sides of a node comes what its neighbours must have passed on, and each of them has the node's own part too. */
Test(direct, a_ring_of_five_takes_one_step_more_than_its_diameter)
{
	cr_expect(eq(int, answer("ring:4", 2, 2, 3), ANSWER_FOUND));
	cr_expect(eq(int, answer("ring:5", 1, 2, 20), ANSWER_NONE));
	cr_expect(eq(int, answer("ring:5", 1, 3, 3), ANSWER_FOUND));
}

Test(direct, the_paper_s_encoding_cannot_be_asked)
{
	struct error e = {0};
	struct topology *t = topology_open("ring:4", &e);
	struct network *w = network_new(t, &e);
	struct instance i;
	struct solution got;
	cr_assert(instance_new(w, &allreduce, 1, 2, 2, &i, &e));
	cr_expect(not(solve(&i, &(struct solve_options){.engine = "lia-paper"}, &got, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	network_free(w);
	topology_free(t);
}

Test(direct, what_is_too_large_is_given_up)
{
	cr_expect(eq(int, answer("complete:512", 16, 4, 64), ANSWER_GAVE_UP));
}
