/* What an algorithm claims about itself: its bounds, and that no algorithm in its class is better. */

#include "core/verify/verify_parts.h"

#include "core/bounds/bounds.h"
#include "core/bounds/switch_steps.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

/* Which of the two costs a class claims to be minimal. */
static const struct {
	bool steps, bandwidth;
} claims[] = {
	[CLASS_LATENCY] = {true, false},
	[CLASS_BANDWIDTH] = {false, true},
	[CLASS_BOTH] = {true, true},
	[CLASS_PARETO] = {false, false},
};

static bool stated_are(const struct algorithm *a, const struct bounds *b)
{
	return a->bound_steps == b->steps && rational_ok(a->bound_bandwidth) &&
	       rational_compare(a->bound_bandwidth, b->bandwidth) == 0;
}

/* An allreduce that claims no class may state the bounds of all algorithms or those of compositions. */
static bool compute(const struct algorithm *a, const struct network *w, struct bounds *b, struct error *e)
{
	const struct optimality *o = &a->optimality;
	bool composed = a->collective.kind == ALLREDUCE && o->within == WITHIN_COMPOSITION;
	struct collective k = collective_unscaled(&a->collective);
	struct stated_prices stated = {a->bound_prices, a->n_bound_prices};
	bool ok = composed ? bounds_composition(a->topology, &k, b, e) : bounds_compute_on(a->topology, w, &k, stated, b, e);

	if (ok && !composed && a->collective.kind == ALLREDUCE && o->class == CLASS_NONE && a->has_bounds && !stated_are(a, b)) {
		bounds_free(b);
		ok = bounds_composition(a->topology, &k, b, e);
	}
	collective_free(&k);
	return ok;
}

/* C must be a multiple of this. */
static int unit_of(const struct algorithm *a)
{
	bool blocks = collective_row(&a->collective)->chunks_in_blocks ||
		      (a->collective.kind == ALLREDUCE && a->optimality.within == WITHIN_COMPOSITION);
	return blocks ? a->topology->nodes : 1;
}

static bool would_beat(const struct algorithm *a, struct candidate c)
{
	int order = rational_compare(rational(c.rounds, c.chunks), algorithm_bandwidth(a));
	return c.steps <= (int)a->n_steps && (order < 0 || (order == 0 && c.steps < (int)a->n_steps));
}

static struct verdict check_refuted(const struct algorithm *a)
{
	const struct optimality *o = &a->optimality;

	for (size_t i = 0; i < o->n_refuted; i++) {
		struct candidate c = o->refuted[i];
		if (c.chunks < 1 || c.steps < 1 || c.chunks % unit_of(a) != 0 || c.rounds < c.steps ||
		    c.rounds - c.steps > o->class_k || !would_beat(a, c))
			return fault_at(FAULT_COST, -1, NULL, "the refuted (%d,%d,%d) is not a better candidate of the class R - S <= %d",
					c.chunks, c.steps, c.rounds, o->class_k);
	}
	return fine;
}

/*
 * Would an algorithm for C imply one for the refuted candidate? Its chunks are split into m each, so that there are
 * enough of them; surplus chunks are dropped; idle steps of one round each are added, and rounds to its steps.
 */
static bool follows(const struct schedule_constraints *t, struct candidate c, struct candidate refuted)
{
	int64_t m = ((int64_t)refuted.chunks + c.chunks - 1) / c.chunks;
	bool allowed = (c.steps == refuted.steps || constraints_allow_idle_steps(t)) && (m <= 1 || constraints_allow_cuts(t));
	return allowed && c.steps <= refuted.steps && m * c.rounds + (refuted.steps - c.steps) <= refuted.rounds;
}

static bool is_refuted(const struct algorithm *a, struct candidate c)
{
	const struct optimality *o = &a->optimality;

	for (size_t i = 0; i < o->n_refuted; i++)
		if (follows(&a->constraints, c, o->refuted[i]))
			return true;
	return false;
}

/*
 * The least C with which (C, STEPS, ROUNDS) would beat the algorithm; larger C are harder. 0: there is none, or the
 * bound rules it out.
 */
static int least_better(const struct algorithm *a, const struct bounds *b, int steps, int rounds)
{
	struct rational wanted = rational_div(rational(rounds, 1), algorithm_bandwidth(a));
	int64_t unit = unit_of(a), chunks = steps < (int)a->n_steps ? rational_ceil(wanted) : rational_floor(wanted) + 1;

	chunks = (chunks + unit - 1) / unit * unit;
	if (chunks > CHUNKS_MAX || rational_compare(rational(rounds, chunks), b->bandwidth) < 0)
		return 0;
	return (int)chunks;
}

enum { WORK_MAX = 200000000 }; /* comparisons: about a second */

static struct verdict check_exhausted(const struct algorithm *a, const struct bounds *b)
{
	const struct optimality *o = &a->optimality;
	int first = b->steps > 1 ? b->steps : 1, last = (int)a->n_steps;
	struct verdict v = check_refuted(a);

