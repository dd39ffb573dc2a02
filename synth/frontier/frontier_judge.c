/*
 * Checks a frontier against its machine, points and class: recomputes the bounds, verifies the points and derives the
 * lists and claims anew, all of which must be the same as in the file. Refutations are taken as given.
 */

#include "synth/frontier/frontier_parts.h"

#include "core/bounds/bounds.h"
#include "core/bounds/switch_steps.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- bounds ---- */

/* A point whose price list shows the bound; NULL: no point is of this class, and the bound is computed from scratch. */
static const struct algorithm *pricing(const struct frontier *f)
{
	for (size_t i = 0; i < f->n_points; i++)
		if (!frontier_is_composed(f, f->points[i]))
			return f->points[i];
	return NULL;
}

static bool count_bounds(const struct frontier *f, struct bounds *b, struct error *e)
{
	const struct algorithm *by = pricing(f);

	if (f->within == WITHIN_COMPOSITION)
		return bounds_composition(f->topology, &f->collective, b, e);
	if (!by)
		return bounds_compute(f->topology, &f->collective, b, e);
	struct stated_prices stated = {by->bound_prices, by->n_bound_prices};
	struct network *w = network_new(f->topology, e);
	bool ok = w && bounds_compute_on(f->topology, w, &f->collective, stated, b, e);
	network_free(w);
	return ok;
}

static bool judge_bounds(const struct frontier *f, char *why, size_t size)
{
	char said[RATIONAL_TEXT], counted[RATIONAL_TEXT];
	struct error e = {0};
	struct bounds b;

	if (!count_bounds(f, &b, &e)) {
		snprintf(why, size, "its bounds cannot be computed: %.180s", e.what);
		return false;
	}
	bool ok = b.steps == f->bound_steps && rational_compare(b.bandwidth, f->bound_bandwidth) == 0;
	if (!ok)
		snprintf(why, size, "the bounds are %d steps and %s rounds per chunk, not %d and %s", b.steps,
			 rational_text(b.bandwidth, counted), f->bound_steps, rational_text(f->bound_bandwidth, said));
	bounds_free(&b);
	return ok;
}

/* ---- points ---- */

/* What is wrong with a point taken by itself; NULL: nothing. */
static const char *fault_of(const struct frontier *f, const struct algorithm *a)
{
	bool bounded = a->has_bounds && a->bound_steps == f->bound_steps &&
		       rational_compare(a->bound_bandwidth, f->bound_bandwidth) == 0;

	if (!topology_same(a->topology, f->topology))
		return "is for another machine";
	if (!collective_same(&a->collective, &f->collective))
		return "is for another collective";
	if (!constraints_same(&a->constraints, &f->constraints))
		return "is for another pipeline or memory";
	if (frontier_is_composed(f, a))
		return NULL;
	if (f->within == WITHIN_COMPOSITION && !algorithm_is_composed(a))
		return "is not a reducescatter followed by an allgather";
	if ((int)a->n_steps > f->last_steps)
		return "has more steps than were searched";
	return bounded ? NULL : "has other bounds";
}

static bool judge_points(const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->n_points; i++) {
		const struct algorithm *a = f->points[i], *last = i ? f->points[i - 1] : NULL;
		struct verdict v = algorithm_verify(a);
		const char *fault = v.fault != FAULT_NONE ? v.why : fault_of(f, a);
		bool improves = !last || (a->n_steps > last->n_steps &&
					  rational_compare(algorithm_bandwidth(a), algorithm_bandwidth(last)) < 0);
		if (fault || !improves) {
			snprintf(why, size, "%s%s %.180s", base_name(f->files[i]), v.fault != FAULT_NONE ? ":" : "",
				 fault ? fault : "does not improve on the point before it");
			return false;
		}
	}
	return true;
}

/* ---- lists and claims ---- */

