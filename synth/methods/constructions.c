/*
 * Runs the attempts of attempts.h one after the other, each in a worker. A worker sends a record for each algorithm as
 * soon as it is there, so that those of a worker that is killed for lack of time are not lost; the last record says how
 * the attempt ended. Texts of algorithms that are beaten are neither sent nor kept, and the others are read at the end.
 */

#include "synth/methods/constructions.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "synth/methods/attempts.h"
#include "synth/problem/problem.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* An algorithm as the worker's text of it. */
struct kept_text {
	struct candidate cost;
	char *bytes; /* owned */
};

struct construction_run {
	const struct constructions_options *options;
	struct attempt_subject subject;
	size_t memory;          /* MiB of each worker; 0: no limit */
	size_t n, room;
	struct kept_text *kept; /* by ascending S */
	size_t n_late;
};

/*
 * What precedes the bytes of the method's name and of the algorithm's text. The last record ends the attempt, and a
 * struct error takes their place.
 */
enum { RECORD_ALGORITHM, RECORD_END, RECORD_END_FOR_LACK_OF_TIME };
struct record {
	int what;
	struct candidate cost;
	size_t name, text;
};

static bool is_beaten_by(struct candidate by, int steps, struct rational bandwidth)
{
	return by.steps <= steps && rational_compare(candidate_bandwidth(by), bandwidth) <= 0;
}

static bool is_beaten(const void *context, int steps, struct rational bandwidth)
{
	const struct construction_run *r = context;

	for (size_t i = 0; i < r->n; i++)
		if (is_beaten_by(r->kept[i].cost, steps, bandwidth))
			return true;
	return false;
}

/* Of equal cost otherwise, fewer chunks are better. */
static bool is_wanted(const struct construction_run *r, struct candidate c)
{
	for (size_t i = 0; i < r->n; i++) {
		struct candidate has = r->kept[i].cost;
		bool equal = has.steps == c.steps && rational_compare(candidate_bandwidth(has), candidate_bandwidth(c)) == 0;
		if (is_beaten_by(has, c.steps, candidate_bandwidth(c)) && !(equal && c.chunks < has.chunks))
			return false;
	}
	return true;
}

static void forget(struct kept_text *k)
{
	free(k->bytes);
}

/* Drops what C beats, and puts it where it belongs by its steps. Takes BYTES. */
static void keep(struct construction_run *r, struct candidate c, char *bytes)
{
	size_t left = 0, at = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (is_beaten_by(c, r->kept[i].cost.steps, candidate_bandwidth(r->kept[i].cost)))
			forget(&r->kept[i]);
		else
			r->kept[left++] = r->kept[i];
	}
	r->kept = grown(r->kept, &r->room, left + 1, sizeof *r->kept);
	while (at < left && r->kept[at].cost.steps < c.steps)
		at++;
	memmove(&r->kept[at + 1], &r->kept[at], (left - at) * sizeof *r->kept);
	r->kept[at] = (struct kept_text){c, bytes};
	r->n = left + 1;
}

static void report(const struct construction_run *r, struct construction_try what)
{
	what.kind = r->subject.collective->kind;
	if (r->options->report)
		r->options->report(r->options->context, &what);
}

/* ---- in the worker ---- */

struct construction_work {
	struct construction_run *run;
	const struct attempt *attempt;
	double seconds;
	int file;
};

static void take(void *context, struct algorithm *a)
{
	const struct construction_work *w = context;
	struct record head = {.cost = {a->chunks, (int)a->n_steps, algorithm_rounds(a)}, .name = strlen(a->method)};
	struct text text = {0};

	if (is_wanted(w->run, head.cost))
		algorithm_write(a, &text);
	head.text = text.length;
	process_send(w->file, &head, sizeof head);
	process_send(w->file, a->method, head.name);
	process_send(w->file, text.bytes, text.length);
	text_free(&text);
	algorithm_free(a);
}

