/*
 * What is tried in each way: a method with the number of chunks that it chooses, and then, unless it is slow, with 1, 2,
 * 4, ... chunks, which may take fewer steps; one that takes a number of steps with each from the bound on; trees in as
 * many waves as come near their rate, and in one; symmetric schedules from the least number of steps on; and any
 * reducescatter with any allgather. With a measure, all methods come first with few chunks and with the number of chunks
 * that they choose, and then with 1, 2, 4, ... chunks, also beyond what they choose, until that no longer helps; slow ones
 * from their own number on first.
 */

#include "synth/methods/attempts.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/methods/attempt_sink.h"
#include "synth/methods/constructions.h"
#include "synth/methods/half_pairs.h"
#include "synth/methods/program_attempts.h"
#include "synth/methods/timed_attempts.h"
#include "synth/problem/problem.h"
#include "synth/symmetric/symmetric_construction.h"
#include "synth/trees/forest_solve.h"

#include <stdlib.h>
#include <string.h>

/* Steps beyond the bound that are tried where their number is given. */
enum { STEPS_BEYOND = 4 };

/* The most chunks that the limit allows; 0: none, or no limit. */
static int most_chunks(const struct attempt_subject *s, int unit)
{
	return s->max_chunks / unit * unit;
}

/* Does it build an allreduce itself? The bounds of the problem are those of compositions then. */
static bool is_direct(const struct attempt *by, const struct attempt_subject *s)
{
	return s->collective->kind == ALLREDUCE && by->method->constructs >> ALLREDUCE & 1;
}

/* C is a multiple of this. */
static int unit_of(const struct attempt *by, const struct attempt_subject *s)
{
	return is_direct(by, s) ? 1 : s->problem->unit;
}

/* The bounds, which take longer than most methods on large machines, are known. */
static struct algorithm *build(const struct attempt *by, const struct attempt_subject *s, const struct method_options *o,
			       struct error *e)
{
	struct text report = {0};
	struct method_options chosen = *o;

	chosen.known = s->collective->kind == ALLREDUCE ? NULL : &s->problem->bounds;
	struct algorithm *a = method_build(by->method, s->topology, s->collective, &chosen, &report, e);

	text_free(&report);
	return a;
}

/*
 * Builds with these options, and with the most chunks that the limit allows where the method would take more. Returns C
 * and, unless NULL, sets *BANDWIDTH; 0 with *e set: nothing was built.
 */
static int offer(const struct attempt *by, const struct attempt_subject *s, struct method_options o,
		 const struct attempt_sink *to, struct rational *bandwidth, struct error *e)
{
	int most = most_chunks(s, unit_of(by, s));
	struct algorithm *a = build(by, s, &o, e);

	if (a && !o.chunks && s->max_chunks && a->chunks > s->max_chunks && most) {
		algorithm_free(a);
		o.chunks = most;
		a = build(by, s, &o, e);
	}
	if (!a)
		return 0;
	int chunks = a->chunks;
	if (bandwidth)
		*bandwidth = algorithm_bandwidth(a);
	attempt_give(s, to, a, e);
	return chunks;
}

static void offer_too(const struct attempt *by, const struct attempt_subject *s, struct method_options o,
		      const struct attempt_sink *to, struct error *e)
{
	struct error further = {0};

	offer(by, s, o, to, NULL, &further);
	attempt_note(e, &further);
}

/* Offers it with these options, and returns whether that helped; see struct attempt_sink. */
static bool helps(const struct attempt *by, const struct attempt_subject *s, struct method_options o,
		  const struct attempt_sink *to, struct error *e)
{
	struct error further = {0};
	bool helped = offer(by, s, o, to, NULL, &further) && to->has_helped(to->context);

	attempt_note(e, &further);
	return helped;
}

/* With FIRST, twice as many chunks, and so on, until twice in a row that does not help. */
static void offer_ascending(const struct attempt *by, const struct attempt_subject *s, int first, const struct attempt_sink *to,
			    struct error *e)
{
	enum { IDLE = 2 };
	int most = s->max_chunks ? s->max_chunks : CHUNKS_MAX / s->topology->nodes, idle = 0;

	for (int chunks = first; chunks <= most && idle < IDLE && !stop_is_due(); chunks *= 2)
		idle = helps(by, s, (struct method_options){.chunks = chunks}, to, e) ? 0 : idle + 1;
}

/* With the number of chunks that the method chooses. */
static void run_own(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	int own = offer(by, s, (struct method_options){0}, to, NULL, e);

	if (own && by->method->heeds & HEEDS_HEIGHT)
		offer_too(by, s, (struct method_options){.prefer_height = true}, to, e);
}

