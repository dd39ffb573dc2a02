/*
 * Step counts are searched in ascending order. The program of each gives its value; if no point attains that yet, an
 * algorithm is looked for: the trees of the program, cut into as few chunks as make all amounts whole, or packed; then
 * the same R/C with fewer chunks, from a solver, which is quick where chunks are few.
 */

#include "synth/frontier/program_search.h"

#include "synth/frontier/program_search_parts.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "synth/frontier/direct_allreduce.h"
#include "synth/frontier/keep_point.h"
#include "synth/frontier/program_values.h"
#include "synth/methods/constructions.h"
#include "synth/methods/program_attempts.h"
#include "synth/symmetric/symmetric_construction.h"

#include <math.h>
#include <stdlib.h>

enum {
	STEPS_BEYOND = 4,     /* steps beyond the bound, unless max_steps is given */
	SENDS_MOST = 1 << 21, /* of a point: this limits its chunks on large machines */
	LARGE = 32,           /* nodes of a machine on which symmetric schedules are tried first */
};
/* Limits in CPU time, so that points do not depend on what else the computer does: */
static const double constructing_seconds = 5; /* for all constructions, once */
static const double sends_a_second = 50000;   /* that are surely packed */
static const double beyond_seconds = 60, far_from_value = 0.02, near_value = 0.002; /* seconds: for them where there is no point at all */

static void report(const struct program_search *w)
{
	if (!w->options->progress)
		return;
	struct pareto_news news = {.steps = w->steps, .n_points = w->frontier->n_points, .seconds = clock_seconds() - w->start};
	if (w->best)
		news.best = (struct candidate){w->best->chunks, (int)w->best->n_steps, algorithm_rounds(w->best)};
	w->options->progress(w->options->context, &news);
}

static bool is_interrupted(const struct program_search *w, struct error *e)
{
	const volatile int *flag = w->options->interrupted;
	return flag && *flag && !error_set(e, ERROR_SYSTEM, "search", "interrupted");
}

/* ---- algorithms ---- */

/* The most chunks of the asked collective for which a schedule has at most SENDS_MOST sends; never below UNIT. */
static int affordable(const struct commodities *k, int unit, int most)
{
	double sends = 0;

	for (size_t i = 0; i < k->n; i++)
		sends += (double)k->of[i].demand * (double)k->of[i].orbit * k->of[i].wanted;
	/* Packing cannot stop halfway: where time is short, fewer chunks must do. */
	double times = fmax(1, fmin(SENDS_MOST, sends_a_second * stop_left()) / fmax(sends, 1));
	return times * unit < most ? (int)times * unit : most;
}

/* What the program itself gives. */
static void try_trees(struct program_search *w, const struct least_rounds *l)
{
	struct error unused = {0};
	int unit = l->program.instance->chunks, most = affordable(&l->program.commodities, unit, program_search_most_chunks(w) / w->problem->asked_unit);

	if (most >= unit)
		program_search_offer(w, program_algorithm(w->problem, l, most, false, &unused));
}

/* Constructions of an allreduce are not for the direct problem alone: they open their own. */
static const struct problem *opened(const struct program_search *w)
{
	return w->problem->direct ? NULL : w->problem;
}

/* Tries all other ways to construct an algorithm, once. */
static bool construct(struct program_search *w, struct error *e)
{
	if (!w->constructed) {
		const struct constructions_options o = {.max_steps = w->last, .max_chunks = program_search_most_chunks(w), .opened = opened(w)};
		double deadline = stop_within(stop_left() / 3), before = stop_within_cpu(constructing_seconds);
		w->constructed = constructions_find(w->problem->topology, &w->problem->collective, &o, &w->all, e);
		stop_restore_cpu(before);
		stop_restore(deadline);
	}
	return w->constructed;
}

static bool offer_constructions(struct program_search *w, struct error *e)
{
	for (size_t i = 0; w->constructed && i < w->all.n; i++)
		if (program_search_wants(w, w->all.of[i])) /* verifying a large one takes long */
			program_search_offer(w, problem_judged(w->problem, algorithm_copy(w->all.of[i]), e));
	return e->kind == ERROR_NONE;
}

