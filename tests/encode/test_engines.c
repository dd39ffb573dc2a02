#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "encode/answer.h"
#include "encode/solve.h"
#include "core/symmetry/automorphisms.h"
#include "tests/encode/random_instance.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <z3.h>

TestSuite(engines, .description = "questions to solvers", .timeout = 3000);

static struct solution ask(const struct instance *i, const char *engine)
{
	struct error e = {0};
	struct solution got;
	cr_assert(solve(i, &(struct solve_options){.engine = engine, .timeout = 100}, &got, &e), "%s", e.what);
	return got;
}

/* Takes the steps. Each node gets each chunk at most once, and the rounds are R: what solve.h promises beside the judge. */
static void expect_found_right(const struct random_question *q, struct solution *got, int nth)
{
	size_t nodes = (size_t)q->topology->nodes;
	int *arrivals = new_array(int, (size_t)q->instance.global_chunks * nodes);
	struct algorithm *a = algorithm_new(q->topology, &q->collective, q->instance.chunks, got->n_steps, got->steps, "smt");
	struct verdict v = algorithm_verify(a);

	cr_expect(eq(int, v.fault, FAULT_NONE), "question %d, %s: %s", nth, got->engine, v.why);
	cr_expect(eq(int, algorithm_rounds(a), q->instance.rounds));
	cr_expect(eq(sz, a->n_steps, (size_t)q->instance.steps));
	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t k = 0; k < a->steps[s].n_sends; k++) {
			const struct send *send = &a->steps[s].sends[k];
			cr_expect(eq(int, ++arrivals[(size_t)send->chunk * nodes + (size_t)send->dst], 1));
		}
	free(arrivals);
	algorithm_free(a);
}

/* How many questions: few, or with $ENGINE_CASES as many (the slow suite). */
static int cases(void)
{
	const char *s = getenv("ENGINE_CASES");
	return s ? atoi(s) : 100;
}

Test(engines, agree_with_each_other_and_with_trying_everything)
{
	static const char *const engines[] = {"bits", "bits-z3", "lia", "lia-paper", "naive"};
	int found = 0, refuted = 0, confirmed = 0, n = cases();

	random_seed(7);
	for (int nth = 0; nth < n; nth++) {
		struct random_question q = random_question();
		enum answer first = ANSWER_GAVE_UP;
		for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
			struct solution got = ask(&q.instance, engines[k]);
			cr_assert(ne(int, got.answer, ANSWER_GAVE_UP), "question %d, %s: %s", nth, engines[k], got.why);
			cr_expect(k == 0 || got.answer == first, "question %d: %s says %s", nth, engines[k], answer_names[got.answer]);
			first = k == 0 ? got.answer : first;
			if (got.answer == ANSWER_FOUND)
				expect_found_right(&q, &got, nth);
		}
		enum tried tried = try_everything(&q.instance);
		cr_expect(tried == TRIED_TOO_LARGE || (tried == TRIED_FOUND) == (first == ANSWER_FOUND), "question %d", nth);
		found += first == ANSWER_FOUND;
		refuted += first == ANSWER_NONE;
		confirmed += first == ANSWER_NONE && tried == TRIED_NONE;
		question_free(&q);
	}
	cr_log_info("%d found, %d refuted, %d of these confirmed by trying everything", found, refuted, confirmed);
	cr_expect(gt(int, found, n / 10));
	cr_expect(ge(int, confirmed, n / 6), "%d of %d", confirmed, refuted);
}

static struct random_question question_of(const char *machine, enum collective_kind kind, int chunks, int steps, int rounds)
{
	return question_about(machine, (struct collective){.kind = kind}, chunks, steps, rounds);
}

static void expect_no_children(void)
{
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
	cr_expect(eq(int, errno, ECHILD), "a worker was left");
}

static void expect_given_up(const char *engine, double timeout, size_t memory, const char *why)
{
	struct error e = {0};
	struct solution got;
	struct random_question q = question_of("dgx1", ALLTOALL, 24, 8, 8);
	cr_assert(solve(&q.instance, &(struct solve_options){.engine = engine, .timeout = timeout, .memory = memory}, &got, &e));
	cr_expect(eq(int, got.answer, ANSWER_GAVE_UP));
	cr_expect(eq(str, got.why, (char *)why));
	cr_expect(eq(ptr, got.steps, NULL));
	expect_no_children();
	question_free(&q);
}

Test(engines, a_time_limit_ends_a_question)
{
	expect_given_up("lia", 0.25, 0, "time limit of 0.25 s");
	expect_given_up("lia-paper", 0.25, 0, "time limit of 0.25 s");
	expect_given_up("bits", 0.005, 0, "time limit of 0.005 s");
}

Test(engines, a_memory_limit_ends_a_question)
{
	expect_given_up("lia-paper", 60, 30, "memory limit of 30 MiB");
}