static bool is_beaten_here(const void *context, int steps, struct rational bandwidth)
{
	const struct construction_work *w = context;

	return is_beaten(w->run, steps, bandwidth);
}

static int work(const void *what, int file)
{
	struct construction_work w = *(const struct construction_work *)what;
	struct attempt_sink to = {take, is_beaten_here, &w};
	struct record last = {.what = RECORD_END};
	struct error e = {0};

	w.file = file;
	stop_within(w.seconds);
	w.attempt->run(w.attempt, &w.run->subject, &to, &e);
	if (stop_is_due())
		last.what = RECORD_END_FOR_LACK_OF_TIME;
	process_send(file, &last, sizeof last);
	process_send(file, &e, sizeof e);
	return 0;
}

/* ---- in the parent ---- */

static bool has_bytes(const struct text *t, size_t at, size_t n)
{
	return t->length - at >= n;
}

/* Takes all complete records. Returns what the last one is, and fills *LAST if it ends the attempt. */
static int take_records(struct construction_run *r, const struct text *t, size_t *n_found, struct error *last)
{
	struct record head;

	for (size_t at = 0; has_bytes(t, at, sizeof head);) {
		memcpy(&head, t->bytes + at, sizeof head);
		at += sizeof head;
		if (head.what != RECORD_ALGORITHM && has_bytes(t, at, sizeof *last)) {
			memcpy(last, t->bytes + at, sizeof *last);
			return head.what;
		}
		if (head.what != RECORD_ALGORITHM || !has_bytes(t, at, head.name) || !has_bytes(t, at + head.name, head.text))
			break;
		struct text name = {0}, text = {0};
		bool wanted = head.text && is_wanted(r, head.cost);
		text_add_bytes(&name, t->bytes + at, head.name);
		text_add_bytes(&text, t->bytes + at + head.name, wanted ? head.text : 0);
		at += head.name + head.text;
		report(r, (struct construction_try){.method = name.bytes, .state = CONSTRUCTION_FOUND, .cost = head.cost,
						    .is_kept = wanted});
		if (wanted)
			keep(r, head.cost, text_take(&text));
		text_free(&name);
		text_free(&text);
		++*n_found;
	}
	return RECORD_ALGORITHM;
}

static void report_late(struct construction_run *r, const struct attempt *a, const char *why)
{
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
	return ended || p->late || ran_out_of_memory(r, status) ||
	       error_set(e, ERROR_SYSTEM, a->name, "the construction died: %s",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "its result is incomplete");
}

