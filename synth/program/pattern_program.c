/*
 * With all sends reversed in direction and time a pattern is one again. So where each link leads both ways, patterns are
 * annealed at prices that are the same in reverse: there are half as many prices to be found. These are mixed with those of
 * solutions before, which jump less, and with a price that all sends share: else patterns are full of free sends.
 */

#include "synth/program/pattern_program.h"

#include "synth/program/pattern_annealing.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const double tolerance = 1e-7;

void pattern_program_new(struct timed_program *p, double least, struct pattern_program *out)
{
	*out = (struct pattern_program){.p = p, .least = least};
	master_new(p, &out->m);
	out->price = new_array(double, out->m.cells);
	out->at = new_array(double, out->m.prices);
}

void pattern_program_free(struct pattern_program *q)
{
	master_free(&q->m);
	free(q->price);
	free(q->at);
	free(q->back);
	free(q->drops);
}

static void add_column(struct pattern_program *q, struct timed_tree pattern, const uint64_t *drops, bool backwards)
{
	size_t steps = (size_t)q->p->steps, at = q->p->n_columns * steps;

	master_add(&q->m, 0, pattern);
	q->drops = grown(q->drops, &q->drops_capacity, at + steps, sizeof *q->drops);
	for (size_t s = 0; s < steps; s++)
		q->drops[at + s] = !drops ? 0 : drops[backwards ? steps - 1 - s : s];
}

static void add_reverse(struct pattern_program *q, const struct timed_tree *of, const uint64_t *drops)
{
	struct timed_tree reverse = {of->n, new_array(struct timed_edge, (size_t)of->n)};

	for (int i = 0; i < of->n; i++)
		reverse.of[of->n - 1 - i] = (struct timed_edge){q->p->steps - 1 - of->of[i].step, q->back[of->of[i].edge]};
	add_column(q, reverse, drops, true);
}

void pattern_program_add(struct pattern_program *q, struct timed_tree pattern, const uint64_t *drops)
{
	if (q->back)
		add_reverse(q, &pattern, drops);
	add_column(q, pattern, drops, false);
}

static void make_symmetric(const struct pattern_program *q)
{
	size_t edges = q->m.w->n_edges;
	int steps = q->p->steps;

	for (int s = 0; 2 * s < steps; s++)
		for (size_t e = 0; e < edges; e++) {
			double *a = &q->at[(size_t)s * edges + e], *b = &q->at[(size_t)(steps - 1 - s) * edges + (size_t)q->back[e]];
			*a = *b = (*a + *b) / 2;
		}
}

static void take_prices(struct pattern_program *q)
{
	for (size_t i = 0; i < q->m.cells; i++)
		q->price[i] = fmax(0, -linear_dual(q->m.l, 1 + (int)i));
	master_edge_prices(&q->m, q->price, q->at);
	if (q->back)
		make_symmetric(q);
}

bool pattern_program_solve(struct pattern_program *q)
{
	if (!linear_solve_wider_in_time(q->m.l))
		return false;
	take_prices(q);
	return true;
}

bool pattern_program_solve_late(struct pattern_program *q)
{
	if (!linear_solve_wider(q->m.l))
		return false;
	take_prices(q);
	return true;
}

double pattern_program_limit(const struct pattern_program *q)
{
	return linear_dual(q->m.l, 0) * (1 - tolerance);
}

double pattern_program_value(const struct pattern_program *q)
{
	double rounds = 0;

	for (int s = 0; s < q->p->steps; s++)
		rounds += linear_value(q->m.l, s) / (double)q->m.scale;
	return rounds;
}

bool pattern_program_is_least(const struct pattern_program *q)
{
	return pattern_program_value(q) <= q->least * (1 + tolerance);
}

void pattern_program_reverse(struct pattern_program *q)
{
	const struct network *w = q->m.w;
	int *back = new_array(int, w->n_edges);
	bool both_ways = w->n_limits == 0 && w->n_groups == 0;

	for (size_t e = 0; e < w->n_edges && both_ways; e++) {
		back[e] = network_edge(w, w->edges[e].dst, w->edges[e].src);
		both_ways = back[e] >= 0 && w->edges[back[e]].bandwidth == w->edges[e].bandwidth;
	}
	if (!both_ways) {
		free(back);
		return;
	}
	q->back = back;
	for (size_t c = 0, n = q->p->n_columns; c < n; c++)
		add_reverse(q, &(const struct timed_tree){q->p->columns[c].tree.n, q->p->columns[c].tree.of}, NULL);
}

