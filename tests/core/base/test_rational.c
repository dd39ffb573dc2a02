#include "core/base/rational.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(rational, .description = "exact ratios");

static void expect(struct rational a, int64_t num, int64_t den)
{
	char text[RATIONAL_TEXT];
	cr_expect(a.num == num && a.den == den, "%s is not %lld/%lld", rational_text(a, text), (long long)num, (long long)den);
}

Test(rational, is_kept_in_lowest_terms_with_a_positive_denominator)
{
	expect(rational(6, 4), 3, 2);
	expect(rational(6, -4), -3, 2);
	expect(rational(-6, -4), 3, 2);
	expect(rational(0, -7), 0, 1);
	expect(rational(INT64_MIN, 2), INT64_MIN / 2, 1);
}

Test(rational, is_added_subtracted_multiplied_and_divided)
{
	struct rational a = rational(1, 6), b = rational(3, 4);
	expect(rational_add(a, b), 11, 12);
	expect(rational_sub(a, b), -7, 12);
	expect(rational_mul(a, b), 1, 8);
	expect(rational_div(a, b), 2, 9);
	expect(rational_div(a, rational(-1, 3)), -1, 2);
}

Test(rational, what_does_not_fit_is_not_a_number)
{
	struct rational large = rational(INT64_MAX, 1), small = rational(1, INT64_MAX);
	cr_expect(not(rational_ok(rational(1, 0))));
	cr_expect(not(rational_ok(rational_add(large, large))));
	cr_expect(not(rational_ok(rational_mul(large, large))));
	cr_expect(not(rational_ok(rational_mul(small, small))));
	cr_expect(not(rational_ok(rational_div(large, rational(0, 1)))));
	cr_expect(not(rational_ok(rational(INT64_MIN, -1))));
	expect(rational_mul(large, small), 1, 1);
	expect(rational_sub(large, large), 0, 1);
}

Test(rational, nothing_computed_from_no_number_is_one)
{
	struct rational none = rational(1, 0), one = rational(1, 1);
	cr_expect(not(rational_ok(rational_add(one, none))));
	cr_expect(not(rational_ok(rational_sub(none, one))));
	cr_expect(not(rational_ok(rational_mul(none, one))));
	cr_expect(not(rational_ok(rational_mul(none, rational(0, 1)))));
	cr_expect(not(rational_ok(rational_div(one, none))));
	cr_expect(not(rational_ok(rational_div(none, one))));
}

Test(rational, compares_without_overflow)
{
	struct rational just_under = rational(INT64_MAX - 1, INT64_MAX), one = rational(1, 1);
	cr_expect(lt(int, rational_compare(just_under, one), 0));
	cr_expect(gt(int, rational_compare(one, just_under), 0));
	cr_expect(eq(int, rational_compare(rational(7, 6), rational(14, 12)), 0));
	cr_expect(lt(int, rational_compare(rational(INT64_MIN, 1), rational(INT64_MAX, 1)), 0));
}

Test(rational, rounds_down_and_up_on_both_sides_of_zero)
{
	cr_expect(eq(i64, rational_floor(rational(7, 2)), 3));
	cr_expect(eq(i64, rational_ceil(rational(7, 2)), 4));
	cr_expect(eq(i64, rational_floor(rational(-7, 2)), -4));
	cr_expect(eq(i64, rational_ceil(rational(-7, 2)), -3));
	cr_expect(eq(i64, rational_floor(rational(4, 2)), 2));
	cr_expect(eq(i64, rational_ceil(rational(4, 2)), 2));
}

Test(rational, is_written_and_read_back)
{
	char text[RATIONAL_TEXT];
	struct rational r;
	cr_expect(eq(str, (char *)rational_text(rational(14, 12), text), "7/6"));
	cr_expect(eq(str, (char *)rational_text(rational(4, 2), text), "2"));
	cr_expect(eq(str, (char *)rational_text(rational(INT64_MIN, INT64_MAX), text), "-9223372036854775808/9223372036854775807"));
	cr_assert(rational_parse(text, &r));
	expect(r, INT64_MIN, INT64_MAX);
	cr_assert(rational_parse("2/4", &r));
	expect(r, 1, 2);
	cr_assert(rational_parse("-3", &r));
	expect(r, -3, 1);
}

Test(rational, what_is_no_ratio_is_refused)
{
	static const char *const wrong[] = {"", "/", "7/", "/6", "7/0", "7/-6", "7 /6", "1.5", "7/6/5", "a/b",
					    "99999999999999999999/7", "1/99999999999999999999",
					    "00000000000000000000000000000000007/6"};
	struct rational r;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_expect(not(rational_parse(wrong[i], &r)), "\"%s\"", wrong[i]);
}

Test(rational, decimals_are_read_exactly)
{
	static const struct {
		const char *text;
		int64_t num, den;
	} right[] = {{"12.5", 25, 2}, {"-0.70", -7, 10}, {"3", 3, 1}, {"5e-05", 1, 20000}, {"1.5e+3", 1500, 1}, {"0e9", 0, 1}};
	static const char *const wrong[] = {"", "-", ".", ".5", "5.", "1.2.3", "+1", "1/2", "e5", "1e", "1e+", "1e+-5", "1e31", "1e25",
					    "1e1.5", "5.e3", "1234567890123456", "nan", "0x1"};
	struct rational r;
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		cr_assert(rational_parse_decimal(right[i].text, &r), "\"%s\"", right[i].text);
		expect(r, right[i].num, right[i].den);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_expect(not(rational_parse_decimal(wrong[i], &r)), "\"%s\"", wrong[i]);
}
