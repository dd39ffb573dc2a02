/*
 * Rows of JSON as a page: those with "bytes" and "microseconds" are curves over sizes, one for each file (a simulation, a run, or
 * the answer of `best`, with its bound and NCCL's algorithms); those of `explore` are a table of machines.
 */

#include "cli/commands/pages_rows.h"

#include "cli/output/command.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/rational.h"
#include "show/page.h"
#include "simulate/plot.h"

#include <stdlib.h>
#include <string.h>

struct rows_of_json {
	struct json_document **at;
	size_t n, capacity;
};

static void rows_close(struct rows_of_json *r)
{
	for (size_t i = 0; i < r->n; i++)
		json_document_close(r->at[i]);
	free(r->at);
}

static bool read_rows(const char *path, struct rows_of_json *r, struct error *e)
{
	struct text lines = {0};
	char *save = NULL;
	bool ok = file_read(path, &lines, e);

	for (char *line = ok && lines.length ? strtok_r(lines.bytes, "\n", &save) : NULL; line && ok; line = strtok_r(NULL, "\n", &save)) {
		struct json_document *d = json_document_parse(line, path, e);
		ok = d != NULL;
		if (!ok)
			break;
		r->at = grown(r->at, &r->capacity, r->n + 1, sizeof *r->at);
		r->at[r->n++] = d;
	}
	text_free(&lines);
	return ok && (r->n || error_set(e, ERROR_INPUT, path, "has no rows"));
}

static double number(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key)); /* 0 where it is not a number */
}

/* The same as an integer; 0 also where it is out of range. */
static int64_t whole(const json_t *row, const char *key)
{
	double v = number(row, key);
	return v >= 0 && v <= 1e15 ? (int64_t)v : 0;
}

static const char *words(const json_t *row, const char *key)
{
	const char *s = json_string_value(json_object_get(row, key));
	return s ? s : "";
}

/* ---- curves over sizes ---- */

enum { CURVES_MAX = 16, SIZES_MAX = 4096 };

struct size_curves {
	const char *names[CURVES_MAX];
	size_t skip; /* the beginning that all names of files have in common, up to a slash */
	size_t n, n_sizes;
	int64_t sizes[SIZES_MAX];
};

static void add_size(struct size_curves *c, int64_t bytes)
{
	size_t at = 0;

	while (at < c->n_sizes && c->sizes[at] < bytes)
		at++;
	if (bytes < 1 || c->n_sizes == SIZES_MAX || (at < c->n_sizes && c->sizes[at] == bytes))
		return;
	memmove(&c->sizes[at + 1], &c->sizes[at], (c->n_sizes - at) * sizeof *c->sizes);
	c->sizes[at] = bytes;
	c->n_sizes++;
}

/* The number of the curve of this name, which is borrowed; CURVES_MAX: there are too many. */
static size_t curve_of(struct size_curves *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->names[i], name) == 0)
			return i;
	if (c->n == CURVES_MAX)
		return CURVES_MAX;
	c->names[c->n] = name;
	return c->n++;
}

static size_t size_of(const struct size_curves *c, int64_t bytes)
{
	size_t s = 0;

	while (s < c->n_sizes && c->sizes[s] != bytes)
		s++;
	return s;
}

/* The columns of `best` besides its own time; each a curve. */
static const struct {
	const char *key, *name;
} beside[] = {{"bound_microseconds", "lower bound"}, {"ring_microseconds", "NCCL's ring"}, {"tree_microseconds", "NCCL's trees"}};
enum { BESIDE = sizeof beside / sizeof *beside };

static bool is_best(const json_t *row)
{
	return json_object_get(row, "bound_microseconds") != NULL;
}

static void put(const struct size_curves *c, double *values, size_t curve, const json_t *row, double value)
{
	size_t s = size_of(c, whole(row, "bytes"));

	if (curve < c->n && s < c->n_sizes)
		values[curve * c->n_sizes + s] = value;
}