/* What they give, where the point is far from the value. */
static bool try_constructions(struct program_search *w, struct error *e)
{
	struct rational best = program_search_to_beat(w);
	bool far = !rational_ok(best) || w->value.num == 0 || rational_double(rational_div(best, w->value)) > 1 + far_from_value;

	far = far && !w->options->no_constructions;
	return !is_interrupted(w, e) && (!far || construct(w, e)) && offer_constructions(w, e);
}

/* Is the least so far, perhaps of fewer steps, so near the value that packed trees hardly come nearer? */
static bool little_to_gain(const struct program_search *w)
{
	struct rational best = program_search_to_beat(w);
	return rational_ok(best) && w->value.num && rational_double(rational_div(best, w->value)) < 1 + near_value;
}

/* A solver may know at once; else the program makes an algorithm, whose chunks a solver may know to be too many. */
static void find_algorithm(struct program_search *w, const struct least_rounds *l)
{
	int64_t fewest = fewest_chunks(w);
	struct asking time = asking_begin();

	try_fewer_chunks(w, fewest, ASKED_FIRST, &time);
	if (w->best && program_search_at_value(w) && w->best->chunks <= fewest)
		return;
	if (l && !little_to_gain(w))
		try_trees(w, l);
	asking_go_on(&time);
	try_fewer_chunks(w, CHUNKS_MAX, ASKED_MOST, &time);
}

/* ---- one step count ---- */

static void add_value(struct program_search *w, struct step_value v)
{
	w->value = v.at_least;
	w->attained = v.attained;
	step_values_add(&w->frontier->values, v);
	w->frontier->last_steps = w->steps;
}

/* Adds the best of this step count, if there is one, and stores it. */
static bool add_point(struct program_search *w, struct error *e)
{
	struct frontier *f = w->frontier;

	if (!w->best)
		return true;
	if (w->options->expand && !algorithm_expand(w->best, e))
		return false;
	if (program_search_at_value(w))
		f->values.of[f->values.n - 1].attained = true;
	if (w->problem->network->n_groups && w->best->optimality.within == WITHIN_ONE_VALUE)
		problem_classify(w->problem, w->best); /* frontier_claim_values does not, and bounds are about all algorithms */
	frontier_add(f, w->best);
	w->best = NULL;
	frontier_claim_values(f);
	report(w);
	return keep_point(f, f->n_points - 1, w->options, e);
}

/* What an earlier search found for this step count; NULL: nothing. */
static const struct step_value *given_here(const struct program_search *w)
{
	return w->given ? step_values_at(&w->given->values, w->steps) : NULL;
}

/* Is the search over after this step count? */
static bool is_over(const struct program_search *w)
{
	struct frontier *f = w->frontier;
	bool late = stop_left() <= 0 && !given_here(w); /* what is given takes no time */

	f->ended = frontier_at_bound(f) ? ENDED_BOUND : late ? ENDED_TIME : ENDED_STEPS;
	return f->ended == ENDED_BOUND || (w->options->least_steps && f->n_points);
}

/* The time is over: what was constructed before, beside the bandwidth bound. */
static bool search_late(struct program_search *w, struct error *e)
{
	add_value(w, (struct step_value){.steps = w->steps, .at_least = w->problem->bounds.bandwidth, .root = -1});
	return (!w->constructed || try_constructions(w, e)) && add_point(w, e);
}

/* The value that an earlier search found. */
static struct step_value given_value(const struct step_value *v)
{
	struct step_value own = *v;

	own.prices = v->prices ? copy_bytes(v->prices, v->n_prices * sizeof *v->prices) : NULL;
	return own;
}

/*
 * Its point; and where that is above the value, what the trees of this program give: a solver would answer as it did
 * before, but trees depend on the order of rows.
 */
