#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "synth/problem/problem.h"
#include "synth/program/dropping_patterns.h"
#include "synth/program/node_groups.h"
#include "synth/program/partial_sums.h"
#include "synth/program/pattern_annealing.h"
#include "synth/program/pattern_questions.h"
#include "synth/program/timed_program.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(pattern_questions, .description = "patterns that a solver finds, or refutes");

/* An allreduce on a machine, and an instance of one chunk. */
struct machine {
	struct topology *topology;
	struct collective collective;
	struct problem problem;
	struct instance instance;
};

static void machine_open(const char *name, int steps, struct machine *m)
{
	struct error e = {0};

	m->topology = topology_open(name, &e);
	cr_assert(m->topology != NULL, "%s", e.what);
	cr_assert(collective_open("allreduce", m->topology->nodes, 0, &m->collective, &e), "%s", e.what);
	cr_assert(problem_open_direct(m->topology, &m->collective, &m->problem, &e), "%s", e.what);
	cr_assert(problem_instance(&m->problem, (struct candidate){1, steps, steps}, &m->instance, &e), "%s", e.what);
}

static void machine_close(struct machine *m)
{
	problem_instance_done(&m->instance);
	problem_close(&m->problem);
	collective_free(&m->collective);
	topology_free(m->topology);
}

/*
 * Node 0 sends its value to node 2, and takes that of node 1 in exchange for it, to pass it on to node 2 in the end. No part of it
 * is there already, but node 0 must drop its own. Neither forwards nor backwards do the sends alone tell so.
 */
static const int exchange[][3] = {{0, 0, 2}, {0, 1, 0}, {1, 2, 1}, {2, 0, 2}, {2, 1, 0}};
enum { SENDS = 5, STEPS = 3, NODES = 3 };
static const uint64_t exchange_drops[STEPS] = {1, 0, 1};

static struct timed_tree exchange_on(const struct network *w, const int *to)
{
	struct timed_tree t = {SENDS, new_array(struct timed_edge, SENDS + 1)};

	for (int i = 0; i < SENDS; i++)
		t.of[i] = (struct timed_edge){exchange[i][0], network_edge(w, to[exchange[i][1]], to[exchange[i][2]])};
	return t;
}

/* The sends of chunk 0, all copies. */
static struct step *steps_on(const int *to)
{
	struct step *steps = new_array(struct step, STEPS);

	for (int s = 0; s < STEPS; s++) {
		steps[s].sends = new_array(struct send, SENDS);
		steps[s].rounds = 1;
	}
	for (int i = 0; i < SENDS; i++) {
		struct step *s = &steps[exchange[i][0]];
		s->sends[s->n_sends++] = (struct send){0, to[exchange[i][1]], to[exchange[i][2]]};
	}
	return steps;
}

/* Does the verifier accept the sends, told apart? */
static bool is_right(const struct machine *m, const int *to, const struct dropping_patterns *known)
{
	struct error e = {0};
	struct step *steps = steps_on(to);

	partial_sums_tell_apart(steps, STEPS, 1, NODES, known);
	struct algorithm *a = problem_algorithm(&m->problem, (struct candidate){1, STEPS, STEPS}, steps, STEPS, &e);
	algorithm_free(a);
	return a != NULL;
}

/* The first pattern is found by all of its sends, and not without its last. */
static void expect_found_whole(const struct dropping_patterns *known)
{
	const struct dropping_pattern *x = &known->of[0];
	struct send sends[SENDS];
	struct step steps[STEPS];
	size_t first[STEPS], end[STEPS];

	for (size_t k = 0; k < x->n; k++)
		sends[k] = (struct send){0, x->src[k], x->dst[k]};
	for (int s = 0; s < STEPS; s++) {
		steps[s] = (struct step){.n_sends = SENDS, .sends = sends};
		first[s] = s ? x->end[s - 1] : 0;
		end[s] = x->end[s];
	}
	cr_expect(eq(ptr, (void *)dropping_patterns_find(known, steps, first, end), (void *)x));
	end[STEPS - 1]--;
	cr_expect(eq(ptr, (void *)dropping_patterns_find(known, steps, first, end), NULL));
}

