/*
 * Runs the attempts of attempts.h one after the other, each in a worker. Where algorithms are measured, what one attempt
 * finds says little about what another will: all get a little time first, then those for which it was not enough get more,
 * from the beginning, and then the rest of the time is divided among those that are left. A worker sends a record for each
 * algorithm as soon as it is there, so that those of a worker that is killed for lack of time are not lost; the last record
 * says how the attempt ended. Texts of algorithms that are beaten are neither sent nor kept, and the others are read at the
 * end.
 */

#include "synth/methods/constructions.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "synth/methods/attempts.h"
#include "synth/methods/construction_worker.h"
#include "synth/methods/kept.h"
#include "synth/problem/problem.h"
#include "synth/timed/list_schedule.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/*
 * The order: attempts that are to be first; then all others; and then again those of the first that were late. With a
 * measure the others have two turns before, of little time.
 */
enum construction_turn { TURN_FIRST, TURN_SHORT, TURN_LONGER, TURN_OTHERS, TURN_LAST };

struct construction_run {
	const struct constructions_options *options;
	struct attempt_subject subject;
	double least_share;     /* seconds that each attempt may take, however many there are */
	size_t memory;          /* MiB of each worker; 0: no limit */
	struct kept kept;
	size_t n_late;
	enum construction_turn turn;
	bool *ended;     /* [attempt]: was it tried, and had enough time? Owned */
	size_t now;      /* the attempt that is being run */
};

static void report(const struct construction_run *r, struct construction_try what)
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

	report(r, what);
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

static void report_late(struct construction_run *r, const struct attempt *a, const char *why)
{
	r->ended[r->now] = false;
	if (r->turn < TURN_OTHERS)
		return;
	r->n_late++;
	report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_LATE, .why = why});
}

/* Killed by the system, or by a library that does not expect the limit. */
static bool ran_out_of_memory(const struct construction_run *r, int status)
{
	return (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS) ||
	       (WIFSIGNALED(status) && (r->memory || WTERMSIG(status) == SIGKILL));
}

/* How the worker ended. False with *e set: by a fault. */
static bool take_end(struct construction_run *r, const struct attempt *a, const struct worker *p, int status, struct error *e)
{
	struct error last = {0};
	size_t found = 0;
	int end = take_records(r, &p->bytes, &found, &last);
	bool ended = end != RECORD_ALGORITHM;

	if (ended && last.kind == ERROR_SYSTEM) {
		*e = last;
		return false;
	}
	if (p->late || end == RECORD_END_FOR_LACK_OF_TIME)
		report_late(r, a, "its share of the time ran out");
	else if (ended && found == 0)
		report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_REFUSED, .why = last.what});
	else if (!ended && ran_out_of_memory(r, status))
		report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_REFUSED, .why = "out of memory"});
	if (ended || p->late || ran_out_of_memory(r, status))
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return error_set(e, ERROR_SYSTEM, a->name, "the construction died: it ended with status %d", WEXITSTATUS(status));
	return error_set(e, ERROR_SYSTEM, a->name, "the construction died: %s",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "its result is incomplete");
}

static bool run_attempt(struct construction_run *r, const struct attempt *a, double seconds, struct error *e)
{
	static const double early = 0.8; /* methods that look at the clock must have time to finish what they have */
	struct construction_work w = {a, &r->subject, r->options->measure, &r->kept, early * seconds};
	struct worker p, *one = &p;
	struct process_limits limits = {.seconds = isinf(seconds) ? 0 : seconds, .mebibytes = r->memory};

	report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_BEGINS});
	if (!process_start(&p, construction_work, &w, limits, e))
		return false;
	if (process_wait(&one, 1, -1) < 0) {
		process_kill(&p);
		return error_set(e, ERROR_SYSTEM, a->name, "interrupted");
	}
	struct process_end end = process_finish(&p);
	bool ok = take_end(r, a, &p, end.status, e);
	text_free(&p.bytes);
	return ok;
}

/* Seconds for attempts: what is left, less what reading the algorithms that are kept takes. */
static double seconds_left(const struct construction_run *r)
{
	return fmax(0, stop_left() - kept_seconds(&r->kept));
}

