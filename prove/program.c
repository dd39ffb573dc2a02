/*
 * Verifies dual solutions in exact integers: what a chunk of each demand must pay at least, by dynamic programming, and
 * what a round can pay at most. The same code computes what each demand pays when a program is added.
 */

#include "prove/program.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/work.h"
#include "core/machine/network.h"
#include "prove/demand_cost.h"
#include "prove/patterns.h"
#include "prove/program_prices.h"
#include "prove/tree_ascent.h"

#include <stdio.h>
#include <stdlib.h>

const struct step_program *step_program_of(const struct side *s, int steps, bool patterns)
{
	for (size_t i = 0; i < s->n_programs; i++)
		if (s->programs[i].steps == steps && (s->programs[i].patterns != NULL) == patterns)
			return &s->programs[i];
	return NULL;
}

bool step_program_refutes(const struct side *s, struct candidate c)
{
	struct rational bandwidth = rational(c.rounds, c.chunks);

	for (size_t i = 0; i < s->n_programs && work_spend(1); i++)
		if (c.steps <= s->programs[i].steps && rational_compare(bandwidth, s->programs[i].at_least) < 0)
			return true;
	return false;
}

void step_program_clear(struct step_program *p)
{
	free(p->prices);
	free(p->pays);
	patterns_free(p->patterns);
}

void step_programs_free(struct step_program *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		step_program_clear(&list[i]);
	free(list);
}

/* ---- verifying ---- */

