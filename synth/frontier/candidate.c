/*
 * Answers a candidate by the cheapest means that can: bounds, then (for large instances) the constructions for
 * symmetric machines, then the bounds for its exact steps and rounds, then (for large instances) all other methods, and last a
 * solver. For other instances a solver is first asked with a limit on its work; all other methods follow, and then the solver
 * without that limit.
 */

#include "synth/frontier/candidate.h"

#include "core/base/error.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/compose.h"
#include "synth/methods/constructions.h"
#include "synth/symmetric/symmetric_construction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool check(const struct problem *p, struct candidate c, struct error *e)
{
	if (!problem_check_chunks(p, c.chunks, e))
		return false;
	if (c.steps < 1 || c.steps > STEPS_MAX)
		return error_set(e, ERROR_INPUT, "-S", "steps must be from 1 to %d, not %d", STEPS_MAX, c.steps);
	if (c.rounds < c.steps || c.rounds > ROUNDS_MAX)
		return error_set(e, ERROR_INPUT, "-R", "rounds must be from S=%d to %d, not %d: each step needs a round",
				 c.steps, ROUNDS_MAX, c.rounds);
	return true;
}

static void state_none(const struct problem *p, struct candidate c, struct candidate_answer *out)
{
	struct text constraints = {0};

	if (p->constraints.pipeline)
		text_add(&constraints, ", --pipeline %d", p->constraints.pipeline);
	if (p->constraints.is_short)
		text_add(&constraints, ", --extra-memory %d", p->constraints.extra_memory);
	snprintf(out->why, sizeof out->why, "engine %s refuted %s on %s with C=%d, S=%d, R=%d%s", out->engine,
		 collective_called(&p->collective), p->topology->name, c.chunks, c.steps, c.rounds, constraints.length ? constraints.bytes : "");
	text_free(&constraints);
}

static bool ask(const struct problem *p, struct candidate c, const struct solve_options *o, struct candidate_answer *out,
		struct error *e)
{
	struct instance i;
	struct solution got = {0};

	if (!problem_instance(p, c, &i, e))
		return false;
	bool ok = solve(&i, o, &got, e);
	problem_instance_done(&i);
	if (!ok)
		return false;
	out->answer = got.answer;
	out->engine = got.engine;
	out->seconds = got.seconds;
	out->work = got.work;
	out->peak_kib = got.peak_kib;
	out->lacked_memory = got.lacked_memory;
	if (got.answer == ANSWER_GAVE_UP)
		snprintf(out->why, sizeof out->why, "%s", got.why);
	if (got.answer == ANSWER_NONE)
		state_none(p, c, out);
	if (got.answer == ANSWER_FOUND)
		out->algorithm = problem_algorithm(p, c, got.steps, got.n_steps, e);
	return got.answer != ANSWER_FOUND || out->algorithm;
}

/* Is the expanded formula, by its number of (chunk, edge, step) variables, so large that constructions are tried
 * first? For a composition: that of a direct answer. Where switches copy or add there is no formula. */
static bool is_large(const struct problem *p, struct candidate c)
{
	enum { LARGE = 10000 };
	const struct collective *k = p->composed ? &p->collective : &p->asked;
	int chunks = p->composed ? c.chunks : c.chunks / p->asked_unit;
	double edges = p->composed ? (double)p->topology->n_links : (double)p->network->n_edges;

	if (topology_has_abilities(p->topology))
		return !constraints_any(&p->constraints);
	return !constraints_any(&p->constraints) && (double)collective_global_chunks(k, p->topology->nodes, chunks) * edges * (double)c.steps > LARGE;
}

static bool construct(const struct problem *p, struct candidate c, struct candidate_answer *out, struct error *e)
{
	out->algorithm = symmetric_construct(p, c, e);
	out->answer = ANSWER_FOUND;
	out->engine = "orbits";
	return out->algorithm || e->kind != ERROR_NONE;
}

/*
 * With any other method: one that gives these chunks in as few steps and rounds, or fewer. It may take a quarter of the
 * time limit: most of it is the solver's.
 */
