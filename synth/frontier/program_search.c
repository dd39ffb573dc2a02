/*
 * Step counts are searched in ascending order. The program of each gives its value; if no point attains that yet, an
 * algorithm is looked for: the trees of the program, cut into as few chunks as make all amounts whole, or packed; then
 * the same R/C with fewer chunks, from a solver, which is quick where chunks are few.
 */

#include "synth/frontier/program_search.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "synth/frontier/candidate.h"
#include "synth/frontier/direct_allreduce.h"
#include "synth/frontier/keep_point.h"
#include "synth/frontier/program_values.h"
#include "synth/methods/constructions.h"
#include "synth/symmetric/symmetric_construction.h"

#include <math.h>
#include <stdlib.h>

enum {
	STEPS_BEYOND = 4,     /* steps beyond the bound, unless max_steps is given */
	SENDS_MOST = 1 << 21, /* of a point: this limits its chunks on large machines */
	ASKED_MOST = 200000,  /* (chunk, edge, step) variables of a question to a solver */
	ASKED_FIRST = 20000,  /* likewise, of one that is asked before all else */
	LARGE = 32,           /* nodes of a machine on which symmetric schedules are tried first */
	FEW_CHUNKS = 8,       /* of a direct allreduce whose R/C is above the value */
};
/* Limits in CPU time, so that points do not depend on what else the computer does: */
static const double asked_seconds = 3;        /* for the questions of one point to a solver */
static const double constructing_seconds = 5; /* for all constructions, once */
static const double sends_a_second = 50000;   /* that are surely packed */
static const double beyond_seconds = 60, far_from_value = 0.02, near_value = 0.002; /* seconds: for them where there is no point at all */

struct program_search {
	const struct problem *problem;
	const struct pareto_options *options;
	struct frontier *frontier;
	double start; /* clock_seconds */
	int steps, last;
	struct rational value; /* of this step count */
	bool attained;
	struct algorithm *best; /* of this step count; owned; NULL: none yet */
	bool constructed;       /* all constructions were tried, and are: */
	struct constructions all;
};

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

static int most_chunks(const struct program_search *w)
{
	int of_blocks = w->problem->network->n_groups > 0 ? w->problem->network->nodes : w->problem->unit;

	return w->options->max_chunks ? w->options->max_chunks : PROGRAM_CHUNKS * of_blocks;
}

/* The R/C that a point of this step count must be below. Not a number: any is welcome. */
static struct rational to_beat(const struct program_search *w)
{
	return w->best ? algorithm_bandwidth(w->best) : frontier_best(w->frontier, w->steps);
}

static bool is_at_value(const struct program_search *w)
{
	struct rational best = to_beat(w);

	return rational_ok(best) && rational_compare(best, w->value) <= 0;
}

/* Has the algorithm this step count, and a smaller R/C than the one that is there, or fewer chunks? */
static bool is_wanted(const struct program_search *w, const struct algorithm *a)
{
	struct rational than = to_beat(w);
	int order = rational_ok(than) ? rational_compare(algorithm_bandwidth(a), than) : -1;

	return (int)a->n_steps == w->steps && a->chunks <= most_chunks(w) &&
	       (order < 0 || (order == 0 && w->best && a->chunks < w->best->chunks));
}

/* Takes the algorithm, and keeps it if it is wanted. NULL is fine. */
static void offer(struct program_search *w, struct algorithm *a)
{
	if (!a || !is_wanted(w, a)) {
		algorithm_free(a);
		return;
	}
	algorithm_free(w->best);
	w->best = a;
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
	int unit = l->program.instance->chunks, most = affordable(&l->program.commodities, unit, most_chunks(w) / w->problem->asked_unit);

	if (most >= unit)
		offer(w, program_algorithm(w->problem, l, most, false, &unused));
}

/* Time for questions: CPU time that is left of them, and a deadline (clock_seconds). */
struct asking {
	double cpu, deadline;
	int64_t asked; /* chunks with which the value was asked for last; 0: not yet */
};

static struct asking asking_begin(void)
{
	return (struct asking){asked_seconds, isinf(stop_left()) ? INFINITY : clock_seconds() + stop_left() / 2, 0};
}

static bool asking_is_over(const struct asking *time)
{
	return time->cpu <= 0 || (!isinf(time->deadline) && clock_seconds() >= time->deadline);
}

/* Asks a solver for candidate C. */
static enum answer ask(struct program_search *w, struct candidate c, struct asking *time)
{
	struct solve_options o = w->options->solve;
	struct candidate_answer got;
	struct error unused = {0};
	double began = clock_cpu_seconds(), left = isinf(time->deadline) ? INFINITY : fmin(time->deadline - clock_seconds(), stop_left());