/* What a slow method chooses may need the time of the whole study; these need little, and may be all that there is time for. */
static void run_few(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	static const int few[] = {4, 16, 64};
	int unit = unit_of(by, s), most = s->max_chunks ? s->max_chunks : CHUNKS_MAX / s->topology->nodes;

	for (size_t i = 0; i < sizeof few / sizeof *few && few[i] <= most / unit && !stop_is_due(); i++)
		offer_too(by, s, (struct method_options){.chunks = few[i] * unit}, to, e);
}

/* Few chunks suit small inputs, and many large ones. */
static void run_chunks(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	offer_ascending(by, s, unit_of(by, s), to, e);
}

/* For a slow method, upwards from its own number of chunks. */
static void run_more_chunks(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	int own = offer(by, s, (struct method_options){0}, to, NULL, e);

	if (own && own <= CHUNKS_MAX / 2)
		offer_ascending(by, s, 2 * own, to, e);
}

/* With the method's own C, and with fewer chunks, which may take fewer steps. */
static void run_method(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to,
		       struct error *e)
{
	int unit = unit_of(by, s), most = offer(by, s, (struct method_options){.chunks = s->exactly.chunks}, to, NULL, e);
	if (by->slow || s->exactly.chunks)
		return;
	for (int chunks = unit; chunks < most && !stop_is_due(); chunks *= 2)
		offer_too(by, s, (struct method_options){.chunks = chunks}, to, e);
	if (most && by->method->heeds & HEEDS_HEIGHT)
		offer_too(by, s, (struct method_options){.prefer_height = true}, to, e);
}

/* With each number of steps from the bound on, up to STEPS_BEYOND more, and with a measure further as long as that helps. */
static void run_in_steps(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to,
			 struct error *e)
{
	int first = is_direct(by, s) ? 1 : s->problem->bounds.steps, last = first + STEPS_BEYOND;
	bool helped = false;

	if (s->exactly.chunks)
		first = last = s->exactly.steps;
	if (s->max_steps && last > s->max_steps)
		last = s->max_steps;
	for (int steps = first; (steps <= last || (helped && !s->max_steps)) && !stop_is_due(); steps++) {
		struct error further = {0};
		struct rational bandwidth;
		struct method_options o = {.steps = steps, .chunks = s->exactly.chunks};
		int chunks = offer(by, s, o, to, &bandwidth, &further);
		helped = chunks && to->measure && to->has_helped(to->context);
		attempt_note(e, &further);
		if (chunks && !is_direct(by, s) && rational_compare(bandwidth, s->problem->bounds.bandwidth) <= 0)
			return;
	}
}

static int offer_trees(const struct attempt_subject *s, int chunks, const struct attempt_sink *to, int *unit, struct error *e)
{
	struct forest_answer f;

	if (!forest_solve(s->topology, s->collective, chunks, true, &f, e))
		return 0;
	int got = f.algorithm->chunks;
	*unit = f.halves[0].unit;
	attempt_give(s, to, f.algorithm, e);
	f.algorithm = NULL;
	forest_answer_free(&f);
	return got;
}

static void run_trees(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to,
		      struct error *e)
{
	struct error further = {0};
	int unit = 0, chunks = offer_trees(s, s->exactly.chunks, to, &unit, e), most = unit ? most_chunks(s, unit) : 0;
	int finest = most && most < CHUNKS_MAX ? most : CHUNKS_MAX;

	(void)by;
	if (s->exactly.chunks)
		return;
	for (bool helped = to->measure; helped && chunks && chunks <= finest / 2 && !stop_is_due(); chunks *= 2)
		helped = offer_trees(s, 2 * chunks, to, &unit, &further) && to->has_helped(to->context);
	if (chunks && most && chunks > most)
		offer_trees(s, most, to, &unit, &further);
	else if (chunks > unit && !stop_is_due())
		offer_trees(s, unit, to, &unit, &further);
	attempt_note(e, &further);
}

/* For symmetric_construct_near. */
struct near_bound {
	const struct attempt_subject *subject;
	const struct attempt_sink *to;
	struct error *error;
};

static void give_near(void *context, struct algorithm *a)
{
	const struct near_bound *n = context;

	attempt_give(n->subject, n->to, a, n->error);
}

/* Offers schedules above the bound, which take fewer steps than those that meet it. */
static void offer_near_bound(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, bool random,
			     struct error *e)
{
	struct error further = {0};
	struct near_bound n = {s, to, &further};

	symmetric_construct_near(s->problem, random, s->max_steps, s->max_chunks, give_near, &n, e);
	attempt_note(e, &further);
	if (e->kind == ERROR_NONE)
		error_set(e, ERROR_INPUT, by->name, "no schedule near the bandwidth bound was found");
}

static void run_near_bound(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	offer_near_bound(by, s, to, false, e);
}

static void run_nearer_bound(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	offer_near_bound(by, s, to, true, e);
}

