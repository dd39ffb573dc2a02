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

/* The latency of all steps, with --alpha the same for each. */
static bool given_latency(const struct tune_options *o, const struct contender *c, double *latency, struct error *e)
{
	struct rational us = o->step.us.den ? o->step.us : rational(0, 1);

	if (o->step.target)
		return error_set(e, ERROR_INPUT, "--step-cost", "%s stands for a number for each kind of link, and --alpha replaces these kinds: give microseconds",
				 o->step.target);
	*latency = (double)c->algorithm->n_steps * (rational_double(o->cost.alpha.value) + rational_double(us));
	return true;
}

/* The latency of all steps, and β. Where the machine is asked for one of them, every link in use must have a kind. */
static bool costs_of(const struct tune_options *o, const struct contender *c, double *latency, double *beta, struct error *e)
{
	struct rational alpha, slowest = {0, 1}, own = {0, 1};

	if (!o->cost.alpha.is_given || !o->cost.beta.is_given) {
		if (!topology_alpha_beta(c->algorithm->topology, &alpha, &slowest))
			return error_set(e, ERROR_INPUT, c->path, "its machine has no latency and speed for its links; give --alpha and --beta");
		if (!algorithm_latency(c->algorithm, &o->step, &own, e))
			return false;
	}
	*latency = rational_double(own);
	*beta = rational_double(o->cost.beta.is_given ? o->cost.beta.value : slowest);
	return !o->cost.alpha.is_given || given_latency(o, c, latency, e);
}

static double time_of(const struct run_variant *w, struct rational bandwidth, double latency, double beta, double bytes)
{
	if (w->data <= 0)
		return -1;
	return latency * w->latency + rational_double(bandwidth) * bytes * beta * w->data;
}

int tune_model(const struct tune_options *o, const struct contender *all, size_t n, struct times *out)
{
	struct error e = {0};

	for (size_t c = 0; c < n; c++) {
		double latency, beta;
		struct rational bandwidth = algorithm_bandwidth(all[c].algorithm);

		if (!costs_of(o, &all[c], &latency, &beta, &e))
			return fail(&e);
		for (size_t w = 0; w < VARIANTS; w++)
			for (size_t s = 0; s < out->n_sizes; s++)
				out->at[(c * VARIANTS + w) * out->n_sizes + s] =
					time_of(&run_variants[w], bandwidth, latency, beta, (double)out->sizes[s]);
	}
	return STATUS_DONE;
}
