/* Results are verified like answers of a solver (problem_algorithm). */

#include "synth/frontier/direct_allreduce.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/frontier/fewest_sends.h"
#include "synth/frontier/frontier.h"
#include "synth/frontier/gossip_bound.h"
#include "synth/problem/problem.h"
#include "synth/program/hub_program.h"

struct algorithm *direct_exchange(const struct problem *p, struct rational value, int most, size_t sends)
{
	const struct network *n = p->network;
	size_t pairs = (size_t)n->nodes * (size_t)(n->nodes - 1);
	struct error unused = {0};

	if (n->n_edges != pairs || value.den > most || (size_t)value.den * pairs > sends)
		return NULL;
	struct step *step = new_array(struct step, 1);
	step->reduces = new_array(struct send, pairs * (size_t)value.den);
	for (int c = 0; c < (int)value.den; c++)
		for (size_t i = 0; i < n->n_edges; i++)
			step->reduces[step->n_reduces++] = (struct send){c, n->edges[i].src, n->edges[i].dst};
	step->rounds = (int)value.num;
	return problem_algorithm(p, (struct candidate){(int)value.den, 1, (int)value.num}, step, 1, &unused);
}

struct algorithm *direct_hubs(const struct problem *p, int steps, struct rational least, int most)
{
	struct candidate c = {0, steps, 0};
	struct error unused = {0};
	struct instance i;

	if (!problem_instance(p, (struct candidate){1, steps, steps}, &i, &unused))
		return NULL;
	struct step *found = hub_program_steps(&i, steps, most, least, &c.chunks, &unused);
	problem_instance_done(&i);
	if (!found)
		return NULL;
	for (int s = 0; s < steps; s++)
		c.rounds += found[s].rounds;
	return problem_algorithm(p, c, found, (size_t)steps, &unused);
}

bool direct_patterns(const struct problem *p, struct rational best, const struct algorithm *known, struct step_value *out)
{
	bool raised = fewest_sends_bound(p, best, out);

	if (links_are_alike(p->network) || (rational_ok(best) && rational_compare(best, out->at_least) <= 0))
		return raised;
	return gossip_bound(p, best, known, out) || raised;
}