/*
 * Seconds: one of LEFT shares of the time that is left, twice that for quick attempts, most of which leave theirs to the
 * others. On a large machine that may be too little for any of them, so that it is better to try fewer.
 */
static double share(const struct construction_run *r, const struct attempt *a, size_t left)
{
	static const double least = 0.01; /* 0 would be no limit */
	double all = seconds_left(r), equal = all / (double)left * (a->slow || left == 1 ? 1 : 2);
	double own = r->turn == TURN_OTHERS ? fmax(equal, a->part * all) : equal;

	return fmax(least, fmin(fmax(own, r->least_share), all));
}

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

/* Is what was asked for there? */
static bool is_met(const struct construction_run *r)
{
	return r->subject.exactly.chunks && r->kept.n;
}

static bool is_first(const struct construction_run *r, const struct attempt *a)
{
	for (const char *const *name = r->options->first; name && *name; name++)
		if (strcmp(*name, a->name) == 0)
			return true;
	return false;
}

/* Slow attempts, the last of all, and with a measure also quick ones, are left out where there is nothing left to gain. */
static bool is_left_out(const struct construction_run *r, const struct attempt *a)
{
	return r->turn != TURN_FIRST && r->turn != TURN_LAST && (a->slow || r->options->measure) && is_settled(r);
}

static bool is_in_turn(const struct construction_run *r, const struct attempt *all, size_t at)
{
	bool first = is_first(r, &all[at]);

	if (r->turn == TURN_FIRST)
		return first;
	return !r->ended[at] && first == (r->turn == TURN_LAST);
}

/* Which of the N attempts belong to r->turn: fills WHICH, and returns their number. */
static size_t in_turn(const struct construction_run *r, const struct attempt *all, size_t n, size_t *which)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = r->turn == TURN_FIRST ? n - 1 - i : i; /* the last have few chunks, and give something soon */
		if (is_in_turn(r, all, at))
			which[found++] = at;
	}
	return found;
}

/* Into how many shares the time that is left is divided for each attempt of a turn; 0: into as many as there are attempts. */
static const size_t shares_of[] = {[TURN_FIRST] = 30, [TURN_SHORT] = 60, [TURN_LONGER] = 15, [TURN_OTHERS] = 0, [TURN_LAST] = 0};

static bool run_attempts(struct construction_run *r, enum construction_turn turn, struct error *e)
{
	size_t n_all;
	struct attempt *all = attempts_for(&r->subject, &n_all);
	size_t *which = new_array(size_t, n_all);
	bool ok = true;

	r->turn = turn;
	if (!r->ended)
		r->ended = new_array(bool, n_all);
	size_t n = in_turn(r, all, n_all, which);
	for (size_t i = 0; i < n && ok && !is_met(r) && !is_left_out(r, &all[which[i]]); i++) {
		r->now = which[i];
		r->ended[r->now] = true;
		if (seconds_left(r) > 0)
			ok = run_attempt(r, &all[r->now], share(r, &all[r->now], shares_of[turn] ? shares_of[turn] : n - i), e);
		else
			report_late(r, &all[r->now], "not tried for lack of time");
	}
	free(which);
	free(all);
	return ok;
}