static bool run_attempt(struct construction_run *r, const struct attempt *a, double seconds, struct error *e)
{
	static const double early = 0.8; /* methods that look at the clock must have time to finish what they have */
	struct construction_work w = {.run = r, .attempt = a, .seconds = early * seconds};
	struct worker p, *one = &p;
	struct process_limits limits = {.seconds = isinf(seconds) ? 0 : seconds, .mebibytes = r->memory};

	report(r, (struct construction_try){.method = a->name, .state = CONSTRUCTION_BEGINS});
	if (!process_start(&p, work, &w, limits, e))
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

/*
 * Seconds: an equal share of the time that is left, twice that for quick attempts, most of which leave theirs to the
 * others.
 */
static double share(const struct attempt *a, size_t left)
{
	static const double least = 0.01; /* 0 would be no limit */

	return fmax(least, stop_left() / (double)left * (a->slow || left == 1 ? 1 : 2));
}

/* Does an algorithm meet both bounds? Bounds of compositions do not hold for direct allreduces. */
static bool is_settled(const struct construction_run *r)
{
	const struct bounds *b = &r->subject.problem->bounds;

	return !r->subject.problem->composed && is_beaten(r, b->steps, b->bandwidth);
}

/* Is what was asked for there? */
static bool is_met(const struct construction_run *r)
{
	return r->subject.exactly.chunks && r->n;
}

static bool run_attempts(struct construction_run *r, struct error *e)
{
	size_t n;
	struct attempt *all = attempts_for(&r->subject, &n);
	bool ok = true;

	for (size_t i = 0; i < n && ok && !is_met(r) && !(all[i].slow && is_settled(r)); i++) {
		if (stop_left() > 0)
			ok = run_attempt(r, &all[i], share(&all[i], n - i), e);
		else
			report_late(r, &all[i], "not tried for lack of time");
	}
	free(all);
	return ok;
}

static struct algorithm *read_text(const struct kept_text *k, struct error *e)
{
	struct json_document *d = json_document_parse(k->bytes, "construction", e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;

	json_document_close(d);
	return a;
}

static bool read_kept(const struct construction_run *r, struct constructions *out, struct error *e)
{
	struct error fault = {0};

	*out = (struct constructions){.of = new_array(struct algorithm *, r->n), .n_late = r->n_late};
	for (size_t i = 0; i < r->n; i++) {
		struct algorithm *a = read_text(&r->kept[i], &fault);
		if (!a) {
			constructions_free(out);
			return error_set(e, ERROR_SYSTEM, fault.where, "%s", fault.what);
		}
		out->of[out->n++] = a;
	}
	return true;
}

/* ---- halves ---- */

/* Each may take a quarter of the time. */
static bool find_half(const struct construction_run *r, enum collective_kind kind, struct constructions *out, struct error *e)
{
	const struct collective k = {.kind = kind};
	const struct topology *t = r->subject.topology;
	struct constructions_options o = *r->options;
	double before = stop_within(stop_left() / 4);

	if (kind == ALLGATHER) /* the C of an allreduce counts all blocks */
		o.max_chunks = o.max_chunks ? (o.max_chunks + t->nodes - 1) / t->nodes : 0;
	o.max_steps = o.max_steps > 1 ? o.max_steps - 1 : o.max_steps;
	bool ok = constructions_find(t, &k, &o, out, e);
	stop_restore(before);
	return ok;
}

static bool run_on_halves(struct construction_run *r, struct error *e)
{
	struct constructions of[2] = {{0}, {0}};
	bool ok = find_half(r, REDUCESCATTER, &of[0], e) && find_half(r, ALLGATHER, &of[1], e);

	for (int i = 0; i < 2; i++) {
		r->subject.halves[i] = (struct attempt_halves){of[i].n, of[i].of};
		r->n_late += of[i].n_late;
	}
	ok = ok && run_attempts(r, e);
	for (int i = 0; i < 2; i++)
		constructions_free(&of[i]);
	return ok;
}

static void run_free(struct construction_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		forget(&r->kept[i]);
	free(r->kept);
}

bool constructions_find(const struct topology *t, const struct collective *k, const struct constructions_options *o,
			struct constructions *out, struct error *e)
{
	struct problem p;
	struct attempt_subject subject = {.topology = t, .collective = k, .problem = &p, .max_steps = o->max_steps,
					  .max_chunks = o->max_chunks};
	struct construction_run r = {.options = o, .subject = subject};

	if (!problem_open(t, k, &p, e))
		return false;
	bool ok = (k->kind == ALLREDUCE ? run_on_halves : run_attempts)(&r, e) && read_kept(&r, out, e);
	run_free(&r);
	problem_close(&p);
	return ok;
}

struct algorithm *constructions_meet(const struct problem *p, struct candidate c, size_t memory, struct error *e)
{
	static const struct constructions_options quietly = {0};
	struct attempt_subject subject = {.topology = p->topology, .collective = &p->collective, .problem = p, .exactly = c};
	struct construction_run r = {.options = &quietly, .memory = memory, .subject = subject};
	struct algorithm *a = run_attempts(&r, e) && r.n ? read_text(&r.kept[0], e) : NULL;

	run_free(&r);
	return a;
}

void constructions_free(struct constructions *c)
{
	for (size_t i = 0; i < c->n; i++)
		algorithm_free(c->of[i]);
	free(c->of);
	*c = (struct constructions){0};
}
