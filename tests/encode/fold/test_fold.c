/* Questions folded by turns of a machine: what they find is for the whole, what they refuse is not refused by that. */
#include "tests/encode/ask_plan.h"
#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "encode/fold/folds.h"
#include "core/symmetry/automorphism_samples.h"
#include "tests/encode/random_instance.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(fold, .description = "folded questions", .timeout = 3000);

/* Takes what was found folded, cut to the question. */
static void expect_right(const struct random_question *q, struct solution *got)
{
	struct algorithm *a = algorithm_new(q->topology, &q->collective, q->instance.chunks, got->n_steps, got->steps, "smt");
	struct verdict v = algorithm_verify(a);

	cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", q->topology->name, v.why);
	cr_expect(eq(int, algorithm_rounds(a), q->instance.rounds));
	cr_expect(eq(sz, a->n_steps, (size_t)q->instance.steps));
	algorithm_free(a);
}

struct tally {
	int found, refused;
};

/* All ways to fold it, by turns too where a group moves every node. */
static struct tally ask_all(const struct random_question *q)
{
	const struct instance *i = &q->instance;
	struct folds f = folds_new(i);
	struct tally t = {0};

	for (size_t k = 0; k < f.n; k++) {
		struct solution got = {0};
		cr_assert(ge(int, f.all[k].instance->chunks, i->chunks));
		if (ask_plan(f.all[k].plan, ORDER_NONE, NULL, &got) == ANSWER_FOUND) {
			folds_restrict(i, &got);
			expect_right(q, &got);
			t.found++;
		} else {
			t.refused++;
		}
	}
	folds_free(&f);
	return t;
}

static enum answer ask_whole(const struct instance *i)
{
	struct plan *p = plan_new(i, NULL);
	enum answer answer = ask_plan(p, ORDER_NONE, NULL, NULL);

	plan_free(p);
	return answer;
}

static void expect_orders(const char *machine, int root, const int *orders, size_t n)
{
	struct random_question q = question_about(machine, (struct collective){BROADCAST, root, NULL}, 1, 9, 9);
	struct automorphism_samples t = automorphism_samples_new(q.network, root, 64);

	cr_assert(eq(sz, t.n, n), "%s", machine);
	for (size_t k = 0; k < n; k++) {
		cr_expect(eq(int, t.all[k].order, orders[k]), "%s", machine);
		cr_expect(root < 0 || t.all[k].nodes[root] == root, "%s: the root is moved", machine);
	}
	automorphism_samples_free(&t);
	question_free(&q);
}

Test(fold, turns_of_known_machines_are_all_found)
{
	expect_orders("switch:6", 0, (const int[]){6, 5, 4, 3, 2}, 5);
	expect_orders("complete:6", 5, (const int[]){6, 5, 4, 3, 2}, 5);
	expect_orders("ring:5", 2, (const int[]){2}, 1);
	expect_orders("line:4", 0, NULL, 0);
	expect_orders("line:4@drop=0-1", 1, NULL, 0);
}

Test(fold, a_turn_has_full_cycles_where_it_can)
{
	struct random_question q = question_about("switch:9", (struct collective){.kind = BROADCAST}, 1, 1, 8);
	struct automorphism_samples t = automorphism_samples_new(q.network, 0, 64);

	for (size_t k = 0; k < t.n; k++)
		if (t.all[k].order == 8 || t.all[k].order == 4) {
			cr_expect(eq(int, t.all[k].left, 1), "order %d", t.all[k].order);
			cr_expect(eq(int, t.all[k].cycles, 1 + 8 / t.all[k].order));
		}
	automorphism_samples_free(&t);
	question_free(&q);
}

Test(fold, what_is_refused_makes_room_for_those_behind_it)
{
	struct random_question q = question_about("switch:6", (struct collective){.kind = BROADCAST}, 7, 3, 12);
	struct folds f = folds_new(&q.instance);
	size_t n = f.n;

	cr_assert(ge(sz, n, 3));
	struct folded second = f.all[1], last = f.all[n - 1];
	folds_drop(&f, 0);
	cr_assert(eq(sz, f.n, n - 1));
	cr_expect(eq(ptr, f.all[0].plan, second.plan));
	cr_expect(eq(ptr, f.all[0].fold, second.fold));
	folds_drop(&f, n - 2);
	cr_assert(eq(sz, f.n, n - 2));
	cr_expect(eq(ptr, f.all[0].instance, second.instance));
	cr_expect(ne(ptr, f.all[f.n - 1].plan, last.plan));
	folds_free(&f);
	question_free(&q);
}

static int found_by_any(const char *machine, enum collective_kind kind, int chunks, int steps, int rounds)
{
	struct random_question q = question_about(machine, (struct collective){.kind = kind}, chunks, steps, rounds);
	struct tally t = ask_all(&q);

	cr_expect(t.found == 0 || ask_whole(&q.instance) == ANSWER_FOUND, "%s, C=%d", machine, chunks);
	question_free(&q);
	return t.found;
}

/* Also numbers of chunks that no order divides. */
Test(fold, finds_what_the_whole_has_for_any_number_of_chunks)
{
	static const char *const machines[] = {"switch:5", "complete:5", "ring:5", "star:5"};
	int found = 0;

	for (size_t m = 0; m < 4; m++)
		for (int chunks = 1; chunks <= 5; chunks++) {
			found += found_by_any(machines[m], BROADCAST, chunks, 3, 2 + 2 * chunks);
			found += found_by_any(machines[m], GATHER, 1 + chunks % 2, 2, 4 * (1 + chunks % 2));
			found += found_by_any(machines[m], SCATTER, 5, 2, 4 * chunks);
		}
	cr_log_info("%d found", found);
	cr_expect(gt(int, found, 60));
}