static struct algorithm *read_text(const struct kept_text *k, struct error *e)
{
	struct json_document *d = json_document_parse(k->text.bytes, "construction", e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;

	json_document_close(d);
	return a;
}

static bool read_kept(const struct construction_run *r, struct constructions *out, struct error *e)
{
	const struct construction_measure *m = r->options->measure;
	size_t n = r->options->only_reports ? 0 : r->kept.n;
	struct error fault = {0};

	*out = (struct constructions){.of = new_array(struct algorithm *, n), .n_late = r->n_late,
				      .values = m ? new_array(double, n * m->n) : NULL};
	for (size_t i = 0; i < n; i++) {
		struct algorithm *a = read_text(&r->kept.of[i], &fault);
		if (!a) {
			constructions_free(out);
			return error_set(e, ERROR_SYSTEM, fault.where, "%s", fault.what);
		}
		if (m)
			memcpy(out->values + i * m->n, r->kept.of[i].values, m->n * sizeof *out->values);
		out->of[out->n++] = a;
	}
	return true;
}

/* ---- halves ---- */

/* Each may take a third of the time that is left. */
static bool find_half(const struct construction_run *r, enum collective_kind kind, struct constructions *out, struct error *e)
{
	const struct collective k = {.kind = kind};
	const struct topology *t = r->subject.topology;
	struct constructions_options o = *r->options;
	struct construction_measure m;
	struct timed_question timed;
	double before = stop_within(stop_left() / 3);

	o.opened = NULL;
	o.only_reports = false;
	o.first = NULL;
	if (o.measure) { /* the floor is that of the allreduce */
		m = *o.measure;
		m.floor = NULL;
		if (m.timed) { /* the input of the allgather is one block */
			timed = *m.timed;
			timed.floor = NULL;
			timed.share = kind == ALLGATHER ? 1. / t->nodes : 1;
			m.timed = &timed;
		}
		o.measure = &m;
	}
	if (kind == ALLGATHER) /* the C of an allreduce counts all blocks */
		o.max_chunks = o.max_chunks ? (o.max_chunks + t->nodes - 1) / t->nodes : 0;
	o.max_steps = o.max_steps > 1 ? o.max_steps - 1 : o.max_steps;
	bool ok = constructions_find(t, &k, &o, out, e);
	stop_restore(before);
	return ok;
}

/* Without a measure the first algorithm that meets the bounds is what is looked for: no attempt is begun twice. */
static bool run_others(struct construction_run *r, struct error *e)
{
	bool little = r->options->measure;

	return (!little || (run_attempts(r, TURN_SHORT, e) && run_attempts(r, TURN_LONGER, e))) && run_attempts(r, TURN_OTHERS, e);
}

static bool run_on_halves(struct construction_run *r, struct error *e)
{
	struct constructions of[2] = {{0}, {0}};
	bool ok = find_half(r, REDUCESCATTER, &of[0], e) && find_half(r, ALLGATHER, &of[1], e);

	for (int i = 0; i < 2; i++) {
		r->subject.halves[i] = (struct attempt_halves){of[i].n, of[i].of, of[i].values};
		r->n_late += of[i].n_late;
	}
	ok = ok && run_others(r, e);
	for (int i = 0; i < 2; i++)
		constructions_free(&of[i]);
	return ok;
}

static void run_free(struct construction_run *r)
{
	kept_free(&r->kept);
	free(r->ended);
}

bool constructions_find(const struct topology *t, const struct collective *k, const struct constructions_options *o,
			struct constructions *out, struct error *e)
{
	static const double times = 4; /* as long as opening the problem takes: each algorithm's bounds are verified */
	struct problem p;
	double start = clock_seconds();

	if (!o->opened && !problem_open(t, k, &p, e))
		return false;
	struct attempt_subject subject = {.topology = t, .collective = k, .problem = o->opened ? o->opened : &p, .max_steps = o->max_steps,
					  .max_chunks = o->max_chunks, .measured = o->measure,
					  .timed = o->measure && o->measure->timed};
	struct construction_run r = {.options = o, .subject = subject, .kept.n_values = o->measure ? o->measure->n : 0};
	r.least_share = o->opened ? o->least_share : times * (clock_seconds() - start);
	bool ok = run_attempts(&r, TURN_FIRST, e) && (k->kind == ALLREDUCE ? run_on_halves(&r, e) : run_others(&r, e)) &&
		  run_attempts(&r, TURN_LAST, e) && read_kept(&r, out, e);
	run_free(&r);
	if (!o->opened)
		problem_close(&p);
	return ok;
}

struct algorithm *constructions_meet(const struct problem *p, struct candidate c, size_t memory, struct error *e)
{
	static const struct constructions_options quietly = {0};
	struct attempt_subject subject = {.topology = p->topology, .collective = &p->collective, .problem = p, .exactly = c};
	struct construction_run r = {.options = &quietly, .memory = memory, .subject = subject};
	struct algorithm *a = run_attempts(&r, TURN_OTHERS, e) && r.kept.n ? read_text(&r.kept.of[0], e) : NULL;

	run_free(&r);
	return a;
}

void constructions_free(struct constructions *c)
{
	for (size_t i = 0; i < c->n; i++)
		algorithm_free(c->of[i]);
	free(c->of);
	free(c->values);
	*c = (struct constructions){0};
}
