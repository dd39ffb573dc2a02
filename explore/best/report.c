/* One row for each range of sizes for people, one for each size for programs. */

#include "explore/best/report.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "explore/cells.h"
#include "simulate/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* nccl-tests' size of a collective, over L: the data of all ranks where each has a part of it. */
static double size_factor(const struct best_question *q)
{
	static const bool of_all[COLLECTIVE_KINDS] = {[ALLGATHER] = true, [GATHER] = true};

	return of_all[q->collective->kind] ? q->topology->nodes : 1;
}

/* What a time means at a size. */
struct best_numbers {
	double microseconds, algbw, busbw; /* GB/s */
	double above;                      /* the bound, as a fraction; negative: not known */
	double gain[BEST_BASELINES];       /* of the baseline's time to this; INFINITY: there is none */
};

static struct best_numbers numbers_of(const struct best_report *r, size_t s)
{
	const struct best_study *b = r->best;
	double time = best_time(b, s), bytes = (double)r->question->sizes[s], rate = time > 0 ? bytes / time / 1e3 : 0;
	struct best_numbers n = {time, size_factor(r->question) * rate, rate * bus_factor_of(r->question->collective, r->question->topology->nodes),
				 b->bound[s] > 0 ? fmax(0, time / b->bound[s] - 1) : -1, {0}}; /* 0: rounding; best_check */

	for (int i = 0; i < BEST_BASELINES; i++)
		n.gain[i] = time > 0 ? b->baselines[i][s] / time : INFINITY;
	return n;
}

/* The end of the range of sizes from FIRST on that one algorithm serves. */
static size_t range_end(const struct best_study *b, size_t first)
{
	size_t end = first + 1;

	while (end < b->n_sizes && b->fastest[end] == b->fastest[first])
		end++;
	return end;
}

/* ---- the table ---- */

/* A number with three digits, or what stands for none. */
static void add_number(struct text *into, double x)
{
	if (!isfinite(x) || x < 0)
		text_add(into, "-");
	else
		text_add(into, "%.*f", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x);
}

/* Both ends of a range, or one number. */
static void add_range(struct cells *c, double first, double last, const char *unit)
{
	struct text one = {0}, two = {0};

	add_number(&one, first);
	add_number(&two, last);
	if (strcmp(one.bytes, two.bytes) == 0)
		cells_add(c, "%s%s", one.bytes, strcmp(one.bytes, "-") == 0 ? "" : unit);
	else
		cells_add(c, "%s..%s%s", one.bytes, two.bytes, unit);
	text_free(&one);
	text_free(&two);
}