Test(pattern_questions, dropped_values)
{
	static const int same[] = {0, 1, 2}, others[] = {2, 0, 1};
	struct machine m;
	struct dropping_patterns known;

	machine_open("ring:3", STEPS, &m);
	struct timed_column column = {.tree = exchange_on(m.problem.network, same), .amount = rational(1, 1)};
	struct timed_program p = {.instance = &m.instance, .steps = STEPS, .n_columns = 1, .columns = &column};
	struct node_group none = node_group_none(), all = node_group_all(m.problem.network, -1);

	cr_expect(eq(int, is_right(&m, same, NULL), false));
	dropping_patterns_new(&p, exchange_drops, &none, &known);
	cr_expect(is_right(&m, same, &known));
	cr_expect(eq(int, is_right(&m, others, &known), false), "another pattern");
	dropping_patterns_free(&known);
	dropping_patterns_new(&p, exchange_drops, &all, &known);
	cr_expect(eq(sz, known.n, (size_t)6));
	cr_expect(is_right(&m, others, &known));
	expect_found_whole(&known);
	dropping_patterns_free(&known);
	column.amount = rational(0, 1);
	dropping_patterns_new(&p, exchange_drops, &all, &known);
	cr_expect(eq(sz, known.n, (size_t)0));
	dropping_patterns_free(&known);
	free(column.tree.of);
	node_group_free(&none);
	node_group_free(&all);
	machine_close(&m);
}

/* A needless send is left out, and nothing else can be; without the dropped values it is no pattern. */
Test(pattern_questions, thinned)
{
	static const int same[] = {0, 1, 2};
	struct machine m;
	struct timed_tree thin;
	uint64_t dropped[STEPS], random = 1;

	machine_open("ring:3", STEPS, &m);
	const struct network *w = m.problem.network;
	double *prices = new_array(double, STEPS * w->n_edges);
	for (size_t e = 0; e < STEPS * w->n_edges; e++)
		prices[e] = e % 2;
	struct annealing how = {w, STEPS, prices, 1, 0, &random, exchange_drops};
	struct timed_tree from = exchange_on(w, same);
	from.of[from.n++] = (struct timed_edge){2, network_edge(w, 1, 2)};
	cr_expect(eq(int, pattern_thin(&how, &from, &thin, dropped), false), "node 2 gets what it has twice");
	from.of[from.n - 1] = (struct timed_edge){2, network_edge(w, 2, 1)};
	cr_expect(eq(int, pattern_thin(&how, &from, &thin, dropped), false), "node 1 loses the result");
	from.n--;
	cr_assert(pattern_thin(&how, &from, &thin, dropped));
	cr_expect(eq(int, thin.n, SENDS));
	cr_expect(eq(int, memcmp(dropped, exchange_drops, sizeof dropped), 0));
	free(thin.of);
	how.drops = NULL;
	cr_expect(eq(int, pattern_thin(&how, &from, &thin, dropped), false));
	free(from.of);

	/* All nodes get the result from node 0, and it once more from them. */
	struct timed_tree twice = {6, new_array(struct timed_edge, 6)};
	static const int sends[][3] = {{0, 1, 0}, {0, 2, 0}, {1, 0, 1}, {1, 0, 2}, {2, 1, 2}, {2, 1, 0}};
	for (int i = 0; i < 6; i++)
		twice.of[i] = (struct timed_edge){sends[i][0], network_edge(w, sends[i][1], sends[i][2])};
	cr_assert(pattern_thin(&how, &twice, &thin, dropped));
	cr_expect(eq(int, thin.n, 4));
	free(thin.of);
	free(twice.of);
	free(prices);
	machine_close(&m);
}

/* In one step every node sends to every other: no pattern of a ring of three has fewer than 6 sends, one over each link. */
Test(pattern_questions, refuted)
{
	static const double near = 1.0125;
	struct pattern_bound b;
	struct machine m;
	struct error e = {0};

	machine_open("ring:3", 1, &m);
	const struct network *w = m.problem.network;
	for (int short_of = 0; short_of < 2; short_of++) {
		struct step *step = new_array(struct step, 1);
		step->rounds = 1;
		step->reduces = new_array(struct send, w->n_edges);
		for (size_t i = 0; i < w->n_edges; i++)
			step->reduces[step->n_reduces++] = (struct send){0, w->edges[i].src, w->edges[i].dst};
		struct algorithm *a = problem_algorithm(&m.problem, (struct candidate){1, 1, 1}, step, 1, &e);
		cr_assert(a != NULL, "%s", e.what);
		a->n_steps -= (size_t)short_of; /* an algorithm of other steps is no beginning */
		bool found = pattern_bound_find(&m.instance, a, 0, &b);
		cr_expect(eq(int, found, !short_of));
		a->n_steps += (size_t)short_of;
		if (found) {
			double shown = (double)b.pay / b.round;
			cr_expect(shown <= 1 && shown * near >= 1, "%d over %d", b.pay, b.round);
			int64_t all = 0;
			for (size_t i = 0; i < w->n_edges; i++) {
				all += b.price[i];
			}
			cr_expect(all >= b.pay && all <= b.round, "%lld", (long long)all);
			free(b.price);
		}
		algorithm_free(a);
	}
	machine_close(&m);
	machine_open("ring:3", 2, &m); /* one step is enough */
	cr_expect(eq(int, patterns_are_asked_for(m.problem.network, 2), false));
	cr_expect(patterns_are_asked_for(m.problem.network, 1));
	machine_close(&m);
}

