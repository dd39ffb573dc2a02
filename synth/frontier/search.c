/*
 * Algorithm 1 of the SCCL paper: S from the step bound up, R - S <= k. For each S the bounds refute what they can; then
 * the solver pool is asked, for each R, whether the least C that improves on the best R/C so far exists, until no
 * candidate of this S can improve. Each answer that makes running questions superfluous cancels them, and is appended
 * to the journal.
 */

#include "synth/frontier/search.h"

#include "core/schedule/algorithm_parts.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "synth/frontier/keep_point.h"
#include "synth/frontier/journal.h"
#include "synth/frontier/solver_pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct frontier_search {
	const struct problem *problem;
	const struct pareto_options *options;
	struct answers *known;
	struct journal *journal; /* NULL: none */
	struct solver_pool *pool;
	struct frontier *frontier;
	double start; /* clock_seconds */
	int last; /* the last step count to search */
	/* For the current step count: */
	int steps;
	struct candidate best; /* chunks 0: none yet */
	const struct algorithm *foreign_best; /* the best, if it is another class's point; NULL: it was found by this search */
	size_t n_best_steps;
	struct step *best_steps;
};

static void report(const struct frontier_search *w)
{
	if (!w->options->progress)
		return;
	struct pareto_news news = {
		.steps = w->steps,
		.n_points = w->frontier->n_points,
		.best = w->best,
		.n_refuted = w->known->n_refuted,
		.n_open = w->known->n_open,
		.seconds = clock_seconds() - w->start,
	};
	news.n_running = solver_pool_running(w->pool, &news.running);
	w->options->progress(w->options->context, &news);
}

/* The R/C that a new point must beat: the best of this step count so far, else the last point's; not a number: none
 * yet. */
static struct rational to_beat(const struct frontier_search *w)
{
	return w->best.chunks ? candidate_bandwidth(w->best) : frontier_best(w->frontier, w->steps);
}

static bool improves(const struct frontier_search *w, struct candidate c)
{
	struct rational than = to_beat(w);
	if (!rational_ok(than) || rational_compare(candidate_bandwidth(c), than) < 0)
		return true;
	/* Among equal ratios the fewest chunks are wanted. */
	return w->best.chunks && c.chunks < w->best.chunks &&
	       rational_compare(candidate_bandwidth(c), than) == 0;
}

static bool is_idle(void *context, struct candidate c)
{
	const struct frontier_search *w = context;
	return !improves(w, c) || answers_refuted(w->known, c);
}

static bool is_running(const struct frontier_search *w, int rounds)
{
	const struct candidate *running;
	size_t n = solver_pool_running(w->pool, &running);
	for (size_t i = 0; i < n; i++)
		if (running[i].rounds == rounds)
			return true;
	return false;
}

static bool is_undecided(const struct frontier_search *w, struct candidate c)
{
	return !answers_refuted(w->known, c) && !answers_open(w->known, c) && !is_running(w, c.rounds);
}

/*
 * For each R the least C that improves: if that is refuted, so is every larger one. A step count thus costs one
 * question for each improvement, and at most one refutation for each R.
 */
static bool next_improvement(const struct frontier_search *w, struct candidate *out)
{
	for (int r = w->steps; r <= w->steps + w->options->k; r++) {
		struct candidate c = {frontier_least_chunks(w->frontier, r, to_beat(w)), w->steps, r};
		if (c.chunks && is_undecided(w, c)) {
			*out = c;
			return true;
		}
	}
	return false;
}

/* The least ratio is known: can fewer chunks attain it? Asks what the order of the answers skipped, so that the
 * result does not depend on that order. */
static bool next_smaller(const struct frontier_search *w, struct candidate *out)
{
	if (!w->best.chunks)
		return false;
	struct rational ratio = candidate_bandwidth(w->best);
	for (int m = 1; m * ratio.den < w->best.chunks; m++) {
		struct candidate c = {(int)(m * ratio.den), w->steps, (int)(m * ratio.num)};
		if (c.rounds >= c.steps && c.chunks % w->problem->unit == 0 && is_undecided(w, c)) {
			*out = c;
			return true;
		}
	}
	return false;
}

