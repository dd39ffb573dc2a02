/*
 * Collects what the sources find. Of algorithms that are equally fast at a size, the first construction is kept, in
 * preference to those of a frontier, so that the result does not depend on which source is quicker.
 */

#include "explore/best/best.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "explore/best/sources.h"
#include "simulate/fabric.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const double rounding = 1e-9; /* times that differ by less are equal */
static const char *const source_names[ALL_SOURCES] = {
	[SOURCE_CONSTRUCTIONS] = "all constructions", [SOURCE_FRONTIER] = "the search for a frontier", [SOURCE_CLASSIC] = "a classic algorithm"};

/* A study in progress. */
struct collecting {
	const struct best_question *question;
	struct best_study *best;
	enum source *from;   /* [entry]: where it comes from; owned */
	size_t capacity, from_capacity;
	double *floor;       /* [size]: 0: not known; owned */
	double start;        /* clock_seconds */
	bool died[ALL_SOURCES], ended[ALL_SOURCES];
	struct error why[ALL_SOURCES];
};

static double seconds_left(const struct collecting *c)
{
	return fmax(0, c->question->within - (clock_seconds() - c->start));
}

static bool is_interrupted(const struct collecting *c)
{
	return c->question->interrupted && *c->question->interrupted;
}

/* ---- entries ---- */

double best_time(const struct best_study *b, size_t s)
{
	return b->fastest[s] < 0 ? INFINITY : b->entries[b->fastest[s]].microseconds[s];
}

/* Is an algorithm of this source, with this time at size S, to be preferred there? */
static bool is_preferred(const struct collecting *c, enum source source, double microseconds, size_t s)
{
	const struct best_study *b = c->best;
	double has = best_time(b, s);

	if (microseconds < has * (1 - rounding) || b->fastest[s] < 0)
		return true;
	return microseconds <= has * (1 + rounding) && source < c->from[b->fastest[s]];
}

static void entry_free(struct best_entry *e)
{
	free(e->name);
	free(e->method);
	free(e->microseconds);
	text_free(&e->text);
}

/* Drops the entries that are not the fastest for any size any more. */
static void drop_slower(struct collecting *c)
{
	struct best_study *b = c->best;
	int *now = new_array(int, b->n);
	size_t left = 0;

	for (size_t i = 0; i < b->n; i++) {
		bool needed = false;
		for (size_t s = 0; s < b->n_sizes; s++)
			needed = needed || b->fastest[s] == (int)i;
		if (!needed) {
			entry_free(&b->entries[i]);
			continue;
		}
		now[i] = (int)left;
		c->from[left] = c->from[i];
		b->entries[left++] = b->entries[i];
	}
	b->n = left;
	for (size_t s = 0; s < b->n_sizes; s++)
		b->fastest[s] = b->fastest[s] < 0 ? -1 : now[b->fastest[s]];
	free(now);
}

/* The name that such an algorithm has in its file. */
static char *name_of(const struct best_question *q, const char *method, struct candidate cost)
{
	struct step *steps = new_array(struct step, (size_t)cost.steps);

	if (cost.steps)
		steps[0].rounds = cost.rounds;
	struct algorithm *a = algorithm_new(q->topology, q->collective, cost.chunks, (size_t)cost.steps, steps, method);
	char *name = copy_string(a->name);
	algorithm_free(a);
	return name;
}

static void take_entry(struct collecting *c, enum source source, const struct source_news *n)
{
	const struct best_question *q = c->question;
	struct best_study *b = c->best;
	struct best_news news = {.n_simulated = b->n_simulated, .seconds_left = seconds_left(c)};
	bool any = false;

	for (size_t s = 0; s < b->n_sizes && n->text.length; s++)
		if (is_preferred(c, source, n->numbers[s], s)) {
			b->fastest[s] = (int)b->n;
			news.from = any ? news.from : q->sizes[s];
			news.to = q->sizes[s];
			any = true;
		}
	if (!any)
		return;
	b->entries = grown(b->entries, &c->capacity, b->n + 1, sizeof *b->entries);
	c->from = grown(c->from, &c->from_capacity, b->n + 1, sizeof *c->from);
	c->from[b->n] = source;
	struct best_entry *e = &b->entries[b->n++];
	*e = (struct best_entry){name_of(q, n->name, n->cost), copy_string(n->name), n->cost,
				 copy_bytes(n->numbers, b->n_sizes * sizeof(double)), {0}};
	text_add_bytes(&e->text, n->text.bytes, n->text.length);
	news.is_new = e;
	if (q->progress)
		q->progress(q->context, &news);
	drop_slower(c);
}