static bool build(const struct problem *p, struct candidate c, const struct solve_options *o, struct candidate_answer *out, struct error *e)
{
	double before = stop_within(o->timeout > 0 ? o->timeout / 4 : INFINITY);

	out->algorithm = constructions_meet(p, c, o->memory, e);
	stop_restore(before);
	out->answer = ANSWER_FOUND;
	out->engine = "methods";
	return out->algorithm || e->kind != ERROR_NONE;
}

/* Is R/C below the bandwidth bound for exactly this number of steps? */
static bool is_below_in_steps(const struct problem *p, struct candidate c, struct candidate_answer *out)
{
	struct rational least = problem_bandwidth_in(p, c.steps, TIMED_QUICK);
	char have[RATIONAL_TEXT], bound[RATIONAL_TEXT];

	if (rational_compare(candidate_bandwidth(c), least) >= 0)
		return false;
	out->answer = ANSWER_NONE;
	out->engine = "bounds";
	snprintf(out->why, sizeof out->why, "R/C=%s is below %s, the bandwidth bound for %d step%s",
		 rational_text(candidate_bandwidth(c), have), rational_text(least, bound), c.steps, plural(c.steps));
	return true;
}

/* Is C more than any distribution of whole rounds over the steps can carry? */
static bool is_more_than_whole(const struct problem *p, struct candidate c, struct candidate_answer *out)
{
	int64_t most;

	problem_most_chunks(p, c.steps, c.rounds, c.rounds, TIMED_QUICK, &most);
	if (most < 0 || c.chunks <= most)
		return false;
	out->answer = ANSWER_NONE;
	out->engine = "bounds";
	snprintf(out->why, sizeof out->why, "C=%d is more than %ld, the most that %d whole round%s can carry in %d step%s", c.chunks, (long)most,
		 c.rounds, plural(c.rounds), c.steps, plural(c.steps));
	return true;
}

/* Bounds and symmetric schedules; false: these do not answer. */
static bool is_answered(const struct problem *p, struct candidate c, struct candidate_answer *out, struct error *e)
{
	if (problem_below_bounds(p, c, out->why, sizeof out->why)) {
		out->answer = ANSWER_NONE;
		out->engine = "bounds";
		return true;
	}
	return (!p->composed && is_large(p, c) && construct(p, c, out, e)) || is_below_in_steps(p, c, out) || is_more_than_whole(p, c, out);
}

/* Half of a composition: each of many splits, for which trying all methods would take too long. */
static bool solve_half(const struct problem *p, struct candidate c, const struct solve_options *o, struct candidate_answer *out,
		       struct error *e)
{
	*out = (struct candidate_answer){0};
	return check(p, c, e) && (is_answered(p, c, out, e) ? e->kind == ERROR_NONE : ask(p, c, o, out, e));
}

/* For an instance that is not large: a solver answers most at once, but takes minutes for some with tens of chunks that another method
 * answers at once. */
static bool ask_briefly(const struct problem *p, struct candidate c, const struct solve_options *o, struct candidate_answer *out, struct error *e)
{
	static const double little = 2e6;
	const struct engine *engine = solve_engine(o->engine, e);
	struct solve_options brief = *o;

	if (!engine)
		return true;
	if (p->composed || constraints_any(&p->constraints) || strcmp(engine->name, "bits") != 0 || o->work > 0)
		return false;
	brief.work = little;
	if (!ask(p, c, &brief, out, e) || out->answer != ANSWER_GAVE_UP || out->lacked_memory)
		return true;
	*out = (struct candidate_answer){0};
	return build(p, c, o, out, e);
}

bool candidate_solve(const struct problem *p, struct candidate c, const struct solve_options *o, struct candidate_answer *out,
	       struct error *e)
{
	*out = (struct candidate_answer){0};
	if (!check(p, c, e))
		return false;
	if (is_answered(p, c, out, e) || (is_large(p, c) ? build(p, c, o, out, e) : ask_briefly(p, c, o, out, e)))
		return e->kind == ERROR_NONE;
	*out = (struct candidate_answer){0};
	return p->composed ? compose_solve(p, c, solve_half, o, out, e) : ask(p, c, o, out, e);
}
