/*
 * Solving a program takes much longer than cutting its solution into chunks, and each program begins with the columns of the one of
 * a step less: so one attempt makes all algorithms, of few chunks, which suit small inputs, and of many. On large machines chunks are
 * refined one by one, without a solution: there the most steps are first, with as many chunks as take seconds.
 */

#include "synth/methods/program_attempts.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "synth/builder/method.h"
#include "synth/methods/attempt_sink.h"
#include "synth/problem/problem.h"
#include "synth/program/least_rounds.h"
#include "synth/program/refinement.h"

#include <stdlib.h>

enum { STEPS_BEYOND = 4 };

struct algorithm *program_algorithm(const struct problem *p, const struct least_rounds *l, int most, bool exactly, struct error *e)
{
	int chunks, n = l->program.steps;
	struct step *steps = least_rounds_steps(l, most, exactly, &chunks, e);
	struct candidate c = {0, n, 0};

	if (!steps)
		return NULL;
	for (int s = 0; s < n; s++)
		c.rounds += steps[s].rounds;
	c.chunks = chunks * p->asked_unit;
	return problem_algorithm(p, c, steps, (size_t)n, e);
}

bool attempt_programs_begin_soon(const struct attempt_subject *s)
{
	enum { NODES = 64 };
	struct error unused = {0};
	struct instance unit;

	if (s->topology->nodes <= NODES)
		return true;
	if (!problem_instance(s->problem, (struct candidate){s->problem->unit, 1, 1}, &unit, &unused))
		return false;
	bool refined = refinement_may_serve(&unit);
	problem_instance_done(&unit);
	return refined;
}

static bool is_refined(const struct least_rounds *l)
{
	return refinement_serves(&l->program);
}

/* An algorithm of at most MOST chunks, in units of the program; of so many where each is refined. Returns how many it has; 0 with *e set. */
static int cut(const struct attempt *by, const struct attempt_subject *s, const struct least_rounds *l, int most, const struct attempt_sink *to,
	       struct error *e)
{
	struct algorithm *a = program_algorithm(s->problem, l, most, is_refined(l), e);

	if (!a)
		return 0;
	int chunks = a->chunks / s->problem->asked_unit;
	free(a->method);
	a->method = copy_string(by->method->name);
	algorithm_rename(a);
	attempt_give(s, to, a, e);
	return chunks;
}

/*
 * Of few chunks first, until more than there are would be no better: from the number *FEWEST on, which becomes the first that was better,
 * for some value, than all before. Was any?
 */
static bool cut_all(const struct attempt *by, const struct attempt_subject *s, const struct least_rounds *l, int *fewest,
		    const struct attempt_sink *to, struct error *e)
{
	static const int counts[][8] = {{1, 4, 16, 64, 256, 1024}, {64, 128, 256}}; /* [is it refined?]; up to a 0 */
	int unit = l->program.instance->chunks, limit = s->max_chunks ? s->max_chunks / s->problem->asked_unit : CHUNKS_MAX;
	bool more = true, helped = false;

	for (const int *n = counts[is_refined(l)]; *n && *n <= limit / unit && more && !stop_is_due(); n++) {
		struct error further = {0};
		if (*n < *fewest)
			continue;
		int chunks = cut(by, s, l, *n * unit, to, &further);
		more = !chunks || !l->attained || 2 * chunks > *n * unit;
		if (chunks && to->measure && to->has_helped(to->context)) {
			*fewest = helped ? *fewest : *n;
			helped = true;
		}
		attempt_note(e, &further);
	}
	return helped;
}

/*
 * The program of each number of steps from FIRST to LAST, and further as long as that helps, beginning with the columns of the one before.
 * More steps suit larger inputs, and these more chunks: so the fewest are those that helped with a step less.
 */
static void cut_ascending(const struct attempt *by, const struct attempt_subject *s, const struct instance *unit, int first, int last,
			  const struct attempt_sink *to, struct error *e)
{
	const struct problem *p = s->problem;
	struct least_rounds before = {0}, now;
	bool any = false, at_bound = false, helps = !s->max_steps;
	int fewest = 0;

	for (int steps = first; (steps <= last || helps) && !at_bound && !stop_is_due() &&
				least_rounds_find(unit, steps, any ? &before : NULL, &now, e); steps++) {
		if (any)
			least_rounds_free(&before);
		any = true;
		before = now;
		helps = cut_all(by, s, &now, &fewest, to, e) && !s->max_steps;
		at_bound = rational_compare(rational_div(now.most, rational(p->asked_unit, 1)), p->bounds.bandwidth) <= 0;
	}
	if (any)
		least_rounds_free(&before);
}

/* The programs are not solved: only as much as is done at once. */
static void cut_descending(const struct attempt *by, const struct attempt_subject *s, const struct instance *unit, int first, int last,
			   const struct attempt_sink *to, struct error *e)
{
	static const double moment = 0.1;
	struct least_rounds now;

	for (int steps = last; steps >= first && !stop_is_due(); steps--) {
		double deadline = stop_within(moment);
		bool found = least_rounds_find(unit, steps, NULL, &now, e);
		stop_restore(deadline);
		if (!found)
			return;
		cut_all(by, s, &now, &(int){0}, to, e);
		least_rounds_free(&now);
	}
}

void attempt_programs(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	const struct problem *p = s->problem;
	int first = bounds_first_steps(&p->bounds), last = s->max_steps && s->max_steps < first + STEPS_BEYOND ? s->max_steps : first + STEPS_BEYOND;
	struct instance unit;

	if (p->bounds.bandwidth.num == 0) {
		error_set(e, ERROR_LIMIT, by->name, "nothing need cross a link");
		return;
	}
	if (!problem_instance(p, (struct candidate){p->unit, 1, 1}, &unit, e))
		return;
	(refinement_may_serve(&unit) ? cut_descending : cut_ascending)(by, s, &unit, first, last, to, e);
	*to->is_cut = *to->is_cut || stop_is_due();
	problem_instance_done(&unit);
}
