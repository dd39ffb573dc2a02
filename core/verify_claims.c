#include "core/verify_claims.h"

#include "core/algorithm.h"
#include "core/bounds.h"
#include "core/error.h"
#include "core/topology.h"

#include <stdarg.h>
#include <stdio.h>

static bool no(char *why, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool no(char *why, size_t size, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, size, format, ap);
	va_end(ap);
	return false;
}

static bool stated_are(const struct algorithm *a, const struct bounds *b)
{
	return a->bound_steps == b->steps && rational_compare(a->bound_bandwidth, b->bandwidth) == 0;
}

/* An allreduce without a claim may state either bound. */
static bool compute(const struct algorithm *a, struct bounds *b, struct error *e)
{
	const struct optimality *o = &a->optimality;
	bool composed = a->collective.kind == ALLREDUCE && o->within == WITHIN_COMPOSITION;
	struct collective k = collective_unscaled(&a->collective);
	bool ok = composed ? bounds_composition(a->topology, &k, b, e) : bounds_compute(a->topology, &k, b, e);

	if (ok && a->collective.kind == ALLREDUCE && o->class == CLASS_NONE && a->has_bounds && !stated_are(a, b)) {
		bounds_free(b);
		ok = bounds_composition(a->topology, &k, b, e);
	}
	collective_free(&k);
	return ok;
}

/* The cost meets the bound that the class is about. */
static bool meets(const struct algorithm *a, const struct bounds *b, enum optimality_class class)
{
	bool steps = (int)a->n_steps == b->steps, bandwidth = rational_compare(algorithm_bandwidth(a), b->bandwidth) == 0;

	switch (class) {
	case CLASS_LATENCY:
		return steps;
	case CLASS_BANDWIDTH:
		return bandwidth;
	case CLASS_BOTH:
		return steps && bandwidth;
	case CLASS_NONE:
	case CLASS_PARETO:
		break;
	}
	return false; /* no bound shows these */
}

static bool would_beat(const struct algorithm *a, struct candidate c)
{
	int order = rational_compare(rational(c.rounds, c.chunks), algorithm_bandwidth(a));
	return c.steps <= (int)a->n_steps && (order < 0 || (order == 0 && c.steps < (int)a->n_steps));
}

static bool refuted_fit(const struct algorithm *a, char *why, size_t size)
{
	const struct optimality *o = &a->optimality;

	for (size_t i = 0; i < o->n_refuted; i++) {
		struct candidate c = o->refuted[i];
		if (c.rounds < c.steps || c.rounds - c.steps > o->class_k || !would_beat(a, c))
			return no(why, size, "refuted (%d,%d,%d) is not a better candidate of the class R - S <= %d", c.chunks,
				  c.steps, c.rounds, o->class_k);
	}
	return true;
}

static bool judge(const struct algorithm *a, const struct bounds *b, char *why, size_t size)
{
	const struct optimality *o = &a->optimality;
	char bound[RATIONAL_TEXT];

	if (a->has_bounds && !stated_are(a, b))
		return no(why, size, "the bounds are %d steps and %s rounds per chunk, not what is stated", b->steps,
			  rational_text(b->bandwidth, bound));
	if ((int)a->n_steps < b->steps || rational_compare(algorithm_bandwidth(a), b->bandwidth) < 0)
		return no(why, size, "the cost is below a bound");
	if (o->proof == PROOF_BOUND && !meets(a, b, o->class))
		return no(why, size, "the class \"%s\" is claimed by a bound that the cost does not meet",
			  optimality_class_names[o->class]);
	if (o->proof == PROOF_EXHAUSTED && o->class == CLASS_LATENCY && !meets(a, b, o->class))
		return no(why, size, "the class \"latency\" is claimed above the step bound");
	return o->proof != PROOF_EXHAUSTED || refuted_fit(a, why, size);
}

bool claims_hold(const struct algorithm *a, char *why, size_t size)
{
	struct error e = {0};
	struct bounds b = {0};

	if (!a->has_bounds && a->optimality.class == CLASS_NONE)
		return true;
	if (a->optimality.within == WITHIN_COMPOSITION && a->collective.kind != ALLREDUCE)
		return no(why, size, "only an allreduce is within compositions");
	if (!compute(a, &b, &e))
		return no(why, size, "no bounds: %.200s", e.what);
	bool ok = judge(a, &b, why, size);
	bounds_free(&b);
	return ok;
}