/* Is it one of the names that are not of files? */
static bool is_fixed(const char *name)
{
	bool fixed = strcmp(name, "fastest found") == 0;

	for (size_t k = 0; k < BESIDE; k++)
		fixed |= strcmp(name, beside[k].name) == 0;
	return fixed;
}

static void find_skip(struct size_curves *c)
{
	const char *first = NULL;

	c->skip = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (is_fixed(c->names[i]))
			continue;
		if (!first) {
			first = c->names[i];
			c->skip = strlen(first);
		}
		size_t same = 0;
		while (same < c->skip && first[same] == c->names[i][same])
			same++;
		c->skip = same;
	}
	while (c->skip && first[c->skip - 1] != '/')
		c->skip--;
}

/* A file's name without the folders that all share, and without ".json". */
static void add_label(const struct size_curves *c, const char *name, struct text *into)
{
	const char *from = is_fixed(name) || strlen(name) < c->skip ? name : name + c->skip;
	size_t n = strlen(from), tail = strlen(".json");

	text_add(into, "%.*s", (int)(n > tail && strcmp(from + n - tail, ".json") == 0 ? n - tail : n), from);
}

static void add_chart(struct page *p, const struct rows_of_json *r, struct size_curves *c, const char *title, const char *key)
{
	double *values = new_array(double, CURVES_MAX * c->n_sizes);

	for (size_t i = 0; i < r->n; i++) {
		const json_t *row = r->at[i]->root;
		put(c, values, curve_of(c, is_best(row) ? "fastest found" : words(row, "file")), row, number(row, key));
		for (size_t k = 0; is_best(row) && strcmp(key, "microseconds") == 0 && k < BESIDE; k++)
			put(c, values, curve_of(c, beside[k].name), row, number(row, beside[k].key));
	}
	struct text labels[CURVES_MAX] = {{0}};
	const char *shown[CURVES_MAX];
	for (size_t i = 0; i < c->n; i++) {
		add_label(c, c->names[i], &labels[i]);
		shown[i] = labels[i].bytes ? labels[i].bytes : "";
	}
	page_chart(p, &(struct page_chart){title, c->n_sizes, c->n, c->sizes, shown, values});
	for (size_t i = 0; i < c->n; i++)
		text_free(&labels[i]);
	free(values);
}

enum { TABLE_ROWS_MAX = 5000 };

static void add_sizes_table(struct page *p, const struct rows_of_json *r, const struct size_curves *c)
{
	static const char *const head[] = {"bytes", "algorithm", "us", "busbw GB/s", NULL};
	char text[BYTES_TEXT];

	page_table(p, "All rows", r->n > TABLE_ROWS_MAX ? "The first 5000." : NULL, head);
	for (size_t i = 0; i < r->n && i < TABLE_ROWS_MAX; i++) {
		const json_t *row = r->at[i]->root;
		int64_t bytes = whole(row, "bytes");
		struct text label = {0};
		add_label(c, is_best(row) ? words(row, "algorithm") : words(row, "file"), &label);
		page_row(p);
		page_cell(p, "%s", bytes > 0 ? bytes_text(bytes, text) : "0");
		page_cell(p, "%s", label.bytes ? label.bytes : "");
		page_cell(p, "%.5g", number(row, "microseconds"));
		page_cell(p, "%.5g", number(row, "busbw"));
		text_free(&label);
	}
	page_table_end(p);
}

