/* Readers of option values, one per type of field. */

#include "cli/arguments/options.h"

#include "core/base/text.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool option_refuse(const struct option_row *r, struct error *e, const char *format, ...)
{
	char where[32], what[sizeof e->what];
	va_list arguments;

	if (r->letter)
		snprintf(where, sizeof where, "-%c", r->letter);
	else
		snprintf(where, sizeof where, "--%s", r->name);
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	return error_set(e, ERROR_INPUT, where, "%s", what);
}

bool option_text(const struct option_row *r, const char *s, void *field, struct error *e)
{
	(void)r, (void)e;
	*(const char **)field = s;
	return true;
}

bool option_path(const struct option_row *r, const char *s, void *field, struct error *e)
{
	return *s ? option_text(r, s, field, e) : option_refuse(r, e, "must not be empty");
}

bool option_flag(const struct option_row *r, const char *s, void *field, struct error *e)
{
	(void)r, (void)s, (void)e;
	*(bool *)field = true;
	return true;
}

bool option_integer(const struct option_row *r, const char *s, int *out, struct error *e)
{
	int64_t n, low = (int64_t)r->low, high = (int64_t)r->high;

	if (!parse_integer(s, low, high, &n))
		return option_refuse(r, e, "must be an integer from %lld to %lld, not \"%.64s\"", (long long)low, (long long)high, s);
	*out = (int)n;
	return true;
}

bool option_whole(const struct option_row *r, const char *s, void *field, struct error *e)
{
	return option_integer(r, s, field, e);
}

static bool read_decimal(const char *s, double low, double high, double *out)
{
	char *end;

	*out = strtod(s, &end);
	return end != s && !*end && !strpbrk(s, "xX") && /* no hexadecimal */ *out >= low && *out <= high;
}

bool option_decimal(const struct option_row *r, const char *s, void *field, struct error *e)
{
	return read_decimal(s, r->low, r->high, field) || option_refuse(r, e, "must be %s, not \"%.64s\"", r->unit, s);
}

bool option_seconds(const struct option_row *r, const char *s, void *field, struct error *e)
{
	return read_decimal(s, DBL_TRUE_MIN, 1e8, field) ||
	       option_refuse(r, e, "must be seconds, more than 0 and at most 1e8, not \"%.64s\"", s);
}

bool option_choice(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct text words = {0};
	int n = 0;

	for (; r->choices[n]; n++) {
		if (strcmp(r->choices[n], s) == 0) {
			*(int *)field = n;
			text_free(&words);
			return true;
		}
		text_add(&words, "%s%s", n == 0 ? "" : r->choices[n + 1] ? ", " : " or ", r->choices[n]);
	}
	if (r->unit)
		text_add(&words, ", or %s", r->unit);
	option_refuse(r, e, "must be %s, not \"%.64s\"", words.bytes, s);
	text_free(&words);
	return false;
}

bool option_words(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct words *list = field;

	if (list->n == WORDS_MOST)
		return option_refuse(r, e, "has more than %d values", WORDS_MOST);
	list->at[list->n++] = s;
	return true;
}
