/*
 * A program is solved once for each step count, beginning with the columns of one step less. Where it is too large, or the
 * time is over, the bounds for the step count take its place.
 */

#include "synth/frontier/program_values.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/bounds/switch_steps.h"
#include "core/machine/network.h"
#include "core/symmetry/automorphisms.h"
#include "synth/builder/method.h"
#include "synth/frontier/direct_allreduce.h"
#include "synth/frontier/halves.h"
#include "synth/methods/program_attempts.h"

#include <stdlib.h>

bool program_values_open(const struct problem *p, struct program_values *out, struct error *e)
{
	*out = (struct program_values){.problem = p};
	return problem_instance(p, (struct candidate){p->unit, 1, 1}, &out->unit, e);
}

void program_values_close(struct program_values *v)
{
	if (v->solved)
		least_rounds_free(&v->last);
	problem_instance_done(&v->unit);
}

/* Raises a value to what the program shows. */
static void raise_value(const struct problem *p, const struct least_rounds *l, struct step_value *v)
{
	struct rational least = rational_div(l->least, rational(p->asked_unit, 1));

	if (!rational_ok(least) || rational_compare(least, v->at_least) < 0)
		return;
	free(v->prices);
	v->at_least = least;
	v->attained = l->attained;
	v->prices = least_rounds_prices(l, &v->n_prices);
}

static struct step_value value_by_bounds(const struct problem *p, int steps)
{
	return (struct step_value){.steps = steps, .at_least = p->bounds.bandwidth, .root = -1};
}

struct step_value program_values_next(struct program_values *v, int steps)
{
	struct step_value out = value_by_bounds(v->problem, steps);
	struct error unused = {0};
	struct least_rounds now = {0};
	double deadline = stop_within(stop_left() / 2);
	bool ok = least_rounds_find(&v->unit, steps, v->solved ? &v->last : NULL, &now, &unused);

	stop_restore(deadline);
	if (v->solved)
		least_rounds_free(&v->last);
	v->solved = ok;
	v->last = now;
	if (ok)
		raise_value(v->problem, &now, &out);
	if (!ok || !now.attained) {
		struct rational least = problem_bandwidth_in(v->problem, steps, TIMED_FULL);
		if (rational_compare(least, out.at_least) > 0)
			out.at_least = least;
	}
	return out;
}

/* Raises the value to that of a collective that is part of every allreduce. True: it has risen. */
static bool raise_by(const struct problem *p, const struct collective *k, struct step_value *v)
{
	struct rational before = v->at_least;
	struct error unused = {0};
	struct least_rounds l;
	struct instance i;

	/* Of the roots only the one with the largest value counts: most others are known to be below that long before they are solved. */
	if (!instance_new(p->network, k, 1, v->steps, v->steps, &i, &unused) ||
	    !least_rounds_above(&i, v->steps, NULL, v->prices ? v->at_least : rational(0, 1), &l, &unused))
		return false;
	if (!v->prices || rational_compare(l.least, v->at_least) > 0)
		raise_value(p, &l, v);
	least_rounds_free(&l);
	return rational_compare(v->at_least, before) > 0;
}

struct step_value program_value_directly(const struct problem *p, int steps, int only)
{
	struct step_value v = value_by_bounds(p, steps);
	int nodes = p->network->nodes, *orbit;

	struct rational least = switch_allreduce_bound(p->network, steps);
	if (rational_compare(least, v.at_least) > 0)
		v = (struct step_value){.steps = steps, .at_least = least, .attained = steps == 1, .root = -1};
	if (steps == 1 || p->network->n_groups > 0) {
		raise_by(p, &(struct collective){.kind = ALLGATHER}, &v);
		return v;
	}
	orbit = new_array(int, (size_t)nodes);
	automorphisms_node_orbits(p->network, orbit);
	for (int root = 0; root < nodes && !stop_is_due(); root++)
		if ((only < 0 ? orbit[root] == root : root == only) && raise_by(p, &(struct collective){.kind = BROADCAST, .root = root}, &v))
			v.root = root;
	v.attained = false;
	free(orbit);
	return v;
}