	if (left <= 0 || time->cpu <= 0)
		return ANSWER_GAVE_UP;
	o.timeout = isinf(left) ? 0 : left;
	o.cpu = time->cpu;
	double before = stop_within_cpu(time->cpu);
	bool ok = candidate_solve(w->problem, c, &o, &got, &unused);
	stop_restore_cpu(before);
	time->cpu -= clock_cpu_seconds() - began + (ok ? got.seconds : 0);
	if (!ok)
		return ANSWER_GAVE_UP;
	w->frontier->lacked_memory = w->frontier->lacked_memory || got.lacked_memory;
	offer(w, got.algorithm);
	return got.answer;
}

static double asked_size(const struct program_search *w, int chunks)
{
	const struct problem *p = w->problem;

	return (double)collective_global_chunks(&p->asked, p->network->nodes, chunks / p->asked_unit) * (double)p->network->n_edges * w->steps;
}

/* The fewest chunks with which the value can be had: R is whole, and at least one for each step. */
static int64_t fewest_chunks(const struct program_search *w)
{
	int64_t unit = w->problem->unit, each = w->value.den / common_divisor(w->value.den, unit);

	if (each > CHUNKS_MAX || w->value.num / w->value.den > ROUNDS_MAX / CHUNKS_MAX)
		return INT64_MAX;
	each *= unit;
	int64_t rounds = w->value.num * (each / w->value.den);

	return rounds ? each * ((w->steps + rounds - 1) / rounds) : each;
}

/* Asks for the value with C chunks, from those not asked for yet up to below what the best has, or to MOST. */
static void try_fewer_chunks(struct program_search *w, int64_t most, double size, struct asking *time)
{
	int64_t each = w->value.den / common_divisor(w->value.den, w->problem->unit);

	if (is_at_value(w) && !w->best) /* fewer steps attain it */
		return;
	if (w->best && is_at_value(w) && most >= w->best->chunks)
		most = w->best->chunks - 1;
	most = most < most_chunks(w) ? most : most_chunks(w);
	for (int64_t c = time->asked ? time->asked + each * w->problem->unit : fewest_chunks(w);
	     c <= most && asked_size(w, (int)c) <= size && !asking_is_over(time); c += each * w->problem->unit) {
		time->asked = c;
		int64_t rounds = w->value.num * (c / w->value.den);
		if (rounds <= ROUNDS_MAX && ask(w, (struct candidate){(int)c, w->steps, (int)rounds}, time) == ANSWER_FOUND)
			return;
	}
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
		const struct constructions_options o = {.max_steps = w->last, .max_chunks = most_chunks(w), .opened = opened(w)};
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
		if (is_wanted(w, w->all.of[i])) /* verifying a large one takes long */
			offer(w, problem_judged(w->problem, algorithm_copy(w->all.of[i]), e));
	return e->kind == ERROR_NONE;
}

/* What they give, where the point is far from the value. */
static bool try_constructions(struct program_search *w, struct error *e)
{
	struct rational best = to_beat(w);
	bool far = !rational_ok(best) || w->value.num == 0 || rational_double(rational_div(best, w->value)) > 1 + far_from_value;

	return !is_interrupted(w, e) && (!far || construct(w, e)) && offer_constructions(w, e);
}

/* Is the least so far, perhaps of fewer steps, so near the value that packed trees hardly come nearer? */
static bool little_to_gain(const struct program_search *w)
{
	struct rational best = to_beat(w);
	return rational_ok(best) && w->value.num && rational_double(rational_div(best, w->value)) < 1 + near_value;
}

/* A solver may know at once; else the program makes an algorithm, whose chunks a solver may know to be too many. */
static void find_algorithm(struct program_search *w, const struct least_rounds *l)
{
	int64_t fewest = fewest_chunks(w);
	struct asking time = asking_begin();

	try_fewer_chunks(w, fewest, ASKED_FIRST, &time);
	if (w->best && is_at_value(w) && w->best->chunks <= fewest)
		return;
	if (l && !little_to_gain(w))
		try_trees(w, l);
	time.deadline = asking_begin().deadline;
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
	if (is_at_value(w))
		f->values.of[f->values.n - 1].attained = true;
	if (w->problem->network->n_groups && w->best->optimality.within == WITHIN_ONE_VALUE)
		problem_classify(w->problem, w->best); /* frontier_claim_values does not, and bounds are about all algorithms */
	frontier_add(f, w->best);
	w->best = NULL;
	frontier_claim_values(f);
	report(w);
	return keep_point(f, f->n_points - 1, w->options, e);
}