static void take_baseline(struct best_study *b, const struct source_news *n)
{
	for (int i = 0; i < BEST_BASELINES; i++)
		for (size_t s = 0; s < b->n_sizes && strcmp(n->name, best_baseline_names[i]) == 0; s++)
			b->baselines[i][s] = fmin(b->baselines[i][s], n->numbers[s]);
}

/* Adds a name unless it is there already. */
static void add_late(struct best_study *b, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = b->late.bytes; at && *at; at += strcspn(at, ",")) {
		at += strspn(at, ", ");
		if (strcspn(at, ",") == n && strncmp(at, name, n) == 0)
			return;
	}
	text_add(&b->late, "%s%s", b->late.length ? ", " : "", name);
}

static void take_late(struct best_study *b, const char *name)
{
	add_late(b, name);
	for (int i = 0; i < BEST_BASELINES; i++)
		b->is_late[i] = b->is_late[i] || strcmp(name, best_baseline_names[i]) == 0;
}

/* ---- records ---- */

static void take(struct collecting *c, enum source source, const struct source_news *n)
{
	struct best_study *b = c->best;
	const struct best_question *q = c->question;
	struct best_news news = {.doing = n->name, .n_simulated = b->n_simulated, .seconds_left = seconds_left(c)};

	if (n->what == SOURCE_BEGINS && q->progress)
		q->progress(q->context, &news);
	else if (n->what == SOURCE_BOUND) {
		memcpy(b->bound, n->numbers, b->n_sizes * sizeof *b->bound);
		memcpy(c->floor, n->numbers + b->n_sizes, b->n_sizes * sizeof *c->floor);
		text_free(&b->certificate);
		text_add_bytes(&b->certificate, n->text.bytes, n->text.length);
	} else if (n->what == SOURCE_FOUND) {
		b->n_simulated++;
		take_baseline(b, n);
		take_entry(c, source, n);
	} else if (n->what == SOURCE_LATE)
		take_late(b, n->name);
	else if (n->what == SOURCE_ENDS) {
		memcpy(&c->why[source], n->text.bytes, sizeof c->why[source]);
		c->ended[source] = true;
	}
}

static void take_all(struct collecting *c, enum source source, const struct worker *p, size_t *at)
{
	struct source_news n;

	while (source_next(p, at, &n)) {
		take(c, source, &n);
		source_news_free(&n);
	}
}

/* A source that did not say that it has ended, and was not stopped for lack of time, has died. */
static void take_end(struct collecting *c, enum source source, struct worker *p)
{
	struct process_end end = process_finish(p);
	struct best_study *b = c->best;

	text_free(&p->bytes);
	c->died[source] = !p->late && !c->ended[source];
	if (c->died[source])
		text_add(&b->died, "%s%s died: %s", b->died.length ? "; " : "", source_names[source],
			 WIFSIGNALED(end.status) ? strsignal(WTERMSIG(end.status)) :
			 WEXITSTATUS(end.status) == MEMORY_STATUS ? "out of memory" : "its results are incomplete");
}

/* Is there a construction for each size that is as fast as any algorithm can be? Then no point of a frontier is preferred. */
static bool is_settled(const struct collecting *c)
{
	const struct best_study *b = c->best;

	for (size_t s = 0; s < b->n_sizes; s++)
		if (b->fastest[s] < 0 || c->from[b->fastest[s]] != SOURCE_CONSTRUCTIONS ||
		    best_time(b, s) > c->floor[s] * (1 + rounding))
			return false;
	return true;
}

/* Each source has a processor, and what is left of them, or by a source that has ended, goes to constructions. */
static int constructions_at_once(size_t n_sources)
{
	enum { MOST = 8 }; /* each may take much memory */
	int left = process_processors() - (int)n_sources + 1;

	return left < 1 ? 1 : left > MOST ? MOST : left;
}