/* ---- annealing ---- */

struct annealed {
	struct pattern_program *q;
	double *mean, *prices; /* [step * n_edges + edge]: of solutions so far; of the next annealing */
	double even;           /* the price of all sends, if they have the same */
	uint64_t random;
	long moves;
};

/* A pattern that is used, or, seldom, any, drawn at random. */
static const struct timed_tree *draw_pattern(struct annealed *a)
{
	enum { ANY = 7 };
	const struct pattern_program *q = a->q;
	size_t n = q->p->n_columns;

	a->random = a->random * 6364136223846793005U + 1442695040888963407U;
	size_t drawn = (size_t)(a->random >> 33), first = drawn % n;
	for (size_t i = 0; i < n && drawn / n % ANY; i++)
		if (linear_value(q->m.l, q->p->steps + (int)((first + i) % n)) > tolerance)
			return &q->p->columns[(first + i) % n].tree;
	return &q->p->columns[first].tree;
}

/* Adds the patterns of one annealing that improve the program; the number of them. */
static int add_annealed(struct annealed *x, int attempt)
{
	static const double shares[] = {0.02, 0.1, 0.3, 0.05}, means[] = {0, 0.45, 0.9};
	struct pattern_program *q = x->q;
	double share = shares[attempt % 4], mean = means[attempt / 4 % 3], limit = pattern_program_limit(q);
	struct timed_tree found[ANNEALED_MOST];
	int added = 0;

	for (size_t i = 0; i < q->m.prices; i++)
		x->prices[i] = (1 - share) * ((1 - mean) * q->at[i] + mean * x->mean[i]) + share * x->even;
	const struct annealing a = {q->m.w, q->p->steps, x->prices, linear_dual(q->m.l, 0), x->moves, &x->random, NULL};
	int n = pattern_anneal(&a, draw_pattern(x), INFINITY, found);
	for (int i = 0; i < n; i++)
		if (master_tree_cost(&q->m, &found[i], q->at) < limit) {
			pattern_program_add(q, found[i], NULL);
			added++;
		} else
			free(found[i].of);
	return added;
}

/* Solves the program, and takes its prices into the mean. */
static bool solve_next(struct annealed *x)
{
	static const double weight = 0.1;

	if (!pattern_program_solve(x->q))
		return false;
	for (size_t i = 0; i < x->q->m.prices; i++)
		x->mean[i] += weight * (x->q->at[i] - x->mean[i]);
	return true;
}

/* Of one attempt: on small machines fewer are enough, on large ones each takes longer. */
static long moves_on(int nodes)
{
	static const double most = 100000, enough = 16; /* so many nodes take the most */
	double size = nodes / enough;

	return (long)(most * fmin(size * size, 1 / (size * size)));
}

bool pattern_program_anneal(struct pattern_program *q, int patience)
{
	enum { ATTEMPTS_MOST = 800 };
	const struct network *w = q->m.w;
	double all = 0;

	if (w->nodes > ANNEALED_NODES_MAX)
		return true;
	pattern_program_reverse(q);
	bool solved = pattern_program_solve(q);
	for (size_t e = 0; e < w->n_edges; e++)
		all += w->edges[e].bandwidth;
	struct annealed x = {.q = q, .mean = copy_bytes(q->at, q->m.prices * sizeof *q->at), .prices = new_array(double, q->m.prices),
			     .even = (double)q->m.scale / all / (double)q->p->commodities.of[0].orbit, .random = 88172645463325252U, .moves = moves_on(w->nodes)};
	for (int i = 0, failed = 0; solved && failed < patience && i < ATTEMPTS_MOST && !pattern_program_is_least(q) && !stop_is_due(); i++) {
		int added = add_annealed(&x, i);
		failed = added ? 0 : failed + 1;
		if (added)
			solved = solve_next(&x);
	}
	free(x.mean);
	free(x.prices);
	return solved;
}