/* Is the search over after this step count? */
static bool is_over(const struct program_search *w)
{
	struct frontier *f = w->frontier;

	f->ended = frontier_at_bound(f) ? ENDED_BOUND : stop_left() <= 0 ? ENDED_TIME : ENDED_STEPS;
	return f->ended == ENDED_BOUND || (w->options->least_steps && f->n_points);
}

/* The time is over: what was constructed before, beside the bandwidth bound. */
static bool search_late(struct program_search *w, struct error *e)
{
	add_value(w, (struct step_value){.steps = w->steps, .at_least = w->problem->bounds.bandwidth, .root = -1});
	return (!w->constructed || try_constructions(w, e)) && add_point(w, e);
}

static bool search_steps(struct program_search *w, struct program_values *v, struct error *e)
{
	report(w);
	if (stop_left() <= 0 && w->frontier->values.n)
		return search_late(w, e);
	add_value(w, program_values_next(v, w->steps));
	if (is_interrupted(w, e) || !offer_constructions(w, e))
		return false;
	if (!is_at_value(w))
		find_algorithm(w, v->solved ? &v->last : NULL);
	return try_constructions(w, e) && add_point(w, e);
}

/* On a large symmetric machine one constructed point may meet both bounds, and so be the whole frontier. */
static bool search_symmetric(struct program_search *w, struct error *e)
{
	const struct problem *p = w->problem;
	struct algorithm *a = p->network->nodes < LARGE ? NULL : symmetric_construct_best(p, e);

	if (!a)
		return false;
	w->steps = (int)a->n_steps;
	if (w->steps <= w->last && a->chunks <= most_chunks(w)) {
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

/* With few chunks, whatever R/C can be had below that of the best. */
static void try_few_chunks(struct program_search *w)
{
	struct asking time = asking_begin();

	for (int c = 1; c <= FEW_CHUNKS && c <= most_chunks(w) && asked_size(w, c) <= ASKED_MOST && !is_at_value(w); c++) {
		int64_t first = rational_ceil(rational_mul(w->value, rational(c, 1)));
		for (int64_t r = first > w->steps ? first : w->steps; !asking_is_over(&time); r++) {
			struct rational than = to_beat(w);
			if ((rational_ok(than) && rational_compare(rational(r, c), than) >= 0) ||
			    ask(w, (struct candidate){c, w->steps, (int)r}, &time) == ANSWER_FOUND)
				break;
		}
	}
}

/* Starts the step count with the point of compositions, if there is one that improves on fewer steps. */
static void invite(struct program_search *w)
{
	const struct frontier *beside = w->options->beside;
	struct rational than = to_beat(w);

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
			offer(w, direct_exchange(w->problem, w->value, most_chunks(w), SENDS_MOST));
		offer(w, switch_algorithm(w->problem, w->steps));
		if (!is_at_value(w) && program_value_by_cuts(w->problem, last_value(w)))
			take_raised(w);
		if (!is_at_value(w))
			offer(w, direct_hubs(w->problem, w->steps, w->value, most_chunks(w)));
		if (!is_at_value(w) && direct_patterns(w->problem, to_beat(w), last_value(w)))
			take_raised(w);
		find_algorithm(w, NULL);
		if (!is_at_value(w))
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
	const struct constructions_options o = {.max_chunks = most_chunks(w), .opened = opened(w), .least_share = beyond_seconds / 4};

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
		offer(w, problem_judged(w->problem, algorithm_copy(a), e));
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
	bool ok = e->kind == ERROR_NONE && (isinf(stop_left()) || construct(w, e)) && (w->problem->direct ? search_directly : search_all)(w, e);

	bool beside = w->options->beside && w->options->beside->n_points;
	if (ok && !beside && !w->frontier->n_points && stop_left() > 0 && (!w->options->max_steps || w->options->beyond)) {
		ok = search_beyond(w, e);
		is_over(w);
	}
	return ok;
}

struct frontier *program_search(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	struct program_search w = {.problem = p, .options = o, .start = clock_seconds(),
				   .last = o->max_steps ? o->max_steps : p->bounds.steps + STEPS_BEYOND};

	w.frontier = frontier_new(p, WITHOUT_K, o->max_chunks);
	w.frontier->ended = ENDED_STEPS;
	bool ok = p->bounds.bandwidth.num == 0 ? search_nothing(&w, e) : search(&w, e);
	algorithm_free(w.best);
	if (w.constructed)
		constructions_free(&w.all);
	if (ok)
		return w.frontier;
	frontier_free(w.frontier);
	return NULL;
}