static void add_sizes(struct cells *c, int64_t from, int64_t to)
{
	char one[BYTES_TEXT], two[BYTES_TEXT];

	if (from == to)
		cells_add(c, "%s", bytes_text(from, one));
	else
		cells_add(c, "%s..%s", bytes_text(from, one), bytes_text(to, two));
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_row(const struct best_report *r, struct cells *c, size_t first, size_t last)
{
	const struct best_entry *x = &r->best->entries[r->best->fastest[first]];
	struct best_numbers a = numbers_of(r, first), b = numbers_of(r, last);

	add_sizes(c, r->question->sizes[first], r->question->sizes[last]);
	cells_add(c, "%s", x->method);
	cells_add(c, "(%d,%d,%d)", x->cost.chunks, x->cost.steps, x->cost.rounds);
	add_range(c, a.microseconds, b.microseconds, "");
	add_range(c, a.algbw, b.algbw, "");
	add_range(c, a.busbw, b.busbw, "");
	add_range(c, 100 * a.above, 100 * b.above, " %");
	for (int i = 0; i < BEST_BASELINES; i++)
		add_range(c, a.gain[i], b.gain[i], "x");
	if (r->files)
		cells_add(c, "%s", base_of(r->files[r->best->fastest[first]]));
}

static void write_table(const struct best_report *r, struct text *into)
{
	static const char *const heads[] = {"bytes", "method", "(C,S,R)", "us", "algbw", "busbw", "above bound", "over ring", "over trees", "file"};
	struct cells c = {.columns = sizeof heads / sizeof *heads - (r->files ? 0 : 1)};
	const struct best_study *b = r->best;
	int roots;

	text_add(into, "%s on ", collective_called(r->question->collective));
	text_add_plain(into, r->question->topology->name);
	if (collective_roots(r->question->collective, &roots)) {
		text_add(into, ", root%s ", plural(roots));
		collective_add_roots(r->question->collective, into);
	}
	text_add(into, ": %d node%s", r->question->topology->nodes, plural(r->question->topology->nodes));
	if (r->files) {
		text_add(into, "; files in ");
		text_add_bytes(into, r->files[0], (size_t)(base_of(r->files[0]) - r->files[0]));
	}
	text_add(into, "\n");
	for (size_t i = 0; i < c.columns; i++)
		cells_add(&c, "%s", heads[i]);
	for (size_t s = 0; s < b->n_sizes; s = range_end(b, s))
		if (b->fastest[s] >= 0)
			add_row(r, &c, s, range_end(b, s) - 1);
	cells_columns(&c, into);
	cells_free(&c);
	if (b->is_interrupted)
		text_add(into, "interrupted: more time might find faster ones\n");
	else if (b->late.length)
		text_add(into, "cut off by its time: there was not enough for %s\n", b->late.bytes);
}

/* ---- one row for each size ---- */

static void add_csv(struct cells *c, double x, bool is_known)
{
	if (is_known)
		cells_add(c, "%.4f", x);
	else
		cells_add(c, "%s", "");
}

static void write_csv(const struct best_report *r, struct text *into)
{
	static const char *const heads[] = {"bytes", "microseconds", "bound_microseconds", "algbw", "busbw", "algorithm", "method", "chunks", "steps",
					    "rounds", "ring_microseconds", "tree_microseconds", "file"};
	struct cells c = {.columns = sizeof heads / sizeof *heads};
	const struct best_study *b = r->best;

	for (size_t i = 0; i < c.columns; i++)
		cells_add(&c, "%s", heads[i]);
	for (size_t s = 0; s < b->n_sizes; s++) {
		const struct best_entry *x = b->fastest[s] < 0 ? NULL : &b->entries[b->fastest[s]];
		if (!x)
			continue;
		struct best_numbers n = numbers_of(r, s);
		cells_add(&c, "%" PRId64, r->question->sizes[s]);
		add_csv(&c, n.microseconds, true);
		add_csv(&c, b->bound[s], b->bound[s] > 0);
		add_csv(&c, n.algbw, true);
		add_csv(&c, n.busbw, true);
		cells_add(&c, "%s", x->name);
		cells_add(&c, "%s", x->method);
		cells_add(&c, "%d", x->cost.chunks);
		cells_add(&c, "%d", x->cost.steps);
		cells_add(&c, "%d", x->cost.rounds);
		for (int i = 0; i < BEST_BASELINES; i++)
			add_csv(&c, b->baselines[i][s], isfinite(b->baselines[i][s]));
		cells_add(&c, "%s", r->files ? r->files[b->fastest[s]] : "");
	}
	cells_csv(&c, into);
	cells_free(&c);
}

static void add_json(struct text *into, const char *key, double x, bool is_known)
{
	text_add(into, ", \"%s\": ", key);
	if (is_known)
		text_add(into, "%.4f", x);
	else
		text_add(into, "null");
}

static void add_json_text(struct text *into, const char *key, const char *value)
{
	text_add(into, ", \"%s\": ", key);
	if (value)
		text_add_json_string(into, value);
	else
		text_add(into, "null");
}

static void write_json(const struct best_report *r, struct text *into)
{
	static const char *const keys[BEST_BASELINES] = {[BEST_RING] = "ring_microseconds", [BEST_TREES] = "tree_microseconds"};
	const struct best_study *b = r->best;

	for (size_t s = 0; s < b->n_sizes; s++) {
		const struct best_entry *x = b->fastest[s] < 0 ? NULL : &b->entries[b->fastest[s]];
		if (!x)
			continue;
		struct best_numbers n = numbers_of(r, s);
		text_add(into, "{\"bytes\": %" PRId64, r->question->sizes[s]);
		add_json(into, "microseconds", n.microseconds, true);
		add_json(into, "bound_microseconds", b->bound[s], b->bound[s] > 0);
		add_json(into, "algbw", n.algbw, true);
		add_json(into, "busbw", n.busbw, true);
		add_json_text(into, "algorithm", x->name);
		add_json_text(into, "method", x->method);
		text_add(into, ", \"chunks\": %d, \"steps\": %d, \"rounds\": %d", x->cost.chunks, x->cost.steps, x->cost.rounds);
		for (int i = 0; i < BEST_BASELINES; i++)
			add_json(into, keys[i], b->baselines[i][s], isfinite(b->baselines[i][s]));
		add_json_text(into, "file", r->files ? r->files[b->fastest[s]] : NULL);
		text_add(into, "}\n");
	}
}

/* ---- the plot ---- */

enum { CURVE_BEST, CURVE_BASELINES, CURVE_BOUND = CURVE_BASELINES + BEST_BASELINES, CURVES };

/* Time, and busbw, of the best, the baselines and the bound. */
static void write_svg(const struct best_report *r, struct text *into)
{
	static const char *const names[CURVES] = {"the best", "NCCL's ring", "NCCL's double binary trees", "no schedule is faster"};
	const struct best_question *q = r->question;
	size_t n = q->n_sizes;
	double *times = new_array(double, CURVES * n), *rates = new_array(double, CURVES * n);
	const struct panel panels[] = {{"time", "us", times}, {"busbw", "GB/s", rates}};
	struct text title = {0};

	for (size_t s = 0; s < n; s++) {
		times[CURVE_BEST * n + s] = best_time(r->best, s);
		for (size_t i = 0; i < BEST_BASELINES; i++)
			times[(CURVE_BASELINES + i) * n + s] = r->best->baselines[i][s];
		times[CURVE_BOUND * n + s] = r->best->bound[s];
	}
	for (size_t i = 0; i < CURVES * n; i++) {
		double factor = bus_factor_of(q->collective, q->topology->nodes);
		times[i] = isfinite(times[i]) ? times[i] : 0;
		rates[i] = times[i] > 0 ? factor * (double)q->sizes[i % n] / times[i] / 1e3 : 0;
	}
	text_add(&title, "%s on %s", collective_called(q->collective), q->topology->name);
	plot_write(&(struct plot){title.bytes, n, CURVES, sizeof panels / sizeof *panels, q->sizes, names, panels}, into);
	text_free(&title);
	free(times);
	free(rates);
}

const struct best_form *best_forms(size_t *n)
{
	static const struct best_form forms[] = {
		{"table", "txt", write_table}, {"csv", "csv", write_csv}, {"json", "jsonl", write_json}, {"svg", "svg", write_svg},
	};

	*n = sizeof forms / sizeof *forms;
	return forms;
}