static void run_symmetric(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to,
			  struct error *e)
{
	int first = s->problem->bounds.steps;

	for (int steps = first; steps <= first + STEPS_BEYOND && (!s->max_steps || steps <= s->max_steps) &&
	     !stop_is_due(); steps++) {
		if (rational_compare(problem_bandwidth_in(s->problem, steps, TIMED_QUICK), s->problem->bounds.bandwidth) > 0)
			continue; /* no algorithm with so few steps meets the bound */
		struct algorithm *a = symmetric_construct_in(s->problem, steps, s->max_chunks, e);
		if (a) {
			attempt_give(s, to, a, e);
			return;
		}
	}
	error_set(e, ERROR_INPUT, by->name, "no schedule at the bandwidth bound was found");
}

/* Names both methods where they differ. */
static void name_pair(struct algorithm *a, const struct algorithm *x, const struct algorithm *y)
{
	struct text both = {0};

	text_add(&both, "%s", x->method);
	if (strcmp(x->method, y->method) != 0)
		text_add(&both, "+%s", y->method);
	free(a->method);
	a->method = text_take(&both);
	algorithm_rename(a);
}

static void join(const struct attempt_subject *s, const struct algorithm *x, const struct algorithm *y,
		 const struct attempt_sink *to, struct error *e)
{
	struct error why = {0};
	struct algorithm *a = problem_judged(s->problem, algorithm_joined(x, y, &why), &why);

	if (a)
		name_pair(a, x, y);
	attempt_give(s, to, a, &why);
	attempt_note(e, &why);
}

/*
 * May this pair be kept? With a measure its values are taken to be the sums of those of the halves, which are exact where
 * one half begins when the other has ended.
 */
static bool is_hopeful(const struct attempt_subject *s, const struct attempt_sink *to, size_t i, size_t k)
{
	const struct attempt_halves *of = s->halves;
	const struct algorithm *x = of[0].of[i], *y = of[1].of[k];

	if (!to->measure) {
		struct rational second = rational_div(algorithm_bandwidth(y), rational(s->topology->nodes, 1));
		return !to->is_beaten(to->context, (int)(x->n_steps + y->n_steps), rational_add(algorithm_bandwidth(x), second));
	}
	size_t n = to->measure->n;
	double *sums = new_array(double, n);
	for (size_t v = 0; v < n; v++)
		sums[v] = of[0].values[i * n + v] + of[1].values[k * n + v];
	bool hopeful = to->is_wanted(to->context, sums);
	free(sums);
	return hopeful;
}

static void run_halves(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to,
		       struct error *e)
{
	size_t n;
	struct half_pair *all = half_pairs(s, &n);

	for (size_t i = 0; i < n && !stop_is_due(); i++)
		if (is_hopeful(s, to, all[i].scattered, all[i].gathered))
			join(s, s->halves[0].of[all[i].scattered], s->halves[1].of[all[i].gathered], to, e);
	free(all);
	error_set(e, ERROR_LIMIT, by->name, "no other reducescatter and allgather fit together");
}

/*
 * A composed allreduce has no other methods than those of halves. Of others the halves of a slow method are among those
 * that are joined; but for a given C the method itself must divide it.
 */
static bool is_tried(const struct method *m, const struct attempt_subject *s)
{
	enum collective_kind kind = s->collective->kind;
	bool itself = m->constructs >> kind & 1, exactly = s->exactly.chunks > 0;

	if (m->heeds & NEEDS_BYTES)
		return false;
	if (kind != ALLREDUCE || !method_serves(m, kind))
		return method_serves(m, kind);
	return exactly ? itself != s->problem->composed : itself || !m->slow;
}

/*
 * A solver comes after a given C, without a limit on time: slow attempts must not take longer than it may. By sizes, so
 * that the answer does not depend on the speed of this machine.
 */
static bool is_quick_enough(const struct attempt *a, const struct attempt_subject *s)
{
	enum { NODES = 8, NODES_IN_STEPS = 64 };

	return !s->exactly.chunks || !a->slow || s->topology->nodes <= (a->run == run_method ? NODES : NODES_IN_STEPS);
}

static void add(struct attempt **all, size_t *n, size_t *room, const struct attempt_subject *s, struct attempt a)
{
	if (!is_quick_enough(&a, s))
		return;
	*all = grown(*all, room, *n + 1, sizeof a);
	(*all)[(*n)++] = a;
}

/*
 * A pipeline over boxes is near the bound, but takes seconds on a hundred nodes: it comes before other methods, and has half
 * of the time, which it leaves to them where boxes are few.
 */
static bool is_pipeline(const struct method *m)
{
	return strcmp(m->name, "hierarchical") == 0;
}

