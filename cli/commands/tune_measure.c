/* Times by measurement: compiles each program, and runs it with sccl-run in every variant. */

#include "cli/output/command.h"
#include "cli/commands/tuning.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a line of sccl-run --json: the time at size number S. */
static bool read_line(const char *line, const char *path, const struct times *t, size_t s, double *time, struct error *e)
{
	struct json_document *d = json_document_parse(line, path, e);
	if (!d)
		return false;
	json_t *bytes = json_object_get(d->root, "bytes"), *value = json_object_get(d->root, "microseconds");
	bool ok = s < t->n_sizes && json_integer_value(bytes) == t->sizes[s] && json_is_number(value);

	*time = json_number_value(value);
	json_document_close(d);
	return ok || error_set(e, ERROR_SYSTEM, path, "unexpected output of sccl-run: %.200s", line);
}

static bool read_times(const char *file, const char *path, const struct times *t, double *at, struct error *e)
{
	struct text lines = {0};
	size_t s = 0;
	char *save = NULL;
	bool ok = file_read(file, &lines, e);

	for (char *line = ok ? strtok_r(lines.bytes, "\n", &save) : NULL; line && ok; line = strtok_r(NULL, "\n", &save), s++)
		ok = read_line(line, path, t, s, &at[s], e);
	text_free(&lines);
	return ok && (s == t->n_sizes || error_set(e, ERROR_SYSTEM, path, "sccl-run printed %zu times, not %zu", s, t->n_sizes));
}

/* Without reduction, one-byte elements stand for all types; reductions use the types and operations of the options. */
static void arguments_of(const struct tune_options *o, const struct contender *c, const struct run_variant *w, const char *sizes,
			 struct arguments *a)
{
	bool combines = collective_row(&c->algorithm->collective)->combining;

	*a = (struct arguments){.n = 0};
	arguments_add(a, "--label", c->path);
	arguments_add(a, "--sizes", sizes);
	arguments_add(a, "--types", combines ? o->kernels.types : "u8");
	arguments_add(a, "--ops", combines ? o->kernels.ops : NULL);
	arguments_add(a, "--calls", o->settings.calls ? o->settings.calls : "3");
	arguments_add(a, "--mode", o->settings.mode);
	arguments_add(a, "--timeout", o->settings.timeout);
	arguments_add(a, "--protocol", w->protocol);
	arguments_add(a, "--kernels", w->kernels);
	arguments_flag(a, "--overlap", w->overlap);
	arguments_flag(a, "--out-of-place", true);
	arguments_flag(a, "--json", true);
}

/* The measurements of a command. */
struct measuring {
	const struct tune_options *options;
	const struct scratch *scratch;
	const char *sizes;
	struct times *times;
	size_t done, n;
};

static void show_progress(const struct measuring *m, const struct contender *c, const struct run_variant *w)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%zu of %zu: %s: %s, kernels: %s%s", m->done + 1, m->n, c->program, w->protocol, w->kernels,
			w->overlap ? ", overlap" : "");
}

static int measure_variant(struct measuring *m, const struct contender *c, const char *so, const struct run_variant *w, double *at)
{
	struct arguments a;
	struct error e = {0};
	struct text out = {0};
	int status = STATUS_DONE;

	show_progress(m, c, w);
	m->done++;
	for (size_t s = 0; s < m->times->n_sizes; s++)
		at[s] = -1;
	if (w->only_moves && collective_row(&c->algorithm->collective)->combining)
		return STATUS_DONE;
	text_add(&out, "%s/times", m->scratch->dir);
	arguments_of(m->options, c, w, m->sizes, &a);
	status = program_run(m->scratch, so, c->program, &a, out.bytes);
	if (status == STATUS_DONE && !read_times(out.bytes, c->path, m->times, at, &e))
		status = fail(&e);
	text_free(&out);
	return status;
}

static int measure_one(struct measuring *m, const struct target *t, const struct contender *c, double *at)
{
	struct kernels k;
	struct error e = {0};
	struct lowered l;
	char *so = NULL;
	const char *types = m->options->kernels.types ? m->options->kernels.types : "f32";

	if (!collective_row(&c->algorithm->collective)->combining)
		types = "u8";
	if (!kernels_read(types, m->options->kernels.ops ? m->options->kernels.ops : "sum", m->options->kernels.accumulate, &k, &e))
		return fail(&e);
	k.split = program_splits(t);
	int status = lower_file(c->path, &(struct lower_request){.target = t, .kernels = &k, .dir = m->scratch->dir, .scratch = true}, &l);
	if (status == STATUS_DONE)
		status = program_compile(t, m->scratch, &l, m->options->settings.jobs, &so);
	for (size_t w = 0; w < VARIANTS && status == STATUS_DONE; w++)
		status = measure_variant(m, c, so, &run_variants[w], at + w * m->times->n_sizes);
	lowered_free(&l);
	free(so);
	return status;
}

int tune_measure(const struct tune_options *o, const struct contender *all, size_t n, struct times *out)
{
	struct error e = {0};
	const struct target *t = lower_target(o->target ? o->target : "host", &e);
	struct scratch scratch;
	struct text sizes = {0};
	int status = STATUS_DONE;

	if (!t || !scratch_make(&scratch, &e))
		return fail(&e);
	for (size_t s = 0; s < out->n_sizes; s++)
		text_add(&sizes, "%s%" PRId64, s ? "," : "", out->sizes[s]);
	struct measuring m = {o, &scratch, sizes.bytes, out, 0, n * VARIANTS};
	for (size_t c = 0; c < n && status == STATUS_DONE; c++)
		status = measure_one(&m, t, &all[c], out->at + c * VARIANTS * out->n_sizes);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	text_free(&sizes);
	scratch_remove(&scratch);
	return interrupted ? STATUS_INTERRUPTED : status;
}