Test(fold, a_refusal_of_folded_questions_is_none_of_the_whole)
{
	struct random_question q = question_about("complete:4", (struct collective){.kind = BROADCAST}, 5, 2, 3);
	struct tally t = ask_all(&q);

	cr_expect(gt(int, t.refused, 0));
	cr_expect(eq(int, ask_whole(&q.instance), ANSWER_FOUND));
	question_free(&q);
}

/* Of questions about as often one that has an answer as one that has none. */
Test(fold, never_finds_what_is_not_there)
{
	static const char *const machines[] = {"ring:4", "star:4", "complete:4", "switch:4", "line:5", "mesh:2x3"};
	int n_found = 0, n_refused = 0, n_wrong = 0, n_not_there = 0;

	for (size_t m = 0; m < 6; m++)
		for (int chunks = 1; chunks <= 4; chunks++)
			for (int steps = 1; steps <= 3; steps++)
				for (int rounds = steps; rounds <= steps + 2; rounds++) {
					struct random_question q = question_about(machines[m], (struct collective){BROADCAST, m == 4 ? 2 : 0, NULL},
									chunks, steps, rounds);
					struct tally t = ask_all(&q);
					bool is_there = ask_whole(&q.instance) == ANSWER_FOUND;
					cr_expect(is_there || t.found == 0, "%s (%d,%d,%d)", q.topology->name, chunks, steps, rounds);
					n_found += t.found;
					n_refused += t.refused;
					n_wrong += is_there && t.refused;
					n_not_there += !is_there && t.refused;
					question_free(&q);
				}
	cr_log_info("%d found, %d refused, %d with refusals had an answer, %d had none", n_found, n_refused, n_wrong, n_not_there);
	cr_expect(gt(int, n_found, 20));
	cr_expect(gt(int, n_wrong, 5));
	cr_expect(gt(int, n_not_there, 20));
}

Test(fold, a_turn_that_moves_the_root_is_not_taken)
{
	struct random_question q = question_about("ring:6", (struct collective){.kind = BROADCAST}, 6, 3, 6);
	int shift[] = {1, 2, 3, 4, 5, 0}, flip[] = {0, 5, 4, 3, 2, 1};
	struct automorphism bad = {.order = 6, .nodes = shift}, good = {.order = 2, .nodes = flip};
	struct fold *f = fold_by(&q.instance, &good);

	cr_expect(eq(ptr, (void *)fold_by(&q.instance, &bad), NULL));
	cr_assert(ne(ptr, (void *)f, NULL));
	cr_expect(eq(int, f->n_chunks, 3));
	fold_free(f);
	question_free(&q);
}

Test(fold, collectives_of_lists_and_short_memory_are_not_folded)
{
	struct error e = {0};
	struct random_question q = question_about("switch:5", (struct collective){.kind = BROADCAST}, 4, 2, 4);
	struct collective two;

	q.instance.constraints.is_short = true;
	struct folds f = folds_new(&q.instance);
	cr_expect(eq(sz, f.n, 0));
	question_free(&q);
	cr_assert(collective_of_roots(BROADCAST, 5, (const int[]){0, 1}, 2, &two, &e));
	q = question_about("switch:5", two, 1, 2, 4);
	f = folds_new(&q.instance);
	cr_expect(eq(sz, f.n, 0));
	question_free(&q);
}

/* Large enough to be asked folded before anything else; the first was open after minutes of asking as it is. */
Test(fold, engines_ask_large_questions_folded)
{
	static const char *const engines[] = {"bits", "bits-z3", "lia"};
	static const int chunks[] = {35, 24, 24};

	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
		struct error e = {0};
		struct random_question q = question_about("dgx-a100", (struct collective){.kind = BROADCAST}, chunks[k], 4, 4);
		struct solution got;
		cr_assert(solve(&q.instance, &(struct solve_options){.engine = engines[k], .timeout = 100}, &got, &e), "%s", e.what);
		cr_assert(eq(int, got.answer, ANSWER_FOUND), "%s: %s", engines[k], got.why);
		expect_right(&q, &got);
		question_free(&q);
	}
}

/* Four links carry 28 chunks away from node 0 in 7 rounds: 30 are too many, which takes the solver long to see. */
Test(fold, a_hard_question_is_asked_folded_and_whole_in_turn)
{
	struct error e = {0};
	struct random_question q = question_about("complete:5", (struct collective){.kind = BROADCAST}, 30, 4, 7);
	struct folds f = folds_new(&q.instance);
	struct solution got;

	cr_expect(f.are_cyclic && f.n > 1);
	folds_free(&f);
	cr_assert(solve(&q.instance, &(struct solve_options){.engine = "bits", .work = 1e7}, &got, &e), "%s", e.what);
	cr_expect(eq(int, got.answer, ANSWER_GAVE_UP));
	cr_expect(ne(ptr, strstr(got.why, "steps of work"), NULL), "%s", got.why);
	double spent = got.work;
	cr_assert(solve(&q.instance, &(struct solve_options){.engine = "bits", .work = 1000}, &got, &e), "%s", e.what);
	cr_expect(eq(int, got.answer, ANSWER_GAVE_UP), "the work is over within the first folded question");
	cr_expect(lt(dbl, got.work, spent));
	question_free(&q);
}
