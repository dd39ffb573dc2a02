/*
 * Finds a regular group of automorphisms and tries the constructions of symmetric_schedule.h for the collective, first
 * with as many steps as the diameter, then with all steps of the candidate. Their schedules for node 0, spread over all
 * nodes by the group, are returned in compact form.
 */

#include "synth/symmetric/symmetric_construction.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "core/symmetry/transitive_group.h"
#include "synth/symmetric/symmetric_schedule.h"

/* The group's generators, which keep the part of each chunk. */
static struct symmetry *symmetry_of(const struct transitive_group *g, const struct instance *i)
{
	struct symmetry *y = symmetry_new(&i->collective, g->network->nodes, i->global_chunks);

	for (size_t k = 0; k < g->symmetry->n; k++)
		symmetry_add(y, g->symmetry->generators[k].nodes, NULL);
	return y;
}

enum { ATTEMPTS_MAX = 16 };

/* A construction; more than one attempt for those that make random choices. */
struct constructing_method {
	bool (*make)(struct symmetric_schedule *d, int rounds, int attempt);
	int attempts;
	bool any_steps; /* more steps than the diameter may help it */
};

/* Tried in this order. */
static const struct constructing_method ways[COLLECTIVE_KINDS][3] = {
	[ALLGATHER] = {{layered_allgather, 1, false}, {hierarchical_allgather, 1, true}, {greedy_allgather, ATTEMPTS_MAX, true}},
	[ALLTOALL] = {{rotational_alltoall, 1, false}, {open_shop_alltoall, ATTEMPTS_MAX, true}},
};

static struct algorithm *construct_once(const struct problem *p, struct symmetric_schedule *d,
					const struct constructing_method *by, int attempt, struct candidate c, bool tight, struct error *e)
{
	struct algorithm *a = NULL;
	bool made = by->make(d, c.rounds, attempt);
	int64_t needed = made && tight ? symmetric_schedule_rounds(d) + c.steps - d->steps : c.rounds;

	c.rounds = needed < c.rounds ? (int)needed : c.rounds;
	if (made && symmetric_schedule_fit(d, c.steps, c.rounds)) {
		a = problem_compact(p, c, d->of, (size_t)d->steps, symmetry_of(d->g, d->i), e);
		d->of = NULL;
	}
	symmetric_schedule_free(d);
	return a;
}

/*
 * TIGHT: with fewer rounds than the candidate's, if they suffice. With at most ATTEMPTS of each way; 0: only ways without random
 * choices, which are quick.
 */
static struct algorithm *construct(const struct problem *p, const struct transitive_group *g, const struct instance *i,
				   struct candidate c, bool tight, int attempts, struct error *e)
{
	const struct constructing_method *of = ways[i->collective.kind];
	struct algorithm *a = NULL;
	int diameter = symmetric_schedule_diameter(g->network);

	for (int steps = diameter; steps <= c.steps && !a; steps = steps < c.steps ? c.steps : c.steps + 1)
		for (size_t k = 0; k < sizeof ways[0] / sizeof *ways[0]; k++)
			for (int t = 0; t < of[k].attempts && (attempts ? t < attempts : of[k].attempts == 1) && (steps == diameter || of[k].any_steps) && !a &&
			     e->kind == ERROR_NONE && !stop_is_due(); t++) {
				struct symmetric_schedule d = symmetric_schedule_new(g, i, steps);
				a = construct_once(p, &d, &of[k], t, c, tight, e);
			}
	return a;
}

static bool has_group(const struct problem *p, struct transitive_group *g)
{
	return !p->composed && ways[p->asked.kind][0].make && transitive_group_find(p->network, g);
}

static struct algorithm *construct_in_group(const struct problem *p, const struct transitive_group *g, struct candidate c,
					    bool tight, int attempts, struct error *e)
{
	struct instance i;

	if (!problem_instance(p, c, &i, e))
		return NULL;
	struct algorithm *a = construct(p, g, &i, c, tight, attempts, e);
	problem_instance_done(&i);
	return a;
}

struct algorithm *symmetric_construct(const struct problem *p, struct candidate c, struct error *e)
{
	struct transitive_group g;

