/* Pads cells to the widest of their column, counted in characters, or quotes them for CSV. */

#include "explore/cells.h"

#include "core/base/utf8.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cells_add(struct cells *c, const char *format, ...)
{
	struct text cell = {0};
	va_list arguments;

	va_start(arguments, format);
	text_add_list(&cell, format, arguments);
	va_end(arguments);
	c->at = grown(c->at, &c->capacity, c->n + 1, sizeof *c->at);
	c->at[c->n] = cell.bytes ? text_take(&cell) : copy_string("");
	utf8_make_plain(c->at[c->n++]);
}

/* The width on a terminal: counts the bytes that start a UTF-8 character, those whose top bits are not 10. */
static size_t width(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static size_t column_width(const struct cells *c, size_t column)
{
	size_t widest = 0;
	for (size_t i = column; i < c->n; i += c->columns)
		widest = width(c->at[i]) > widest ? width(c->at[i]) : widest;
	return widest;
}

void cells_columns(const struct cells *c, struct text *into)
{
	size_t *widths = new_array(size_t, c->columns);

	for (size_t k = 0; k < c->columns; k++)
		widths[k] = column_width(c, k);
	for (size_t i = 0; i < c->n; i++) {
		size_t column = i % c->columns;
		bool last = column + 1 == c->columns;
		text_add(into, "  %s%*s%s", c->at[i], last ? 0 : (int)(widths[column] - width(c->at[i])), "", last ? "\n" : "");
	}
	free(widths);
}

static void add_quoted(struct text *into, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		text_add(into, "%s", s);
		return;
	}
	text_add(into, "\"");
	for (; *s; s++)
		text_add(into, *s == '"' ? "\"%c" : "%c", *s);
	text_add(into, "\"");
}

void cells_csv(const struct cells *c, struct text *into)
{
	for (size_t i = 0; i < c->n; i++) {
		add_quoted(into, c->at[i]);
		text_add(into, "%s", (i + 1) % c->columns ? "," : "\r\n");
	}
}

void cells_free(struct cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i]);
	free(c->at);
	*c = (struct cells){0};
}
