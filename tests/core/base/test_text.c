#include "core/base/memory.h"
#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(text, .description = "text that grows, numbers and names");

Test(text, grows_and_is_taken)
{
	struct text t = {0};
	for (int i = 0; i < 10000; i++)
		text_add(&t, "%d,", i % 10);
	cr_expect(eq(sz, t.length, 20000));
	char *s = text_take(&t);
	cr_expect(eq(sz, strlen(s), 20000));
	cr_expect(eq(ptr, t.bytes, NULL));
	cr_expect(eq(sz, t.length, 0));
	free(s);
}

Test(text, taken_empty_is_an_empty_string)
{
	struct text t = {0};
	char *s = text_take(&t);
	cr_expect(eq(str, s, ""));
	free(s);
}

Test(text, bytes_may_hold_nul_and_a_nul_follows_them)
{
	struct text t = {0};
	text_add_bytes(&t, "a\0b", 3);
	cr_expect(eq(sz, t.length, 3));
	cr_expect(eq(int, t.bytes[1], 0));
	cr_expect(eq(int, t.bytes[3], 0));
	text_free(&t);
}

Test(text, json_strings_are_escaped)
{
	struct text t = {0};
	text_add_json_string(&t, "a\"b\\c\nd\x01\x7f \xc3\xa9");
	cr_expect(eq(str, t.bytes, "\"a\\\"b\\\\c\\nd\\u0001\\u007f \xc3\xa9\""));
	text_free(&t);
}

/* A lone byte of the middle, one too many, an overlong slash, half of a pair, and beyond Unicode. */
Test(text, what_is_no_utf8_is_not_in_json)
{
	struct text t = {0};
	text_add_json_string(&t, "a\xff" "b\xc3\xa9\xa9 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xf0\x9f\x98\x80\xe2\x82");
	cr_expect(eq(str, t.bytes, "\"a\\ufffdb\xc3\xa9\\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\ufffd "
				   "\xf0\x9f\x98\x80\\ufffd\\ufffd\""));
	text_free(&t);
}

Test(text, xml_has_entities_and_no_controls)
{
	struct text t = {0};
	text_add_xml(&t, "<a&\"b\">\n\x1b\xff\xef\xbf\xbf\xc3\xa9");
	cr_expect(eq(str, t.bytes, "&lt;a&amp;&quot;b&quot;&gt;      \xc3\xa9"));
	text_free(&t);
}

/* The last but one is U+009B, with which 8-bit terminals begin a command. */
Test(text, a_plain_line_has_letters_alone)
{
	struct text t = {0};
	text_add(&t, "\n");
	text_add_plain(&t, "a\nb\x1b[31m\x7f\xff\xc3\xa9\xc2\x9b.");
	cr_expect(eq(str, t.bytes, "\na?b?[31m??\xc3\xa9??."));
	text_free(&t);
}

static bool parses(const char *s, int64_t low, int64_t high, int64_t wanted)
{
	int64_t n = ~wanted;
	return parse_integer(s, low, high, &n) && n == wanted;
}

Test(integer, whole_decimal_numbers_are_read)
{
	cr_expect(parses("0", 0, 9, 0));
	cr_expect(parses("-3", -5, 5, -3));
	cr_expect(parses("007", 0, 9, 7));
	cr_expect(parses("9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX));
	cr_expect(parses("-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN));
}

Test(integer, all_else_is_refused)
{
	static const char *const wrong[] = {"", " 1", "1 ", "+1", "-", "--1", "1.0", "1e3", "0x10", "ten", "1,2",
					    "9223372036854775808", "-9223372036854775809", "99999999999999999999999"};
	int64_t n = 77;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_expect(not(parse_integer(wrong[i], INT64_MIN, INT64_MAX, &n)), "\"%s\"", wrong[i]);
	cr_expect(not(parse_integer("10", 0, 9, &n)));
	cr_expect(not(parse_integer("-1", 0, 9, &n)));
	cr_expect(eq(i64, n, 77));
}

static void expect_identifier(const char *name, const char *wanted)
{
	char *s = identifier(name);
	cr_expect(eq(str, s, (char *)wanted));
	free(s);
}

Test(identifier, only_letters_digits_and_underscores_are_left)
{
	expect_identifier("dgx1", "dgx1");
	expect_identifier("dgx1-allgather", "dgx1_allgather");
	expect_identifier("a\"; system(\"rm\"); \n*/", "a___system__rm_______");
	expect_identifier("../../etc", "______etc");
	expect_identifier("\xc3\xa9", "__");
}

Test(identifier, a_digit_never_comes_first)
{
	expect_identifier("8x", "_8x");
	expect_identifier("", "_");
}

Test(plural, one_has_no_s_and_its_verb_has)
{
	cr_expect(eq(str, (char *)plural(1), ""));
	cr_expect(eq(str, (char *)plural(0), "s"));
	cr_expect(eq(str, (char *)plural(2), "s"));
	cr_expect(eq(str, (char *)plural_verb(1), "s"));
	cr_expect(eq(str, (char *)plural_verb(2), ""));
}

Test(memory, an_array_grows_and_keeps_what_it_holds)
{
	size_t capacity = 0;
	int *a = NULL;
	for (int i = 0; i < 1000; i++) {
		a = grown(a, &capacity, (size_t)i + 1, sizeof *a);
		a[i] = i;
	}
	cr_expect(ge(sz, capacity, 1000));
	for (int i = 0; i < 1000; i++)
		cr_assert(eq(int, a[i], i));
	free(a);
}

Test(memory, no_string_is_copied_as_none)
{
	cr_expect(eq(ptr, copy_string(NULL), NULL));
}

Test(memory, a_size_that_does_not_fit_ends_the_program, .exit_code = 4)
{
	size_t capacity = 0;
	free(grown(NULL, &capacity, SIZE_MAX / 8, 64));
}