Test(engines, an_unknown_one_is_bad_input)
{
	struct error e = {0};
	cr_expect(eq(ptr, (void *)solve_engine("magic", &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_INPUT));

	struct random_question q = question_of("ring:4", ALLGATHER, 2, 2, 3);
	struct solution got;
	e = (struct error){0};
	cr_expect(not(solve(&q.instance, &(struct solve_options){.engine = "magic"}, &got, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	expect_no_children();
	question_free(&q);
}

Test(engines, may_have_more_steps_and_rounds_than_they_need)
{
	static const char *const engines[] = {"bits", "bits-z3", "lia", "lia-paper", "naive"};
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
		struct random_question q = question_of("ring:4", BROADCAST, 1, 6, 13);
		struct solution got = ask(&q.instance, engines[k]);
		cr_assert(eq(int, got.answer, ANSWER_FOUND), "%s: %s", engines[k], got.why);
		expect_found_right(&q, &got, 0);
		question_free(&q);
	}
}

/* The bandwidth times the rounds is past an int here. */
Test(engines, count_wide_links_over_many_rounds)
{
	struct random_question q = question_of("line:2@add=0-1x99999", BROADCAST, 100001, 1, 21500);
	static const char *const engines[] = {"bits-z3", "lia"};
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
		struct solution got = ask(&q.instance, engines[k]);
		cr_assert(eq(int, got.answer, ANSWER_FOUND), "%s: %s", engines[k], got.why);
		expect_found_right(&q, &got, 0);
	}
	question_free(&q);
}

Test(engines, a_cancelled_question_leaves_no_worker)
{
	struct error e = {0};
	struct random_question q = question_of("dgx1", ALLTOALL, 24, 8, 8);
	struct solve_job *job = solve_start(&q.instance, &(struct solve_options){.engine = "lia"}, &e);
	cr_assert(ne(ptr, (void *)job, NULL), "%s", e.what);
	cr_expect(eq(int, solve_wait(&job, 1, 10), -1));
	solve_cancel(job);
	solve_cancel(NULL);
	expect_no_children();
	question_free(&q);
}

Test(engines, the_same_question_has_the_same_answer)
{
	struct random_question q = question_of("dgx1", ALLGATHER, 2, 2, 3);
	struct solution a = ask(&q.instance, "bits"), b = ask(&q.instance, "bits");
	for (size_t s = 0; s < a.n_steps; s++) {
		cr_assert(eq(sz, a.steps[s].n_sends, b.steps[s].n_sends));
		cr_expect(eq(int, memcmp(a.steps[s].sends, b.steps[s].sends, a.steps[s].n_sends * sizeof(struct send)), 0));
	}
	steps_free(a.steps, a.n_steps);
	steps_free(b.steps, b.n_steps);
	question_free(&q);
}

static Z3_lbool check_text(const struct instance *i)
{
	struct text t = {0};
	export_smt2(i, &t);
	cr_expect(ne(ptr, strstr(t.bytes, "(set-logic QF_LIA)"), NULL));
	*strstr(t.bytes, "(check-sat)") = '\0'; /* the solver is asked by a call */
	Z3_config config = Z3_mk_config();
	Z3_context c = Z3_mk_context(config);
	Z3_solver solver = Z3_mk_solver(c);
	Z3_solver_inc_ref(c, solver);
	Z3_solver_from_string(c, solver, t.bytes);
	Z3_lbool answer = Z3_solver_check(c, solver);
	Z3_solver_dec_ref(c, solver);
	Z3_del_context(c);
	Z3_del_config(config);
	text_free(&t);
	return answer;
}

Test(engines, what_is_exported_says_the_same)
{
	struct random_question yes = question_of("ring:4", ALLGATHER, 2, 2, 3), no = question_of("ring:4", ALLGATHER, 2, 2, 2);
	cr_expect(eq(int, check_text(&yes.instance), Z3_L_TRUE));
	cr_expect(eq(int, check_text(&no.instance), Z3_L_FALSE));
	question_free(&yes);
	question_free(&no);
}

/* More rounds a step than get an assertion each. */
Test(engines, what_is_exported_of_long_steps_says_the_same)
{
	struct random_question yes = question_of("line:2", BROADCAST, 10, 1, 10), no = question_of("line:2", BROADCAST, 11, 1, 10);
	cr_expect(eq(int, check_text(&yes.instance), Z3_L_TRUE));
	cr_expect(eq(int, check_text(&no.instance), Z3_L_FALSE));
	question_free(&yes);
	question_free(&no);
}

Test(engines, an_answer_that_is_cut_short_or_out_of_range_is_refused)
{
	struct random_question q = question_of("ring:4", ALLGATHER, 1, 2, 2);
	struct solution got = ask(&q.instance, "bits");
	struct text whole = {0};

	cr_assert(eq(int, got.answer, ANSWER_FOUND));
	answer_add(&whole, &got);
	for (size_t n = 0; n <= whole.length; n++) {
		struct text cut = {.bytes = whole.bytes, .length = n};
		struct solution back = {0};
		size_t at = 0;
		cr_expect(eq(int, answer_take(&cut, &at, &back), n == whole.length), "%zu of %zu bytes", n, whole.length);
		steps_free(back.steps, back.n_steps);
	}
	static const int heads[][2] = {{ANSWER_FOUND - 1, 2}, {ANSWER_GAVE_UP + 1, 2}, {ANSWER_FOUND, -1}, {ANSWER_FOUND, INT_MAX}};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		struct text wrong = {0};
		struct solution back = {0};
		size_t at = 0;
		text_add_bytes(&wrong, heads[i], sizeof heads[i]);
		text_add_bytes(&wrong, whole.bytes + sizeof heads[i], whole.length - sizeof heads[i]);
		cr_expect(not(answer_take(&wrong, &at, &back)), "row %zu", i);
		steps_free(back.steps, back.n_steps);
		text_free(&wrong);
	}
	text_free(&whole);
	steps_free(got.steps, got.n_steps);
	question_free(&q);
}

Test(engines, versions_are_named)
{
	cr_expect(ne(ptr, strstr(solve_version(), Z3_get_full_version()), NULL), "%s", solve_version());
	cr_expect(ne(ptr, strstr(solve_version(), "cadical"), NULL), "%s", solve_version());
}

/* Takes the machine. */
static void expect_orbits_of(struct topology *t, const int *wanted)
{
	struct error e = {0};
	struct network *w = network_new(t, &e);
	int orbit[16];
	automorphisms_node_orbits(w, orbit);
	for (int n = 0; n < t->nodes; n++)
		cr_expect(eq(int, orbit[n], wanted[n]), "%s, node %d", t->name, n);
	network_free(w);
	topology_free(t);
}

static void expect_orbits(const char *machine, const int *wanted)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	cr_assert(t != NULL, "%s: %s", e.where, e.what);
	expect_orbits_of(t, wanted);
}

