/* Interchangeable chunks in order (encode/cnf/plan.h): what `bits` asks only after many conflicts, asked here at once. */
#include "tests/encode/ask_plan.h"
#include "core/machine/network.h"
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