/* Adds a send of chunks 0 to CHUNKS - 1. */
static void add(struct send *of, size_t *n, int chunks, int src, int dst)
{
	for (int c = 0; c < chunks; c++)
		of[(*n)++] = (struct send){c, src, dst};
}

static bool is_centre(const struct network *w, int v)
{
	return w->out_begin[v + 1] - w->out_begin[v] == 3;
}

/* On a mesh of 2x3 each row is added up at its centre, the centres exchange sums, and each sends the result to its row: 3 rounds a chunk. */
static struct algorithm *by_centres(const struct machine *m, int chunks)
{
	const struct network *w = m->problem.network;
	struct step *steps = new_array(struct step, STEPS);
	struct error e = {0};

	for (int s = 0; s < STEPS; s++) {
		steps[s].rounds = chunks;
		steps[s].sends = new_array(struct send, w->n_edges * (size_t)chunks);
		steps[s].reduces = new_array(struct send, w->n_edges * (size_t)chunks);
	}
	for (size_t i = 0; i < w->n_edges; i++) {
		int src = w->edges[i].src, dst = w->edges[i].dst;
		if (is_centre(w, dst))
			add(steps[is_centre(w, src)].reduces, &steps[is_centre(w, src)].n_reduces, chunks, src, dst);
		else if (is_centre(w, src))
			add(steps[2].sends, &steps[2].n_sends, chunks, src, dst);
	}
	struct algorithm *a = problem_algorithm(&m->problem, (struct candidate){chunks, STEPS, STEPS * chunks}, steps, STEPS, &e);
	cr_assert(a != NULL, "%s", e.what);
	return a;
}

/*
 * Half of the chunks may exchange between the rows first, and are then added up along them: 2 rounds a chunk. So the solver finds
 * patterns that pay less, and a bound is found for what is mixed of these; what would be more than 2 is not refuted.
 */
Test(pattern_questions, found)
{
	struct pattern_bound b;
	struct machine m;

	machine_open("mesh:2x3", STEPS, &m);
	struct algorithm *a = by_centres(&m, 2);
	cr_assert(pattern_bound_find(&m.instance, a, 0, &b));
	double shown = (double)b.pay / b.round;
	cr_expect(shown > 1.4 && shown <= 2, "%d over %d", b.pay, b.round);
	free(b.price);
	algorithm_free(a);
	machine_close(&m);
}

/* From an exchange between all nodes in one step, by patterns of ever fewer sends that the verifier accepts. */
Test(pattern_questions, annealed)
{
	enum { MOVES = 40000, TWO = 2 };
	struct timed_tree found[ANNEALED_MOST], from = {0};
	struct machine m;
	struct error e = {0};
	uint64_t random = 1;

	machine_open("complete:9", TWO, &m);
	const struct network *w = m.problem.network;
	size_t edges = w->n_edges;
	double *prices = new_array(double, TWO * edges);
	for (size_t i = 0; i < TWO * edges; i++)
		prices[i] = 1;
	from.of = new_array(struct timed_edge, edges);
	for (size_t i = 0; i < edges; i++)
		from.of[from.n++] = (struct timed_edge){0, (int)i};
	const struct annealing how = {w, TWO, prices, 2 * (w->nodes - 1), MOVES, &random, NULL};
	int n = pattern_anneal(&how, &from, from.n, found), last = from.n;
	cr_assert(gt(int, n, 0));
	for (int i = 0; i < n; i++) {
		cr_expect(lt(int, found[i].n, last));
		last = found[i].n;
		struct step *steps = new_array(struct step, TWO);
		for (int s = 0; s < TWO; s++) {
			steps[s].rounds = 1;
			steps[s].sends = new_array(struct send, edges);
		}
		for (int k = 0; k < last; k++) {
			struct step *s = &steps[found[i].of[k].step];
			const struct edge *over = &w->edges[found[i].of[k].edge];
			s->sends[s->n_sends++] = (struct send){0, over->src, over->dst};
		}
		partial_sums_tell_apart(steps, TWO, 1, w->nodes, NULL);
		struct algorithm *a = problem_algorithm(&m.problem, (struct candidate){1, TWO, TWO}, steps, TWO, &e);
		cr_expect(a != NULL, "%s", e.what);
		algorithm_free(a);
		free(found[i].of);
	}
	free(from.of);
	free(prices);
	machine_close(&m);
}