/* Runs the sources at the same time until all have ended, the time is over, or the user interrupts them. */
static bool run_sources(struct collecting *c, volatile int *at_once, struct error *e)
{
	enum { MILLISECONDS = 200 }; /* between looks at what was sent */
	struct worker of[SOURCES], *running[SOURCES];
	size_t at[SOURCES] = {0}, n = 0;
	int which[SOURCES];
	bool ok = true;

	*at_once = constructions_at_once(SOURCES);
	for (int i = 0; i < SOURCES && ok; i++) {
		ok = source_start(&of[i], c->question, (enum source)i, at_once, e);
		which[n] = i;
		running[n] = &of[i];
		n += ok;
	}
	while (ok && n && !is_interrupted(c) && !(c->ended[SOURCE_CONSTRUCTIONS] && is_settled(c))) {
		int done = process_wait(running, n, MILLISECONDS);
		for (size_t i = 0; i < n; i++)
			take_all(c, (enum source)which[i], running[i], &at[which[i]]);
		if (done < 0)
			continue;
		take_end(c, (enum source)which[done], running[done]);
		n--;
		running[done] = running[n];
		which[done] = which[n];
		*at_once = constructions_at_once(n);
	}
	for (size_t i = 0; i < n; i++)
		process_kill(running[i]);
	return ok;
}

static bool collect(struct collecting *c, struct error *e)
{
	volatile int *at_once = process_share(e);
	bool ok = at_once && run_sources(c, at_once, e);

	process_unshare(at_once);
	return ok;
}

/* ---- the study ---- */

/* Could a source find more in more time? */
static bool is_cut_off(const struct collecting *c, enum source source)
{
	return !c->ended[source] || c->why[source].kind == ERROR_LIMIT;
}

/* Could more time find more? */
static bool is_unfinished(const struct collecting *c)
{
	bool is = c->best->late.length;

	for (int i = 0; i < SOURCES; i++)
		is = is || is_cut_off(c, (enum source)i);
	return is;
}

/* Sources that were cut off, but did not die, are late, too, unless nothing could be better than what was found. */
static void add_late_sources(const struct collecting *c)
{
	for (int i = 0; i < SOURCES; i++)
		if (is_cut_off(c, (enum source)i) && !c->died[i] && !is_settled(c))
			add_late(c->best, source_names[i]);
}

/* Was nothing found for lack of time? */
static bool has_nothing_yet(const struct collecting *c)
{
	return !c->best->n && !is_interrupted(c) && c->why[SOURCE_CONSTRUCTIONS].kind != ERROR_INPUT && is_unfinished(c);
}

/* Builds one classic algorithm, beyond the time that was given, so that there is an answer. */
static bool add_classic(struct collecting *c, struct error *e)
{
	static const double seconds = 0.8; /* the command is to end within a second after its time */
	struct best_question q = *c->question;
	struct worker p, *running[] = {&p};
	size_t at = 0;

	q.within = seconds;
	double deadline = stop_within(INFINITY); /* the worker inherits it */
	stop_restore(INFINITY);
	bool ok = source_start(&p, &q, SOURCE_CLASSIC, NULL, e);
	stop_restore(deadline);
	if (!ok)
		return false;
	int done = -1;
	while (done < 0 && !is_interrupted(c))
		done = process_wait(running, 1, -1);
	if (done < 0) {
		process_kill(&p);
		return true;
	}
	take_all(c, SOURCE_CLASSIC, &p, &at);
	take_end(c, SOURCE_CLASSIC, &p);
	return true;
}

/* Why there is no result. */
static bool state_nothing(const struct collecting *c, struct error *e)
{
	const struct best_question *q = c->question;
	const struct error *why = &c->why[SOURCE_CONSTRUCTIONS];

	if (is_interrupted(c))
		return error_set(e, ERROR_SYSTEM, "best", "interrupted");
	if (c->ended[SOURCE_CONSTRUCTIONS] && why->kind == ERROR_INPUT)
		*e = *why;
	else if (c->best->died.length)
		error_set(e, ERROR_LIMIT, q->topology->name, "gave up: %s", c->best->died.bytes);
	else if (is_unfinished(c))
		error_set(e, ERROR_LIMIT, q->topology->name, "gave up: nothing was found in time");
	else
		error_set(e, ERROR_INPUT, q->topology->name, "no method has an algorithm for %s that can be simulated",
			  collective_called(q->collective));
	return false;
}

