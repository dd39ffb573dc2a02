/*
 * The prices of the program, mixed with those of solutions before, which jump less, are rounded to small integers. Where a
 * solver finds a pattern that pays less than all known ones, that is thinned out in several ways and annealed; all that
 * improve the program are added. First much less is asked for: that makes each answer worth more, and is hardly more
 * difficult. Where there is no such pattern, that is a bound.
 */

#include "synth/program/pattern_questions.h"

#include "synth/program/node_groups.h"
#include "synth/program/pattern_annealing.h"
#include "synth/program/pattern_program.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"
#include "encode/cnf/pattern.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Prices [step * n_edges + edge], what known patterns pay at least, and the most that a round pays in some step. */
struct asked_prices {
	int *of;
	int pay, round;
};

struct pattern_asking {
	struct pattern_program *q;
	double *mean, *mixed; /* [step * n_edges + edge] */
	struct asked_prices x;
	double work; /* steps (core/base/work.h) that are left for questions; 3 million are about a CPU second */
	uint64_t random;
	struct pattern_bound *bound; /* NULL: it is not wanted */
};

/* How questions are asked. Where one finds no pattern, the next are asked in the next way. */
struct pattern_way {
	double less; /* than known patterns: what is asked for, as a part of it */
	double mean; /* the part of the mean in the prices */
};

static const struct pattern_way for_less[] = {{0.985, 0.6}, {0.994, 0.6}, {0.994, 0.3}, {0, 0}};
static const struct pattern_way for_bound[] = {{1, 0.3}, {1, 0}, {1, 0.15}, {0, 0}};

/* Fewer steps than these are enough for no allreduce. */
static int fewest_steps(const struct network *w)
{
	int most = 0;

	for (int u = 0; u < w->nodes; u++)
		for (int v = 0; v < w->nodes; v++)
			most = network_distance(w, u, v) > most ? network_distance(w, u, v) : most;
	return most;
}

/* 0: it does not fit, or all prices are 0. */
static int round_of(const struct pattern_program *q, const int *price)
{
	const struct network *w = q->m.w;
	int64_t most = 0;

	for (int s = 0; s < q->p->steps; s++) {
		int64_t sum = 0;
		for (size_t e = 0; e < w->n_edges; e++)
			sum += (int64_t)price[(size_t)s * w->n_edges + e] * w->edges[e].bandwidth;
		most = sum > most ? sum : most;
	}
	return most <= INT_MAX ? (int)most : 0;
}

/* What the known patterns pay at least, or 0 if that is no more than ENOUGH. */
static int paid_at_least(const struct pattern_program *q, const int *price, double enough)
{
	int least = INT_MAX;

	for (size_t c = 0; c < q->p->n_columns && least > enough; c++) {
		const struct timed_tree *t = &q->p->columns[c].tree;
		int64_t sum = 0;
		for (int i = 0; i < t->n; i++)
			sum += price[(size_t)t->of[i].step * q->m.w->n_edges + (size_t)t->of[i].edge];
		least = sum < least ? (int)sum : least;
	}
	return least > enough ? least : 0;
}

static double shown(const struct asked_prices *x)
{
	return x->round ? (double)x->pay / x->round : 0;
}

static double least_cost(const struct pattern_asking *a)
{
	double least = INFINITY;

	for (size_t c = 0; c < a->q->p->n_columns; c++)
		least = fmin(least, master_tree_cost(&a->q->m, &a->q->p->columns[c].tree, a->mixed));
	return least;
}

/* The rounding with the fewest units that shows ENOUGH, or else the one that shows most. */
static void round_prices(struct pattern_asking *a, double mean, double enough)
{
	enum { UNITS_LEAST = 8, UNITS_MOST = 200 };
	static const double offsets[] = {0.5, 0.4, 0.6, 0.7, 0.3, 0.8};
	size_t prices = a->q->m.prices;
	int *now = new_array(int, prices);

	for (size_t i = 0; i < prices; i++)
		a->mixed[i] = (1 - mean) * a->q->at[i] + mean * a->mean[i];
	double least = least_cost(a);
	a->x.pay = a->x.round = 0;
	for (int units = UNITS_LEAST; units <= UNITS_MOST && shown(&a->x) < enough; units++)
		for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
			for (size_t i = 0; i < prices; i++)
				now[i] = a->mixed[i] < 1e-4 * least ? 0 : (int)floor(a->mixed[i] / least * units + offsets[k]);
			int round = round_of(a->q, now), pay = round ? paid_at_least(a->q, now, shown(&a->x) * round * (1 + 1e-9)) : 0;
			if (!pay)
				continue;
			memcpy(a->x.of, now, prices * sizeof *now);
			a->x.pay = pay;
			a->x.round = round;
		}
	free(now);
}

/* Keeps that no pattern pays less than PAY, if that shows more than what is known. */
static void keep_bound(struct pattern_asking *a, int pay)
{
	struct pattern_bound *b = a->bound;

	if (!b || (b->price && (int64_t)pay * b->round <= (int64_t)b->pay * a->x.round))
		return;
	free(b->price);
	*b = (struct pattern_bound){copy_bytes(a->x.of, a->q->m.prices * sizeof *a->x.of), pay, a->x.round};
}