static void take_found(struct frontier_search *w, struct candidate c, struct step *steps, size_t n_steps)
{
	if (!improves(w, c)) {
		steps_free(steps, n_steps);
		return;
	}
	steps_free(w->best_steps, w->n_best_steps);
	w->foreign_best = NULL;
	w->best = c;
	w->best.rounds = 0; /* with a pipeline it may take fewer rounds than were asked for */
	for (size_t s = 0; s < n_steps; s++)
		w->best.rounds += steps[s].rounds;
	w->best_steps = steps;
	w->n_best_steps = n_steps;
}

/* Half of the time that is left, or an even share of it if that is more: among the undecided questions of this step
 * count and all of the later ones. Most questions are answered at once, and the few hard ones need more than the rest. */
static double time_for_one(const struct frontier_search *w)
{
	int k = w->options->k, questions = (w->last - w->steps) * (k + 1);
	double left = stop_left();

	for (int r = w->steps; r <= w->steps + k; r++) {
		struct candidate c = {frontier_least_chunks(w->frontier, r, to_beat(w)), w->steps, r};
		questions += c.chunks && is_undecided(w, c);
	}
	double even = left * (double)solver_pool_size(w->pool) / (questions > 0 ? questions : 1);

	return fmin(left, fmax(even, left / 2));
}

/* The journal's entry for a candidate, with its algorithm verified like a solver's. NULL: none that can be trusted. */
static const struct journal_entry *known_answer(const struct frontier_search *w, struct candidate c)
{
	for (;;) {
		struct journal_entry *entry = w->journal ? journal_find(w->journal, c) : NULL;
		struct error e = {0};
		if (!entry || !entry->found || problem_check_steps(w->problem, c, entry->steps, entry->n_steps, &e))
			return entry;
		journal_doubt(w->journal, entry, e.what);
	}
}

/* Takes the answer from the journal if it is there, else asks a solver. */
static bool ask(struct frontier_search *w, struct candidate c, struct error *e)
{
	const struct journal_entry *entry = known_answer(w, c);
	if (!entry && stop_left() <= 0) {
		answers_give_up(w->known, c);
		return true;
	}
	if (!entry)
		return solver_pool_ask(w->pool, c, time_for_one(w), e);
	if (entry->found)
		take_found(w, c, steps_copy(entry->steps, entry->n_steps), entry->n_steps);
	else
		answers_refute(w->known, c);
	solver_pool_drop(w->pool, is_idle, w);
	return true;
}

static bool take(struct frontier_search *w, struct candidate c, struct solution *got, struct error *e)
{
	struct journal_entry entry = {.candidate = c, .found = got->answer == ANSWER_FOUND, .n_steps = got->n_steps, .steps = got->steps};

	if (got->answer != ANSWER_GAVE_UP && w->journal && !journal_add(w->journal, &entry, e)) {
		steps_free(got->steps, got->n_steps);
		return false;
	}
	if (got->answer == ANSWER_FOUND)
		take_found(w, c, got->steps, got->n_steps);
	else if (got->answer == ANSWER_NONE)
		answers_refute(w->known, c);
	else {
		answers_give_up(w->known, c);
		snprintf(w->frontier->given_up, sizeof w->frontier->given_up, "%s", got->why);
	}
	solver_pool_drop(w->pool, is_idle, w);
	return true;
}

static bool is_interrupted(const struct frontier_search *w, struct error *e)
{
	const volatile int *flag = w->options->interrupted;
	return flag && *flag && !error_set(e, ERROR_SYSTEM, "search", "interrupted");
}

/* Asks the questions that NEXT returns, until it returns none and all are answered. */
static bool ask_all(struct frontier_search *w, bool (*next)(const struct frontier_search *w, struct candidate *out), struct error *e)
{
	const struct candidate *running;
	struct candidate c;

	for (;;) {
		while (solver_pool_room(w->pool) && !is_interrupted(w, e) && next(w, &c))
			if (!ask(w, c, e))
				return false;
		if (is_interrupted(w, e))
			return false;
		if (solver_pool_running(w->pool, &running) == 0)
			return true;
		report(w);

		struct solution got = {0};
		if (solver_pool_answer(w->pool, 250, &c, &got, e)) {
			if (!take(w, c, &got, e))
				return false;
		} else if (e->kind != ERROR_NONE)
			return false;
	}
}

