/* What the values of a frontier without k prove about its points. */

#include "synth/frontier/frontier.h"

#include "core/machine/topology.h"

const struct step_value *frontier_value_of(const struct frontier *f, const struct algorithm *point)
{
	const struct frontier *of = frontier_is_composed(f, point) && f->composed ? f->composed : f;

	return step_values_at(&of->values, (int)point->n_steps);
}

double frontier_gap(const struct frontier *f, const struct algorithm *point)
{
	const struct step_value *v = frontier_value_of(f, point);
	struct rational least = v ? v->at_least : f->bound_bandwidth;

	return least.num ? rational_double(rational_div(algorithm_bandwidth(point), least)) - 1 : 0;
}

/* Is no algorithm better in S or R/C and as good in the other? */
static bool is_proved(const struct frontier *f, const struct algorithm *a)
{
	const struct step_value *v = step_values_at(&f->values, (int)a->n_steps), *before = step_values_at(&f->values, (int)a->n_steps - 1);
	struct rational ratio = algorithm_bandwidth(a);

	return v && rational_compare(ratio, v->at_least) == 0 && (!before || rational_compare(before->at_least, ratio) > 0);
}

/* Is that shown only among algorithms with one value of a chunk at a node? */
static bool by_patterns(const struct frontier *f, const struct algorithm *a)
{
	const struct step_value *v = step_values_at(&f->values, (int)a->n_steps), *before = step_values_at(&f->values, (int)a->n_steps - 1);

	return v->patterns || (before && before->patterns);
}

void frontier_claim_values(struct frontier *f)
{
	if (topology_has_abilities(f->topology)) /* no program knows such switches: what is proved, bounds prove */
		return;
	for (size_t i = 0; i < f->n_points; i++) {
		struct optimality *o = &f->points[i]->optimality;
		if (frontier_is_composed(f, f->points[i]) || o->class == CLASS_BANDWIDTH || o->class == CLASS_BOTH ||
		    f->bound_bandwidth.num == 0 || !is_proved(f, f->points[i]))
			continue;
		o->class = o->class == CLASS_LATENCY ? CLASS_LATENCY : CLASS_PARETO;
		o->proof = PROOF_PROGRAM;
		o->within = f->within == WITHIN_COMPOSITION ? WITHIN_COMPOSITION : by_patterns(f, f->points[i]) ? WITHIN_ONE_VALUE : WITHIN_ALL;
	}
}
