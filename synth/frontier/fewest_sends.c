/*
 * Prices of 0 and 1: a send pays once for each time that it crosses what is counted, in any step. In an optimum links or limits of
 * one orbit may have one price, and often a single orbit is what narrows the machine, such as the two bridges between its halves.
 * An algorithm that is known says how much may be asked for.
 */

#include "synth/frontier/fewest_sends.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/symmetry/machine_orbits.h"
#include "encode/cnf/pattern.h"
#include "synth/problem/problem.h"
#include "synth/program/node_groups.h"

#include <math.h>
#include <stdlib.h>

enum { SYMMETRIES = 100, NODES_MOST = 64, GOSSIP_NODES_MOST = 32, GOSSIP_SENDS_MOST = 64 };

/* Steps of work (core/base/work.h), for all questions about so many steps: some 15 CPU seconds. */
static const double asked_work = 45e6;

/* What is counted, in each step. */
struct counted {
	const struct network *w;
	bool *edge, *limit; /* [edge], [limit]; owned */
	int *price;         /* [edge]: of a send over it; owned */
	int64_t round;      /* the most that is paid in a round */
	bool gossip;
	struct node_group symmetries; /* owned */
};

static void counted_new(const struct network *w, struct counted *out)
{
	*out = (struct counted){.w = w, .edge = new_array(bool, w->n_edges), .limit = new_array(bool, w->n_limits + 1),
				.price = new_array(int, w->n_edges)};
}

static void counted_free(struct counted *c)
{
	free(c->edge);
	free(c->limit);
	free(c->price);
	node_group_free(&c->symmetries);
}

static void count_edge(struct counted *c, size_t edge)
{
	c->edge[edge] = true;
	c->price[edge]++;
	c->round += c->w->edges[edge].bandwidth;
}

static void count_limit(struct counted *c, size_t limit)
{
	const struct network_limit *l = &c->w->limits[limit];

	c->limit[limit] = true;
	for (size_t i = 0; i < l->n_edges; i++)
		c->price[l->edges[i]]++;
	c->round += l->bandwidth;
}

/* Is what is counted the same backwards? Links that are not counted are free in both directions. */
static bool is_mirrored(const struct counted *c)
{
	const struct network *w = c->w;

	for (size_t e = 0; e < w->n_edges; e++) {
		int back = network_edge(w, w->edges[e].dst, w->edges[e].src);
		if (back < 0 || c->price[back] != c->price[e])
			return false;
	}
	return true;
}

static int paid(const struct counted *c, const struct solution *got)
{
	int sum = 0;

	for (size_t s = 0; s < got->n_steps; s++) {
		const struct step *x = &got->steps[s];
		for (size_t i = 0; i < x->n_sends; i++)
			sum += c->price[network_edge(c->w, x->sends[i].src, x->sends[i].dst)];
		for (size_t i = 0; i < x->n_reduces; i++)
			sum += c->price[network_edge(c->w, x->reduces[i].src, x->reduces[i].dst)];
	}
	return sum;
}

/* Is there a pattern that pays at most *MOST? If so, *MOST is what it pays. *WORK: the steps that are left. */
static enum answer ask(const struct problem *p, int steps, const struct counted *c, double *work, int *most)
{
	size_t edges = c->w->n_edges;
	int *price = new_array(int, (size_t)steps * edges);
	struct solution got = {.answer = ANSWER_GAVE_UP};
	struct error unused = {0};
	struct instance i;

	for (size_t k = 0; k < (size_t)steps * edges; k++)
		price[k] = c->price[k % edges];
	const struct pattern_limit limit = {.price = price, .most = *most, .gossip = c->gossip, .mirrored = is_mirrored(c),
					    .n_symmetries = c->symmetries.n, .symmetries = c->symmetries.generators};
	double left = stop_left(); /* a timeout of 0 would be none */
	const struct solve_options o = {.work = *work, .timeout = isinf(left) ? 0 : left, .pattern = &limit};
	if (left > 0 && problem_instance(p, (struct candidate){1, steps, steps}, &i, &unused)) {
		if (!solve(&i, &o, &got, &unused))
			got.answer = ANSWER_GAVE_UP;
		problem_instance_done(&i);
	}
	*work -= got.work;
	if (got.answer == ANSWER_FOUND)
		*most = paid(c, &got);
	steps_free(got.steps, got.n_steps);
	free(price);
	return got.answer;
}

/* The least that a pattern pays, which is at most PAYS; 0: not known. */
static int least_paid(const struct problem *p, int steps, const struct counted *c, int pays, double *work)
{
	enum answer answer = ANSWER_FOUND;

	while (pays > 0 && answer == ANSWER_FOUND) {
		int most = pays - 1;
		answer = *work > 0 ? ask(p, steps, c, work, &most) : ANSWER_GAVE_UP;
		pays = answer == ANSWER_FOUND ? most : pays;
	}
	return answer == ANSWER_NONE ? pays : 0;
}