static bool refuted(const void *known, struct candidate c)
{
	return answers_refuted(known, c);
}

/* Starts the step count with the point of another class, if there is one, as the best so far. */
static void invite(struct frontier_search *w)
{
	const struct frontier *beside = w->options->beside;

	w->best = (struct candidate){0};
	w->foreign_best = NULL;
	for (size_t i = 0; beside && i < beside->n_points; i++) {
		const struct algorithm *a = beside->points[i];
		struct candidate c = {a->chunks, (int)a->n_steps, algorithm_rounds(a)};
		if (c.steps == w->steps && improves(w, c)) {
			w->best = c;
			w->foreign_best = a;
		}
	}
}

static struct algorithm *best_algorithm(struct frontier_search *w, struct error *e)
{
	if (w->foreign_best)
		return algorithm_copy(w->foreign_best);
	struct algorithm *a = problem_algorithm(w->problem, w->best, w->best_steps, w->n_best_steps, e);
	w->best_steps = NULL, w->n_best_steps = 0;
	return a;
}

/* Refutes, for each R of the class, the fewest chunks that exceed the step count's bounds, and thereby all larger C.
 * The bounds get half of the step count's share of the time. */
static void refute_below(struct frontier_search *w)
{
	int unit = w->problem->unit, k = w->options->k;
	int64_t *most = new_array(int64_t, (size_t)k + 1);

	double deadline = stop_within(stop_left() / (2 * (w->last - w->steps + 1)));
	problem_most_chunks(w->problem, w->steps, w->steps, w->steps + k, TIMED_FULL, most);
	stop_restore(deadline);
	for (int r = 0; r <= k; r++)
		if (most[r] >= 0 && most[r] < CHUNKS_MAX - unit)
			answers_refute(w->known, (struct candidate){(int)most[r] + unit, w->steps, w->steps + r});
	free(most);
}

/* One S: its point, if there is one, is proved and stored before the next S is searched. */
static bool search_steps(struct frontier_search *w, struct error *e)
{
	struct frontier *f = w->frontier;

	report(w);
	refute_below(w);
	invite(w);
	if (!ask_all(w, next_improvement, e) || !ask_all(w, next_smaller, e))
		return false;
	if (w->best.chunks) {
		struct algorithm *a = best_algorithm(w, e);
		if (!a)
			return false;
		frontier_add(f, a);
	}
	frontier_settle(f, w->steps, refuted, w->known);
	report(w);
	return !w->best.chunks || keep_point(f, f->n_points - 1, w->options, e);
}

static bool search_all(struct frontier_search *w, struct error *e)
{
	int first = bounds_first_steps(&w->problem->bounds);

	w->last = w->options->max_steps ? w->options->max_steps : w->problem->bounds.steps + 4;
	w->frontier->ended = ENDED_STEPS;
	for (w->steps = first; w->steps <= w->last; w->steps++) {
		if (!search_steps(w, e))
			return false;
		if (frontier_at_bound(w->frontier))
			w->frontier->ended = ENDED_BOUND;
		if (w->frontier->ended == ENDED_BOUND || (w->options->least_steps && w->frontier->n_points))
			break;
	}
	if (w->frontier->n_open)
		w->frontier->ended = ENDED_LIMIT;
	return true;
}

struct frontier *frontier_search(const struct problem *p, const struct pareto_options *o, const char *journal,
		      struct answers *known, struct error *e)
{
	struct frontier_search w = {.problem = p, .options = o, .known = known};

	w.start = clock_seconds();
	if (journal && !(w.journal = journal_open(journal, p, o->resume, o->note, e)))
		return NULL;
	w.pool = solver_pool_new(p, &o->solve, o->jobs, o->remote);
	w.frontier = frontier_new(p, o->k, o->max_chunks);

	bool ok = search_all(&w, e);
	solver_pool_free(w.pool);
	steps_free(w.best_steps, w.n_best_steps);
	journal_close(w.journal);
	if (ok)
		return w.frontier;
	frontier_free(w.frontier);
	return NULL;
}
