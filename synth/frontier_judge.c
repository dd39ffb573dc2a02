/* Does a frontier file say what its points and its class say? */

#include "synth/frontier_parts.h"

#include "core/memory.h"
#include "core/verify.h"

#include <stdio.h>
#include <stdlib.h>

static bool same_candidates(const struct candidate *a, size_t n_a, const struct candidate *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

struct claims {
	const struct candidate *open;
	size_t n_open;
};

static bool is_not_open(const void *context, struct candidate c)
{
	const struct claims *claims = context;
	for (size_t i = 0; i < claims->n_open; i++)
		if (memcmp(&claims->open[i], &c, sizeof c) == 0)
			return false;
	return true;
}

/* What the file lists must be exactly what the class holds: the lists are made anew from the points. */
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
		snprintf(why, size, "refuted and open are not all candidates of the class that would beat the points");
	return ok;
}

static bool judge_points(const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->n_points; i++) {
		const struct algorithm *a = f->points[i];
		struct verdict v = algorithm_verify(a);
		if (v.fault != FAULT_NONE) {
			snprintf(why, size, "%s: %.200s", base_name(f->files[i]), v.why);
			return false;
		}
		if (a->collective.kind != f->collective.kind || a->collective.root != f->collective.root) {
			snprintf(why, size, "%s is of another collective", base_name(f->files[i]));
			return false;
		}
		if (!terms_same(&a->terms, &f->terms)) {
			snprintf(why, size, "%s keeps to another pipeline or memory", base_name(f->files[i]));
			return false;
		}
		if (!frontier_is_guest(f, a) && (!a->has_bounds || a->bound_steps != f->bound_steps ||
		    rational_compare(a->bound_bandwidth, f->bound_bandwidth) != 0)) {
			snprintf(why, size, "%s has other bounds", base_name(f->files[i]));
			return false;
		}
		if (i && (a->n_steps <= f->points[i - 1]->n_steps ||
			  rational_compare(algorithm_bandwidth(a), algorithm_bandwidth(f->points[i - 1])) >= 0)) {
			snprintf(why, size, "%s does not improve on the point before it", base_name(f->files[i]));
			return false;
		}
	}
	return true;
}

static bool is_exhausted(const struct frontier *f, const struct algorithm *point)
{
	return point->optimality.proof == PROOF_EXHAUSTED && !frontier_is_guest(f, point);
}

/* A point is exhausted only where nothing that would beat it is open. */
static bool judge_exhausted(const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->n_points; i++)
		for (size_t j = 0; j < f->n_open && is_exhausted(f, f->points[i]); j++)
			if (f->open[j].steps <= (int)f->points[i]->n_steps &&
			    rational_compare(candidate_bandwidth(f->open[j]), algorithm_bandwidth(f->points[i])) <= 0) {
				snprintf(why, size, "%s is said to be exhausted, and (%d,%d,%d) is open", base_name(f->files[i]),
					 f->open[j].chunks, f->open[j].steps, f->open[j].rounds);
				return false;
			}
	return true;
}

static bool judge_class(struct frontier *f, char *why, size_t size)
{
	return judge_points(f, why, size) && judge_exhausted(f, why, size) && judge_lists(f, why, size);
}

static bool has_point(const struct frontier *f, const struct algorithm *a)
{
	for (size_t i = 0; i < f->n_points; i++)
		if (f->points[i]->n_steps == a->n_steps && f->points[i]->chunks == a->chunks &&
		    algorithm_rounds(f->points[i]) == algorithm_rounds(a))
			return true;
	return false;
}

/* What compositions give is among the points where nothing else is as good, and nothing else passes for it. */
static bool judge_merged(const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->n_points; i++)
		if (frontier_is_guest(f, f->points[i]) && !(f->composed && has_point(f->composed, f->points[i]))) {
			snprintf(why, size, "%s is no point of the compositions'", base_name(f->files[i]));
			return false;
		}
	for (size_t i = 0; f->composed && i < f->composed->n_points; i++) {
		const struct algorithm *a = f->composed->points[i];
		struct rational best = frontier_best(f, (int)a->n_steps);
		if (!rational_ok(best) || rational_compare(best, algorithm_bandwidth(a)) > 0) {
			snprintf(why, size, "%s of the compositions' is better than the points are", base_name(f->composed->files[i]));
			return false;
		}
	}
	return true;
}

bool frontier_judge(struct frontier *f, char *why, size_t size)
{
	return judge_class(f, why, size) && (!f->composed || judge_class(f->composed, why, size)) && judge_merged(f, why, size);
}
