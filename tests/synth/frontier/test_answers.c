#include "synth/frontier/answers.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(answers, .description = "what follows from a refusal");

static bool follows(struct candidate refused, struct candidate c)
{
	struct answers a = {0};
	answers_refute(&a, refused);
	bool yes = answers_refuted(&a, c);
	answers_free(&a);
	return yes;
}

Test(answers, the_refused_is_refused)
{
	cr_expect(follows((struct candidate){6, 2, 7}, (struct candidate){6, 2, 7}));
}

Test(answers, more_chunks_are_refused_too)
{
	cr_expect(follows((struct candidate){6, 2, 7}, (struct candidate){7, 2, 7}));
	cr_expect(not(follows((struct candidate){6, 2, 7}, (struct candidate){5, 2, 7})));
}

Test(answers, fewer_rounds_are_refused_too)
{
	cr_expect(follows((struct candidate){6, 2, 7}, (struct candidate){6, 2, 6}));
	cr_expect(not(follows((struct candidate){6, 2, 7}, (struct candidate){6, 2, 8})));
}

Test(answers, an_idle_step_costs_a_round)
{
	cr_expect(follows((struct candidate){6, 3, 8}, (struct candidate){6, 2, 7}));
	cr_expect(not(follows((struct candidate){6, 3, 8}, (struct candidate){6, 2, 8})));
	cr_expect(not(follows((struct candidate){6, 2, 8}, (struct candidate){6, 3, 8})));
}

Test(answers, what_would_give_the_refused_when_cut_is_refused)
{
	/* (2,2,3) would give (4,2,6) and (6,2,9), so also (5,2,9). */
	cr_expect(follows((struct candidate){4, 2, 6}, (struct candidate){2, 2, 3}));
	cr_expect(follows((struct candidate){5, 2, 9}, (struct candidate){2, 2, 3}));
	cr_expect(not(follows((struct candidate){4, 2, 6}, (struct candidate){2, 2, 4})));
}

Test(answers, a_given_up_candidate_is_open_and_not_refused)
{
	struct answers a = {0};
	struct candidate c = {6, 2, 7}, other = {7, 2, 7};
	answers_give_up(&a, c);
	cr_expect(answers_open(&a, c));
	cr_expect(not(answers_open(&a, other)));
	cr_expect(not(answers_refuted(&a, c)));
	answers_free(&a);
}

Test(answers, less_follows_where_runs_overlap_or_memory_is_short)
{
	struct answers pipeline = {.constraints = {.pipeline = 1}}, memory = {.constraints = {.is_short = true, .extra_memory = 1}};
	const struct candidate idle = {6, 2, 7}, whole = {3, 3, 4}, more = {7, 3, 8};

	answers_refute(&pipeline, (struct candidate){6, 3, 8});
	answers_refute(&memory, (struct candidate){6, 3, 8});
	cr_expect(answers_refuted(&pipeline, more) && answers_refuted(&memory, more));
	cr_expect(not(answers_refuted(&pipeline, idle)), "an idle step falls together with another");
	cr_expect(answers_refuted(&memory, idle));
	cr_expect(answers_refuted(&pipeline, whole));
	cr_expect(not(answers_refuted(&memory, whole)), "its halves take two places");
	answers_free(&pipeline);
	answers_free(&memory);
}
