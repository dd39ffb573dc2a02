/*
 * The worker of each source. Every algorithm is simulated for all sizes in the process that made it. The claims of catalog points
 * that need a proof are dropped: they do not matter here, and checking the proofs takes longer than everything else.
 */

#include "explore/best/sources.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/bounds/bounds.h"
#include "core/machine/topology.h"
#include "explore/frontiers.h"
#include "simulate/time_bound.h"
#include "synth/methods/constructions.h"
#include "synth/timed/list_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NCCL's; they are constructed first. */
const char *const best_baseline_names[BEST_BASELINES + 1] = {[BEST_RING] = "ring", [BEST_TREES] = "double-binary-tree"};

/* A source that runs. */
struct source_work {
	const struct best_question *question;
	enum source source;
	const volatile int *at_once; /* constructions; may be NULL */
	int file;
	double *bound, *floor; /* [size]; owned */
	struct candidate *sent; /* of the points of a search; owned */
	size_t n_sent, sent_capacity;
	bool bounded; /* were the bounds looked for? */
	struct error why; /* they could not be found */
};

/* What precedes a record's name, numbers and text. */
struct source_head {
	enum source_record what;
	struct candidate cost;
	size_t name, numbers, text;
};

static void send_record(const struct source_work *w, struct source_head head, const char *name, const double *numbers,
			const char *text)
{
	head.name = strlen(name);
	process_send(w->file, &head, sizeof head);
	process_send(w->file, name, head.name);
	process_send(w->file, numbers, head.numbers * sizeof *numbers);
	process_send(w->file, text, head.text);
}

static void send_name(const struct source_work *w, enum source_record what, const char *name)
{
	send_record(w, (struct source_head){.what = what}, name, NULL, NULL);
}

/* ---- chunks ---- */

/* Each node needs a send of each chunk that it must get, and must send each that it adds to another's. */
static int64_t fewest_sends(const struct collective *k, int nodes, int chunks)
{
	const struct collective_row *row = collective_row(k);
	int64_t gets = 0, gives = 0;

	if (k->kind == ALLREDUCE)
		return 2 * (int64_t)chunks * (nodes - 1);
	for (int c = 0; c < row->global_chunks(k, nodes, chunks); c++)
		for (int n = 0; n < nodes; n++) {
			bool before = row->pre(k, nodes, c, n), after = row->post(k, nodes, c, n);
			gets += after && !before;
			gives += before && !after && row->combining;
		}
	return gets > gives ? gets : gives;
}

/* No algorithm with at most so many sends as are taken has a larger C; one unit at least. 0: that is not known. */
static int most_chunks(const struct best_question *q)
{
	static const double looks_most = 1e8;
	const struct collective *k = q->collective;
	int nodes = q->topology->nodes, unit = collective_row(k)->chunks_in_blocks ? nodes : 1;

	if (!q->most_sends || k->kind == CUSTOM || topology_has_abilities(q->topology) ||
	    (double)collective_global_chunks(k, nodes, unit) * nodes > looks_most)
		return 0;
	int64_t sends = fewest_sends(k, nodes, unit);
	if (!sends)
		return 0;
	int64_t times = q->most_sends / sends, most = CHUNKS_MAX / unit;
	times = times < 1 ? 1 : times > most ? most : times;
	return (int)times * unit;
}

/* ---- times ---- */

/* The input of an allgather that is half of an allreduce is one block. */
static double share_of(const struct best_question *q, const struct algorithm *a)
{
	return q->collective->kind == ALLREDUCE && a->collective.kind == ALLGATHER ? 1. / q->topology->nodes : 1;
}

static bool is_too_large(const struct best_question *q, const struct algorithm *a)
{
	int64_t size;

	return q->most_sends && (!algorithm_full_size(a, &size) || size > q->most_sends);
}

