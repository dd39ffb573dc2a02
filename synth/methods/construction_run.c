/*
 * A worker sends a record for each algorithm as soon as it is there, so that those of a worker that is killed for lack of time
 * are not lost; the last record says how the attempt ended.
 */

#include "synth/methods/construction_run.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/bounds/bounds.h"
#include "synth/methods/construction_worker.h"
#include "synth/problem/problem.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void construction_report(const struct construction_run *r, struct construction_try what)
{
	what.kind = r->subject.collective->kind;
	if (r->options->report)
		r->options->report(r->options->context, &what);
}

/* ---- what workers send ---- */

static bool has_bytes(const struct text *t, size_t at, size_t n)
{
	return t->length - at >= n;
}

/* Takes what an attempt found, of which NAME, VALUES and TEXT are copied. */
static void take_found(struct construction_run *r, struct candidate cost, const char *name, const double *values, struct text text)
{
	const struct construction_measure *m = r->options->measure;
	bool wanted = text.length && kept_wants(&r->kept, cost, values);
	struct construction_try what = {.method = name, .state = CONSTRUCTION_FOUND, .cost = cost, .is_kept = wanted,
					.values = m ? values : NULL, .text = m && wanted ? &text : NULL};
	struct kept_text own = {.cost = cost};

	construction_report(r, what);
	if (!wanted)
		return;
	if (m)
		own.values = copy_bytes(values, m->n * sizeof *values);
	if (!r->options->only_reports)
		text_add_bytes(&own.text, text.bytes, text.length);
	kept_take(&r->kept, own);
}

/* Takes all complete records. Returns what the last one is, and fills *LAST if it ends the attempt. */
static int take_records(struct construction_run *r, const struct text *t, size_t *n_found, struct error *last)
{
	size_t n = r->options->measure ? r->options->measure->n : 0;
	double *values = new_array(double, n);
	struct record head = {0};

	for (size_t at = 0; has_bytes(t, at, sizeof head);) {
		memcpy(&head, t->bytes + at, sizeof head);
		at += sizeof head;
		if (head.what != RECORD_ALGORITHM && has_bytes(t, at, sizeof *last)) {
			memcpy(last, t->bytes + at, sizeof *last);
			break;
		}
		size_t numbers = n * sizeof *values, length = head.name + numbers + head.text;
		if (head.what != RECORD_ALGORITHM || !has_bytes(t, at, length))
			break;
		struct text name = {0};
		text_add_bytes(&name, t->bytes + at, head.name);
		memcpy(values, t->bytes + at + head.name, numbers);
		take_found(r, head.cost, name.bytes, values,
			   (struct text){.bytes = t->bytes + at + head.name + numbers, .length = head.text});
		text_free(&name);
		at += length;
		++*n_found;
	}
	free(values);
	return head.what;
}

void construction_note_late(struct construction_run *r, size_t at, const char *why)
{
	r->ends[at].ended = false;
	r->ends[at].why = why;
}

/* Killed by the system, or by a library that does not expect the limit. */
static bool ran_out_of_memory(const struct construction_run *r, int status)
{
	return (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS) ||
	       (WIFSIGNALED(status) && (r->memory || WTERMSIG(status) == SIGKILL));
}

/* How the worker ended. False with *e set: by a fault. */
static bool take_end(struct construction_run *r, size_t at, const struct worker *p, int status, struct error *e)
{
	const struct attempt *a = &r->all[at];
	struct error last = {0};
	size_t found = 0;
	int end = take_records(r, &p->bytes, &found, &last);
	bool ended = end != RECORD_ALGORITHM;

	r->ends[at].has_found = r->ends[at].has_found || found;
	if (ended && last.kind == ERROR_SYSTEM) {
		*e = last;
		return false;
	}
	if (p->late || end == RECORD_END_FOR_LACK_OF_TIME)
		construction_note_late(r, at, "its share of the time ran out");
	else if (ended && found == 0)
		construction_report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_REFUSED, .why = last.what});
	else if (!ended && ran_out_of_memory(r, status))
		construction_report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_REFUSED, .why = "out of memory"});
	if (ended || p->late || ran_out_of_memory(r, status) || r->subject.exactly.chunks) /* then a solver is asked as well */
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return error_set(e, ERROR_SYSTEM, a->name, "the construction died: it ended with status %d", WEXITSTATUS(status));
	return error_set(e, ERROR_SYSTEM, a->name, "the construction died: %s",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "its result is incomplete");
}

/* ---- when nothing is left to do ---- */

/* Are all values as low as they can be? */
static bool is_at_floor(const struct construction_run *r)
{
	const struct construction_measure *m = r->options->measure;

	for (size_t v = 0; m->floor && v < m->n; v++) {
		size_t best = kept_least(&r->kept, v);
		if (best == r->kept.n || r->kept.of[best].values[v] > m->floor[v] * (1 + kept_rounding))
			return false;
	}
	return m->floor;
}