static void take_given(struct program_search *w, struct program_values *v, struct error *e)
{
	for (size_t i = 0; i < w->given->n_points; i++)
		if ((int)w->given->points[i]->n_steps == w->steps)
			program_search_offer(w, problem_judged(w->problem, algorithm_copy(w->given->points[i]), e));
	if (e->kind != ERROR_NONE || program_search_at_value(w) || !w->afresh || stop_left() <= 0)
		return;
	for (int s = v->solved ? v->last.program.steps + 1 : w->problem->bounds.steps; s <= w->steps; s++) /* each from the one before */
		free(program_values_next(v, s).prices);
	if (v->solved)
		try_trees(w, &v->last);
}

static bool search_steps(struct program_search *w, struct program_values *v, struct error *e)
{
	const struct step_value *given = given_here(w);

	report(w);
	if (stop_left() <= 0 && w->frontier->values.n && !given)
		return search_late(w, e);
	add_value(w, given ? given_value(given) : program_values_next(v, w->steps));
	if (is_interrupted(w, e) || !offer_constructions(w, e))
		return false;
	if (given)
		take_given(w, v, e);
	else if (!program_search_at_value(w))
		find_algorithm(w, v->solved ? &v->last : NULL);
	return e->kind == ERROR_NONE && try_constructions(w, e) && add_point(w, e);
}

/* On a large symmetric machine one constructed point may meet both bounds, and so be the whole frontier. */
static bool search_symmetric(struct program_search *w, struct error *e)
{
	const struct problem *p = w->problem;
	struct algorithm *a = p->network->nodes < LARGE ? NULL : symmetric_construct_best(p, e);

	if (!a)
		return false;
	w->steps = (int)a->n_steps;
	if (w->steps <= w->last && a->chunks <= program_search_most_chunks(w)) {
		add_value(w, (struct step_value){.steps = w->steps, .at_least = p->bounds.bandwidth, .attained = true, .root = -1});
		w->best = a;
		w->frontier->ended = ENDED_BOUND;
		return true;
	}
	algorithm_free(a);
	return false;
}

static bool search_all(struct program_search *w, struct error *e)
{
	struct program_values v;
	bool ok = true;

	if (!program_values_open(w->problem, &v, e))
		return false;
	for (w->steps = w->problem->bounds.steps; ok && w->steps <= w->last; w->steps++) {
		ok = search_steps(w, &v, e);
		if (ok && is_over(w))
			break;
	}
	program_values_close(&v);
	return ok;
}

/* Nothing need cross a link: one step, in which nothing is sent. */
static bool search_nothing(struct program_search *w, struct error *e)
{
	struct step *idle = new_array(struct step, 1);

	idle->rounds = 1;
	w->steps = 1;
	add_value(w, (struct step_value){.steps = 1, .at_least = rational(0, 1), .attained = true, .root = -1});
	w->best = problem_algorithm(w->problem, (struct candidate){w->problem->unit, 1, 1}, idle, 1, e);
	w->frontier->ended = ENDED_BOUND;
	return w->best && add_point(w, e);
}

/* ---- an allreduce, directly ---- */

/* Starts the step count with the point of compositions, if there is one that improves on fewer steps. */
static void invite(struct program_search *w)
{
	const struct frontier *beside = w->options->beside;
	struct rational than = program_search_to_beat(w);

	for (size_t i = 0; beside && i < beside->n_points; i++) {
		const struct algorithm *a = beside->points[i];
		if ((int)a->n_steps == w->steps && (!rational_ok(than) || rational_compare(algorithm_bandwidth(a), than) < 0))
			w->best = algorithm_copy(a);
	}
}

/* The value of the number of steps; and, once it was raised, taking it anew. */
static struct step_value *last_value(const struct program_search *w)
{
	return &w->frontier->values.of[w->frontier->values.n - 1];
}

static void take_raised(struct program_search *w)
{
	add_value(w, w->frontier->values.of[--w->frontier->values.n]);
}

