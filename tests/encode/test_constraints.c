/* Questions with a pipeline or little memory: all engines agree, the judge agrees with them, and what must follow does. */

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "encode/solve.h"
#include "tests/encode/random_instance.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(constraints, .description = "questions with terms", .timeout = 3000);

enum { CASES = 50 };

/* Takes what was found, which must keep to the instance's terms, in its steps and at most its rounds. */
static enum answer answer_of(const struct random_question *q, const struct instance *i, const char *engine, int nth)
{
	struct error e = {0};
	struct solution got;

	cr_assert(solve(i, &(struct solve_options){.engine = engine, .timeout = 100}, &got, &e), "%s", e.what);
	cr_assert(ne(int, got.answer, ANSWER_GAVE_UP), "question %d, %s: %s", nth, engine, got.why);
	if (got.answer != ANSWER_FOUND)
		return got.answer;
	struct algorithm *a = algorithm_new(q->topology, &q->collective, i->chunks, got.n_steps, got.steps, "smt");
	algorithm_set_constraints(a, &i->constraints);
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "question %d, %s: %s", nth, engine, v.why);
	cr_expect(le(int, algorithm_rounds(a), i->rounds));
	cr_expect(eq(int, (int)a->n_steps, i->steps));
	algorithm_free(a);
	return ANSWER_FOUND;
}

static enum answer agreed(const struct random_question *q, struct schedule_constraints constraints, int nth)
{
	static const char *const engines[] = {"bits", "bits-z3", "lia", "lia-paper", "naive"};
	struct instance i = q->instance;
	enum answer first = ANSWER_GAVE_UP;

	i.constraints = constraints;
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
		enum answer got = answer_of(q, &i, engines[k], nth);
		first = k == 0 ? got : first;
		cr_expect(eq(int, got, first), "question %d: %s says %s with pipeline %d, memory %d", nth, engines[k], answer_names[got],
			  constraints.pipeline, constraints.is_short ? constraints.extra_memory : -1);
	}
	return first;
}

Test(constraints, are_kept_to_by_all_engines)
{
	const char *many = getenv("ENGINE_CASES");
	int binding = 0, found = 0, cases = many ? atoi(many) : CASES;

	random_seed(11);
	for (int nth = 0; nth < cases; nth++) {
		struct random_question q = random_question();
		const struct schedule_constraints constraints = nth % 3 == 0 ? (struct schedule_constraints){.is_short = true, .extra_memory = nth % 2}
							: (struct schedule_constraints){.pipeline = 1 + nth % 2, .is_short = nth % 3 == 1, .extra_memory = 1};
		const struct schedule_constraints loose = {.pipeline = q.instance.steps, .is_short = true, .extra_memory = q.instance.global_chunks};
		enum answer with = agreed(&q, constraints, nth), without = agreed(&q, (struct schedule_constraints){0}, nth);
		cr_expect(with == ANSWER_NONE || without == ANSWER_FOUND, "question %d", nth);
		cr_expect(eq(int, agreed(&q, loose, nth), without), "question %d: terms that ask for nothing", nth);
		binding += with != without;
		found += with == ANSWER_FOUND;
		question_free(&q);
	}
	cr_log_info("%d found, %d refused for the terms alone", found, binding);
	cr_expect(ge(int, found, cases / 10));
	cr_expect(ge(int, binding, cases / 15), "%d", binding);
}

/* An allreduce on a ring of 4 by two exchanges: each node is idle towards one side in each. */
Test(constraints, a_pipeline_is_asked_of_an_allreduce_too)
{
	struct error e = {0};
	struct random_question q = {.topology = topology_open("ring:4", &e), .collective = {.kind = ALLREDUCE}};

	q.network = network_new(q.topology, &e);
	for (int rounds = 2; rounds <= 6; rounds += 4) {
		cr_assert(instance_new(q.network, &q.collective, 2, 2, rounds, &q.instance, &e), "%s", e.what);
		q.instance.constraints.pipeline = 1;
		enum answer bits = answer_of(&q, &q.instance, "bits", 0);
		cr_expect(eq(int, bits, answer_of(&q, &q.instance, "bits-z3", 0)));
		cr_expect(eq(int, bits, answer_of(&q, &q.instance, "lia", 0)));
		cr_expect(eq(int, bits, rounds == 2 ? ANSWER_NONE : ANSWER_FOUND), "%d rounds", rounds);
	}
	question_free(&q);
}