/* Does a bound (NULL: none) show that much? */
static bool is_shown(const struct pattern_bound *b, double enough)
{
	return b && b->price && b->pay >= enough * b->round;
}

/* Is there a pattern that pays at most MOST? */
static enum answer ask(struct pattern_asking *a, int most, struct solution *got)
{
	static const double most_work = 24e6; /* for one question */
	const struct commodities *c = &a->q->p->commodities;
	const struct pattern_limit limit = {.price = a->x.of, .most = most, .mirrored = true, .n_symmetries = c->n_generators,
					    .symmetries = c->generators};
	double left = stop_left(); /* a timeout of 0 would be none */
	const struct solve_options o = {.work = fmin(a->work, most_work), .timeout = isinf(left) ? 0 : left, .pattern = &limit};
	struct error unused = {0};

	*got = (struct solution){.answer = ANSWER_GAVE_UP};
	if (left > 0 && !solve(a->q->p->instance, &o, got, &unused))
		got->answer = ANSWER_GAVE_UP;
	a->work -= got->work;
	if (got->answer == ANSWER_NONE)
		keep_bound(a, most + 1);
	return got->answer;
}

static int by_step(const void *va, const void *vb)
{
	const struct timed_edge *a = va, *b = vb;

	return a->step != b->step ? (a->step > b->step) - (a->step < b->step) : (a->edge > b->edge) - (a->edge < b->edge);
}

/* What N steps send of a chunk, sorted; DROPS [step]: nodes, as bits, that get a copy. The caller frees its array. */
static struct timed_tree chunk_sends(const struct network *w, const struct step *steps, size_t n, int chunk, uint64_t *drops)
{
	struct timed_tree t = {0};
	size_t all = 0;

	for (size_t s = 0; s < n; s++)
		all += steps[s].n_sends + steps[s].n_reduces;
	t.of = new_array(struct timed_edge, all);
	for (size_t s = 0; s < n; s++) {
		const struct step *x = &steps[s];
		drops[s] = 0;
		for (size_t i = 0; i < x->n_reduces; i++)
			if (x->reduces[i].chunk == chunk)
				t.of[t.n++] = (struct timed_edge){(int)s, network_edge(w, x->reduces[i].src, x->reduces[i].dst)};
		for (size_t i = 0; i < x->n_sends; i++)
			if (x->sends[i].chunk == chunk) {
				t.of[t.n++] = (struct timed_edge){(int)s, network_edge(w, x->sends[i].src, x->sends[i].dst)};
				drops[s] |= UINT64_C(1) << x->sends[i].dst;
			}
	}
	if (t.n)
		qsort(t.of, (size_t)t.n, sizeof *t.of, by_step);
	return t;
}

static bool is_known(const struct pattern_program *q, size_t first, const struct timed_tree *t)
{
	for (size_t c = first; c < q->p->n_columns; c++) {
		const struct timed_tree *k = &q->p->columns[c].tree;
		if (k->n == t->n && memcmp(k->of, t->of, (size_t)t->n * sizeof *t->of) == 0)
			return true;
	}
	return false;
}

/* Anneals a pattern whose nodes drop values, and adds what improves the program. */
static void add_annealed(struct pattern_asking *a, const struct timed_tree *from, const uint64_t *drops)
{
	enum { MOVES = 60000 };
	struct pattern_program *q = a->q;
	double limit = pattern_program_limit(q);
	struct timed_tree found[ANNEALED_MOST];
	const struct annealing how = {q->m.w, q->p->steps, q->at, linear_dual(q->m.l, 0), MOVES, &a->random, drops};
	uint64_t *dropped = new_array(uint64_t, (size_t)q->p->steps);
	int n = pattern_anneal(&how, from, INFINITY, found);

	for (int i = 0; i < n; i++)
		if (master_tree_cost(&q->m, &found[i], q->at) < limit) {
			pattern_dropped(&how, &found[i], dropped);
			pattern_program_add(q, found[i], dropped);
		} else
			free(found[i].of);
	free(dropped);
}

/* Adds what was found, thinned out in several ways, unless it is known, and solves the program. False: it could not be solved. */
static bool add_found(struct pattern_asking *a, const struct solution *got)
{
	enum { THINNED = 8, ANNEALED = 4 };
	struct pattern_program *q = a->q;
	size_t steps = (size_t)q->p->steps, before = q->p->n_columns;
	uint64_t *drops = new_array(uint64_t, steps), *dropped = new_array(uint64_t, steps);
	struct timed_tree all = chunk_sends(q->m.w, got->steps, got->n_steps, 0, drops), thin;
	bool solved = true;

	for (int i = 0; i < THINNED && solved; i++) {
		const struct annealing how = {q->m.w, q->p->steps, a->mixed, 0, 0, &a->random, drops};
		if (!pattern_thin(&how, &all, &thin, dropped))
			break;
		if (is_known(q, before, &thin)) {
			free(thin.of);
			continue;
		}
		pattern_program_add(q, thin, dropped);
		solved = pattern_program_solve(q);
		if (solved && i < ANNEALED)
			add_annealed(a, &q->p->columns[q->p->n_columns - 1].tree, drops);
	}
	free(all.of);
	free(drops);
	free(dropped);
	return solved && (q->p->n_columns == before || pattern_program_solve(q));
}