/* Does an algorithm meet both bounds? Bounds of compositions do not hold for direct allreduces. */
static bool is_settled(const struct construction_run *r)
{
	const struct bounds *b = &r->subject.problem->bounds;

	return r->options->measure ? is_at_floor(r) : !r->subject.problem->composed && kept_beats(&r->kept, b->steps, b->bandwidth);
}

bool construction_is_needless(const struct construction_run *r, const struct attempt *a)
{
	bool one = r->subject.exactly.chunks || r->options->only_first, is_met = one && r->kept.n;
	bool always = r->turn == TURN_FIRST || r->turn == TURN_LAST;

	return is_met || (!always && (a->slow || r->options->measure) && is_settled(r));
}

/* ---- workers ---- */

bool construction_is_first(const struct construction_run *r, const struct attempt *a)
{
	for (const char *const *name = r->options->first; name && *name; name++)
		if (strcmp(*name, a->name) == 0)
			return true;
	return false;
}

/* One, until something is known that the others need not do better than. */
size_t construction_at_once(const struct construction_run *r)
{
	const volatile int *at_once = r->options->at_once;

	return at_once && *at_once > 1 && r->kept.n ? (size_t)*at_once : 1;
}

/* Attempts that are to be first serve for comparison only, for which two digits are enough; the best may win by less. */
bool construction_begin(struct construction_run *r, size_t at, double seconds, struct error *e)
{
	static const double early = 0.8; /* methods that look at the clock must have time to finish what they have */
	const struct attempt *a = &r->all[at];
	struct construction_work w = {a, &r->subject, r->options->measure, &r->kept, early * seconds, construction_is_first(r, a) ? 5e-3 : 1e-3};
	struct process_limits limits = {.seconds = isinf(seconds) ? 0 : seconds, .mebibytes = r->memory};

	construction_report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_BEGINS});
	r->in_flight = grown(r->in_flight, &r->in_flight_capacity, r->n_in_flight + 1, sizeof *r->in_flight);
	struct attempt_in_flight *f = &r->in_flight[r->n_in_flight];
	*f = (struct attempt_in_flight){.at = at, .begin = clock_seconds(), .seconds = seconds};
	if (!process_start(&f->worker, construction_work, &w, limits, e)) {
		construction_stop(r);
		return false;
	}
	r->ends[at].ended = true;
	r->n_in_flight++;
	return true;
}

void construction_stop(struct construction_run *r)
{
	for (size_t i = 0; i < r->n_in_flight; i++)
		process_kill(&r->in_flight[i].worker);
	r->n_in_flight = 0;
}

/* Takes what the first has sent, once it has ended. */
static bool take_first(struct construction_run *r, struct error *e)
{
	struct attempt_in_flight f = r->in_flight[0];
	struct attempt_end *end = &r->ends[f.at];
	bool ok = true;

	r->n_in_flight--;
	memmove(r->in_flight, r->in_flight + 1, r->n_in_flight * sizeof *r->in_flight);
	struct process_end how = process_finish(&f.worker);
	if (!construction_is_needless(r, &r->all[f.at]))
		ok = take_end(r, f.at, &f.worker, how.status, e);
	end->seconds = fmax(end->seconds, end->ended ? f.took : f.seconds);
	text_free(&f.worker.bytes);
	return ok;
}

/* Waits until one more has ended. */
static bool wait_for_one(struct construction_run *r, struct error *e)
{
	struct worker **running = new_array(struct worker *, r->n_in_flight);
	size_t *which = new_array(size_t, r->n_in_flight), n = 0;

	for (size_t i = 0; i < r->n_in_flight; i++)
		if (!r->in_flight[i].has_ended) {
			which[n] = i;
			running[n++] = &r->in_flight[i].worker;
		}
	int done = process_wait(running, n, -1);
	if (done >= 0) {
		struct attempt_in_flight *f = &r->in_flight[which[done]];
		f->has_ended = true;
		f->took = clock_seconds() - f->begin;
	}
	free(which);
	free(running);
	return done >= 0 || error_set(e, ERROR_SYSTEM, r->all[r->in_flight[0].at].name, "interrupted");
}

size_t construction_running(const struct construction_run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_in_flight; i++)
		n += !r->in_flight[i].has_ended;
	return n;
}

bool construction_wait(struct construction_run *r, size_t fewer, struct error *e)
{
	bool ok = true;

	while (ok && (construction_running(r) >= fewer || (r->n_in_flight && r->in_flight[0].has_ended)))
		ok = r->in_flight[0].has_ended ? take_first(r, e) : wait_for_one(r, e);
	if (!ok)
		construction_stop(r);
	return ok;
}