static bool same_candidates(const struct candidate *a, size_t n_a, const struct candidate *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

struct claims {
	const struct candidate *open;
	size_t n_open;
};

/* If the list is out of order, some candidates are not found: then it differs from the recomputed list and is
 * rejected. */
static bool is_not_open(const void *context, struct candidate c)
{
	const struct claims *claims = context;
	return !claims->n_open || !bsearch(&c, claims->open, claims->n_open, sizeof c, frontier_list_order);
}

/* The file must list exactly the candidates of the class: the lists are recomputed from the points. */
static bool judge_lists(struct frontier *f, char *why, size_t size)
{
	struct candidate *refuted = f->refuted, *open = f->open;
	size_t n_refuted = f->n_refuted, n_open = f->n_open;
	struct claims claims = {open, n_open};

	f->refuted = f->open = NULL;
	f->n_refuted = f->n_open = 0;
	bool ok = frontier_class_size(f, f->last_steps) == n_refuted + n_open;
	if (ok)
		frontier_settle(f, f->last_steps, is_not_open, &claims);
	ok = ok && same_candidates(refuted, n_refuted, f->refuted, f->n_refuted) &&
		  same_candidates(open, n_open, f->open, f->n_open);
	free(refuted);
	free(open);
	if (!ok)
		snprintf(why, size, "refuted and open candidates are not all those of the class that would beat the points");
	return ok;
}

/*
 * A program of a broadcast bounds an allreduce from below: in several steps an algorithm alone shows that its value is
 * attained.
 */
static bool lacks_point(const struct frontier *f, const struct step_value *v)
{
	struct rational best = frontier_best(f, v->steps);

	return f->collective.kind == ALLREDUCE && f->within == WITHIN_ONE_VALUE && v->steps > 1 && v->attained &&
	       !(rational_ok(best) && rational_compare(best, v->at_least) <= 0);
}

/* No value is below the bandwidth bound, and no point below the value of its steps. */
static bool judge_values(const struct frontier *f, char *why, size_t size)
{
	char said[RATIONAL_TEXT], least[RATIONAL_TEXT];

	for (size_t i = 0; i < f->values.n; i++) {
		const struct step_value *v = &f->values.of[i];
		rational_text(v->at_least, said);
		if (rational_compare(v->at_least, f->bound_bandwidth) < 0)
			snprintf(why, size, "the value %s of %d step%s is below the bandwidth bound %s", said, v->steps, plural(v->steps),
				 rational_text(f->bound_bandwidth, least));
		else if (lacks_point(f, v))
			snprintf(why, size, "the value %s of %d step%s is attained by no point", said, v->steps, plural(v->steps));
		else
			continue;
		return false;
	}
	for (size_t i = 0; i < f->n_points; i++) {
		const struct step_value *v = frontier_value_of(f, f->points[i]);
		if (v && rational_compare(algorithm_bandwidth(f->points[i]), v->at_least) < 0) {
			snprintf(why, size, "%s is below the value %s of its steps", base_name(f->files[i]), rational_text(v->at_least, said));
			return false;
		}
	}
	return true;
}

/* What an allreduce needs in so many steps; 0: no such bound is known. */
static struct rational bound_in_steps(const struct frontier *f, int steps)
{
	struct error unused = {0};
	struct rational least = rational(0, 1);
	bool any = topology_has_abilities(f->topology) && f->collective.kind == ALLREDUCE && f->within == WITHIN_ONE_VALUE;
	struct network *w = any ? network_new(f->topology, &unused) : NULL;

	if (w)
		least = switch_allreduce_bound(w, steps);
	network_free(w);
	return least;
}

static struct optimality claims_by_bounds(const struct frontier *f, const struct algorithm *a)
{
	bool steps = (int)a->n_steps == f->bound_steps, bandwidth = rational_compare(algorithm_bandwidth(a), f->bound_bandwidth) == 0;

	if (!steps && !bandwidth && rational_compare(algorithm_bandwidth(a), bound_in_steps(f, (int)a->n_steps)) == 0)
		return (struct optimality){.class = CLASS_PARETO, .proof = PROOF_BOUND, .within = WITHIN_ONE_VALUE};

	return (struct optimality){
		.class = steps ? (bandwidth ? CLASS_BOTH : CLASS_LATENCY) : bandwidth ? CLASS_BANDWIDTH : CLASS_NONE,
		.proof = steps || bandwidth ? PROOF_BOUND : PROOF_NONE,
		.within = f->within == WITHIN_COMPOSITION ? WITHIN_COMPOSITION : WITHIN_ALL,
	};
}

static bool same_claims(const struct optimality *a, const struct optimality *b)
{
	bool plain = a->class == b->class && a->proof == b->proof && (a->proof == PROOF_NONE || a->within == b->within);

	return plain && (a->proof != PROOF_EXHAUSTED ||
			 (a->class_k == b->class_k && same_candidates(a->refuted, a->n_refuted, b->refuted, b->n_refuted)));
}

/* The points' claims must follow from the bounds and the lists: they are recomputed too. */
static bool judge_claims(struct frontier *f, char *why, size_t size)
{
	struct optimality *said = new_array(struct optimality, f->n_points);

	for (size_t i = 0; i < f->n_points; i++)
		if (!frontier_is_composed(f, f->points[i])) {
			said[i] = f->points[i]->optimality;
			f->points[i]->optimality = claims_by_bounds(f, f->points[i]);
		}
	bool ok = f->k == WITHOUT_K || judge_lists(f, why, size);
	if (f->k == WITHOUT_K)
		frontier_claim_values(f);
	for (size_t i = 0; i < f->n_points; i++) {
		const struct algorithm *a = f->points[i];
		if (!frontier_is_composed(f, a) && ok && !same_claims(&said[i], &a->optimality)) {
			snprintf(why, size, "%s claims something other than the %s imply", base_name(f->files[i]),
				 f->k == WITHOUT_K ? "values" : "lists");
			ok = false;
		}
		free(said[i].refuted);
	}
	free(said);
	return ok;
}

/* A search ends at the first step count at which a point meets the bandwidth bound. */
static bool judge_end(const struct frontier *f, char *why, size_t size)
{
	struct rational before = frontier_best(f, f->last_steps - 1);

	if (!rational_ok(before) || (rational_compare(before, f->bound_bandwidth) > 0 && f->bound_bandwidth.num > 0))
		return true;
	snprintf(why, size, "the bandwidth bound is met before step count %d", f->last_steps);
	return false;
}

/* Searches count every send: what they refute may be possible where switches copy or add. */
static bool judge_search(const struct frontier *f, char *why, size_t size)
{
	bool above = false;

	for (size_t i = 0; i < f->values.n; i++)
		above = above || (rational_compare(f->values.of[i].at_least, f->bound_bandwidth) > 0 &&
				  rational_compare(f->values.of[i].at_least, bound_in_steps(f, f->values.of[i].steps)) > 0);
	if (!topology_has_abilities(f->topology) || (!above && !f->n_refuted))
		return true;
	snprintf(why, size, "a search refuted candidates or found values above the bound, but none knows switches that copy or add");
	return false;
}

static bool judge_class(struct frontier *f, char *why, size_t size)
{
	return judge_bounds(f, why, size) && judge_search(f, why, size) && judge_points(f, why, size) &&
	       judge_end(f, why, size) && judge_values(f, why, size) &&
	       judge_claims(f, why, size);
}

/* ---- both classes of an allreduce ---- */

static bool has_file(const struct frontier *f, const char *file)
{
	for (size_t i = 0; i < f->n_points; i++)
		if (strcmp(base_name(f->files[i]), base_name(file)) == 0)
			return true;
	return false;
}

/* Points marked as compositions must be points of the compositions' frontier, and no point of that may beat the merged
 * frontier. */
static bool judge_merged(const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->n_points; i++)
		if (frontier_is_composed(f, f->points[i]) && !(f->composed && has_file(f->composed, f->files[i]))) {
			snprintf(why, size, "%s is not a point of the compositions", base_name(f->files[i]));
			return false;
		}
	for (size_t i = 0; f->composed && i < f->composed->n_points; i++) {
		const struct algorithm *a = f->composed->points[i];
		struct rational best = frontier_best(f, (int)a->n_steps);
		if (!rational_ok(best) || rational_compare(best, algorithm_bandwidth(a)) > 0) {
			snprintf(why, size, "%s of the compositions is better than the points", base_name(f->composed->files[i]));
			return false;
		}
	}
	return true;
}

bool frontier_judge(struct frontier *f, char *why, size_t size)
{
	return judge_class(f, why, size) && (!f->composed || judge_class(f->composed, why, size)) && judge_merged(f, why, size);
}
