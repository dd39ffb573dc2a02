/*
 * Runs the attempts of attempts.h, each in a worker, one after the other or several at once. Where algorithms are measured, what one attempt
 * finds says little about what another will: all get a little time first, then those for which it was not enough get more,
 * from the beginning, and then the rest of the time is divided among those that are left, and what that leaves is spent on
 * those that need the least. Since an attempt that is begun again repeats its work, it must get more time than it had:
 * otherwise it is left for later, so that on a slow computer time is not lost on many that cannot end. Texts of algorithms
 * that are beaten are neither sent nor kept, and the others are read at the end.
 */

#include "synth/methods/constructions.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/machine/network_same.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "core/verify/verify.h"
#include "synth/methods/construction_run.h"
#include "synth/problem/problem.h"
#include "synth/timed/list_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds for attempts: what is left, less what reading the algorithms that are kept takes. */
static double seconds_left(const struct construction_run *r)
{
	return fmax(0, stop_left() - kept_seconds(&r->kept));
}

/*
 * Seconds: one of LEFT shares of the time that is left, of all that run at once, some times that for quick attempts, most of
 * which leave theirs to the others. On a large machine that may be too little for any of them, so that it is better to try fewer.
 */
static double share(const struct construction_run *r, const struct attempt *a, size_t left)
{
	static const double least = 0.01; /* 0 would be no limit */
	static const double of_others[] = {2, 1}, of_cheap[][2] = {[TURN_SHORT] = {3, 6}, [TURN_LONGER] = {3, 5}}; /* [slow] */
	bool cheap = a->cheap && (r->turn == TURN_SHORT || r->turn == TURN_LONGER);
	double times = left == 1 ? 1 : cheap ? of_cheap[r->turn][a->slow] : of_others[a->slow];
	double all = seconds_left(r), equal = times * all * (double)construction_at_once(r) / (double)left;
	double own = r->turn == TURN_OTHERS || (cheap && r->turn == TURN_LONGER) ? fmax(equal, a->part * all) : equal;

	return fmax(least, fmin(fmax(own, r->least_share), all));
}

static bool is_in_turn(const struct construction_run *r, size_t at)
{
	bool first = construction_is_first(r, &r->all[at]), begins = first && !r->all[at].ascends;

	if (r->turn == TURN_FIRST || (r->turn == TURN_SHORT && r->all[at].ascends))
		return r->turn == TURN_FIRST && begins;
	return !r->ends[at].ended && (r->turn == TURN_LAST ? first : !begins);
}

/* Which attempts belong to r->turn: fills WHICH, and returns their number. */
static size_t in_turn(const struct construction_run *r, size_t *which)
{
	size_t found = 0;

	for (size_t i = 0; i < r->n_attempts; i++) {
		size_t at = r->turn == TURN_FIRST ? r->n_attempts - 1 - i : i; /* the last have few chunks, and give something soon */
		if (is_in_turn(r, at))
			which[found++] = at;
	}
	return found;
}

/* The most seconds that an attempt had in vain: it, or where its method has found nothing yet, any attempt of that method. */
static double seconds_had(const struct construction_run *r, size_t at)
{
	const struct method *m = r->all[at].method;
	double own = r->ends[at].seconds, all = own;

	for (size_t i = 0; m && i < r->n_attempts; i++) {
		if (r->all[i].method == m && r->ends[i].has_found)
			return own;
		if (r->all[i].method == m)
			all = fmax(all, r->ends[i].seconds);
	}
	return all;
}

static const double more = 1.5; /* times as much as it has had is worth another attempt */

/* Into how many shares the time that is left is divided for each attempt of a turn; 0: into as many as there are attempts. */
static const size_t shares_of[] = {[TURN_FIRST] = 20, [TURN_SHORT] = 60, [TURN_LONGER] = 15, [TURN_OTHERS] = 0, [TURN_LAST] = 0};

/* The same for an attempt of r->turn with which LEFT are left. */
static size_t shares(const struct construction_run *r, size_t left)
{
	return shares_of[r->turn] && !r->options->only_first ? shares_of[r->turn] : left;
}

