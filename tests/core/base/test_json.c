#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(json, .description = "JSON in, with places");

static void expect_refused(const char *text, const char *where, const char *what)
{
	struct error e = {0};
	struct json_document *d = json_document_parse(text, "f.json", &e);
	cr_expect(eq(ptr, d, NULL));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.where, (char *)where));
	cr_expect(ne(ptr, strstr(e.what, what), NULL), "%s", e.what);
	json_document_close(d);
}

Test(json, syntax_errors_are_told_by_line_and_column)
{
	expect_refused("", "f.json:1:1", "expected");
	expect_refused("{\n  \"a\": 1,\n}", "f.json:3:1", "string");
	expect_refused("{\"a\": 1, \"a\": 2}", "f.json:1:12", "duplicate object key");
	expect_refused("{} {}", "f.json:1:4", "end of file expected");
	expect_refused("{\"a\": 99999999999999999999}", "f.json:1:26", "too big integer");
	expect_refused("{\"a\": \"\xff\"}", "f.json:1:7", "decode");
}

Test(json, deep_nesting_is_refused_not_followed)
{
	size_t n = 100000;
	char *text = malloc(n + 1);
	struct error e = {0};
	memset(text, '[', n);
	text[n] = '\0';
	cr_expect(eq(ptr, json_document_parse(text, "deep.json", &e), NULL));
	cr_expect(ne(ptr, strstr(e.what, "maximum parsing depth reached"), NULL), "%s", e.what);
	cr_expect(eq(int, strncmp(e.where, "deep.json:1:", 12), 0), "%s", e.where);
	free(text);
}

Test(json, a_missing_file_is_named)
{
	struct error e = {0};
	cr_expect(eq(ptr, json_document_open("/nowhere/at/all.json", &e), NULL));
	cr_expect(eq(str, e.where, "/nowhere/at/all.json"));
	cr_expect(eq(str, e.what, "No such file or directory"));
}

static int left; /* allocations before one fails; below 0: none does */

static void *scarce_malloc(size_t n)
{
	if (left-- != 0)
		return malloc(n);
	errno = ENOMEM;
	return NULL;
}

/* Parses with allocation AT failing: 0 if the value is WANTED, 1 if it is another or an error, MEMORY_STATUS without memory. */
static int parsed_without(int at, const char *text, const json_t *wanted)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct error e = {0};
		close(STDERR_FILENO);
		left = at;
		struct json_document *d = json_document_parse(text, "f.json", &e);
		left = -1;
		_exit(!d || !json_equal(d->root, wanted));
	}
	cr_assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

Test(json, an_allocation_that_fails_changes_no_value)
{
	/* jansson grows its buffer at 16, 32, 64, ... characters: a failure there would drop one of them. */
	static const char text[] = "{\"description\": \"a text that is longer than the buffer that it is read into\", \"links\": [1, 2.5, true, null]}";
	json_t *wanted = json_loads(text, 0, NULL);
	json_malloc_t allocate;
	json_free_t release;
	int at = 0, status;

	json_set_alloc_funcs(scarce_malloc, free);
	while (at < 1000 && (status = parsed_without(at, text, wanted)) != 0) {
		cr_expect(eq(int, status, MEMORY_STATUS), "allocation %d", at);
		at++;
	}
	cr_expect(at > 10 && at < 1000, "%d allocations failed", at);
	struct error e = {0};
	left = -1;
	json_document_close(json_document_parse(text, "f.json", &e));
	json_get_alloc_funcs(&allocate, &release);
	cr_expect(allocate == scarce_malloc && release == free, "those of the application are put back");
	json_decref(wanted);
}

static const char *const sample =
	"{\"links\": [{\"src\": 0}, {\"src\": 70, \"half\": 1.0, \"x-note\": null, \"s\": \"7/6\"}], \"ok\": true}";
static struct json_document *document;

static void open_sample(void)
{
	struct error e = {0};
	document = json_document_parse(sample, "f.json", &e);
	cr_assert(ne(ptr, document, NULL));
}

static void close_sample(void)
{
	json_document_close(document);
}

TestSuite(place, .description = "values and the way to them", .init = open_sample, .fini = close_sample);

Test(place, a_fault_is_told_by_the_way_to_it)
{
	struct error e = {0};
	struct json_place top = json_top(document), links = json_member(&top, "links"), link = json_element(&links, 1);
	struct json_place src = json_member(&link, "src");
	int n;
	cr_expect(not(json_get_int(&src, 0, 7, &n, &e)));
	cr_expect(eq(str, e.where, "f.json: links[1].src"));
	cr_expect(eq(str, e.what, "must be an integer from 0 to 7, not 70"));
	cr_expect(json_get_int(&src, 0, 70, &n, &e));
	cr_expect(eq(int, n, 70));
}

Test(place, the_first_fault_stands)
{
	struct error e = {0};
	struct json_place top = json_top(document);
	cr_expect(not(json_fault(&top, &e, "first")));
	cr_expect(not(json_fault(&top, &e, "second")));
	cr_expect(eq(str, e.where, "f.json"));
	cr_expect(eq(str, e.what, "first"));
}

Test(place, types_are_not_confused)
{
	struct json_place top = json_top(document), links = json_member(&top, "links"), link = json_element(&links, 1);
	struct json_place half = json_member(&link, "half"), ok = json_member(&top, "ok"), s = json_member(&link, "s");
	struct error e[5] = {0};
	int64_t n;
	bool b;
	const char *text;
	size_t length;
	struct rational r;
	cr_expect(not(json_get_integer(&half, INT64_MIN, INT64_MAX, &n, &e[0])), "1.0 is not an integer");
	cr_expect(not(json_get_bool(&half, &b, &e[1])));
	cr_expect(not(json_get_string(&ok, &text, &e[2])));
	cr_expect(not(json_array_length(&top, &length, &e[3])));
	cr_expect(not(json_get_rational(&half, &r, &e[4])));
	struct error none = {0};
	cr_expect(json_get_bool(&ok, &b, &none) && b);
	cr_expect(json_get_rational(&s, &r, &none) && r.num == 7 && r.den == 6);
	cr_expect(json_array_length(&links, &length, &none) && length == 2);
}

Test(place, unknown_keys_are_faults_but_for_notes)
{
	static const char *const all[] = {"src", "half", "s", NULL}, *const few[] = {"src", NULL};
	struct json_place top = json_top(document), links = json_member(&top, "links"), link = json_element(&links, 1);
	struct error e = {0};
	cr_expect(json_object_with(&link, all, &e));
	cr_expect(not(json_object_with(&link, few, &e)));
	cr_expect(eq(str, e.where, "f.json: links[1]"));
	cr_expect(eq(str, e.what, "unknown key \"half\""));
}

Test(place, a_member_that_is_needed_is_missed)
{
	struct error e = {0};
	struct json_place top = json_top(document), out;
	cr_expect(json_member_needed(&top, "ok", &out, &e));
	cr_expect(not(json_member_needed(&top, "nodes", &out, &e)));
	cr_expect(eq(str, e.what, "\"nodes\" is missing"));
}

Test(place, a_message_stays_on_one_line)
{
	struct error e = {0};
	struct json_document *d = json_document_parse("{\"a\\nb\\u001b[31m\": 1}", "f.json", &e);
	static const char *const none[] = {NULL};
	cr_assert(ne(ptr, d, NULL));
	struct json_place top = json_top(d);
	cr_expect(not(json_object_with(&top, none, &e)));
	cr_expect(eq(str, e.what, "unknown key \"a?b?[31m\""));
	json_document_close(d);
}
