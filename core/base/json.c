/* A thin layer over jansson: typed reads with range checks, and errors that name the path to the value. */

#include "core/base/json.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_malloc_t callers_malloc;

static void *needed(size_t n)
{
	void *p = callers_malloc(n);

	if (!p)
		memory_out();
	return p;
}

/*
 * Without memory jansson reports a syntax error, or drops a character of a string and succeeds: while it parses, an
 * allocation that fails ends the process. The functions of the application, which may use jansson too, are put back.
 */
static json_t *load(const char *text, json_error_t *fault)
{
	json_free_t callers_free;

	json_get_alloc_funcs(&callers_malloc, &callers_free);
	json_set_alloc_funcs(needed, callers_free);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, fault);
	json_set_alloc_funcs(callers_malloc, callers_free);
	return root;
}

struct json_document *json_document_parse(const char *text, const char *path, struct error *e)
{
	json_error_t fault;
	json_t *root = load(text, &fault);

	if (!root) {
		struct text where = {0};
		text_add(&where, "%s:%d:%d", path, fault.line, fault.column > 0 ? fault.column : 1);
		error_set(e, ERROR_INPUT, where.bytes, "%s", fault.text);
		text_free(&where);
		return NULL;
	}
	struct json_document *d = new(struct json_document);
	d->path = copy_string(path);
	d->root = root;
	return d;
}

struct json_document *json_document_open(const char *path, struct error *e)
{
	struct text text = {0};
	struct json_document *d = NULL;

	if (file_read(path, &text, e)) {
		if (strlen(text.bytes) != text.length)
			error_set(e, ERROR_INPUT, path, "is not JSON: it has a NUL byte");
		else
			d = json_document_parse(text.bytes, path, e);
	}
	text_free(&text);
	return d;
}

void json_document_close(struct json_document *d)
{
	if (!d)
		return;
	json_decref(d->root);
	free(d->path);
	free(d);
}

struct json_place json_top(const struct json_document *d)
{
	return (struct json_place){.document = d, .value = d->root};
}

/* Such as links[3].src. */
static void add_path(const struct json_place *at, struct text *path_text)
{
	if (!at->parent)
		return;
	add_path(at->parent, path_text);
	if (at->key)
		text_add(path_text, "%s%s", at->parent->parent ? "." : "", at->key);
	else
		text_add(path_text, "[%zu]", at->index);
}

bool json_fault(const struct json_place *at, struct error *e, const char *format, ...)
{
	struct text where = {0};
	char line[sizeof e->what];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	text_add(&where, "%s", at->document->path);
	if (at->parent) {
		text_add(&where, ": ");
		add_path(at, &where);
	}
	error_set(e, ERROR_INPUT, where.bytes, "%s", line);
	text_free(&where);
	return false;
}

static bool is_known(const char *key, const char *const *keys)
{
	if (strncmp(key, "x-", 2) == 0)
		return true;
	while (*keys)
		if (strcmp(key, *keys++) == 0)
			return true;
	return false;
}

bool json_object_with(const struct json_place *at, const char *const *keys, struct error *e)
{
	const char *key;
	json_t *value;

	if (!json_is_object(at->value))
		return json_fault(at, e, "must be an object");
	json_object_foreach(at->value, key, value)
		if (!is_known(key, keys))
			return json_fault(at, e, "unknown key \"%.64s\"", key);
	return true;
}

struct json_place json_member(const struct json_place *at, const char *key)
{
	return (struct json_place){at->document, at, key, 0, json_object_get(at->value, key)};
}

bool json_member_needed(const struct json_place *at, const char *key, struct json_place *out, struct error *e)
{
	*out = json_member(at, key);
	return out->value || json_fault(at, e, "\"%s\" is missing", key);
}

bool json_array_length(const struct json_place *at, size_t *n, struct error *e)
{
	*n = 0;
	if (!json_is_array(at->value))
		return json_fault(at, e, "must be a list");
	*n = json_array_size(at->value);
	return true;
}

struct json_place json_element(const struct json_place *at, size_t i)
{
	return (struct json_place){at->document, at, NULL, i, json_array_get(at->value, i)};
}

bool json_get_integer(const struct json_place *at, int64_t low, int64_t high, int64_t *out, struct error *e)
{
	if (!json_is_integer(at->value))
		return json_fault(at, e, "must be an integer");
	int64_t n = json_integer_value(at->value);
	if (n < low || n > high)
		return json_fault(at, e, "must be an integer from %" PRId64 " to %" PRId64 ", not %" PRId64, low, high, n);
	*out = n;
	return true;
}

bool json_get_int(const struct json_place *at, int low, int high, int *out, struct error *e)
{
	int64_t n = 0;
	if (!json_get_integer(at, low, high, &n, e))
		return false;
	*out = (int)n;
	return true;
}

bool json_get_string(const struct json_place *at, const char **out, struct error *e)
{
	if (!json_is_string(at->value))
		return json_fault(at, e, "must be a string");
	*out = json_string_value(at->value);
	return strlen(*out) == json_string_length(at->value) || json_fault(at, e, "has a NUL character");
}

bool json_get_bool(const struct json_place *at, bool *out, struct error *e)
{
	if (!json_is_boolean(at->value))
		return json_fault(at, e, "must be true or false");
	*out = json_is_true(at->value);
	return true;
}

bool json_get_rational(const struct json_place *at, struct rational *out, struct error *e)
{
	if (json_is_integer(at->value)) {
		*out = rational(json_integer_value(at->value), 1);
		return true;
	}
	if (!json_is_string(at->value) || !rational_parse(json_string_value(at->value), out))
		return json_fault(at, e, "must be an integer or a ratio such as \"7/6\"");
	return true;
}

bool json_get_decimal(const struct json_place *at, struct rational *out, struct error *e)
{
	char text[32];

	if (json_is_integer(at->value)) {
		*out = rational(json_integer_value(at->value), 1);
		return true;
	}
	/* The shortest decimal of up to 15 digits that a double came from is the one that %.15g prints. */
	if (json_is_real(at->value))
		snprintf(text, sizeof text, "%.15g", json_real_value(at->value));
	if ((json_is_real(at->value) && rational_parse_decimal(text, out)) ||
	    (json_is_string(at->value) &&
	     (rational_parse(json_string_value(at->value), out) || rational_parse_decimal(json_string_value(at->value), out))))
		return true;
	return json_fault(at, e, "must be a number such as 12.5 or a ratio such as \"25/2\"");
}

bool json_check_format(const struct json_place *at, const char *name, struct error *e)
{
	struct json_place format, version;
	const char *said;
	int64_t number;

	if (!json_member_needed(at, "format", &format, e) || !json_get_string(&format, &said, e))
		return false;
	if (strcmp(said, name) != 0)
		return json_fault(&format, e, "must be \"%s\", not \"%.64s\"", name, said);
	if (!json_member_needed(at, "version", &version, e) || !json_get_integer(&version, INT64_MIN, INT64_MAX, &number, e))
		return false;
	return number == 1 || json_fault(&version, e, "must be 1, not %" PRId64, number);
}
