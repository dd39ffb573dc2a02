/* What braces stand for. */

#include "explore/sweep.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* The names between blanks. */
static void expect_names(const char *pattern, const char *wanted)
{
	struct sweep s = {0};
	struct error e = {0};
	struct text all = {0};

	cr_expect(sweep_add(&s, pattern, &e), "%s: %s", pattern, e.what);
	for (size_t i = 0; i < s.n; i++)
		text_add(&all, "%s%s", i ? " " : "", s.names[i]);
	cr_expect(eq(str, all.bytes ? all.bytes : "", (char *)wanted));
	text_free(&all);
	sweep_free(&s);
}

static void expect_refused(const char *pattern, const char *what)
{
	struct sweep s = {0};
	struct error e = {0};

	cr_expect(not(sweep_add(&s, pattern, &e)), "%s was taken", pattern);
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.what, (char *)what));
	sweep_free(&s);
}

Test(sweep, a_name_without_braces_is_itself)
{
	expect_names("dgx1@add=0-5x2", "dgx1@add=0-5x2");
	expect_names("", "");
}

Test(sweep, ranges_count_up_and_down_and_by_more_than_one)
{
	expect_names("torus:{4..6}x8", "torus:4x8 torus:5x8 torus:6x8");
	expect_names("ring:{6..4}", "ring:6 ring:5 ring:4");
	expect_names("ring:{4..13..4}", "ring:4 ring:8 ring:12");
	expect_names("ring:{7..7}", "ring:7");
}

Test(sweep, lists_hold_words_and_further_braces)
{
	expect_names("{dgx1p,dgx1v}", "dgx1p dgx1v");
	expect_names("dgx1{,@drop={0-1,2-3}}", "dgx1 dgx1@drop=0-1 dgx1@drop=2-3");
	expect_names("torus:{2,3}x{4..5}", "torus:2x4 torus:2x5 torus:3x4 torus:3x5");
	expect_names("{,a}", " a");
	expect_names("{ring:{3..4},line:2}", "ring:3 ring:4 line:2");
}

Test(sweep, braces_that_mean_nothing_are_refused)
{
	expect_refused("torus:{4..8x8", "the braces of \"torus:{4..8x8\" do not match");
	expect_refused("torus:4}x8", "the braces of \"torus:4}x8\" do not match");
	expect_refused("ring:{4}", "\"{4}\" is neither a range as {4..8} nor a list as {4,6,8}");
	expect_refused("ring:{}", "\"{}\" is neither a range as {4..8} nor a list as {4,6,8}");
	expect_refused("ring:{4..x}", "\"{4..x}\" is neither a range as {4..8} nor a list as {4,6,8}");
	expect_refused("ring:{1..2..3..4}", "\"{1..2..3..4}\" is neither a range as {4..8} nor a list as {4,6,8}");
	expect_refused("ring:{4..8..0}", "\"{4..8..0}\" has a step of 0");
	expect_refused("ring:{4..8}}", "the braces of \"ring:4}\" do not match");
}

Test(sweep, no_pattern_stands_for_more_than_a_thousand)
{
	char deep[5001];

	expect_refused("ring:{1..2000000000}", "expands to more than 1024 machines");
	expect_refused("{0..9}{0..9}{0..9}{0..9}{0..9}{0..9}{0..9}{0..9}{0..9}", "expands to more than 1024 machines");
	memset(deep, '{', 5000);
	deep[5000] = '\0';
	struct sweep s = {0};
	struct error e = {0};
	cr_expect(not(sweep_add(&s, deep, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	deep[4000] = '\0';
	struct error again = {0};
	cr_expect(not(sweep_add(&s, deep, &again)));
	sweep_free(&s);
}

/* Each level doubles what stands there; it must stop early, not count to the end. */
Test(sweep, nested_lists_end_at_the_most_too)
{
	struct text pattern = {0};
	struct sweep s = {0};
	struct error e = {0};

	for (int i = 0; i < 800; i++)
		text_add(&pattern, "{a,b}");
	cr_expect(not(sweep_add(&s, pattern.bytes, &e)));
	cr_expect(eq(sz, s.n, SWEEP_MOST));
	text_free(&pattern);
	sweep_free(&s);
}