	if (!has_group(p, &g))
		return NULL;
	struct algorithm *a = construct_in_group(p, &g, c, false, ATTEMPTS_MAX, e);
	transitive_group_free(&g);
	return a;
}

/* The least common multiple; 0 if it exceeds CHUNKS_MAX. */
static int common_multiple(int64_t a, int64_t b)
{
	int64_t x = a, y = b;

	while (y) {
		int64_t rest = x % y;
		x = y;
		y = rest;
	}
	return a / x * b > CHUNKS_MAX ? 0 : (int)(a / x * b);
}

/* A C for which R is a whole number at the bandwidth bound: first the least, then one part for each direction, then
 * other multiples from 2 upwards. 0: too large. */
static int chunks_of(const struct problem *p, int attempt)
{
	const struct network *w = p->network;
	int least = common_multiple(p->bounds.bandwidth.den, p->unit), directions = w->out_begin[1] - w->out_begin[0];
	int64_t many = attempt == 0 ? 1 : attempt == 1 ? directions : attempt;

	return least && many * least <= CHUNKS_MAX ? (int)(many * least) : 0;
}

struct algorithm *symmetric_construct_in(const struct problem *p, int steps, int max_chunks, struct error *e)
{
	enum { ATTEMPTS = 12 };
	struct transitive_group g;
	struct algorithm *a = NULL;

	if (!has_group(p, &g))
		return NULL;
	for (int i = 0; i < ATTEMPTS && !a && e->kind == ERROR_NONE && !stop_is_due(); i++) {
		struct candidate c = {chunks_of(p, i), steps, 0};
		struct rational rounds = rational_mul(p->bounds.bandwidth, rational(c.chunks, 1));
		if (c.chunks == 0 || !rational_ok(rounds) || rounds.num > ROUNDS_MAX)
			break;
		c.rounds = (int)rounds.num;
		if (c.rounds >= c.steps && (!max_chunks || c.chunks <= max_chunks))
			a = construct_in_group(p, &g, c, false, ATTEMPTS_MAX, e);
	}
	transitive_group_free(&g);
	return a;
}

struct algorithm *symmetric_construct_best(const struct problem *p, struct error *e)
{
	struct error limit = {0};
	struct algorithm *a = symmetric_construct_in(p, p->bounds.steps, 0, &limit);

	if (!a && limit.kind != ERROR_NONE && limit.kind != ERROR_LIMIT)
		*e = limit;
	return a;
}

/* ---- above the bandwidth bound ---- */

/* The least C with an R of at least the bound and STEPS, and at most TARGET per chunk, with the largest such R; C 0: there is none. */
static struct candidate least_candidate(const struct problem *p, struct rational target, int steps)
{
	struct rational least = p->bounds.bandwidth;

	for (int64_t chunks = p->unit; chunks <= CHUNKS_MAX; chunks += p->unit) {
		struct rational rounds = rational_mul(target, rational(chunks, 1)), bound = rational_mul(least, rational(chunks, 1));
		if (!rational_ok(rounds) || !rational_ok(bound) || rational_floor(rounds) > ROUNDS_MAX)
			break;
		if (rational_floor(rounds) >= rational_ceil(bound) && rational_floor(rounds) >= steps)
			return (struct candidate){(int)chunks, steps, (int)rational_floor(rounds)};
	}
	return (struct candidate){0};
}

/* The last steps use the rounds above the bound. If there are ROUNDS_TO_SPARE of them, smaller chunks gain hardly anything. */
enum { ROUNDS_TO_SPARE = 16, CELLS_MAX = 1 << 17 };

/* Gives the candidate FINER times its chunks. False: these are too many. */
static bool is_finer(const struct problem *p, struct rational target, int64_t finer, int max_chunks, struct candidate *c)
{
	int64_t chunks = finer * c->chunks;
	struct rational rounds = rational_mul(target, rational(chunks, 1));

	if ((max_chunks && chunks > max_chunks) || chunks / p->unit * p->network->nodes > CELLS_MAX || !rational_ok(rounds) ||
	    rational_floor(rounds) > ROUNDS_MAX)
		return false;
	c->chunks = (int)chunks;
	c->rounds = (int)rational_floor(rounds);
	return true;
}

