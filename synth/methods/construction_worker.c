/* A worker sends each algorithm as soon as it is there, measured if there is a measure, and its text unless it is beaten. */

#include "synth/methods/construction_worker.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/stop.h"
#include "synth/methods/constructions.h"
#include "synth/methods/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An attempt that is being run. */
struct working {
	const struct construction_work *work;
	int file;
	/* With a measure: */
	double *least;   /* of what this attempt has given so far; owned; NULL: nothing */
	bool is_less;    /* was the last one less than that? */
	bool has_helped; /* by enough to go on? */
	bool is_cut;     /* for lack of time */
};

/* Measures A, and compares it with what came before. False: it cannot be measured. */
static bool measure(struct working *w, const struct algorithm *a, double *values)
{
	const struct construction_measure *m = w->work->measure;
	bool measured = m->of(m->context, a, values), any = w->least != NULL;

	w->is_less = w->has_helped = measured && !any;
	if (!measured)
		return false;
	if (!any)
		w->least = copy_bytes(values, m->n * sizeof *values);
	for (size_t v = 0; v < m->n; v++) {
		w->is_less = w->is_less || values[v] < w->least[v] * (1 - kept_rounding);
		w->has_helped = w->has_helped || values[v] < w->least[v] * (1 - w->work->enough);
		w->least[v] = fmin(w->least[v], values[v]);
	}
	return true;
}

static void take(void *context, struct algorithm *a)
{
	struct working *w = context;
	struct record head = {.cost = {a->chunks, (int)a->n_steps, algorithm_rounds(a)}, .name = strlen(a->method)};
	size_t n = w->work->measure ? w->work->measure->n : 0;
	double *values = new_array(double, n);
	struct text text = {0};

	if (!n || measure(w, a, values)) {
		if ((!n || w->is_less) && kept_wants(w->work->kept, head.cost, values))
			algorithm_write(a, &text);
		head.text = text.length;
		process_send(w->file, &head, sizeof head);
		process_send(w->file, a->method, head.name);
		process_send(w->file, values, n * sizeof *values);
		process_send(w->file, text.bytes, text.length);
	}
	text_free(&text);
	free(values);
	algorithm_free(a);
}

static bool is_wanted(const void *context, const double *values)
{
	const struct working *w = context;

	return kept_wants(w->work->kept, (struct candidate){0}, values);
}

static bool has_helped(const void *context)
{
	const struct working *w = context;

	return w->has_helped;
}

static bool is_beaten(const void *context, int steps, struct rational bandwidth)
{
	const struct working *w = context;

	return kept_beats(w->work->kept, steps, bandwidth);
}

int construction_work(const void *what, int file)
{
	struct working w = {.work = what, .file = file};
	const struct attempt *a = w.work->attempt;
	struct attempt_sink to = {take, w.work->measure, is_wanted, has_helped, is_beaten, &w, &w.is_cut};
	struct record last = {.what = RECORD_END};
	struct error e = {0};

	stop_within(w.work->seconds);
	a->run(a, w.work->subject, &to, &e);
	if (stop_is_due() || w.is_cut)
		last.what = RECORD_END_FOR_LACK_OF_TIME;
	process_send(file, &last, sizeof last);
	process_send(file, &e, sizeof e);
	free(w.least);
	return 0;
}
