/* Interchangeable chunks in order (encode/cnf/plan.h): what `bits` asks only after many conflicts, asked here at once. */
#include "tests/encode/ask_plan.h"
#include "core/machine/network.h"
#include "encode/cnf/direct.h"
#include "tests/encode/random_instance.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(order, .description = "interchangeable chunks in order", .timeout = 3000);

/* The answer to the plan with its chunks in order or not; how many clauses say it in *CLAUSES. */
static enum answer answer_of(const struct instance *i, enum plan_order order, size_t *clauses)
{
	struct plan *p = plan_new(i, NULL);
	enum answer answer = ask_plan(p, order, clauses, NULL);

	plan_free(p);
	return answer;
}

Test(order, changes_no_answer)
{
	const char *many = getenv("ENGINE_CASES");
	int n = many ? atoi(many) : 200, found = 0, refuted = 0;

	random_seed(13);
	for (int nth = 0; nth < n; nth++) {
		struct random_question q = random_question();
		size_t free_clauses, ordered_clauses;
		enum answer as_it_is = answer_of(&q.instance, ORDER_NONE, &free_clauses);
		enum answer in_order = answer_of(&q.instance, ORDER_ONE_NODE, &ordered_clauses);
		enum tried tried = try_everything(&q.instance);

		cr_expect(eq(int, in_order, as_it_is), "question %d", nth);
		cr_expect(tried == TRIED_TOO_LARGE || (tried == TRIED_FOUND) == (in_order == ANSWER_FOUND), "question %d", nth);
		/* Only where the order says something is this a trial of it. */
		found += ordered_clauses > free_clauses && in_order == ANSWER_FOUND;
		refuted += ordered_clauses > free_clauses && in_order == ANSWER_NONE;
		question_free(&q);
	}
	cr_log_info("with something to order: %d found, %d refuted", found, refuted);
	cr_expect(gt(int, found, n / 10));
	cr_expect(gt(int, refuted, n / 40));
}

/* Asked directly, an allreduce's chunks are ordered by the edges that they cross first. */
Test(order, changes_no_answer_of_an_allreduce)
{
	static const struct {
		const char *machine;
		int chunks, steps, rounds;
		enum answer answer;
	} rows[] = {
		{"ring:4", 2, 2, 3, ANSWER_FOUND},      {"ring:4", 3, 2, 2, ANSWER_NONE}, {"complete:4", 3, 2, 2, ANSWER_FOUND},
		{"hypercube:3", 3, 3, 3, ANSWER_FOUND}, {"dgx1", 2, 2, 2, ANSWER_FOUND},  {"complete:8", 2, 1, 1, ANSWER_NONE},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct random_question q =
			question_about(rows[k].machine, (struct collective){.kind = ALLREDUCE}, rows[k].chunks, rows[k].steps, rows[k].rounds);
		size_t free_clauses, ordered_clauses;
		cr_expect(eq(int, answer_of(&q.instance, ORDER_NONE, &free_clauses), rows[k].answer), "row %zu", k);
		cr_expect(eq(int, answer_of(&q.instance, ORDER_ONE_NODE, &ordered_clauses), rows[k].answer), "row %zu, in order", k);
		cr_expect(gt(sz, ordered_clauses, free_clauses), "row %zu", k);
		question_free(&q);
	}
}

/* What limits that share no link let through, with the links under none, is no more than all links do. */
Test(order, a_share_of_the_sends_is_of_what_limits_let_through)
{
	static const struct {
		const char *machine;
		int share;
	} rows[] = {{"complete:4", 18}, {"switch:4", 6}, {"switch:4@widen=0-4", 7}};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct random_question q = question_about(rows[k].machine, (struct collective){.kind = ALLREDUCE}, 2, 3, 3);
		struct plan *p = plan_new(&q.instance, NULL);
		cr_expect(eq(int, direct_share(p), rows[k].share), "%s", rows[k].machine);
		plan_free(p);
		question_free(&q);
	}
}

Test(order, a_plan_of_too_many_sends_is_not_begun)
{
	struct random_question q = question_about("complete:512", (struct collective){.kind = ALLREDUCE}, 300, 4, 300);
	struct plan *p = plan_new(&q.instance, NULL);

	cr_expect(p->too_large, "its sends over time are more than 2^28");
	plan_free(p);
	question_free(&q);
}