/* For struct construction_measure: the times of A. */
static bool measure(const void *context, const struct algorithm *a, double *microseconds)
{
	const struct source_work *w = context;
	const struct best_question *q = w->question;
	struct error e = {0};

	if (is_too_large(q, a))
		return false;
	struct algorithm *full = a->symmetry ? algorithm_copy(a) : NULL;
	struct simulator *s = full && !algorithm_expand(full, &e) ? NULL : simulator_new(full ? full : a, &q->how, &e);

	for (size_t i = 0; s && i < q->n_sizes; i++) {
		struct simulated run;
		simulator_run(s, (double)q->sizes[i] * share_of(q, a), &run);
		microseconds[i] = run.microseconds;
	}
	simulator_free(s);
	algorithm_free(full);
	return s;
}

/*
 * Writes the certificate of the bounds that hold without a buffer, and fills in AT [size]; those with a buffer cannot be
 * certified.
 */
static bool certify(const struct best_question *q, const struct bounds *b, double *at, struct text *into, struct error *e)
{
	static const double part = 0.1; /* of the time that is left, for programs over expanded time */
	const struct speeds speeds = {.alpha = q->how.alpha, .beta = q->how.beta, .step = &q->how.step};
	const struct time_subject of = {q->topology, q->collective, &speeds, b};
	struct time_bound t;

	struct error none = {0};

	if (!time_bound_new(q->topology, q->collective, &speeds, b, &t, e))
		return false;
	double deadline = stop_within(part * stop_left());
	time_bound_expand(&t, &of, q->n_sizes, q->sizes);
	stop_restore(deadline);
	for (size_t i = 0; i < q->n_sizes; i++)
		at[i] = time_bound_at(&t, (double)q->sizes[i]);
	if (!time_bound_write(&t, &of, into, &none)) /* no certificate, but a bound */
		text_free(into);
	time_bound_free(&t);
	return true;
}

/*
 * The lower bound for any schedule, and that for schedules that run as asked: in steps, each step takes at least the least
 * latency, and what crosses a cut takes its time in addition.
 */
static bool find_bound(struct source_work *w, const struct bounds *b, struct error *e)
{
	const struct best_question *q = w->question;
	const struct speeds speeds = {.alpha = q->how.alpha, .beta = q->how.beta, .buffer = (double)q->how.buffer,
				      .packet = (double)(q->how.packet + q->how.head), .step = &q->how.step};
	struct time_bound t;

	struct text certificate = {0};

	if (!time_bound_new(q->topology, q->collective, &speeds, b, &t, e) || !certify(q, b, w->bound, &certificate, e))
		return false;
	for (size_t i = 0; i < q->n_sizes; i++) {
		double bytes = (double)q->sizes[i], beyond = b && b->steps ? (b->steps - 1) * t.least_latency : 0;
		w->bound[i] = w->floor[i] = fmax(w->bound[i], time_bound_at(&t, bytes));
		if (q->how.start == START_STEPS && b)
			w->floor[i] = fmax(w->floor[i], beyond + time_bound_cut(&t, bytes));
	}
	time_bound_free(&t);
	double *both = new_array(double, 2 * q->n_sizes);
	memcpy(both, w->bound, q->n_sizes * sizeof *both);
	memcpy(both + q->n_sizes, w->floor, q->n_sizes * sizeof *both);
	send_record(w, (struct source_head){.what = SOURCE_BOUND, .numbers = 2 * q->n_sizes, .text = certificate.length}, "",
		    both, certificate.bytes);
	text_free(&certificate);
	free(both);
	return true;
}

/* Finds and sends the bounds, or sets w->why. */
static void look_for_bounds(struct source_work *w)
{
	static const double part = 0.5; /* of the time that is left: bounds that are cut off are weaker, but hold */
	struct bounds b;

	w->bounded = true;
	double deadline = stop_within(part * stop_left());
	bool ok = bounds_compute(w->question->topology, w->question->collective, &b, &w->why);
	stop_restore(deadline);
	if (!ok)
		return;
	find_bound(w, &b, &w->why);
	bounds_free(&b);
}

/* ---- constructions ---- */

/*
 * The bounds are found after the first algorithm: on large machines they take longer than it does. The floors that the
 * constructions look at are filled in then.
 */
