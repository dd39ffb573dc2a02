/*
 * Drives whole searches: one class of algorithms (by construction if that meets both bounds, by composition, or by
 * frontier_search), or both classes of an allreduce merged. Also manages the output folder and the journals.
 */

#include "synth/frontier/pareto.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/stop.h"
#include "core/bounds/switch_steps.h"
#include "core/machine/topology.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/compose_frontier.h"
#include "synth/frontier/keep_point.h"
#include "synth/frontier/program_search.h"
#include "synth/symmetric/symmetric_construction.h"
#include "synth/frontier/search.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* The journal of an allreduce's direct class is in the same folder as those of its halves. */
static char *journal_of(const struct problem *p, const char *dir)
{
	if (!dir)
		return NULL;
	return p->direct ? catalog_half_journal_path(dir, p->topology, &p->collective, &p->collective)
			 : catalog_journal_path(dir, p->topology, &p->collective);
}

static struct frontier *search_itself(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	struct answers known = {.constraints = p->constraints};

	if (o->k == WITHOUT_K)
		return program_search(p, o, e);
	char *journal = journal_of(p, o->out);
	struct frontier *f = frontier_search(p, o, journal, &known, e);

	free(journal);
	answers_free(&known);
	return f;
}

/* Makes the output folder, or where there is no journal only checks that it can be made, so that a search that finds
 * nothing leaves none. Removes what a killed search left half written. */
static bool make_folder(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	if (!o->out)
		return true;
	char *folder = catalog_folder(o->out, p->topology, &p->collective);
	bool ok = catalog_check(o->out, p->topology, &p->collective, e) && (o->k == WITHOUT_K ? folder_check : folder_make)(folder, e);
	if (ok)
		folder_sweep(folder);
	free(folder);
	return ok;
}

/* The journal is kept if candidates stayed open: they may be asked again with a higher limit. */
static void drop_journal(const struct problem *p, const struct frontier *f, const char *dir)
{
	if (!dir || f->n_open || (f->composed && f->composed->n_open))
		return;
	if (p->composed) {
		compose_drop_journals(p, dir);
		return;
	}
	char *journal = journal_of(p, dir);
	unlink(journal);
	free(journal);
}

/* Takes the frontier and returns it once it is on disk. */
static struct frontier *stored(struct frontier *f, const struct pareto_options *o, struct error *e)
{
	if (!f || !o->out || catalog_store_frontier(f, o->out, e))
		return f;
	frontier_free(f);
	return NULL;
}

/* On a large symmetric machine a single constructed point may be the whole frontier, without a search. NULL without an
 * error: it is not. */
static struct frontier *constructed(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	enum { LARGE = 32 };
	struct algorithm *a = p->topology->nodes < LARGE || o->max_chunks || constraints_any(&p->constraints) ? NULL : symmetric_construct_best(p, e);

	if (!a)
		return NULL;
	if (o->expand && !algorithm_expand(a, e)) {
		algorithm_free(a);
		return NULL;
	}
	struct frontier *f = frontier_new(p, o->k, 0);
	f->last_steps = (int)a->n_steps;
	f->ended = ENDED_BOUND;
	if (o->k == WITHOUT_K)
		step_values_add(&f->values, (struct step_value){.steps = (int)a->n_steps, .at_least = p->bounds.bandwidth, .attained = true, .root = -1});
	frontier_add(f, a);
	if (keep_point(f, 0, o, e))
		return f;
	frontier_free(f);
	return NULL;
}

static struct frontier *search_class(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	if (!make_folder(p, o, e))
		return NULL;
	struct frontier *f = o->k == WITHOUT_K && !p->composed ? NULL : constructed(p, o, e);
	if (f || e->kind != ERROR_NONE)
		return stored(f, o, e);
	f = stored(p->composed ? compose_search(p, o, e) : search_itself(p, o, e), o, e);
	if (f)
		drop_journal(p, f, o->out);
	return f;
}

/* Applies the search's time limit to everything computed from now on. Returns what stop_restore takes. */
static double begin_limit(const struct pareto_options *o)
{
	return stop_within(o->solve.timeout > 0 ? o->solve.timeout : INFINITY);
}

struct frontier *pareto_search(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	double deadline = begin_limit(o);
	struct frontier *f = search_class(p, o, e);

	stop_restore(deadline);
	return f;
}

/* Adds the points of compositions beyond the last step count searched, where no other point is as good. */
static bool add_points_of_compositions(struct frontier *f, const struct frontier *composed, const struct pareto_options *o, struct error *e)
{
	for (size_t i = 0; i < composed->n_points; i++) {
		const struct algorithm *a = composed->points[i];
		struct rational best = frontier_best(f, (int)a->n_steps);
		if ((int)a->n_steps <= f->last_steps ||
		    (rational_ok(best) && rational_compare(algorithm_bandwidth(a), best) >= 0))
			continue;
		frontier_add(f, algorithm_copy(a));
		if (!keep_point(f, f->n_points - 1, o, e))
			return false;
	}
	return true;
}

/* With fewer steps than any composition has, direct refutations are fast; with as many they are far slower, and made
 * only if max_steps asks for them. 0: no limit. */
static int last_direct_steps(const struct problem *composed, const struct problem *direct)
{
	int last = composed->bounds.steps - 1;

	if (switch_allreduce_bound(direct->network, 1).num) /* nothing is to be refuted */
		return 0;
	last = last > direct->bounds.steps ? last : direct->bounds.steps;
	return last > 1 ? last : 1;
}

static struct frontier *search_both(const struct problem *composed, const struct problem *direct, const struct pareto_options *o,
				  struct error *e)
{
	struct pareto_options own = *o;

	if (o->least_steps)
		return search_class(direct, o, e);
	if (!make_folder(composed, o, e))
		return NULL;
	double deadline = stop_within(stop_left() / 2);
	struct frontier *c = o->k == WITHOUT_K ? constructed(composed, o, e) : NULL;
	if (!c && e->kind == ERROR_NONE)
		c = compose_search(composed, o, e);
	stop_restore(deadline);
	if (!c)
		return NULL;
	own.beside = c;
	own.max_steps = o->max_steps ? o->max_steps : last_direct_steps(composed, direct);
	own.beyond = !o->max_steps;
	struct frontier *f = search_itself(direct, &own, e);
	if (f && !add_points_of_compositions(f, c, o, e)) {
		frontier_free(f);
		f = NULL;
	}
	if (f)
		f->composed = c;
	else
		frontier_free(c);
	f = stored(f, o, e);
	if (f) {
		drop_journal(composed, f, o->out);
		drop_journal(direct, f, o->out);
	}
	return f;
}

struct frontier *pareto_search_both(const struct problem *composed, const struct problem *direct, const struct pareto_options *o,
				  struct error *e)
{
	double deadline = begin_limit(o);
	struct frontier *f = search_both(composed, direct, o, e);

	stop_restore(deadline);
	return f;
}