	if (v.fault != FAULT_NONE)
		return v;
	if (b->bandwidth.num == 0)
		return fault_at(FAULT_COST, -1, NULL, "the class \"%s\" is claimed where nothing needs to cross a link, so that no ratio is least",
				optimality_class_names[o->class]);
	if ((int64_t)(last - first + 1) * ((int64_t)o->class_k + 1) > WORK_MAX / ((int64_t)o->n_refuted + 1))
		return fault_at(FAULT_COST, -1, NULL, "the class R - S <= %d is too large to check", o->class_k);
	for (int s = first; s <= last; s++)
		for (int r = s; r <= s + o->class_k; r++) {
			struct candidate c = {least_better(a, b, s, r), s, r};
			if (c.chunks && !is_refuted(a, c))
				return fault_at(FAULT_COST, -1, NULL, "the candidate (%d,%d,%d) of the class R - S <= %d would be better, but is "
						"not among the refuted", c.chunks, s, r, o->class_k);
		}
	return fine;
}

/* As the bound falls with every step, no algorithm with as many steps or fewer has a smaller R/C than one that meets it. */
static bool meets_bound_in_steps(const struct algorithm *a, const struct network *w)
{
	return a->collective.kind == ALLREDUCE && a->optimality.within == WITHIN_ONE_VALUE &&
	       rational_compare(algorithm_bandwidth(a), switch_allreduce_bound(w, (int)a->n_steps)) == 0;
}

static struct verdict check_optimality(const struct algorithm *a, const struct network *w, const struct bounds *b)
{
	const struct optimality *o = &a->optimality;
	const char *name = optimality_class_names[o->class];

	if (o->class == CLASS_NONE)
		return fine;
	if (o->proof == PROOF_NONE)
		return fault_at(FAULT_COST, -1, NULL, "the class \"%s\" is claimed without a proof", name);
	if (o->proof == PROOF_PROGRAM && claims[o->class].bandwidth)
		return fault_at(FAULT_COST, -1, NULL, "the class \"%s\" is claimed by a program, but only a bound proves it", name);
	if ((o->proof == PROOF_EXHAUSTED || o->proof == PROOF_PROGRAM) && w->n_groups > 0)
		return fault_at(FAULT_COST, -1, NULL, "the class \"%s\" is claimed by a search, but none knows switches that copy or add",
				name);
	if (o->class == CLASS_PARETO && o->proof == PROOF_BOUND && !meets_bound_in_steps(a, w))
		return fault_at(FAULT_COST, -1, NULL, "no bound proves the class \"pareto\"");
	/*
	 * The search for a combining collective keeps one value of a chunk at a node: its refutation does not cover
	 * algorithms that keep more.
	 */
	if (o->proof == PROOF_EXHAUSTED && o->within == WITHIN_ALL && (a->collective.kind == ALLREDUCE || a->collective.kind == SCAN))
		return fault_at(FAULT_COST, -1, NULL, "the class \"%s\" is claimed among all algorithms, but no search for %s covers them", name,
				collective_name(&a->collective));
	if (claims[o->class].steps && (int)a->n_steps != b->steps)
		return fault_at(FAULT_COST, -1, NULL, "the class \"%s\" is claimed with %zu step%s, but the bound is %d", name, a->n_steps,
				plural((int64_t)a->n_steps), b->steps);
	if (claims[o->class].bandwidth && rational_compare(algorithm_bandwidth(a), b->bandwidth) != 0)
		return fault_at(FAULT_COST, -1, NULL, "the class \"%s\" is claimed with rounds per chunk that do not meet the bound", name);
	return o->proof == PROOF_EXHAUSTED ? check_exhausted(a, b) : fine;
}

static struct verdict check_bounds(const struct algorithm *a, const struct bounds *b)
{
	char stated[RATIONAL_TEXT], computed[RATIONAL_TEXT];

	if (a->has_bounds && !stated_are(a, b))
		return fault_at(FAULT_COST, -1, NULL, "the stated bounds are %d step%s and %s rounds per chunk, but they are %d and %s",
				a->bound_steps, plural(a->bound_steps), rational_text(a->bound_bandwidth, stated), b->steps,
				rational_text(b->bandwidth, computed));
	if ((int)a->n_steps < b->steps || rational_compare(algorithm_bandwidth(a), b->bandwidth) < 0)
		return fault_at(FAULT_COST, -1, NULL, "a schedule of %zu step%s and %s rounds per chunk is below the bounds, %d and %s",
				a->n_steps, plural((int64_t)a->n_steps), rational_text(algorithm_bandwidth(a), stated), b->steps,
				rational_text(b->bandwidth, computed));
	return fine;
}

struct verdict verify_claims(const struct algorithm *a, const struct network *w)
{
	struct error e = {0};
	struct bounds b = {0};

	if (a->optimality.within != WITHIN_ALL && a->collective.kind != ALLREDUCE &&
	    (a->collective.kind != SCAN || a->optimality.within != WITHIN_ONE_VALUE))
		return fault_at(FAULT_COST, -1, NULL, "\"within\" can be \"%s\" only for allreduce%s",
				optimality_within_names[a->optimality.within],
				a->optimality.within == WITHIN_ONE_VALUE ? " and scan" : "");
	if (!a->has_bounds && a->optimality.class == CLASS_NONE)
		return fine;
	if (!compute(a, w, &b, &e))
		return fault_at(FAULT_COST, -1, NULL, "the bounds cannot be computed: %.180s", e.what);
	struct verdict v = check_bounds(a, &b);
	if (v.fault == FAULT_NONE)
		v = check_optimality(a, w, &b);
	bounds_free(&b);
	return v;
}