static void add_sizes(struct page *p, const struct rows_of_json *r)
{
	struct size_curves *c = zeroed(1, sizeof *c);

	for (size_t i = 0; i < r->n; i++) {
		const json_t *row = r->at[i]->root;
		add_size(c, whole(row, "bytes"));
		curve_of(c, is_best(row) ? "fastest found" : words(row, "file"));
		for (size_t k = 0; is_best(row) && k < BESIDE; k++)
			curve_of(c, beside[k].name);
	}
	find_skip(c);
	if (c->n_sizes)
		add_chart(p, r, c, "Time in us", "microseconds");
	c->n = c->n_sizes ? c->n : 0;
	if (c->n) {
		if (is_best(r->at[0]->root))
			c->n = 1; /* bounds and baselines have no busbw in the rows */
		add_chart(p, r, c, "busbw in GB/s: what the time asks of each rank's links", "busbw");
	}
	add_sizes_table(p, r, c);
	free(c);
}

/* ---- machines side by side ---- */

static double decimal(const json_t *value)
{
	struct rational r;
	const char *s = json_string_value(value);

	return s && rational_parse(s, &r) ? rational_double(r) : 0;
}

static void add_cell_of(struct page *p, const json_t *algorithms, const json_t *best)
{
	const json_t *a = json_array_get(algorithms, (size_t)json_integer_value(json_object_get(best, "algorithm")));

	if (!best || !a || !json_is_integer(json_object_get(best, "algorithm")))
		page_cell(p, "-");
	else
		page_cell(p, "%.6g (%s)", decimal(json_object_get(best, "microseconds")), words(a, "method"));
}

static void add_study(struct page *p, const struct rows_of_json *r)
{
	enum { BEST_MAX = 4 };
	struct text names[BEST_MAX] = {{0}};
	const char *head[6 + BEST_MAX + 1] = {"machine", "collective", "steps, at least", "R/C, at least", "-trees' R/C", "-algorithms"};
	const json_t *first = json_object_get(r->at[0]->root, "best");
	size_t n = json_array_size(first) < BEST_MAX ? json_array_size(first) : BEST_MAX;
	char text[BYTES_TEXT];

	for (size_t k = 0; k < n; k++) {
		text_add(&names[k], "us at %s", bytes_text(json_integer_value(json_object_get(json_array_get(first, k), "bytes")), text));
		head[6 + k] = names[k].bytes;
	}
	page_table(p, "Machines side by side", "Times are S latencies and R/C of the time that a link takes; in brackets the method that is the fastest.", head);
	for (size_t i = 0; i < r->n && i < TABLE_ROWS_MAX; i++) {
		const json_t *row = r->at[i]->root, *bounds = json_object_get(row, "bounds"), *all = json_object_get(row, "algorithms");
		page_row(p);
		page_cell(p, "%s", words(row, "topology"));
		page_cell(p, "%s", words(row, "collective"));
		page_cell(p, json_is_object(bounds) ? "%lld" : "-", (long long)whole(bounds, "steps"));
		page_cell(p, "%s", json_is_object(bounds) ? words(bounds, "bandwidth") : words(row, "cannot"));
		page_cell(p, "%s", *words(row, "trees") ? words(row, "trees") : "-");
		page_cell(p, "%zu", json_array_size(all));
		for (size_t k = 0; k < n; k++)
			add_cell_of(p, all, json_array_get(json_object_get(row, "best"), k));
	}
	page_table_end(p);
	for (size_t k = 0; k < n; k++)
		text_free(&names[k]);
}

int pages_show_rows(const char *path, const char *out)
{
	struct error e = {0};
	struct rows_of_json r = {0};
	bool ok = read_rows(path, &r, &e);
	const json_t *first = ok ? r.at[0]->root : NULL;
	bool is_study = json_object_get(first, "algorithms") != NULL, is_sizes = json_object_get(first, "microseconds") && json_object_get(first, "bytes");

	if (ok && !is_study && !is_sizes)
		ok = error_set(&e, ERROR_INPUT, path, "is neither a file of this program nor rows of simulate, run, best or explore --json");
	if (ok) {
		struct page p = page_new(path);
		(is_study ? add_study : add_sizes)(&p, &r);
		ok = page_finish(&p, out, &e);
	}
	rows_close(&r);
	return ok ? STATUS_DONE : fail(&e);
}