static void take_into_mean(struct pattern_asking *a)
{
	static const double weight = 0.1;

	for (size_t i = 0; i < a->q->m.prices; i++)
		a->mean[i] += weight * (a->q->at[i] - a->mean[i]);
}

/* Asks in one way after another, from WAY on, until the last finds no new pattern, progress ends, or the work is spent. False: the
 * program could not be solved. */
static bool ask_on(struct pattern_asking *a, const struct pattern_way *way)
{
	enum { QUESTIONS_MOST = 80, IN_VAIN = 24 };
	static const double near = 1.0125; /* a bound as near to the value is enough */
	static const double progress = 0.001, in_vain = 24e6; /* as a part of the value, in so many questions, or with so much work */
	struct pattern_program *q = a->q;
	double last = INFINITY, began = a->work; /* value and work at the last progress */
	bool solved = true;

	for (int i = 0, vain = 0; i < QUESTIONS_MOST && vain < IN_VAIN && began - a->work < in_vain && way->less > 0 && solved && a->work > 0 &&
					!stop_is_due(); i++) {
		double value = pattern_program_value(q), known = q->least;
		struct solution got;
		if (value <= known * (1 + 1e-7) || is_shown(a->bound, value / near))
			break;
		vain = !a->bound && value > last * (1 - progress) ? vain + 1 : 0;
		last = vain ? last : value;
		began = vain ? began : a->work;
		double enough = fmax(known + (value - known) * 0.6, a->bound ? value / near : 0);
		round_prices(a, way->mean, enough);
		int most = (int)fmin(floor(a->x.pay * way->less), a->x.pay - 1);
		if (a->bound) /* what is enough is refuted more easily */
			most = (int)fmin(most, ceil(a->x.round * value / near) - 1);
		if (shown(&a->x) > known && most > 0 && ask(a, most, &got) == ANSWER_FOUND) {
			size_t before = q->p->n_columns;
			solved = add_found(a, &got);
			steps_free(got.steps, got.n_steps);
			way += q->p->n_columns == before;
			take_into_mean(a);
		} else {
			way++;
		}
	}
	return solved;
}

bool patterns_are_asked_for(const struct network *w, int steps)
{
	return w->nodes <= ANNEALED_NODES_MAX && steps == fewest_steps(w);
}

static bool begin_asking(struct pattern_program *q, const struct pattern_way *ways, struct pattern_bound *bound)
{
	static const double all_work = 120e6;
	size_t prices = q->m.prices;

	if (!q->back || !patterns_are_asked_for(q->m.w, q->p->steps) || pattern_program_is_least(q))
		return true;
	struct pattern_asking a = {.q = q, .mean = copy_bytes(q->at, prices * sizeof *q->at), .mixed = new_array(double, prices),
			   .x = {.of = new_array(int, prices)}, .work = all_work, .random = 88172645463325252U, .bound = bound};
	bool solved = ask_on(&a, ways);
	free(a.mean);
	free(a.mixed);
	free(a.x.of);
	return solved;
}

bool pattern_program_ask(struct pattern_program *q)
{
	return begin_asking(q, for_less, NULL);
}

bool pattern_program_bound(struct pattern_program *q, struct pattern_bound *out)
{
	return begin_asking(q, for_bound, out);
}

/* ---- a bound ---- */

/* Adds what an algorithm sends of each chunk, once. */
static void add_chunks(struct pattern_program *q, const struct algorithm *known)
{
	size_t steps = (size_t)q->p->steps;
	uint64_t *drops = new_array(uint64_t, steps);

	for (int c = 0; c < known->chunks; c++) {
		struct timed_tree t = chunk_sends(q->m.w, known->steps, known->n_steps, c, drops);
		if (t.n == 0 || is_known(q, 0, &t))
			free(t.of);
		else
			pattern_program_add(q, t, drops);
	}
	free(drops);
}

bool pattern_bound_find(const struct instance *i, const struct algorithm *known, double least, struct pattern_bound *out)
{
	struct timed_program p = {.instance = i, .steps = i->steps};
	struct pattern_program q;
	struct error unused = {0};

	*out = (struct pattern_bound){0};
	if (!patterns_are_asked_for(i->network, i->steps) || (int)known->n_steps != i->steps)
		return false;
	struct node_group all = node_group_all(i->network, -1);
	bool ok = commodities_new(i, all.generators, all.n, &p.commodities, &unused);
	node_group_free(&all);
	if (!ok)
		return false;
	pattern_program_new(&p, least, &q);
	pattern_program_reverse(&q);
	add_chunks(&q, known);
	if (q.back && pattern_program_solve(&q))
		pattern_program_bound(&q, out);
	pattern_program_free(&q);
	timed_program_free(&p);
	return out->price != NULL;
}