/* Sorts the entries by the smallest size for which they are the fastest. */
static void sort_entries(struct best_study *b)
{
	struct best_entry *sorted = new_array(struct best_entry, b->n);
	int *now = new_array(int, b->n), n = 0;

	for (size_t i = 0; i < b->n; i++)
		now[i] = -1;
	for (size_t s = 0; s < b->n_sizes; s++) {
		int i = b->fastest[s];
		if (i < 0)
			continue;
		if (now[i] < 0) {
			sorted[n] = b->entries[i];
			now[i] = n++;
		}
		b->fastest[s] = now[i];
	}
	free(b->entries);
	free(now);
	b->entries = sorted;
}

/* Two algorithms of one method and cost have the same name: the second gets a name of its own, in its file too. */
static bool rename_entry(struct best_entry *x, int number, struct error *e)
{
	struct json_document *d = json_document_parse(x->text.bytes, x->name, e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;
	struct text method = {0};

	json_document_close(d);
	if (!a)
		return false;
	text_add(&method, "%s-%d", a->method, number);
	free(a->method);
	a->method = text_take(&method);
	algorithm_rename(a);
	free(x->name);
	x->name = copy_string(a->name);
	text_free(&x->text);
	algorithm_write(a, &x->text);
	algorithm_free(a);
	return true;
}

static bool make_names_unique(struct best_study *b, struct error *e)
{
	for (size_t i = 0; i < b->n; i++) {
		int same = 1;
		for (size_t k = 0; k < i; k++)
			same += strcmp(b->entries[k].method, b->entries[i].method) == 0 &&
				memcmp(&b->entries[k].cost, &b->entries[i].cost, sizeof b->entries[i].cost) == 0;
		if (same > 1 && !rename_entry(&b->entries[i], same, e))
			return false;
	}
	return true;
}

static struct best_study best_new(size_t n_sizes)
{
	struct best_study b = {.n_sizes = n_sizes, .fastest = new_array(int, n_sizes), .bound = new_array(double, n_sizes)};

	for (int i = 0; i < BEST_BASELINES; i++)
		b.baselines[i] = new_array(double, n_sizes);
	for (size_t s = 0; s < n_sizes; s++) {
		b.fastest[s] = -1;
		for (int i = 0; i < BEST_BASELINES; i++)
			b.baselines[i][s] = INFINITY;
	}
	return b;
}

/* Are the latencies and rates of all links known, and can the machine be simulated as asked? */
static bool has_speeds(const struct best_question *q, struct error *e)
{
	const struct speeds speeds = {.alpha = q->how.alpha, .beta = q->how.beta};
	struct fabric f;
	bool ok = fabric_open(q->topology, &speeds, &f, e) && simulation_serves(&q->how, q->topology, e);

	fabric_close(&f);
	return ok;
}

bool best_check(const struct best_study *b, const int64_t *sizes, struct error *e)
{
	for (size_t s = 0; s < b->n_sizes; s++)
		if (best_time(b, s) < b->bound[s] * (1 - rounding))
			return error_set(e, ERROR_SYSTEM, b->entries[b->fastest[s]].name,
					 "internal error: takes %.9g us for %" PRId64 " bytes, less than the bound of %.9g us",
					 best_time(b, s), sizes[s], b->bound[s]);
	return true;
}

bool best_find(const struct best_question *q, struct best_study *out, struct error *e)
{
	if (!has_speeds(q, e))
		return false;
	*out = best_new(q->n_sizes);
	struct collecting c = {.question = q, .best = out, .floor = new_array(double, q->n_sizes), .start = clock_seconds()};
	bool ok = collect(&c, e) && (!has_nothing_yet(&c) || add_classic(&c, e));
	out->is_interrupted = is_interrupted(&c);
	add_late_sources(&c);
	for (int i = 0; i < ALL_SOURCES && ok; i++)
		if (c.why[i].kind == ERROR_SYSTEM) {
			*e = c.why[i];
			ok = false;
		}
	ok = ok && (out->n || state_nothing(&c, e));
	if (ok) {
		sort_entries(out);
		ok = make_names_unique(out, e) && best_check(out, q->sizes, e);
	}
	free(c.from);
	free(c.floor);
	if (!ok)
		best_free(out);
	return ok;
}

void best_free(struct best_study *b)
{
	for (size_t i = 0; i < b->n; i++)
		entry_free(&b->entries[i]);
	for (int i = 0; i < BEST_BASELINES; i++)
		free(b->baselines[i]);
	free(b->entries);
	free(b->fastest);
	free(b->bound);
	text_free(&b->certificate);
	text_free(&b->late);
	text_free(&b->died);
	*b = (struct best_study){0};
}
