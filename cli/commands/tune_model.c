/* Times by the α-β model. Variants that the model does not cover get none. */

#include "cli/output/command.h"
#include "cli/commands/tuning.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/machine/topology.h"

/* Packets do not wait for a flag behind the data, and carry a flag with every four bytes of data. */
const struct run_variant run_variants[VARIANTS] = {
	{"plain", "one", false, false, 1, 1},
	{"packets", "one", false, false, 0.5, 2},
	{"plain", "one", true, false, 0, 0},
	{"plain", "step", false, false, 0, 0},
	{"plain", "none", false, true, 0, 0},
};

static bool costs_of(const struct cost_options *o, const struct contender *c, double *alpha, double *beta, struct error *e)
{
	struct rational a = {0, 1}, b = {0, 1};

	if ((!o->alpha.is_given || !o->beta.is_given) && !topology_alpha_beta(c->algorithm->topology, &a, &b))
		return error_set(e, ERROR_INPUT, c->path, "its machine has no latency and speed for its links; give --alpha and --beta");
	*alpha = rational_double(o->alpha.is_given ? o->alpha.value : a);
	*beta = rational_double(o->beta.is_given ? o->beta.value : b);
	return true;
}

static double time_of(const struct run_variant *w, const struct cost *c, double alpha, double beta, double bytes)
{
	if (w->data <= 0)
		return -1;
	return c->steps * alpha * w->latency + rational_double(c->bandwidth) * bytes * beta * w->data;
}

int tune_model(const struct tune_options *o, const struct contender *all, size_t n, struct times *out)
{
	struct error e = {0};

	for (size_t c = 0; c < n; c++) {
		double alpha, beta;
		struct cost cost = algorithm_cost(all[c].algorithm);

		if (!costs_of(&o->cost, &all[c], &alpha, &beta, &e))
			return fail(&e);
		for (size_t w = 0; w < VARIANTS; w++)
			for (size_t s = 0; s < out->n_sizes; s++)
				out->at[(c * VARIANTS + w) * out->n_sizes + s] =
					time_of(&run_variants[w], &cost, alpha, beta, (double)out->sizes[s]);
	}
	return STATUS_DONE;
}
