/* Tables of text: lines, cells, no terminal escapes. */

#include "interop/machines/cells.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void add_cell(struct cell_line *l, const char *from, const char *to)
{
	struct text t = {0};

	while (from < to && is_blank(*from))
		from++;
	while (to > from && is_blank(to[-1]))
		to--;
	for (const char *c = from; c < to; c++) {
		if (*c == 27) { /* ESC [ digits and semicolons, and a letter */
			while (c < to && !((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')))
				c++;
			continue;
		}
		text_add_bytes(&t, c, 1);
	}
	l->cells = grown(l->cells, &l->capacity, l->n + 1, sizeof *l->cells);
	l->cells[l->n++] = text_take(&t);
}

/* An escape may have blanks of the line's separators around it only, never inside. */
static void cut_line(struct cell_line *l, const char *from, const char *to, const char *separators)
{
	bool blanks = strchr(separators, ' ') != NULL;

	for (const char *begin = from; begin <= to;) {
		const char *end = begin;
		while (end < to && !(*end && strchr(separators, *end)))
			end++;
		if (!blanks || end > begin)
			add_cell(l, begin, end);
		begin = end + 1;
	}
}

void text_cells_read(const char *bytes, size_t n, const char *separators, struct cell_table *out)
{
	const char *at = bytes, *end = bytes + n;

	if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (int number = 1; at < end; number++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct cell_line l = {.number = number};
		if (!stop)
			stop = end;
		cut_line(&l, at, stop, separators);
		bool empty = true;
		for (size_t i = 0; i < l.n; i++)
			empty &= !*l.cells[i];
		if (empty) {
			for (size_t i = 0; i < l.n; i++)
				free(l.cells[i]);
			free(l.cells);
		} else {
			out->lines = grown(out->lines, &out->capacity, out->n + 1, sizeof *out->lines);
			out->lines[out->n++] = l;
		}
		at = stop + 1;
	}
}

void text_cells_free(struct cell_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; k < t->lines[i].n; k++)
			free(t->lines[i].cells[k]);
		free(t->lines[i].cells);
	}
	free(t->lines);
	*t = (struct cell_table){0};
}
