/*
 * A linear program over gossips gives the prices. Its value is the most that gossips can show, so if that is hardly more than is
 * known, nothing is asked. Else the prices are rounded to small integers, and a solver is asked for a gossip that pays less than all
 * known ones: either there is none, and that is the bound, or the program gets another column.
 */

#include "synth/frontier/gossip_bound.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "encode/cnf/pattern.h"
#include "synth/frontier/gossip_program.h"
#include "synth/problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_LEAST = 8, UNITS_MOST = 160 };

/* Prices [orbit], what known gossips pay at least, and the most that a round pays in some step. */
struct rounded_prices {
	int *of;
	int pay;
	struct rational round;
};

static struct rational shown(const struct rounded_prices *p)
{
	return p->pay > 0 && p->round.num > 0 ? rational_div(rational(p->pay, 1), p->round) : rational(0, 1);
}

static void weigh(const struct gossip_program *g, struct rounded_prices *p)
{
	p->round = rational(0, 1);
	for (int h = 0; h < g->halves; h++) {
		int64_t sum = 0;
		for (int o = 0; o < g->n_orbits; o++)
			sum += g->step_of[o] == h ? (int64_t)p->of[o] * g->capacity[o] : 0;
		struct rational round = rational(sum, gossip_program_times(g, h));
		if (rational_compare(round, p->round) > 0)
			p->round = round;
	}
	p->pay = INT32_MAX;
	for (size_t k = 0; k < g->n; k++) {
		int64_t sum = 0;
		for (int o = 0; o < g->n_orbits; o++)
			sum += (int64_t)p->of[o] * g->loads[k * (size_t)g->n_orbits + (size_t)o];
		p->pay = sum < p->pay ? (int)sum : p->pay;
	}
}

/* The rounding with the fewest units that shows ENOUGH, or else the one that shows most. */
static void round_prices(const struct gossip_program *g, double enough, struct rounded_prices *best)
{
	static const double offsets[] = {0.5, 0.4, 0.6, 0.7, 0.3, 0.8};
	struct rounded_prices p = {.of = new_array(int, (size_t)g->n_orbits)};

	*best = (struct rounded_prices){.of = new_array(int, (size_t)g->n_orbits)};
	for (int units = UNITS_LEAST; units <= UNITS_MOST && rational_double(shown(best)) < enough; units++)
		for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
			for (int o = 0; o < g->n_orbits; o++)
				p.of[o] = (int)floor(g->dual[o] / g->least * units + offsets[i]);
			weigh(g, &p);
			if (rational_compare(shown(&p), shown(best)) > 0) {
				memcpy(best->of, p.of, (size_t)g->n_orbits * sizeof *p.of);
				best->pay = p.pay;
				best->round = p.round;
			}
		}
	free(p.of);
}

/* Is there a gossip that pays less than all known ones? Then *OUT is one. WORK: the steps (core/base/work.h) that are left. */
static enum answer ask(const struct gossip_program *g, const struct problem *p, const struct rounded_prices *x, double *work,
		       struct gossip_sends *out)
{
	size_t cells = (size_t)g->steps * g->w->n_edges;
	int *price = new_array(int, cells);
	struct solution got = {.answer = ANSWER_GAVE_UP};
	struct error unused = {0};
	struct instance i;

	for (size_t c = 0; c < cells; c++)
		price[c] = x->of[g->orbit[c]];
	const struct pattern_limit limit = {.price = price, .most = x->pay - 1, .gossip = true, .mirrored = true};
	double left = stop_left(); /* a timeout of 0 would be none */
	const struct solve_options o = {.work = *work, .timeout = isinf(left) ? 0 : left, .pattern = &limit};
	if (left > 0 && problem_instance(p, (struct candidate){1, g->steps, g->steps}, &i, &unused)) {
		if (!solve(&i, &o, &got, &unused))
			got.answer = ANSWER_GAVE_UP;
		problem_instance_done(&i);
	}
	*work -= got.work;
	*out = (struct gossip_sends){0};
	for (size_t s = 0; s < got.n_steps; s++)
		for (size_t k = 0; k < got.steps[s].n_reduces; k++)
			out->on[s] |= UINT64_C(1) << network_edge(g->w, got.steps[s].reduces[k].src, got.steps[s].reduces[k].dst);
	steps_free(got.steps, got.n_steps);
	free(price);
	return got.answer;
}

static void take(const struct gossip_program *g, const struct rounded_prices *x, struct step_value *out)
{
	free(out->prices);
	out->n_prices = (size_t)g->steps * g->w->n_edges;
	out->prices = new_array(struct rational, out->n_prices);
	for (size_t c = 0; c < out->n_prices; c++)
		out->prices[c] = rational(x->of[g->orbit[c]], 1);
	out->at_least = shown(x);
	out->root = -1;
	out->patterns = true;
}

/* At least the mean of what is known and of what gossips can show; and, if they can, what the best R/C is near to. */
static double enough(const struct gossip_program *g, double least, struct rational best)
{
	static const double near = 1.0175;
	double most = gossip_program_value(g), mean = (least + most) / 2;

	return fmin(most * (1 - 1e-9), rational_ok(best) ? fmax(mean, rational_double(best) / near) : mean);
}

static bool search(struct gossip_program *g, const struct problem *p, struct rational best, struct step_value *out)
{
	static const double asked_work = 75e6, worth_asking = 1.005; /* three million are about a CPU second */
	double work = asked_work, least = rational_double(out->at_least);
	struct rounded_prices x = {0};
	struct gossip_sends cheaper;
	enum answer answer;

	do {
		free(x.of);
		x.of = NULL;
		answer = ANSWER_GAVE_UP;
		if (gossip_program_value(g) < least * worth_asking)
			break;
		round_prices(g, enough(g, least, best), &x);
		answer = rational_compare(shown(&x), out->at_least) > 0 && work > 0 ? ask(g, p, &x, &work, &cheaper) : ANSWER_GAVE_UP;
		if (answer == ANSWER_FOUND) {
			gossip_program_prune(g, &cheaper);
			gossip_program_add(g, &cheaper);
		}
	} while (answer == ANSWER_FOUND && gossip_program_solve(g) && !stop_is_due());
	if (answer == ANSWER_NONE)
		take(g, &x, out);
	free(x.of);
	return answer == ANSWER_NONE;
}

static bool is_tried(const struct network *w, int steps)
{
	bool tried = w->n_limits == 0 && w->n_groups == 0 && w->n_edges > 0 && w->n_edges <= GOSSIP_LINKS_MOST && w->nodes <= GOSSIP_LINKS_MOST &&
		     steps <= GOSSIP_STEPS_MOST;

	for (size_t e = 0; e < w->n_edges && tried; e++) {
		int back = network_edge(w, w->edges[e].dst, w->edges[e].src);
		tried = back >= 0 && w->edges[back].bandwidth == w->edges[e].bandwidth;
	}
	return tried;
}

bool gossip_bound(const struct problem *p, struct rational best, const struct algorithm *known, struct step_value *out)
{
	static const double near = 1.0125; /* bounds by gossips are seldom nearer */
	struct gossip_program g;

	if (!is_tried(p->network, out->steps) || (rational_ok(best) && rational_double(best) < near * rational_double(out->at_least)))
		return false;
	gossip_program_new(&g, p->network, out->steps);
	bool solved = gossip_program_generate(&g, known);
	bool raised = solved && search(&g, p, best, out);
	gossip_program_free(&g);
	return raised;
}