static void take(const struct counted *c, int pays, struct step_value *out)
{
	size_t rows = c->w->n_edges + c->w->n_limits;

	free(out->prices);
	out->n_prices = (size_t)out->steps * rows;
	out->prices = new_array(struct rational, out->n_prices);
	for (size_t i = 0; i < out->n_prices; i++) {
		size_t row = i % rows;
		bool is_counted = row < c->w->n_edges ? c->edge[row] : c->limit[row - c->w->n_edges];
		out->prices[i] = rational(is_counted, 1);
	}
	out->at_least = rational(pays, c->round);
	out->root = -1;
	out->patterns = true;
}

/* The bound by what C counts, if it may be above *OUT. BEST: an R/C that is known, or none. */
static bool raise_by(const struct problem *p, const struct counted *c, struct rational best, double *work, struct step_value *out)
{
	int64_t pays = (int64_t)out->steps * (int64_t)c->w->n_edges + 1, most = c->gossip ? GOSSIP_SENDS_MOST : INT16_MAX, all = pays;

	if (c->round < 1)
		return false;
	if (rational_ok(best))
		pays = rational_ceil(rational_mul(best, rational(c->round, 1)));
	if (pays < 1 || pays > most || rational_compare(rational(pays, c->round), out->at_least) <= 0)
		return false;
	int least = least_paid(p, out->steps, c, (int)pays, work);
	if (least < 1 || least == all || rational_compare(rational(least, c->round), out->at_least) <= 0)
		return false;
	take(c, least, out);
	return true;
}

bool links_are_alike(const struct network *w)
{
	bool alike = w->n_limits == 0 && w->n_groups == 0 && w->n_edges > 0;
	struct machine_orbits o;

	for (size_t e = 0; e < w->n_edges && alike; e++)
		alike = network_edge(w, w->edges[e].dst, w->edges[e].src) >= 0;
	if (!alike)
		return false;
	struct node_group all = node_group_all(w, -1);
	machine_orbits_new(w, all.generators, all.n, &o);
	alike = o.n_edges == 1;
	machine_orbits_free(&o);
	node_group_free(&all);
	return alike;
}

/* All links, which are alike. */
static bool raise_by_links(const struct problem *p, struct rational best, struct step_value *out)
{
	struct node_group all = node_group_all(p->network, -1);
	double work = asked_work;
	struct counted c;

	counted_new(p->network, &c);
	c.symmetries = node_group_elements(&all, p->network->nodes, SYMMETRIES);
	for (size_t e = 0; e < p->network->n_edges; e++)
		count_edge(&c, e);
	bool raised = raise_by(p, &c, best, &work, out);
	counted_free(&c);
	node_group_free(&all);
	return raised;
}

/* What the K-th question about gossips counts: limits of orbit K, then all limits, then links of an orbit without limits. */
static void count(const struct machine_orbits *o, const bool *narrowed, int k, struct counted *c)
{
	const struct network *w = c->w;

	for (size_t l = 0; l < w->n_limits; l++)
		if (o->limit[l] == k || k == o->n_limits)
			count_limit(c, l);
	for (size_t e = 0; e < w->n_edges; e++)
		if (o->edge[e] == k - o->n_limits - 1 && !narrowed[e])
			count_edge(c, e);
}

static bool raise_by_orbits(const struct problem *p, struct rational best, struct step_value *out)
{
	const struct network *w = p->network;
	struct node_group all = node_group_all(w, -1);
	bool *narrowed = new_array(bool, w->n_edges), raised = false;
	double work = asked_work;
	struct machine_orbits o;

	machine_orbits_new(w, all.generators, all.n, &o);
	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t i = 0; i < w->limits[l].n_edges; i++)
			narrowed[w->limits[l].edges[i]] = true;
	for (int k = 0; k <= o.n_limits + o.n_edges && work > 0 && !stop_is_due(); k++) {
		struct counted c;
		counted_new(w, &c);
		c.gossip = true;
		count(&o, narrowed, k, &c);
		raised = raise_by(p, &c, best, &work, out) || raised;
		counted_free(&c);
	}
	machine_orbits_free(&o);
	node_group_free(&all);
	free(narrowed);
	return raised;
}

bool fewest_sends_bound(const struct problem *p, struct rational best, struct step_value *out)
{
	const struct network *w = p->network;

	if (w->n_groups > 0 || w->n_edges == 0 || w->nodes > NODES_MOST)
		return false;
	if (links_are_alike(w))
		return raise_by_links(p, best, out);
	return w->nodes <= GOSSIP_NODES_MOST && rational_ok(best) && raise_by_orbits(p, best, out);
}