/* Begins an attempt for so many seconds, or leaves it for later. */
static bool begin_for(struct construction_run *r, size_t at, double seconds, struct error *e)
{
	if (seconds_left(r) > 0 && seconds >= more * seconds_had(r, at))
		return construction_begin(r, at, seconds, e);
	construction_note_late(r, at, r->ends[at].seconds > 0 ? "its share of the time ran out" : "not tried for lack of time");
	return true;
}

/* Waits until another one may begin. */
static bool wait_for_room(struct construction_run *r, struct error *e)
{
	return construction_wait(r, construction_at_once(r), e);
}

static bool run_attempts(struct construction_run *r, enum construction_turn turn, struct error *e)
{
	size_t *which = new_array(size_t, r->n_attempts);
	bool ok = true;

	r->turn = turn;
	size_t n = in_turn(r, which);
	for (size_t i = 0; i < n && (ok = wait_for_room(r, e)) && !construction_is_needless(r, &r->all[which[i]]); i++)
		ok = begin_for(r, which[i], share(r, &r->all[which[i]], shares(r, n - i)), e);
	free(which);
	return ok && construction_wait(r, 1, e);
}

/* The attempt that is late and had the least time, of those for which there is more than that; n_attempts: there is none. */
static size_t least_late(const struct construction_run *r)
{
	size_t least = r->n_attempts;

	for (size_t i = 0; i < r->n_attempts; i++)
		if (!r->ends[i].ended && more * seconds_had(r, i) < seconds_left(r) &&
		    (least == r->n_attempts || seconds_had(r, i) < seconds_had(r, least)))
			least = i;
	return least;
}

/* The same, once there is room for it; those that run may be late, too. */
static size_t next_late(struct construction_run *r, bool *ok, struct error *e)
{
	size_t at = r->n_attempts;

	*ok = wait_for_room(r, e);
	while (*ok && (at = least_late(r)) == r->n_attempts && construction_running(r))
		*ok = construction_wait(r, construction_running(r), e);
	return *ok ? at : r->n_attempts;
}

/* What is left of the time goes to those that were late, twice as much to each as it had. */
static bool run_again(struct construction_run *r, struct error *e)
{
	static const double times = 2;
	bool ok = true;

	r->turn = TURN_AGAIN;
	for (size_t at; ok && (at = next_late(r, &ok, e)) < r->n_attempts && !construction_is_needless(r, &r->all[at]);)
		ok = begin_for(r, at, fmin(seconds_left(r), fmax(share(r, &r->all[at], shares_of[TURN_SHORT]), times * seconds_had(r, at))), e);
	return ok && construction_wait(r, 1, e);
}