static bool has_rounds_to_spare(const struct problem *p, struct candidate c)
{
	return c.rounds - rational_ceil(rational_mul(p->bounds.bandwidth, rational(c.chunks, 1))) >= ROUNDS_TO_SPARE;
}

/* Tries the least C, and then more chunks, so that rounds are divided among the steps more finely. */
static struct algorithm *construct_below(const struct problem *p, const struct transitive_group *g, struct rational target,
					 int steps, int max_chunks, int attempts, struct error *e)
{
	enum { FINER_AT_RANDOM = 4 };
	struct candidate c = least_candidate(p, target, steps);
	int64_t factor = attempts ? 2 : 4, finer = 1;
	struct algorithm *a = NULL;

	while (c.chunks && (!max_chunks || c.chunks <= max_chunks) && !stop_is_due()) {
		a = construct_in_group(p, g, c, true, attempts, e);
		finer *= factor;
		if (a || e->kind != ERROR_NONE || has_rounds_to_spare(p, c) || (attempts && finer > FINER_AT_RANDOM) ||
		    !is_finer(p, target, factor, max_chunks, &c))
			break;
	}
	return a;
}

/* The next number of steps to be tried: on small machines, one that timed cuts do not rule out. */
static int next_steps(const struct problem *p, struct rational target, int steps, int most, bool random)
{
	enum { NODES_FOR_CUTS = 64 };

	while (random && p->network->nodes <= NODES_FOR_CUTS && steps <= most &&
	       rational_compare(problem_bandwidth_in(p, steps, TIMED_QUICK), target) > 0)
		steps++;
	return steps;
}

/*
 * Looks for an algorithm with few steps, from *FROM up to MOST; their number goes to *FROM. The gaps between the numbers tried
 * grow, and once one suffices, the last gap is searched by bisection. NULL: there is none, or no time.
 */
static struct algorithm *construct_in_few(const struct problem *p, const struct transitive_group *g, struct rational target,
					  int *from, int most, int max_chunks, int attempts, struct error *e)
{
	int low = next_steps(p, target, *from, most, attempts), high = low, gap = 1;
	struct algorithm *a = NULL;

	while (high <= most && !a && e->kind == ERROR_NONE && !stop_is_due()) {
		a = construct_below(p, g, target, high, max_chunks, attempts, e);
		if (a)
			break;
		low = high + 1;
		high = high < most && high + gap > most ? most : high + gap;
		gap *= 2;
	}
	while (a && low < high && e->kind == ERROR_NONE && !stop_is_due()) {
		int middle = low + (high - low) / 2;
		struct algorithm *better = construct_below(p, g, target, middle, max_chunks, attempts, e);
		if (better) {
			algorithm_free(a);
			a = better;
			high = middle;
		} else
			low = middle + 1;
	}
	*from = high;
	return a;
}

void symmetric_construct_near(const struct problem *p, bool random, int max_steps, int max_chunks,
			      void (*take)(void *context, struct algorithm *a), void *context, struct error *e)
{
	static const struct rational above[] = {{3, 1}, {1, 1}, {1, 2}, {1, 4}, {1, 8}, {1, 16}, {1, 32}, {1, 64}, {1, 128}, {1, 256}};
	enum { LEVELS = sizeof above / sizeof *above, LEVELS_AT_RANDOM = 7, STEPS_MOST = 96, ATTEMPTS = 8 };
	int most = max_steps && max_steps < STEPS_MOST ? max_steps : STEPS_MOST, steps = p->bounds.steps;
	struct transitive_group g;
	struct algorithm *a = NULL;

	if (!has_group(p, &g))
		return;
	for (int i = 0; i < LEVELS && steps <= most; i++) {
		struct rational target = rational_mul(p->bounds.bandwidth, rational_add(rational(1, 1), above[i]));
		int without = steps;
		/* Random choices save a step or two, and take long where they must be nearly perfect. */
		a = i < LEVELS_AT_RANDOM || !random ? NULL : construct_in_few(p, &g, target, &without, most, max_chunks, 0, e);
		if (!a)
			a = construct_in_few(p, &g, target, &steps, most, max_chunks, random ? ATTEMPTS : 0, e);
		else
			steps = without;
		if (!a)
			break;
		take(context, a);
	}
	transitive_group_free(&g);
}