Test(symmetry, carries_alike_nodes_to_each_other)
{
	expect_orbits("dgx1", (const int[]){0, 1, 1, 0, 1, 0, 0, 1});
	expect_orbits("ring:8", (const int[]){0, 0, 0, 0, 0, 0, 0, 0});
	expect_orbits("star:5", (const int[]){0, 1, 1, 1, 1});
	expect_orbits("line:4", (const int[]){0, 1, 1, 0});
	expect_orbits("switch:4", (const int[]){0, 0, 0, 0});
}

Test(symmetry, is_less_after_an_edit)
{
	expect_orbits("ring:4@add=0-1", (const int[]){0, 0, 2, 2});
}

Test(symmetry, is_less_under_a_limit_that_binds)
{
	for (int bandwidth = 1; bandwidth <= 2; bandwidth++) {
		struct error e = {0};
		struct topology *t = topology_open("ring:4", &e);
		t->limits = new_array(struct limit, 1);
		t->limits[t->n_limits++] = (struct limit){copy_string("narrow"), LIMIT_OUT_OF, 2, 0, NULL, bandwidth};
		/* Both links of a node carry 2 in all: the wider limit says nothing. */
		expect_orbits_of(t, bandwidth == 1 ? (const int[]){0, 1, 2, 1} : (const int[]){0, 0, 0, 0});
	}
}

/* A limit of work ends a question at the same point every time, and one that is not reached changes nothing. */
Test(engines, work_is_counted)
{
	const double limits[] = {20000, 20000, 1e9};
	struct collective k = {.kind = ALLGATHER};
	struct solution got[3] = {0};
	struct error e = {0};
	struct topology *t = topology_open("dgx1", &e);
	struct instance i;

	cr_assert(t != NULL, "%s", e.what);
	struct network *w = network_new(t, &e);
	cr_assert(w && instance_new(w, &k, 6, 3, 7, &i, &e), "%s", e.what);
	for (int n = 0; n < 3; n++)
		cr_assert(solve(&i, &(struct solve_options){.work = limits[n]}, &got[n], &e), "%s", e.what);
	cr_expect(got[0].answer == ANSWER_GAVE_UP && got[1].answer == ANSWER_GAVE_UP && got[2].answer == ANSWER_FOUND);
	cr_expect(strstr(got[0].why, "20000 steps of work") != NULL, "%s", got[0].why);
	cr_expect(eq(dbl, got[0].work, got[1].work));
	cr_expect(got[0].work > limits[0] && got[2].work > got[0].work, "%g, %g", got[0].work, got[2].work);
	steps_free(got[2].steps, got[2].n_steps);
	network_free(w);
	topology_free(t);
}
