/*
 * Points are relabelled and judged on the new machine; the lists of refuted and open candidates are recomputed there,
 * where a candidate (C, S, R) is refuted if it was refuted on the original, isomorphic machine.
 */

#include "synth/frontier/relabelled_frontier.h"

#include "core/base/error.h"
#include "core/schedule/relabel.h"
#include "core/machine/topology.h"
#include "synth/frontier/frontier_parts.h"

#include <stdlib.h>

/* The last step count that is wanted of F; a search that ended at the bound had no more to find. */
static int last_steps(const struct frontier *f, const struct pareto_options *o)
{
	return o->max_steps && o->max_steps < f->last_steps ? o->max_steps : f->last_steps;
}

bool frontier_answers(const struct frontier *f, const struct pareto_options *o)
{
	int last = last_steps(f, o);

	if (o->max_chunks || f->max_chunks || o->least_steps || (f->k == WITHOUT_K) != (o->k == WITHOUT_K) || f->ended == ENDED_TIME)
		return false;
	/* Halves searched with another k compose to other points. */
	if (f->collective.kind == ALLREDUCE)
		return f->composed && f->k == o->k && f->composed->k == o->k && !o->max_steps;
	for (size_t i = 0; i < f->n_points && (int)f->points[i]->n_steps <= last && o->k != WITHOUT_K; i++)
		if (algorithm_rounds(f->points[i]) - (int)f->points[i]->n_steps > o->k)
			return false;
	return f->k >= o->k && (last == o->max_steps || !o->max_steps || frontier_at_bound(f));
}

/* The lists of a judged frontier are sorted. */
static bool was_refuted(const void *frontier, struct candidate c)
{
	const struct frontier *f = frontier;

	return f->n_refuted && bsearch(&c, f->refuted, f->n_refuted, sizeof c, frontier_list_order);
}

/* Each step count has one point. */
static const struct algorithm *point_at(const struct frontier *f, size_t steps)
{
	for (size_t i = 0; f && i < f->n_points; i++)
		if (f->points[i]->n_steps == steps)
			return f->points[i];
	return NULL;
}

struct passage {
	const struct problem *problem; /* on the new machine */
	const int *to;
	int k, last;
	const struct frontier *composed; /* already relabelled; NULL: none */
};

/* One point of F, relabelled and judged; a composition is taken from the relabelled compositions. */
static struct algorithm *relabel_point(const struct frontier *f, const struct algorithm *a, const struct passage *over, struct error *e)
{
	const struct problem *p = over->problem;

	if (!frontier_is_composed(f, a))
		return problem_judged(p, algorithm_relabelled(a, p->topology, &p->collective, over->to), e);
	const struct algorithm *host = point_at(over->composed, a->n_steps);
	if (host)
		return algorithm_copy(host);
	error_set(e, ERROR_INPUT, a->name, "is not a point of the compositions");
	return NULL;
}

/* The values are those of any machine that is isomorphic. */
static void take_values(const struct frontier *f, const struct passage *over, struct frontier *out)
{
	for (size_t i = 0; i < f->values.n && f->values.of[i].steps <= over->last; i++) {
		struct step_value v = f->values.of[i];
		v.prices = NULL;
		v.root = v.root >= 0 ? over->to[v.root] : -1;
		step_values_add(&out->values, v);
	}
	out->last_steps = over->last;
	frontier_claim_values(out);
}

/* Relabels one class of algorithms. */
static struct frontier *relabel(const struct frontier *f, const struct passage *over, struct error *e)
{
	const struct problem *p = over->problem;
	struct frontier *out = frontier_new(p, over->k, 0);

	if (p->bounds.steps != f->bound_steps || rational_compare(p->bounds.bandwidth, f->bound_bandwidth) != 0)
		error_set(e, ERROR_INPUT, p->topology->name, "its bounds differ");
	for (size_t i = 0; i < f->n_points && e->kind == ERROR_NONE; i++) {
		struct algorithm *a = f->points[i];
		if ((int)a->n_steps > over->last && !frontier_is_composed(f, a))
			continue;
		struct algorithm *relabelled = relabel_point(f, a, over, e);
		if (relabelled)
			frontier_add(out, relabelled);
	}
	if (e->kind != ERROR_NONE) {
		frontier_free(out);
		return NULL;
	}
	if (over->k == WITHOUT_K)
		take_values(f, over, out);
	else
		frontier_settle(out, over->last, was_refuted, f);
	out->ended = out->n_open ? ENDED_LIMIT : frontier_at_bound(out) ? ENDED_BOUND : ENDED_STEPS;
	return out;
}

struct frontier *frontier_relabelled(const struct frontier *f, const struct problem *p, const struct problem *direct, const int *to,
				  const struct pareto_options *o, struct error *e)
{
	struct passage over = {.problem = direct ? direct : p, .to = to, .k = o->k, .last = last_steps(f, o)};

	if (!direct)
		return relabel(f, &over, e);
	const struct passage halves = {.problem = p, .to = to, .k = o->k, .last = f->composed->last_steps};
	struct frontier *composed = relabel(f->composed, &halves, e);
	if (!composed)
		return NULL;
	over.composed = composed;
	struct frontier *out = relabel(f, &over, e);
	if (out)
		out->composed = composed;
	else
		frontier_free(composed);
	return out;
}
