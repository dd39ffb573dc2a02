/* Appending to strings, with the escaping that each output format requires. */

#include "core/base/text.h"

#include "core/base/utf8.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(struct text *t, size_t more)
{
	t->bytes = grown(t->bytes, &t->capacity, t->length + more + 1, 1);
}

void text_add_list(struct text *t, const char *format, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, format, ap);
	if (n > 0) {
		make_room(t, (size_t)n);
		vsnprintf(t->bytes + t->length, (size_t)n + 1, format, again);
		t->length += (size_t)n;
	}
	va_end(again);
}

void text_add(struct text *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	text_add_list(t, format, ap);
	va_end(ap);
}

void text_add_bytes(struct text *t, const void *bytes, size_t n)
{
	make_room(t, n);
	if (n)
		memcpy(t->bytes + t->length, bytes, n);
	t->length += n;
	t->bytes[t->length] = '\0';
}

void text_add_plain(struct text *t, const char *s)
{
	size_t from = t->length;

	text_add_bytes(t, s, strlen(s));
	utf8_make_plain(t->bytes + from);
}

void text_add_json_string(struct text *t, const char *s)
{
	uint32_t letter;

	text_add_bytes(t, "\"", 1);
	for (int n; *s; s += n ? n : 1) {
		unsigned char c = (unsigned char)*s;
		n = utf8_read(s, &letter);
		if (c == '"' || c == '\\')
			text_add(t, "\\%c", c);
		else if (c == '\n')
			text_add_bytes(t, "\\n", 2);
		else if (c < 0x20 || c == 0x7f)
			text_add(t, "\\u%04x", c);
		else if (!n)
			text_add_bytes(t, "\\ufffd", 6);
		else
			text_add_bytes(t, s, (size_t)n);
	}
	text_add_bytes(t, "\"", 1);
}

void text_add_xml(struct text *t, const char *s)
{
	uint32_t letter;

	for (int n; *s; s += n ? n : 1) {
		const char *entity = *s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '"' ? "&quot;" : NULL;
		n = utf8_read(s, &letter);
		if (n && (utf8_is_control(letter) || letter == 0xfffe || letter == 0xffff))
			n = 0;
		if (entity || !n)
			text_add(t, "%s", entity ? entity : " ");
		else
			text_add_bytes(t, s, (size_t)n);
	}
}

char *text_take(struct text *t)
{
	char *bytes = t->bytes ? t->bytes : copy_string("");
	*t = (struct text){0};
	return bytes;
}

void text_free(struct text *t)
{
	free(t->bytes);
	*t = (struct text){0};
}

const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

const char *plural_verb(int64_t n)
{
	return n == 1 ? "s" : "";
}

bool parse_integer(const char *s, int64_t low, int64_t high, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)s[0]) && !(s[0] == '-' && isdigit((unsigned char)s[1])))
		return false;
	errno = 0;
	long long n = strtoll(s, &end, 10);
	if (errno || *end || n < low || n > high)
		return false;
	*out = n;
	return true;
}

char *identifier(const char *name)
{
	struct text t = {0};

	if (!*name || isdigit((unsigned char)*name))
		text_add(&t, "_");
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;
		text_add(&t, "%c", c < 0x80 && isalnum(c) ? c : '_');
	}
	return text_take(&t);
}