static void report(void *context, const struct construction_try *what)
{
	struct source_work *w = context;
	struct source_head head = {SOURCE_FOUND, what->cost, 0, w->question->n_sizes, what->text ? what->text->length : 0};

	if (what->state == CONSTRUCTION_BEGINS || what->state == CONSTRUCTION_LATE)
		send_name(w, what->state == CONSTRUCTION_BEGINS ? SOURCE_BEGINS : SOURCE_LATE, what->method);
	else if (what->state == CONSTRUCTION_FOUND && what->kind == w->question->collective->kind)
		send_record(w, head, what->method, what->values, what->text ? what->text->bytes : NULL);
	if (what->state == CONSTRUCTION_FOUND && !w->bounded)
		look_for_bounds(w);
}

static bool construct_with(struct source_work *w, const char *const *first, bool only_first, struct error *e)
{
	const struct best_question *q = w->question;
	const struct timed_question timed = {q->n_sizes, q->sizes, 1, &q->how, w->floor};
	bool in_plain_steps = q->how.start == START_STEPS && q->how.sharing == SHARING_FAIR && q->how.reduce == 0;
	const struct construction_measure m = {.n = q->n_sizes, .of = measure, .context = w, .timed = q->how.start == START_DATAFLOW ? &timed : NULL,
					       .same_backwards = in_plain_steps, .floor = w->floor};
	const struct constructions_options o = {.max_chunks = most_chunks(q), .report = report, .context = w, .measure = &m,
						.first = first, .only_first = only_first, .at_once = w->at_once, .only_reports = true};
	struct constructions none;

	if (!constructions_find(w->question->topology, w->question->collective, &o, &none, e))
		return false;
	constructions_free(&none);
	if (!w->bounded)
		look_for_bounds(w);
	*e = w->why;
	return e->kind == ERROR_NONE;
}

static bool construct(struct source_work *w, struct error *e)
{
	return construct_with(w, best_baseline_names, false, e);
}

/* One of these serves each collective but custom ones; each takes milliseconds on a machine of any usual size. */
static bool construct_classic(struct source_work *w, struct error *e)
{
	static const char *const names[] = {"ring", "direct", "binomial", NULL};

	return construct_with(w, names, true, e);
}

/* ---- frontiers ---- */

/* The points are used whether or not the refutations of better ones are proved. */
static bool without_proofs(const char *path, const struct frontier *f, double timeout, char *line, size_t size)
{
	(void)path, (void)f, (void)timeout;
	snprintf(line, size, "not checked");
	return true;
}

static void doubt(const char *path, const char *why)
{
	(void)path, (void)why;
}

/* Was a point of this cost sent? Of one class no two have the same, and a point of another class is better or a copy. */
static bool was_sent(const struct source_work *w, struct candidate cost)
{
	for (size_t i = 0; i < w->n_sent; i++)
		if (memcmp(&w->sent[i], &cost, sizeof cost) == 0)
			return true;
	return false;
}

static void give_point(struct source_work *w, struct algorithm *a, double *microseconds)
{
	const struct candidate cost = {a->chunks, (int)a->n_steps, algorithm_rounds(a)};
	const struct optimality claims = a->optimality;
	struct text text = {0};

	if (was_sent(w, cost))
		return;
	w->sent = grown(w->sent, &w->sent_capacity, w->n_sent + 1, sizeof *w->sent);
	w->sent[w->n_sent++] = cost;
	if (!measure(w, a, microseconds))
		return;
	if (claims.proof == PROOF_EXHAUSTED || claims.proof == PROOF_PROGRAM)
		a->optimality = (struct optimality){0};
	algorithm_write(a, &text);
	a->optimality = claims;
	send_record(w, (struct source_head){SOURCE_FOUND, cost, 0, w->question->n_sizes, text.length}, a->method, microseconds, text.bytes);
	text_free(&text);
}

/* Sends those points of F that have not been sent. For struct pareto_options: after each point, so that none is lost
 * when the time is over. */