static wide wide_divisor(wide a, wide b)
{
	while (b) {
		wide rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Not a number: it does not fit. */
static struct rational ratio_of(wide a, wide b)
{
	wide divisor = wide_divisor(a, b);

	if (b == 0 || a / divisor > INT64_MAX || b / divisor > INT64_MAX)
		return rational(0, 0);
	return rational((int64_t)(a / divisor), (int64_t)(b / divisor));
}

/* R/C, where all chunks together pay PAID and a round can pay ROUND. */
static struct rational bound_of(const struct question *q, wide paid, wide round)
{
	if (round == 0)
		return rational(0, 1);
	return rational_div(ratio_of(paid, round), rational(q->unit, 1));
}

static enum program_answer false_because(char why[PROGRAM_WHY], const char *what)
{
	snprintf(why, PROGRAM_WHY, "%.200s", what);
	return PROGRAM_FALSE;
}

static size_t count_pays(const struct step_program *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_pays; i++)
		n += p->pays[i].count;
	return n;
}

/* Does each demand pay what is stated? *PAID: by all chunks together. */
static enum program_answer check_pays(const struct step_program *p, const struct demand_list *d,
				      struct demand_costs *costs, wide *paid, char why[PROGRAM_WHY])
{
	size_t k = 0;

	*paid = 0;
	for (size_t i = 0; i < p->n_pays; i++)
		for (size_t end = k + p->pays[i].count; k < end; k++) {
			bool exact = true;
			int64_t pay = p->pays[i].pay, least = pay < 0 || pay > COST_MAX ? 0 : demand_least(costs, &d->all[k], pay, &exact);
			if (least < 0 || work_is_over() || (!exact && least != pay))
				return PROGRAM_TOO_LARGE;
			if (least != pay) {
				snprintf(why, PROGRAM_WHY, "a chunk like %d can pay %lld, which is less than %lld", d->all[k].first,
					 (long long)least, (long long)pay);
				return PROGRAM_FALSE;
			}
			*paid += (wide)pay * (wide)d->all[k].chunks;
		}
	return PROGRAM_HOLDS;
}

static enum program_answer check_sum(const struct question *q, const struct step_program *p,
				     const struct demand_list *d, const struct expanded_prices *prices, char why[PROGRAM_WHY])
{
	struct demand_costs costs = {.costs = &prices->costs, .alone = d->n == 1};
	char shown[RATIONAL_TEXT];
	wide paid;

	if (count_pays(p) != d->n) {
		snprintf(why, PROGRAM_WHY, "it states what %zu kinds of chunks pay, and there are %zu", count_pays(p), d->n);
		return PROGRAM_FALSE;
	}
	enum program_answer answer = check_pays(p, d, &costs, &paid, why);
	demand_costs_free(&costs);
	if (answer != PROGRAM_HOLDS)
		return answer;
	struct rational bound = bound_of(q, paid, prices->round);
	if (!rational_ok(bound))
		return false_because(why, "its sums are too large");
	if (rational_compare(p->at_least, bound) <= 0)
		return PROGRAM_HOLDS;
	snprintf(why, PROGRAM_WHY, "that is %s", rational_text(bound, shown));
	return PROGRAM_FALSE;
}

static enum program_answer check_instance(const struct question *q, const struct instance *i,
					  const struct step_program *p, char why[PROGRAM_WHY])
{
	enum program_answer answer = PROGRAM_TOO_LARGE;
	struct expanded_prices prices;
	struct demand_list d;
	bool too_large;

	if (!step_program_expand(q->network, p, &prices, why, &too_large))
		return too_large || work_is_over() ? PROGRAM_TOO_LARGE : PROGRAM_FALSE;
	if (demand_list_new(i, &d))
		answer = check_sum(q, p, &d, &prices, why);
	demand_list_free(&d);
	free(prices.costs.of);
	return answer;
}

/*
 * The instance of C = unit; false with *e set. In an allreduce each chunk of ROOT reaches all other nodes, alone or as a
 * part of sums; the first arrivals are a timed tree of a broadcast. In one step there are no sums to be sent yet, so
 * that every node's chunks get to all others as in an allgather.
 */
static bool open_instance(const struct question *q, int steps, int root, struct instance *i, struct error *e)
{
	if (q->asked.kind == ALLREDUCE) {
		struct collective k = {.kind = steps == 1 ? ALLGATHER : BROADCAST, .root = steps == 1 ? 0 : root};
		return instance_new(q->network, &k, 1, steps, steps, i, e);
	}
	if (collective_row(&q->asked)->combining)
		return error_set(e, ERROR_INPUT, "programs", "there is none for a sum that is wanted at several nodes");
	return question_instance(q, (struct candidate){q->unit, steps, steps}, i, e);
}

enum program_answer step_program_check(const struct question *q, const struct step_program *p, char why[PROGRAM_WHY])
{
	struct error e = {0};
	struct instance i;

	why[0] = '\0';
	if (!open_instance(q, p->steps, p->root, &i, &e))
		return false_because(why, e.what);
	enum program_answer answer = check_instance(q, &i, p, why);
	question_done(&i);
	return work_is_over() ? PROGRAM_TOO_LARGE : answer;
}

/* ---- making ---- */

/* Multiplies *UNIT until it is a multiple of all denominators. */
static bool common_unit(const struct rational *prices, size_t n, int64_t *unit)
{
	*unit = 1;
	for (size_t i = 0; i < n; i++) {
		int64_t times = prices[i].den / common_divisor(*unit, prices[i].den);
		if (times > COST_MAX / *unit)
			return false;
		*unit *= times;
	}
	return true;
}

bool step_program_prices(const struct network *w, const struct rational *prices, struct step_program *p, struct error *e)
{
	size_t rows = w->n_edges + w->n_limits, n = rows * (size_t)p->steps;
	int64_t unit, divisor = 0;

	for (size_t i = 0; i < n; i++)
		if (!rational_ok(prices[i]) || prices[i].num < 0)
			return error_set(e, ERROR_INPUT, "programs", "a price is negative or no number");
	if (!common_unit(prices, n, &unit))
		return error_set(e, ERROR_LIMIT, "programs", "the common denominator of the prices is too large");
	p->prices = new_array(struct step_price, n);
	for (size_t i = 0; i < n; i++) {
		size_t row = i % rows;
		bool edge = row < w->n_edges;
		if (prices[i].num == 0)
			continue;
		if (prices[i].num > COST_MAX / (unit / prices[i].den))
			return error_set(e, ERROR_LIMIT, "programs", "a price is too large");
		p->prices[p->n_prices++] = (struct step_price){
			.step = (int)(i / rows) + 1, .src = edge ? w->edges[row].src : 0, .dst = edge ? w->edges[row].dst : 0,
			.limit = edge ? -1 : (int)(row - w->n_edges), .price = prices[i].num * (unit / prices[i].den)};
		divisor = common_divisor(divisor, p->prices[p->n_prices - 1].price);
	}
	for (size_t i = 0; i < p->n_prices; i++)
		p->prices[i].price /= divisor;
	return true;
}

/* What a chunk pays at least, where that is found much sooner than the least; else 0. */
static int64_t quick_bound(const struct step_costs *c, const struct demand *d)
{
	enum { CELLS_MAX = 1 << 13 };

	return d->receivers > 1 && (int64_t)c->steps * c->nodes * c->nodes <= CELLS_MAX ? tree_ascent(c, d) : 0;
}

/*
 * The least that a chunk pays; -1: too large. The cap begins just above a bound, which often is the least, and grows by an
 * eighth until it is above: the closer it is, the fewer states there are.
 */
static int64_t least_by_growing(struct demand_costs *costs, const struct demand *d)
{
	bool unused;
	int64_t bound = quick_bound(costs->costs, d), cap = bound < COST_MAX ? bound + 1 : COST_MAX;
	int64_t least = demand_least(costs, d, cap, &unused);

	while (least == cap && cap < COST_MAX) {
		cap = cap > COST_MAX / 2 ? COST_MAX : cap + cap / 8 + 1;
		least = demand_least(costs, d, cap, &unused);
	}
	return least;
}

static bool add_pays(const struct demand_list *d, struct demand_costs *costs, struct step_program *p, wide *paid,
		     struct error *e)
{
	*paid = 0;
	p->pays = new_array(struct step_pay, d->n);
	for (size_t k = 0; k < d->n; k++) {
		int64_t pay = least_by_growing(costs, &d->all[k]);
		if (pay < 0 || work_is_over())
			return error_set(e, ERROR_LIMIT, "programs", "too large to verify");
		if (pay >= COST_MAX)
			return error_set(e, ERROR_LIMIT, "programs", "no tree, or none whose cost can be counted");
		if (p->n_pays == 0 || p->pays[p->n_pays - 1].pay != pay)
			p->pays[p->n_pays++] = (struct step_pay){pay, 0};
		p->pays[p->n_pays - 1].count++;
		*paid += (wide)pay * (wide)d->all[k].chunks;
	}
	return true;
}

static bool add_bound(const struct question *q, const struct instance *i, struct step_program *p, struct error *e)
{
	struct expanded_prices prices;
	struct demand_list d = {0};
	char why[PROGRAM_WHY] = "too large to verify";
	bool too_large;
	wide paid;

	if (!step_program_expand(q->network, p, &prices, why, &too_large))
		return error_set(e, ERROR_LIMIT, "programs", "%s", why);
	struct demand_costs costs = {.costs = &prices.costs};
	bool ok = demand_list_new(i, &d) || error_set(e, ERROR_LIMIT, "programs", "too large to verify");
	costs.alone = d.n == 1;
	ok = ok && add_pays(&d, &costs, p, &paid, e);
	if (ok) {
		p->at_least = bound_of(q, paid, prices.round);
		ok = (rational_ok(p->at_least) && p->at_least.num > 0) ||
		     error_set(e, ERROR_LIMIT, "programs", "these prices show no bound");
	}
	demand_costs_free(&costs);
	demand_list_free(&d);
	free(prices.costs.of);
	return ok;
}

bool step_program_add(struct side *s, const struct question *q, int steps, int root, const struct rational *prices,
		      struct error *e)
{
	struct step_program p = {.steps = steps, .root = root};
	struct instance i;

	if (step_program_of(s, steps, false))
		return error_set(e, ERROR_INPUT, "programs", "%d steps are there twice", steps);
	if (!open_instance(q, steps, root, &i, e))
		return false;
	bool ok = step_program_prices(q->network, prices, &p, e) && add_bound(q, &i, &p, e);
	question_done(&i);
	if (!ok) {
		step_program_clear(&p);
		return false;
	}
	s->programs = grown(s->programs, &s->programs_capacity, s->n_programs + 1, sizeof p);
	s->programs[s->n_programs++] = p;
	return true;
}