static void add_pipelines(struct attempt **all, size_t *n, size_t *room, const struct attempt_subject *s, attempt_run *run)
{
	static const double half = 0.5;
	size_t n_methods;
	const struct method *of = methods_all(&n_methods);

	for (size_t i = 0; i < n_methods; i++)
		if (is_pipeline(&of[i]) && is_tried(&of[i], s))
			add(all, n, room, s, (struct attempt){of[i].name, &of[i], of[i].slow, run, half, false, false});
}

/* RUN: for methods that take no number of steps; IN_STEPS: for those that do. NULL: these are left out. */
static void add_methods(struct attempt **all, size_t *n, size_t *room, const struct attempt_subject *s, bool slow, attempt_run *run,
			attempt_run *in_steps)
{
	size_t n_methods;
	const struct method *of = methods_all(&n_methods);

	for (size_t i = 0; i < n_methods; i++) {
		attempt_run *by = of[i].heeds & HEEDS_STEPS ? in_steps : run;
		bool ascends = by == run_chunks || by == run_more_chunks, added = is_pipeline(&of[i]) && !ascends && by != run_few;
		if (of[i].slow != slow || !by || added || !is_tried(&of[i], s))
			continue;
		/* The first schedule of a quick method takes seconds on hundreds of nodes; most leave their time to the others. */
		double part = by == run_in_steps || by == run_own || by == run_method ? 0.15 : 0;
		bool programs = by == attempt_programs;
		if (slow && by == run_own) /* the first is all that some of them give, and may be the best there is */
			part = 0.25;
		if (programs) /* all that the method gives, in one attempt */
			part = 0.45;
		bool cheap = by == run_few || (programs && attempt_programs_begin_soon(s));
		add(all, n, room, s, (struct attempt){of[i].name, &of[i], slow, by, slow && by == run_method ? 0 : part, cheap, ascends});
	}
}

/* Does the measure ask for schedules in time? */
static bool asks_timed(const struct attempt_subject *s)
{
	return s->timed && s->collective->kind != ALLREDUCE && s->collective->kind != SCAN && s->collective->kind != CUSTOM;
}

struct attempt *attempts_for(const struct attempt_subject *s, size_t *n)
{
	static const bool grow[COLLECTIVE_KINDS] = {[ALLGATHER] = true, [REDUCESCATTER] = true, [BROADCAST] = true,
						    [REDUCE] = true};
	static const bool turn[COLLECTIVE_KINDS] = {[ALLGATHER] = true, [REDUCESCATTER] = true, [ALLTOALL] = true};
	enum collective_kind kind = s->collective->kind;
	attempt_run *own = s->measured ? run_own : run_method;
	bool exactly = s->exactly.chunks > 0;
	struct attempt *all = NULL;
	size_t room = 0;

	*n = 0;
	bool turns = turn[kind] && !exactly;
	if (turns) { /* in compact form, and at a bound or near it: on large machines the first to be had */
		add(&all, n, &room, s, (struct attempt){"orbits", NULL, false, run_symmetric, 0, false, false});
		add(&all, n, &room, s, (struct attempt){"orbits", NULL, false, run_near_bound, 0.5, true, false});
	}
	add_pipelines(&all, n, &room, s, own);
	add_methods(&all, n, &room, s, false, own, own);
	if (turns)
		add(&all, n, &room, s, (struct attempt){"orbits", NULL, false, run_nearer_bound, 0.1, false, false});
	if (kind == ALLREDUCE && !exactly)
		add(&all, n, &room, s, (struct attempt){"halves", NULL, false, run_halves, 0.3, true, false});
	if (asks_timed(s)) /* made for these sizes */
		add(&all, n, &room, s, (struct attempt){"list-schedule", NULL, false, attempt_list_schedules, 0.75, true, false});
	if (asks_timed(s) && attempt_exact_serves(s))
		add(&all, n, &room, s, (struct attempt){"exact-schedule", NULL, true, attempt_exact_schedules, 0.25, false, false});
	if (s->measured)
		add_methods(&all, n, &room, s, false, run_few, NULL);
	if (grow[kind] && s->measured) /* near the bound for large sizes wherever they serve */
		add(&all, n, &room, s, (struct attempt){"forest", NULL, true, run_trees, 0.25, true, false});
	if (s->measured)
		add_methods(&all, n, &room, s, true, run_few, attempt_programs);
	add_methods(&all, n, &room, s, true, own, s->measured ? NULL : run_in_steps);
	if (grow[kind] && !s->measured)
		add(&all, n, &room, s, (struct attempt){"forest", NULL, true, run_trees, 0.1, false, false});
	if (s->measured) { /* all methods with their own numbers of chunks come before any with others */
		add_methods(&all, n, &room, s, false, run_chunks, run_chunks);
		add_methods(&all, n, &room, s, true, run_more_chunks, NULL);
		add_methods(&all, n, &room, s, true, run_chunks, NULL);
	}
	return all;
}
