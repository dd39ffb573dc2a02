/*
 * Verifies a proof, one side at a time: bounds first, then each refutation by its kind, then compositions of halves.
 * All work counts against one budget, so that a hostile file cannot keep the verifier busy.
 */

#include "prove/check.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/machine/network.h"
#include "core/base/sha256.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/base/work.h"
#include "prove/cut.h"
#include "prove/patterns.h"
#include "prove/program.h"
#include "prove/question.h"
#include "prove/rup.h"
#include "prove/timed.h"
#include "prove/trace.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double check_budget = 4e9;

struct checking {
	const struct proof *proof;
	const char *path;
	const struct check_options *options;
	struct check_report *report;
	size_t n_done, n_all;
	size_t made_bytes; /* of traces that were generated anew */
	bool gave_up;      /* these were too long, or took too long to replay */
	struct error *e;
};

static bool fault(struct checking *k, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fault(struct checking *k, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(k->report->fault, sizeof k->report->fault, format, ap);
	va_end(ap);
	return false;
}

static bool refusal_fault(struct checking *k, struct candidate c, const char *what)
{
	return fault(k, "(%d,%d,%d): %.300s", c.chunks, c.steps, c.rounds, what);
}

static struct rational bandwidth(struct candidate c)
{
	return rational(c.rounds, c.chunks);
}

bool side_below(const struct side *s, struct candidate c)
{
	const struct timed *t = timed_of(s, c.steps);

	return c.steps < s->steps || rational_compare(bandwidth(c), s->cut.at_least) < 0 ||
	       (t && rational_compare(bandwidth(c), t->at_least) < 0) || step_program_refutes(s, c);
}

/* Is the candidate below the bounds, or would an algorithm for it imply one for any of the side's refutations? */
static bool side_refuses(const struct side *s, struct candidate c)
{
	if (side_below(s, c))
		return true;
	for (size_t i = 0; i < s->n_refused && work_spend(1); i++)
		if (candidate_gives(c, s->refused[i].candidate))
			return true;
	return false;
}

/* ---- bounds ---- */

static bool check_bounds(struct checking *k, const struct question *q, const struct side *s)
{
	char said[RATIONAL_TEXT], shown[RATIONAL_TEXT];
	int steps = cut_steps(q);

	if (s->steps > steps)
		return fault(k, "bounds: the step bound of %s is %d, not %d", collective_name(&s->collective), steps, s->steps);
	if (s->cut.at_least.num == 0)
		return true;
	struct rational bound = cut_bandwidth(q, &s->cut);
	if (!rational_ok(bound) || rational_compare(s->cut.at_least, bound) > 0)
		return fault(k, "bounds: R/C >= %s is claimed, but the cut of the %s shows %s",
			     rational_text(s->cut.at_least, said), collective_name(&s->collective), rational_text(bound, shown));
	return true;
}

static bool check_timed(struct checking *k, const struct question *q, const struct side *s)
{
	char said[RATIONAL_TEXT], shown[RATIONAL_TEXT];

	for (size_t i = 0; i < s->n_timed && work_spend(s->n_timed); i++) {
		const struct timed *t = &s->timed[i];
		struct rational bound = timed_bandwidth(q, t);
		if (rational_compare(t->at_least, bound) > 0)
			return fault(k, "bounds: R/C >= %s in %d steps is claimed, but the cuts of the %s show %s",
				     rational_text(t->at_least, said), t->steps, collective_name(&s->collective),
				     rational_text(bound, shown));
	}
	return true;
}

/* ---- formula and trace ---- */

/* The formula without orders, or (BY_SHARE) the one for a single chunk with its share of all sends. */
static bool write_plain(const struct question *q, const struct instance *i, const struct refusal *r, struct cnf *out, struct error *e)
{
	if (r->by == BY_SHARE)
		return cnf_write_share(i, (size_t)cut_share(q, r->candidate), out, e);
	return cnf_write(i, NULL, out, e);
}

static bool same_formula(struct checking *k, const struct question *q, const struct instance *i, const struct refusal *r)
{
	const struct recipe *recipe = r->recipe;
	struct cnf plain;
	char digest[65];

	if (!write_plain(q, i, r, &plain, k->e))
		return false;
	cnf_digest(&plain, digest);
	bool same = plain.variables == recipe->variables && plain.n_clauses == recipe->clauses && strcmp(digest, recipe->formula) == 0;
	cnf_free(&plain);
	return same || refusal_fault(k, r->candidate, "its formula is a different one: the digests differ");
}

/* A formula that a trace must refute. */
struct traced {
	char called[64]; /* in faults */
	const struct recipe *recipe;
};

static bool traced_fault(struct checking *k, const struct traced *r, const char *what)
{
	return fault(k, "%s: %.300s", r->called, what);
}

/* The path of a trace is relative to the folder of the proof file. */
static bool read_trace(struct checking *k, const struct traced *r, struct text *into)
{
	struct text path = {0};
	const char *slash = strrchr(k->path, '/');
	char digest[65];

	if (slash)
		text_add_bytes(&path, k->path, (size_t)(slash + 1 - k->path));
	text_add(&path, "%s", r->recipe->file);
	bool ok = file_read(path.bytes, into, k->e);
	text_free(&path);
	if (!ok)
		return false;
	sha256_of(into->bytes, into->length, digest);
	if (into->length == r->recipe->bytes && strcmp(digest, r->recipe->trace) == 0)
		return true;
	return traced_fault(k, r, "its trace is not the recorded one: the digests differ");
}

/*
 * Limits on generated traces: budget steps per byte of all of them; steps to replay one, per byte; steps to load a
 * literal.
 */
enum { STEPS_FOR_BYTE = 20, STEPS_OF_BYTE = 2000, STEPS_TO_READ = 64 };

static size_t trace_bytes_left(const struct checking *k)
{
	double most = k->options->budget / STEPS_FOR_BYTE, left = most - (double)k->made_bytes;

	return k->options->budget > 0 ? (left > 1 ? (size_t)left : 1) : 0;
}

static bool make_trace(struct checking *k, const struct traced *r, const struct cnf *f, struct text *into)
{
	double left = stop_left(), timeout = k->options->timeout;
	const struct trace_limits limits = {.timeout = isinf(left) || (timeout > 0 && timeout < left) ? timeout : left,
					    .bytes = trace_bytes_left(k), .interrupted = k->options->interrupted};
	struct trace t;

	if (left <= 0)
		return true; /* out of time */
	if (!work_spend(STEPS_TO_READ * (double)f->n_literals) || !trace_solve(f, &limits, &t, k->e))
		return false;
	k->made_bytes += t.bytes.length;
	k->gave_up = k->gave_up || t.too_long;
	if (t.answer == TRACE_FOUND)
		return traced_fault(k, r, "is claimed to be refuted, but its formula is satisfiable");
	*into = t.bytes;
	return true;
}

static bool replay(struct checking *k, const struct traced *r, const struct cnf *f, const struct text *trace)
{
	struct replay got = rup_check(f, trace->bytes, trace->length, k->options->interrupted);
	char why[300];

	if (got.refuted)
		return true;
	if (k->options->interrupted && *k->options->interrupted)
		return error_set(k->e, ERROR_SYSTEM, "check", "interrupted");
	snprintf(why, sizeof why, "its trace does not refute it: at byte %zu, %s", got.byte, got.why);
	return traced_fault(k, r, why);
}

/* Replaying a newly generated trace has a budget of its own: the trace is as long as the budget allowed. */
static bool replay_made(struct checking *k, const struct traced *r, const struct cnf *f, const struct text *trace)
{
	double most = k->options->budget > 0 ? STEPS_OF_BYTE * (double)(trace->length + f->n_literals) : INFINITY;
	struct work before = work_begin(most);
	bool ok = replay(k, r, f, trace);

	k->gave_up = k->gave_up || work_is_over();
	work_end(before);
	return ok;
}

static bool check_formula(struct checking *k, const struct traced *r, const struct cnf *f)
{
	struct text trace = {0};
	bool here = r->recipe->file != NULL, ok = true;

	if (!here && !k->options->solve_again) {
		k->report->left_out++;
		return true;
	}
	ok = here ? read_trace(k, r, &trace) : make_trace(k, r, f, &trace);
	bool late = ok && !here && !trace.bytes;
	ok = ok && (late || (here ? replay : replay_made)(k, r, f, &trace));
	k->report->bytes += trace.length;
	*(late ? &k->report->left_out : here ? &k->report->replayed : &k->report->solved) += ok;
	text_free(&trace);
	return ok;
}

static bool check_instance(struct checking *k, const struct question *q, const struct instance *i, const struct refusal *r)
{
	const struct orders *orders = &r->recipe->orders;
	struct error e = {0};
	struct cnf f;

	if (r->by == BY_SHARE && orders->n)
		return refusal_fault(k, r->candidate, "a single chunk has no order");
	if (!orders_hold(i, orders, &e))
		return refusal_fault(k, r->candidate, e.what);
	if (!same_formula(k, q, i, r))
		return false;
	if (!(r->by == BY_SHARE ? write_plain(q, i, r, &f, k->e) : cnf_write(i, orders, &f, k->e)))
		return false;
	struct traced t = {.recipe = r->recipe};
	snprintf(t.called, sizeof t.called, "(%d,%d,%d)", r->candidate.chunks, r->candidate.steps, r->candidate.rounds);
	bool ok = check_formula(k, &t, &f);
	cnf_free(&f);
	return ok;
}

static bool check_trace(struct checking *k, const struct question *q, const struct refusal *r)
{
	struct instance i;
	struct error e = {0};
	struct candidate c = r->candidate;

	if (r->by == BY_SHARE && (q->asked.kind != ALLREDUCE || cut_share(q, c) < 0))
		return refusal_fault(k, c, "shares are only for an allreduce");
	if (r->by == BY_SHARE)
		c.chunks = 1;
	if (!question_instance(q, c, &i, &e))
		return refusal_fault(k, r->candidate, e.what);
	bool ok = check_instance(k, q, &i, r);
	question_done(&i);
	return ok;
}

/* ---- programs ---- */

/* False: a fault, or *e is set. Else *ANSWER is what is known without the trace, which is replayed. */
static bool check_patterns(struct checking *k, const struct question *q, const struct step_program *p, enum program_answer *answer,
			   char why[PROGRAM_WHY])
{
	const struct recipe *r = &p->patterns->recipe;
	struct traced t = {.recipe = r};
	char digest[65];
	struct cnf f;

	snprintf(t.called, sizeof t.called, "patterns of %d steps", p->steps);
	*answer = patterns_formula(q, p, &f, why);
	if (*answer != PROGRAM_HOLDS)
		return true;
	cnf_digest(&f, digest);
	bool ok = (f.variables == r->variables && f.n_clauses == r->clauses && strcmp(digest, r->formula) == 0) ||
		  traced_fault(k, &t, "their formula is a different one: the digests differ");
	ok = ok && check_formula(k, &t, &f);
	cnf_free(&f);
	return ok;
}

static bool check_programs(struct checking *k, const struct question *q, const struct side *s)
{
	char said[RATIONAL_TEXT], why[PROGRAM_WHY];

	for (size_t i = 0; i < s->n_programs && work_spend((double)s->n_programs); i++) {
		const struct step_program *p = &s->programs[i];
		enum program_answer answer = p->patterns ? PROGRAM_HOLDS : step_program_check(q, p, why);
		if (p->patterns && !check_patterns(k, q, p, &answer, why))
			return false;
		if (answer == PROGRAM_TOO_LARGE) {
			k->report->too_large = k->gave_up = !work_is_over();
			return true;
		}
		if (answer == PROGRAM_FALSE)
			return fault(k, "bounds: R/C >= %s in %d steps is not what the program of the %s shows: %s",
				     rational_text(p->at_least, said), p->steps, collective_name(&s->collective), why);
		k->report->programs++;
	}
	return true;
}

/* ---- refutations ---- */

/* FROM must not be implied itself, so that no two refutations rely on each other. */
static bool check_implied(struct checking *k, const struct side *s, const struct refusal *r)
{
	for (size_t i = 0; i < s->n_refused && work_spend(1); i++)
		if (candidate_same(s->refused[i].candidate, r->from) && s->refused[i].by != BY_IMPLIED) {
			if (candidate_gives(r->candidate, r->from))
				return true;
			return refusal_fault(k, r->candidate, "an algorithm for it would not give one for the candidate that it is claimed to follow from");
		}
	return refusal_fault(k, r->candidate, "the candidate that it is claimed to follow from is not refuted here");
}

static bool check_refusal(struct checking *k, const struct question *q, const struct side *s, const struct refusal *r)
{
	struct candidate c = r->candidate;

	if (c.chunks % q->unit != 0)
		return refusal_fault(k, c, "is not a candidate: C must be a multiple of the number of nodes");
	if (k->options->progress)
		k->options->progress(k->options->context, &(struct check_news){c, k->n_done, k->n_all, r->recipe && !r->recipe->file});
	k->n_done++;
	if (r->by == BY_TRACE || r->by == BY_SHARE)
		return check_trace(k, q, r);
	if (r->by == BY_IMPLIED) {
		k->report->implied++;
		return check_implied(k, s, r);
	}
	k->report->below++;
	if (r->by == BY_STEPS)
		return c.steps < s->steps || refusal_fault(k, c, "is not below the step bound");
	if (r->by == BY_TIMED) {
		const struct timed *t = timed_of(s, c.steps);
		return (t && rational_compare(bandwidth(c), t->at_least) < 0) ||
		       refusal_fault(k, c, "is not below a bound for its number of steps");
	}
	if (r->by == BY_PROGRAM)
		return step_program_refutes(s, c) || refusal_fault(k, c, "is not below a program of its number of steps or more");
	return rational_compare(bandwidth(c), s->cut.at_least) < 0 || refusal_fault(k, c, "is not below the cut's bound");
}

static bool check_side(struct checking *k, const struct side *s)
{
	struct question q;
	bool ok = question_open(k->proof->topology, &s->collective, &q, k->e);

	ok = ok && check_bounds(k, &q, s) && check_timed(k, &q, s) && check_programs(k, &q, s);
	for (size_t i = 0; ok && i < s->n_refused && !work_is_over() && !k->gave_up; i++)
		ok = check_refusal(k, &q, s, &s->refused[i]);
	question_close(&q);
	return ok;
}

bool composition_refused(const struct proof *p, struct candidate c, struct candidate shares[SIDES_MAX])
{
	const struct side *sides = p->sides;
	int unit = p->topology->nodes;

	for (int s = 1; s < c.steps; s++)
		for (int r = s; c.rounds - r >= c.steps - s && work_spend(1); r++) {
			shares[GATHERS] = (struct candidate){c.chunks / unit, s, r};
			shares[SCATTERS] = (struct candidate){c.chunks, c.steps - s, c.rounds - r};
			if (!side_refuses(&sides[GATHERS], shares[GATHERS]) &&
			    !side_refuses(&sides[SCATTERS], shares[SCATTERS]))
				return false;
		}
	return true;
}

enum { SHARES_MAX = 1 << 20 };

static bool check_composition(struct checking *k)
{
	const struct proof *p = k->proof;
	struct candidate shares[SIDES_MAX];

	for (size_t i = 0; i < p->n_refused; i++) {
		struct candidate c = p->refused[i].candidate;
		if (c.chunks % p->topology->nodes != 0)
			return refusal_fault(k, c, "is not a candidate: C must be a multiple of the number of nodes");
		if ((int64_t)c.steps * c.rounds > SHARES_MAX)
			return refusal_fault(k, c, "has too many splits between the halves");
		k->report->halves++;
		if (!composition_refused(p, c, shares))
			return fault(k, "(%d,%d,%d): neither reducescatter (%d,%d,%d) nor allgather (%d,%d,%d) is refuted", c.chunks, c.steps,
				     c.rounds, shares[SCATTERS].chunks, shares[SCATTERS].steps, shares[SCATTERS].rounds,
				     shares[GATHERS].chunks, shares[GATHERS].steps, shares[GATHERS].rounds);
	}
	return true;
}

bool proof_check(const struct proof *p, const char *path, const struct check_options *o, struct check_report *out,
		 struct error *e)
{
	struct checking k = {.proof = p, .path = path, .options = o, .report = out, .e = e};
	bool ok = true;

	*out = (struct check_report){0};
	struct work before = work_begin(o->budget > 0 ? o->budget : INFINITY);
	for (int i = 0; i < p->n_sides; i++)
		k.n_all += p->sides[i].n_refused;
	for (int i = 0; ok && i < p->n_sides; i++)
		ok = check_side(&k, &p->sides[i]);
	ok = ok && (p->n_sides == 1 || check_composition(&k));
	out->steps = work_spent();
	out->budget = o->budget;
	out->gave_up = work_is_over() || k.gave_up;
	work_end(before);
	if (out->gave_up) { /* anything found after giving up is no finding */
		out->fault[0] = '\0';
		*e = e->kind == ERROR_SYSTEM ? *e : (struct error){0};
		return e->kind == ERROR_NONE;
	}
	out->holds = ok && out->left_out == 0;
	return ok || e->kind == ERROR_NONE;
}