static bool search_directly(struct program_search *w, struct error *e)
{
	for (w->steps = bounds_first_steps(&w->problem->bounds); w->steps <= w->last; w->steps++) {
		invite(w);
		report(w);
		if (stop_left() <= 0 && w->frontier->values.n) {
			if (!search_late(w, e))
				return false;
			continue;
		}
		add_value(w, program_value_directly(w->problem, w->steps, -1));
		if (w->steps == 1 && w->attained)
			program_search_offer(w, direct_exchange(w->problem, w->value, program_search_most_chunks(w), SENDS_MOST));
		program_search_offer(w, switch_algorithm(w->problem, w->steps));
		if (!program_search_at_value(w) && program_value_by_cuts(w->problem, last_value(w)))
			take_raised(w);
		bool raised = false;
		if (!program_search_at_value(w))
			program_search_offer(w, direct_hubs(w->problem, program_search_most_chunks(w), last_value(w), &raised));
		if (raised)
			take_raised(w);
		if (!raised && !program_search_at_value(w) && direct_patterns(w->problem, program_search_to_beat(w), w->best, last_value(w)))
			take_raised(w);
		find_algorithm(w, NULL);
		if (!program_search_at_value(w))
			try_few_chunks(w);
		if (!try_constructions(w, e) || !add_point(w, e))
			return false;
		if (is_over(w))
			break;
	}
	return true;
}

/* No point: whatever can be constructed, of more steps too and in more time. */
static bool search_beyond(struct program_search *w, struct error *e)
{
	const struct constructions_options o = {.max_chunks = program_search_most_chunks(w), .opened = opened(w), .least_share = beyond_seconds / 4};

	if (w->constructed)
		constructions_free(&w->all);
	double deadline = stop_within_cpu(beyond_seconds);
	w->constructed = constructions_find(w->problem->topology, &w->problem->collective, &o, &w->all, e);
	stop_restore_cpu(deadline);
	for (size_t i = 0; w->constructed && i < w->all.n; i++) {
		const struct algorithm *a = w->all.of[i];
		for (w->steps = w->frontier->last_steps + 1; w->steps <= (int)a->n_steps; w->steps++)
			add_value(w, (struct step_value){.steps = w->steps, .at_least = w->problem->bounds.bandwidth, .root = -1});
		w->steps = (int)a->n_steps;
		program_search_offer(w, problem_judged(w->problem, algorithm_copy(a), e));
		if (e->kind != ERROR_NONE || !add_point(w, e))
			return false;
	}
	return w->constructed;
}

static bool search(struct program_search *w, struct error *e)
{
	if (!w->problem->direct && search_symmetric(w, e))
		return add_point(w, e);
	/* Where time is short constructions come first: the programs may take all of it. */
	bool waits = isinf(stop_left()) || w->options->no_constructions;
	bool ok = e->kind == ERROR_NONE && (waits || construct(w, e)) && (w->problem->direct ? search_directly : search_all)(w, e);

	bool beside = w->options->no_constructions || (w->options->beside && w->options->beside->n_points);
	if (ok && !beside && !w->frontier->n_points && stop_left() > 0 && (!w->options->max_steps || w->options->beyond)) {
		ok = search_beyond(w, e);
		is_over(w);
	}
	return ok;
}

/* Does the search take from others, and they from it? Not if it may end before all step counts. */
static bool shares(const struct program_search *w)
{
	return w->options->known && !w->problem->direct && !w->options->least_steps;
}

struct frontier *program_search(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	struct program_search w = {.problem = p, .options = o, .start = clock_seconds(),
				   .last = o->max_steps ? o->max_steps : p->bounds.steps + STEPS_BEYOND};

	w.frontier = frontier_new(p, WITHOUT_K, o->max_chunks);
	w.frontier->ended = ENDED_STEPS;
	struct known_extent extent = {w.last, program_search_most_chunks(&w) / p->asked_unit};
	if (shares(&w))
		w.given = known_frontiers_find(o->known, p, extent, &w.afresh);
	bool ok = p->bounds.bandwidth.num == 0 ? search_nothing(&w, e) : search(&w, e);
	if (ok && shares(&w))
		known_frontiers_add(o->known, p, w.frontier, extent);
	algorithm_free(w.best);
	frontier_free(w.given);
	if (w.constructed)
		constructions_free(&w.all);
	if (ok)
		return w.frontier;
	frontier_free(w.frontier);
	return NULL;
}
