/* Results are verified like answers of a solver (problem_algorithm). */

#include "synth/frontier/direct_allreduce.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/symmetry/machine_orbits.h"
#include "encode/cnf/pattern.h"
#include "synth/frontier/frontier.h"
#include "synth/frontier/gossip_bound.h"
#include "synth/problem/problem.h"
#include "synth/program/hub_program.h"
#include "synth/program/node_groups.h"

#include <math.h>
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

/* Are all links alike, so that in an optimum all may have one price, and is each there in both directions? */
static bool links_are_alike(const struct network *w, const int *generators, size_t n)
{
	struct machine_orbits o;
	bool alike = w->n_limits == 0 && w->n_groups == 0 && w->n_edges > 0;

	for (size_t e = 0; e < w->n_edges && alike; e++)
		alike = network_edge(w, w->edges[e].dst, w->edges[e].src) >= 0;
	if (!alike)
		return false;
	machine_orbits_new(w, generators, n, &o);
	alike = o.n_edges == 1;
	machine_orbits_free(&o);
	return alike;
}

static const double asked_seconds = 15; /* of CPU time, for questions about patterns of so many steps */

static size_t count_sends(const struct solution *got)
{
	size_t n = 0;

	for (size_t s = 0; s < got->n_steps; s++)
		n += got->steps[s].n_sends + got->steps[s].n_reduces;
	return n;
}

/* Is there a pattern of at most *MOST sends? If so, *MOST is how many it has. *CPU: the seconds that are left. */
static enum answer ask_pattern(const struct problem *p, int steps, const struct node_group *few, double *cpu, int *most)
{
	size_t cells = (size_t)steps * p->network->n_edges;
	int *price = new_array(int, cells);
	struct solution got = {.answer = ANSWER_GAVE_UP};
	struct error unused = {0};
	struct instance i;

	for (size_t c = 0; c < cells; c++)
		price[c] = 1;
	const struct pattern_limit limit = {.price = price, .most = *most, .mirrored = true, .n_symmetries = few->n, .symmetries = few->generators};
	double left = stop_left(); /* a timeout of 0 would be none */
	const struct solve_options o = {.cpu = *cpu, .timeout = isinf(left) ? 0 : left, .pattern = &limit};
	if (left > 0 && problem_instance(p, (struct candidate){1, steps, steps}, &i, &unused)) {
		if (!solve(&i, &o, &got, &unused))
			got.answer = ANSWER_GAVE_UP;
		problem_instance_done(&i);
	}
	*cpu -= got.seconds;
	if (got.answer == ANSWER_FOUND)
		*most = (int)count_sends(&got);
	steps_free(got.steps, got.n_steps);
	free(price);
	return got.answer;
}

/* The fewest sends of a pattern, which are at most PAYS; 0: not known. */
static int fewest_sends(const struct problem *p, int steps, int pays, const struct node_group *few, double cpu)
{
	enum answer answer = ANSWER_FOUND;

	while (pays > 0 && answer == ANSWER_FOUND) {
		int most = pays - 1;
		answer = cpu > 0 ? ask_pattern(p, steps, few, &cpu, &most) : ANSWER_GAVE_UP;
		pays = answer == ANSWER_FOUND ? most : pays;
	}
	return answer == ANSWER_NONE ? pays : 0;
}

bool direct_patterns(const struct problem *p, struct rational best, struct step_value *out)
{
	enum { SYMMETRIES = 100, NODES_MOST = 64 };
	const struct network *w = p->network;
	int64_t round = 0;

	for (size_t e = 0; e < w->n_edges; e++)
		round += w->edges[e].bandwidth;
	int64_t all_sends = (int64_t)out->steps * (int64_t)w->n_edges + 1, pays = all_sends; /* or more: no pattern is known */
	if (rational_ok(best))
		pays = rational_ceil(rational_mul(best, rational(round, 1)));
	if (w->nodes > NODES_MOST || pays < 1 || pays > INT16_MAX || rational_compare(rational(pays, round), out->at_least) <= 0)
		return false;
	struct node_group all = node_group_all(w, -1), few = {0};
	bool alike = links_are_alike(w, all.generators, all.n);
	if (alike) {
		few = node_group_elements(&all, w->nodes, SYMMETRIES);
		pays = fewest_sends(p, out->steps, (int)pays, &few, asked_seconds);
		node_group_free(&few);
	}
	node_group_free(&all);
	if (!alike)
		return gossip_bound(p, out);
	if (pays == all_sends || rational_compare(rational(pays, round), out->at_least) <= 0)
		return false;
	free(out->prices);
	out->n_prices = (size_t)out->steps * w->n_edges;
	out->prices = new_array(struct rational, out->n_prices);
	for (size_t i = 0; i < out->n_prices; i++)
		out->prices[i] = rational(1, 1);
	out->at_least = rational(pays, round);
	out->root = -1;
	out->patterns = true;
	return true;
}