bool program_value_by_cuts(const struct problem *p, struct step_value *v)
{
	struct rational least = problem_bandwidth_in(p, v->steps, TIMED_FULL);

	if (p->network->n_groups > 0 || rational_compare(least, v->at_least) <= 0)
		return false;
	free(v->prices);
	*v = (struct step_value){.steps = v->steps, .at_least = least, .root = -1};
	return true;
}

struct algorithm *switch_algorithm(const struct problem *p, int steps)
{
	struct text report = {0};
	struct error unused = {0};

	if (!switch_allreduce_bound(p->network, steps).num)
		return NULL;
	struct algorithm *a = method_build(method_find("nvls", &unused), p->topology, &p->collective, &(struct method_options){.steps = steps},
					   &report, &unused);
	text_free(&report);
	return problem_judged(p, a, &unused);
}

struct algorithm *program_algorithm_of(const struct problem *p, int steps, int chunks, struct error *e)
{
	struct program_values v;
	struct algorithm *a = NULL;

	if (!program_values_open(p, &v, e))
		return NULL;
	v.solved = least_rounds_find(&v.unit, steps, NULL, &v.last, e);
	if (v.solved)
		a = program_algorithm(p, &v.last, chunks / p->asked_unit, true, e);
	program_values_close(&v);
	return a;
}

/* ---- of a frontier that was read ---- */

static bool solve_values(const struct problem *p, int last, struct step_values *out, struct error *e)
{
	struct program_values v;

	if (!program_values_open(p, &v, e))
		return false;
	step_values_free(out);
	for (int s = bounds_first_steps(&p->bounds); s <= last; s++)
		step_values_add(out, program_values_next(&v, s));
	program_values_close(&v);
	return true;
}

/* Of the roots that the file names: another of the same orbit would do as well, but be another claim. */
static void solve_directly(const struct problem *p, const struct frontier *f, struct step_values *out)
{
	struct step_values said = *out;

	*out = (struct step_values){0};
	for (int s = bounds_first_steps(&p->bounds); s <= f->last_steps; s++) {
		const struct step_value *v = step_values_at(&said, s);
		const struct algorithm *known = NULL;
		for (size_t i = 0; i < f->n_points; i++)
			known = (int)f->points[i]->n_steps == s ? f->points[i] : known;
		struct step_value by_cuts = value_by_bounds(p, s);
		bool cuts = v && v->root < 0 && !v->patterns && s > 1 && program_value_by_cuts(p, &by_cuts);
		struct step_value now = cuts ? by_cuts : program_value_directly(p, s, v ? v->root : -1);
		if (v && v->patterns)
			direct_patterns(p, known ? algorithm_bandwidth(known) : v->at_least, known, &now);
		step_values_add(out, now);
	}
	step_values_free(&said);
}

static bool solve_half(struct frontier *f, int half, struct error *e)
{
	struct problem p, other;

	if (!problem_open(f->topology, &half_collectives[half], &p, e))
		return false;
	bool ok = problem_open(f->topology, &half_collectives[half == SCATTERED ? GATHERED : SCATTERED], &other, e);
	if (ok) {
		ok = solve_values(&p, f->last_steps - other.bounds.steps, &f->halves[half], e);
		problem_close(&other);
	}
	problem_close(&p);
	return ok;
}

bool frontier_solve_values(struct frontier *f, struct error *e)
{
	struct frontier *composed = f->within == WITHIN_COMPOSITION ? f : f->composed;
	struct problem p;
	bool ok = true;

	if (f->bound_bandwidth.num == 0)
		return true;
	for (int half = 0; composed && half < HALVES; half++)
		if (!solve_half(composed, half, e))
			return false;
	if (composed == f)
		return true;
	if (!problem_open_direct(f->topology, &f->collective, &p, e))
		return false;
	if (p.direct)
		solve_directly(&p, f, &f->values);
	else
		ok = solve_values(&p, f->last_steps, &f->values, e);
	problem_close(&p);
	return ok;
}
