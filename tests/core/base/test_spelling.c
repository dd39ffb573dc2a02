#include "core/base/spelling.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TestSuite(spelling, .description = "names that are near to one that does not exist");

static void expect_hint(const char *word, const char *hint)
{
	static const char *const names[] = {"ring", "line", "torus", "dgx-h100", "dgx-h200", "dgx1", "dgx1v", "dgx1p", "dgx2", "ring"};
	struct spelling s = spelling_new(word);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		spelling_try(&s, names[i]);
	cr_expect(eq(str, (char *)spelling_hint(&s), (char *)hint), "%s", word);
	cr_expect(eq(str, (char *)spelling_hint(&s), (char *)hint), "%s, asked again", word);
	spelling_free(&s);
}

Test(spelling, counts_letters_added_left_out_replaced_and_exchanged)
{
	expect_hint("rring", "did you mean ring?");
	expect_hint("rng", "did you mean ring?");
	expect_hint("tarus", "did you mean torus?");
	expect_hint("torsu", "did you mean torus?");
	expect_hint("dgxh100", "did you mean dgx-h100?");
	expect_hint("RING", "did you mean ring?");
}

Test(spelling, keeps_names_that_are_equally_near_and_each_once)
{
	expect_hint("dgx-h300", "did you mean dgx-h100 or dgx-h200?");
	expect_hint("dgx1x", "did you mean dgx1 or dgx1v or dgx1p?");
	expect_hint("rin", "did you mean ring?");
}

Test(spelling, has_nothing_to_say_about_other_words)
{
	expect_hint("nosuch", "");
	expect_hint("", "");
	expect_hint("tree", "");
	char long_word[300];
	memset(long_word, 'r', sizeof long_word - 1);
	long_word[sizeof long_word - 1] = '\0';
	expect_hint(long_word, "");
}