static void give_points(void *context, const struct frontier *f)
{
	struct source_work *w = context;
	double *microseconds = new_array(double, w->question->n_sizes);

	for (size_t i = 0; f && i < f->n_points; i++)
		give_point(w, f->points[i], microseconds);
	free(microseconds);
}

/* For struct frontier_request. */
static void begin_search(void *context, struct pareto_options *search)
{
	static const double part = 0.75; /* of the time, since a search ends a little later */
	const struct source_work *w = context;

	send_name(w, SOURCE_BEGINS, "a search");
	search->chunks_at_most = most_chunks(w->question);
	search->solve.timeout = fmax(0.01, part * stop_left());
}

/* Could more time find more? Then *e is set (ERROR_LIMIT). */
static void state_end(const struct source_work *w, const struct frontier *f, struct error *e)
{
	if (f && (f->ended == ENDED_TIME || f->n_open))
		error_note(e, ERROR_LIMIT, w->question->topology->name, "gave up: the search could not end in time");
}

static bool search(struct source_work *w, struct error *e)
{
	const struct best_question *q = w->question;
	const struct pareto_options o = {.k = WITHOUT_K, .jobs = 1, .solve = {.engine = "auto"}, .found = give_points, .found_context = w,
					 .no_constructions = true};
	const struct frontier_request r = {q->topology, q->collective, &o, without_proofs, doubt, begin_search, w};
	bool from_catalog;

	send_name(w, SOURCE_BEGINS, "the catalog");
	struct frontier *f = frontier_find(&r, &from_catalog, e);
	const struct frontier *composed = f ? f->composed : NULL;
	give_points(w, composed);
	state_end(w, composed, e);
	give_points(w, f);
	state_end(w, f, e);
	frontier_free(f);
	return f;
}

/* ---- the worker, and its reader ---- */

static int work(const void *what, int file)
{
	static bool (*const sources[ALL_SOURCES])(struct source_work *w, struct error *e) = {
		[SOURCE_CONSTRUCTIONS] = construct, [SOURCE_FRONTIER] = search, [SOURCE_CLASSIC] = construct_classic};
	static const double early = 0.95; /* of the time: what is found must be sent before the parent ends this */
	struct source_work w = *(const struct source_work *)what;
	struct error e = {0};

	w.file = file;
	w.bound = new_array(double, w.question->n_sizes);
	w.floor = new_array(double, w.question->n_sizes);
	stop_within(early * w.question->within);
	sources[w.source](&w, &e);
	send_record(&w, (struct source_head){.what = SOURCE_ENDS, .text = sizeof e}, "", NULL, (const char *)&e);
	free(w.bound);
	free(w.floor);
	free(w.sent);
	return 0;
}

bool source_start(struct worker *p, const struct best_question *q, enum source source, const volatile int *at_once, struct error *e)
{
	static const double least = 1e-3; /* 0 would be no limit */
	const struct source_work w = {.question = q, .source = source, .at_once = at_once};

	return process_start(p, work, &w, (struct process_limits){.seconds = fmax(least, q->within)}, e);
}

bool source_next(const struct worker *p, size_t *at, struct source_news *out)
{
	struct source_head head;
	struct text name = {0};
	const char *bytes = p->bytes.bytes + *at;
	size_t left = p->bytes.length - *at;

	if (left < sizeof head)
		return false;
	memcpy(&head, bytes, sizeof head);
	size_t numbers = head.numbers * sizeof *out->numbers, length = sizeof head + head.name + numbers + head.text;
	if (left < length)
		return false;
	bytes += sizeof head;
	text_add_bytes(&name, bytes, head.name);
	*out = (struct source_news){head.what, head.cost, text_take(&name), copy_bytes(bytes + head.name, numbers),
				    {.bytes = p->bytes.bytes + *at + sizeof head + head.name + numbers, .length = head.text}};
	*at += length;
	return true;
}

void source_news_free(struct source_news *n)
{
	free(n->name);
	free(n->numbers);
}