/* Not where more time could gain nothing, unless it is for comparison. */
static void report_late(struct construction_run *r)
{
	for (size_t i = 0; i < r->n_attempts; i++)
		if (!r->ends[i].ended && r->ends[i].why && (construction_is_first(r, &r->all[i]) || !construction_is_needless(r, &r->all[i]))) {
			r->n_late++;
			construction_report(r, (struct construction_try){.method = r->all[i].name, .state = CONSTRUCTION_LATE, .why = r->ends[i].why});
		}
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

/* Takes at most 1/PARTS of the time that is left. */
static bool find_half(const struct construction_run *r, enum collective_kind kind, int parts, struct constructions *out, struct error *e)
{
	const struct collective k = {.kind = kind};
	const struct topology *t = r->subject.topology;
	struct constructions_options o = *r->options;
	struct construction_measure m;
	struct timed_question timed;
	double before = stop_within(stop_left() / parts);

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

/*
 * Do the reducescatters that are allgathers run backwards (SCCL, section 3.5) serve as well as others? Where the network is equal to its
 * reverse, which that of a reversed topology need not be, since routes are chosen in order; and where they are as fast.
 */
static bool has_mirrored_halves(const struct construction_run *r)
{
	const struct construction_measure *m = r->options->measure;
	const struct topology *t = r->subject.topology;

	if (topology_has_abilities(t) || (m && !m->same_backwards))
		return false;
	struct error unused = {0};
	struct network *w = network_new(t, &unused), *reverse = w ? network_reversed(w) : NULL; /* a composed problem has none */
	bool same = reverse && network_same(w, reverse, NULL);
	network_free(reverse);
	network_free(w);
	if (same && m) {
		struct topology *back = topology_reversed(t);
		same = topology_same_machine(t, back);
		topology_free(back);
	}
	return same;
}

/* Runs the allgathers backwards as reducescatters; leaves out what does not verify then. */
static void mirror(const struct construction_run *r, const struct constructions *gathered, struct constructions *out)
{
	static const struct collective reducescatter = {.kind = REDUCESCATTER};
	size_t values = r->kept.n_values;

	*out = (struct constructions){.of = new_array(struct algorithm *, gathered->n), .values = new_array(double, values * gathered->n)};
	for (size_t i = 0; i < gathered->n && !stop_is_due(); i++) {
		struct error unused = {0};
		struct algorithm *a = algorithm_inverted(gathered->of[i], r->subject.topology, &reducescatter, &unused);
		if (!a || algorithm_verify(a).fault != FAULT_NONE) {
			algorithm_free(a);
			continue;
		}
		if (values)
			memcpy(out->values + out->n * values, gathered->values + i * values, values * sizeof *out->values);
		out->of[out->n++] = a;
	}
}

static bool find_halves(const struct construction_run *r, struct constructions of[2], struct error *e)
{
	if (!has_mirrored_halves(r))
		return find_half(r, REDUCESCATTER, 3, &of[0], e) && find_half(r, ALLGATHER, 3, &of[1], e);
	if (!find_half(r, ALLGATHER, 2, &of[1], e))
		return false;
	mirror(r, &of[1], &of[0]);
	return true;
}

static bool run_on_halves(struct construction_run *r, struct error *e)
{
	struct constructions of[2] = {{0}, {0}};
	bool ok = find_halves(r, of, e);

	for (int i = 0; i < 2; i++) {
		r->subject.halves[i] = (struct attempt_halves){of[i].n, of[i].of, of[i].values};
		r->n_late += of[i].n_late;
	}
	ok = ok && run_others(r, e);
	for (int i = 0; i < 2; i++)
		constructions_free(&of[i]);
	return ok;
}

static bool run_rest(struct construction_run *r, struct error *e)
{
	bool is_pair = r->subject.collective->kind == ALLREDUCE;

	return (is_pair ? run_on_halves(r, e) : run_others(r, e)) && run_attempts(r, TURN_LAST, e) &&
	       (!r->options->measure || run_again(r, e));
}

static struct construction_run run_new(const struct constructions_options *o, const struct attempt_subject *s)
{
	struct construction_run r = {.options = o, .subject = *s, .kept.n_values = o->measure ? o->measure->n : 0};

	r.all = attempts_for(s, &r.n_attempts);
	r.ends = new_array(struct attempt_end, r.n_attempts);
	return r;
}

static void run_free(struct construction_run *r)
{
	kept_free(&r->kept);
	free(r->all);
	free(r->ends);
	free(r->in_flight);
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
	struct construction_run r = run_new(o, &subject);
	r.least_share = o->opened ? o->least_share : times * (clock_seconds() - start);
	bool ok = run_attempts(&r, TURN_FIRST, e) && (o->only_first || run_rest(&r, e));
	report_late(&r);
	ok = ok && read_kept(&r, out, e);
	run_free(&r);
	if (!o->opened)
		problem_close(&p);
	return ok;
}

struct algorithm *constructions_meet(const struct problem *p, struct candidate c, size_t memory, struct error *e)
{
	static const struct constructions_options quietly = {0};
	struct attempt_subject subject = {.topology = p->topology, .collective = &p->collective, .problem = p, .exactly = c};
	struct construction_run r = run_new(&quietly, &subject);
	r.memory = memory;
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
