/*
 * Copies the sends of every run into one schedule, each run shifted by its start step and working on its own part of
 * each chunk's data (chunk_part); the rounds are counted anew from the loads of each step.
 */

#include "synth/replicate/repeat.h"

#include "synth/builder/schedule_builder.h"

#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "core/verify/verify.h"
#include "synth/problem/problem.h"

static void add_run(struct schedule_builder *d, const struct algorithm *a, int run, int runs, int every)
{
	int period = collective_period(&a->collective, a->topology->nodes);

	for (size_t s = 0; s < a->n_steps && !builder_is_full(d); s++) {
		const struct step *step = &a->steps[s];
		int at = (int)s + run * every;
		for (size_t i = 0; i < step->n_sends; i++)
			builder_send(d, at, chunk_part(step->sends[i].chunk, run, runs, period), step->sends[i].src, step->sends[i].dst);
		for (size_t i = 0; i < step->n_reduces; i++)
			builder_reduce(d, at, chunk_part(step->reduces[i].chunk, run, runs, period), step->reduces[i].src, step->reduces[i].dst);
	}
}

static struct algorithm *constructed(const struct algorithm *a, const struct network *w, int runs, int every, struct error *e)
{
	struct schedule_builder *d = builder_new(w);
	struct algorithm *all = NULL;
	struct step *steps;
	size_t n_steps;

	for (int run = 0; run < runs; run++)
		add_run(d, a, run, runs, every);
	if (builder_take(d, a->name, &steps, &n_steps, e)) {
		struct collective k = collective_scaled(&a->collective, runs);
		all = algorithm_new(a->topology, &k, a->chunks * runs, n_steps, steps, "repeat");
		collective_free(&k);
	}
	builder_free(d);
	return all;
}

/* A custom collective is already scaled in A: the bounds of A, one run, are taken over instead of computed anew. */
static struct algorithm *judged_by_one_run(struct algorithm *all, const struct algorithm *a, struct error *e)
{
	struct verdict v = algorithm_verify(all);

	if (v.fault == FAULT_NONE) {
		all->has_bounds = a->has_bounds;
		all->bound_steps = a->bound_steps;
		all->bound_bandwidth = a->bound_bandwidth;
		return all;
	}
	error_set(e, ERROR_SYSTEM, all->name, "is wrong: %s", v.why);
	algorithm_free(all);
	return NULL;
}

static struct algorithm *judged(struct algorithm *all, const struct algorithm *a, struct error *e)
{
	bool direct = a->collective.kind == ALLREDUCE;
	struct problem p;

	if (!all || a->collective.kind == CUSTOM)
		return all ? judged_by_one_run(all, a, e) : NULL;
	if (!(direct ? problem_open_direct : problem_open)(a->topology, &a->collective, &p, e)) {
		algorithm_free(all);
		return NULL;
	}
	all = problem_judged(&p, all, e);
	if (all && direct)
		all->optimality.within = WITHIN_ONE_VALUE;
	problem_close(&p);
	return all;
}

struct algorithm *repeated(const struct algorithm *a, int runs, int every, struct error *e)
{
	if (every == 0)
		every = a->constraints.pipeline ? a->constraints.pipeline : 1;
	if ((int64_t)a->global_chunks * runs > CHUNKS_MAX || (int64_t)a->n_steps + (int64_t)(runs - 1) * every > STEPS_MAX) {
		error_set(e, ERROR_LIMIT, a->name, "%d runs make too many chunks or steps", runs);
		return NULL;
	}
	struct network *w = network_new(a->topology, e);
	struct algorithm *all = w ? judged(constructed(a, w, runs, every, e), a, e) : NULL;

	network_free(w);
	return all;
}
