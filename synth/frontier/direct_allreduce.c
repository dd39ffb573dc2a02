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
#include "synth/program/pattern_questions.h"

#include <stdlib.h>

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

/* Raises *OUT to a bound that a solver proved for patterns, if it is higher, and frees its prices. False: *OUT stays as it was. */
static bool take_bound(const struct problem *p, struct pattern_bound *b, struct step_value *out)
{
	bool raised = b->price && rational_compare(rational(b->pay, b->round), out->at_least) > 0;

	if (raised) {
		free(out->prices);
		out->n_prices = (size_t)out->steps * p->network->n_edges;
		out->prices = new_array(struct rational, out->n_prices);
		for (size_t k = 0; k < out->n_prices; k++)
			out->prices[k] = rational(b->price[k], 1);
		out->at_least = rational(b->pay, b->round);
		out->root = -1;
		out->patterns = true;
	}
	free(b->price);
	return raised;
}

struct algorithm *direct_hubs(const struct problem *p, int most, struct step_value *out, bool *raised)
{
	struct candidate c = {0, out->steps, 0};
	struct pattern_bound bound;
	struct error unused = {0};
	struct instance i;

	*raised = false;
	if (!problem_instance(p, (struct candidate){1, out->steps, out->steps}, &i, &unused))
		return NULL;
	struct step *found = hub_program_steps(&i, out->steps, most, out->at_least, &c.chunks, &bound, &unused);
	problem_instance_done(&i);
	*raised = take_bound(p, &bound, out);
	if (!found)
		return NULL;
	for (int s = 0; s < out->steps; s++)
		c.rounds += found[s].rounds;
	return problem_algorithm(p, c, found, (size_t)out->steps, &unused);
}

/* The same with a bound that is looked for here, beginning with the patterns of an algorithm. */
static bool raise_by_patterns(const struct problem *p, const struct algorithm *known, struct step_value *out)
{
	struct pattern_bound b = {0};
	struct error unused = {0};
	struct instance i;

	if (!known || !problem_instance(p, (struct candidate){1, out->steps, out->steps}, &i, &unused))
		return false;
	bool found = pattern_bound_find(&i, known, rational_double(out->at_least), &b);
	problem_instance_done(&i);
	return found && take_bound(p, &b, out);
}

bool direct_patterns(const struct problem *p, struct rational best, const struct algorithm *known, struct step_value *out)
{
	bool raised = fewest_sends_bound(p, best, out);

	if (links_are_alike(p->network) || (rational_ok(best) && rational_compare(best, out->at_least) <= 0))
		return raised;
	return raise_by_patterns(p, known, out) || gossip_bound(p, best, known, out) || raised;
}
