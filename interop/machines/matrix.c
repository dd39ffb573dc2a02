/*
 * A matrix of GB/s: row i, column j is what GPU i sends to GPU j. Commas, semicolons, tabs or blanks separate; labels
 * of rows and columns are optional; the diagonal counts for nothing, and "0", "-", "x", "n/a" or nothing is no link. The
 * output of CUDA's p2pBandwidthLatencyTest is one too: its unidirectional rates with peer access are read.
 */

#include "interop/machines/readers.h"

#include "interop/machines/cells.h"
#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MATRIX_MAX = 1024 };

static const char *const nothings[] = {"", "-", "x", "n/a", "na", "none", "nan", "inf", "self"};

static bool is_nothing(const char *cell)
{
	for (size_t i = 0; i < sizeof nothings / sizeof *nothings; i++)
		if (strcasecmp(cell, nothings[i]) == 0)
			return true;
	return false;
}

static bool is_rate(const char *cell, struct rational *out)
{
	*out = rational(0, 1);
	return is_nothing(cell) || (rational_parse_decimal(cell, out) && out->num >= 0);
}

/* Do at least two cells, and all of them but the first, hold numbers or nothing? A header of numbers 0, 1, 2, ... is none. */
static bool is_row(const struct cell_line *l)
{
	struct rational v;
	size_t numbers = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (i > 0 && !is_rate(l->cells[i], &v))
			return false;
		numbers += i > 0 && !is_nothing(l->cells[i]);
	}
	return l->n > 1 && (numbers > 0 || is_rate(l->cells[0], &v));
}

struct matrix_rows {
	const struct cell_line *of[MATRIX_MAX];
	size_t n, label; /* LABEL: 1 if rows begin with one */
};

static bool fault(const struct machine_source *s, int line, struct error *e, const char *format, size_t a, size_t b)
{
	char where[sizeof e->where], what[128];

	snprintf(where, sizeof where, "%.400s:%d", s->path, line);
	snprintf(what, sizeof what, format, a, b);
	return error_set(e, ERROR_INPUT, where, "%s", what);
}

/* Does a label, and then 0, 1, 2, ... stand there? */
static bool counts_up(const struct cell_line *l, size_t from)
{
	int64_t v;

	for (size_t i = from; i < l->n; i++)
		if (!parse_integer(l->cells[i], 0, MATRIX_MAX, &v) || v != (int64_t)(i - from))
			return false;
	return l->n > from;
}

/*
 * Is line I a header? It has words, or is one cell short of the rows below, or numbers the columns, with as many rows
 * below.
 */
static bool is_header(const struct cell_table *t, size_t i)
{
	const struct cell_line *l = &t->lines[i];
	struct rational v;
	size_t below = 0;

	if (!is_row(l))
		return true;
	if (is_rate(l->cells[0], &v))
		return i + 1 < t->n && is_row(&t->lines[i + 1]) && t->lines[i + 1].n == l->n + 1;
	while (below + 1 < l->n && i + 1 + below < t->n && is_row(&t->lines[i + 1 + below]) && t->lines[i + 1 + below].n == l->n)
		below++;
	return counts_up(l, 1) && below >= l->n - 1;
}

/* Do the first cells look like labels: words, or 0, 1, 2, ...? */
static bool are_labels(const struct matrix_rows *rows)
{
	struct rational v;
	int64_t number;

	for (size_t i = 0; i < rows->n; i++) {
		const char *cell = rows->of[i]->cells[0];
		if (is_rate(cell, &v) && !(parse_integer(cell, 0, MATRIX_MAX, &number) && number == (int64_t)i))
			return false;
	}
	return true;
}

static bool find_rows(const struct machine_source *s, const struct cell_table *t, struct matrix_rows *rows, struct error *e)
{
	size_t i = 0;

	for (size_t k = 0; k < t->n; k++) /* p2pBandwidthLatencyTest */
		for (size_t c = 0; c + 1 < t->lines[k].n; c++)
			if (strcmp(t->lines[k].cells[c], "Unidirectional") == 0 && strcmp(t->lines[k].cells[c + 1], "P2P=Enabled") == 0)
				i = k + 1;
	while (i < t->n && (*t->lines[i].cells[0] == '#' || is_header(t, i)))
		i++;
	if (i == t->n)
		return error_set(e, ERROR_INPUT, s->path, "has no row of numbers");
	size_t width = t->lines[i].n;
	for (; i < t->n && is_row(&t->lines[i]) && rows->n < MATRIX_MAX && t->lines[i].n == width; i++)
		rows->of[rows->n++] = &t->lines[i];
	rows->label = width == rows->n + 1 && are_labels(rows);
	if (width != rows->n + rows->label)
		return fault(s, rows->of[rows->n - 1]->number, e, "%zu rows of %zu cells; a matrix of rates is square, with or without labels", rows->n, width);
	return rows->n > 1 || error_set(e, ERROR_INPUT, s->path, "has one row of numbers; a machine needs two GPUs");
}

static struct topology *convert(const struct machine_source *s, const struct matrix_rows *rows, struct error *e)
{
	struct speeds_head head = {s->path, s->name, NULL, "a matrix of GB/s; latencies assumed", (int)rows->n, 0};
	struct speed_links l = {0};
	struct topology *t = NULL;
	bool ok = true;

	for (size_t a = 0; ok && a < rows->n; a++)
		for (size_t b = 0; ok && b < rows->n; b++) {
			struct rational v;
			ok = is_rate(rows->of[a]->cells[b + rows->label], &v) ||
			     fault(s, rows->of[a]->number, e, "column %zu is not a rate in GB/s%.0zu", b + 1, 0);
			if (ok && a != b && v.num > 0)
				speeds_add(&l, (int)a, (int)b, v, (struct rational){0, 0}, "link");
		}
	if (ok && l.n == rows->n * (rows->n - 1) && rows->n > 2)
		text_add(s->notes, "%s: every pair has a rate and becomes a link of its own; if the GPUs share ports of a switch, describe that instead "
			 "(-t switch:%zu)\n", s->path, rows->n);
	if (ok)
		t = speeds_topology(&head, &l, s->notes, e);
	speeds_free(&l);
	return t;
}

/* The separator is the first of these that the text has. */
static const char *separators_of(const struct machine_source *s)
{
	return memchr(s->bytes, ';', s->n) ? ";" : memchr(s->bytes, ',', s->n) ? "," : " \t";
}

struct topology *read_matrix(const struct machine_source *s, struct error *e)
{
	struct matrix_rows *rows = new(struct matrix_rows);
	struct cell_table t = {0};
	struct topology *result = NULL;

	text_cells_read(s->bytes, s->n, separators_of(s), &t);
	if (find_rows(s, &t, rows, e))
		result = convert(s, rows, e);
	text_cells_free(&t);
	free(rows);
	return result;
}
