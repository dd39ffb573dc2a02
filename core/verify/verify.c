/* The verifier: checks first that the algorithm is well formed, then its schedule, then its claims. */

#include "core/verify/verify_parts.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

static struct verdict check_subject(const struct algorithm *a)
{
	int nodes = a->topology->nodes;
	struct error e = {0};
	int64_t rounds = 0;

	if (!collective_check(&a->collective, nodes, a->chunks, &e))
		return fault_at(FAULT_COST, -1, NULL, "%.200s", e.what);
	if (a->global_chunks != collective_global_chunks(&a->collective, nodes, a->chunks))
		return fault_at(FAULT_COST, -1, NULL, "C = %d of %s on %d nodes does not make G = %d", a->chunks,
				collective_name(&a->collective), nodes, a->global_chunks);
	if (a->n_steps < 1 || a->n_steps > STEPS_MAX)
		return fault_at(FAULT_COST, -1, NULL, "there are %zu steps, but there must be from 1 to %d", a->n_steps, (int)STEPS_MAX);
	for (size_t s = 0; s < a->n_steps; s++)
		rounds += a->steps[s].rounds;
	if (rounds > ROUNDS_MAX)
		return fault_at(FAULT_COST, -1, NULL, "there are more than %d rounds", (int)ROUNDS_MAX);
	return fine;
}

struct verdict algorithm_verify(const struct algorithm *a)
{
	struct error e = {0};
	struct verdict v = check_subject(a);

	if (v.fault != FAULT_NONE)
		return v;
	struct network *w = network_new(a->topology, &e);
	if (!w)
		return fault_at(FAULT_COST, -1, NULL, "the topology cannot be used: %.200s", e.what);
	v = a->symmetry ? verify_compact(a, w) : verify_schedule(a, w);
	if (v.fault == FAULT_NONE)
		v = verify_constraints(a, w);
	if (v.fault == FAULT_NONE)
		v = verify_claims(a, w);
	network_free(w);
	return v.fault == FAULT_NONE ? fine : v;
}
