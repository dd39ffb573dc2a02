/*
 * Without a measure, one algorithm beats another if neither its S nor its R/C is larger. With a measure, those are kept
 * that have the least of some value.
 */

#include "synth/methods/kept.h"

#include "core/base/memory.h"
#include "synth/problem/problem.h"

#include <stdlib.h>
#include <string.h>

const double kept_rounding = 1e-9;

static bool is_beaten_by(struct candidate by, int steps, struct rational bandwidth)
{
	return by.steps <= steps && rational_compare(candidate_bandwidth(by), bandwidth) <= 0;
}

bool kept_beats(const struct kept *k, int steps, struct rational bandwidth)
{
	for (size_t i = 0; i < k->n; i++)
		if (is_beaten_by(k->of[i].cost, steps, bandwidth))
			return true;
	return false;
}

/* Of equal cost otherwise, fewer chunks are better. */
static bool costs_less(const struct kept *k, struct candidate c)
{
	for (size_t i = 0; i < k->n; i++) {
		struct candidate has = k->of[i].cost;
		bool equal = has.steps == c.steps && rational_compare(candidate_bandwidth(has), candidate_bandwidth(c)) == 0;
		if (is_beaten_by(has, c.steps, candidate_bandwidth(c)) && !(equal && c.chunks < has.chunks))
			return false;
	}
	return true;
}

size_t kept_least(const struct kept *k, size_t v)
{
	size_t best = k->n;

	for (size_t i = 0; i < k->n; i++)
		if (best == k->n || k->of[i].values[v] < k->of[best].values[v] * (1 - kept_rounding))
			best = i;
	return best;
}

double kept_seconds(const struct kept *k)
{
	static const double bytes_per_second = 16e6;
	double sum = 0;

	for (size_t i = 0; i < k->n; i++)
		sum += (double)k->of[i].text.length / bytes_per_second;
	return sum;
}

static bool measures_less(const struct kept *k, const double *values)
{
	for (size_t v = 0; v < k->n_values; v++) {
		size_t best = kept_least(k, v);
		if (best == k->n || values[v] < k->of[best].values[v] * (1 - kept_rounding))
			return true;
	}
	return false;
}

bool kept_wants(const struct kept *k, struct candidate c, const double *values)
{
	return k->n_values ? measures_less(k, values) : costs_less(k, c);
}

static void forget(struct kept_text *x)
{
	free(x->values);
	text_free(&x->text);
}

/* Puts X where it belongs by its steps. */
static void insert(struct kept *k, struct kept_text x)
{
	size_t at = 0;

	k->of = grown(k->of, &k->room, k->n + 1, sizeof *k->of);
	while (at < k->n && k->of[at].cost.steps < x.cost.steps)
		at++;
	memmove(&k->of[at + 1], &k->of[at], (k->n - at) * sizeof *k->of);
	k->of[at] = x;
	k->n++;
}

/* Drops all that are not marked. */
static void sift(struct kept *k, const bool *is_needed)
{
	size_t left = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (is_needed[i])
			k->of[left++] = k->of[i];
		else
			forget(&k->of[i]);
	}
	k->n = left;
}

static void take_by_cost(struct kept *k, struct kept_text x)
{
	bool *is_needed = new_array(bool, k->n);

	for (size_t i = 0; i < k->n; i++)
		is_needed[i] = !is_beaten_by(x.cost, k->of[i].cost.steps, candidate_bandwidth(k->of[i].cost));
	sift(k, is_needed);
	insert(k, x);
	free(is_needed);
}

static void take_by_values(struct kept *k, struct kept_text x)
{
	insert(k, x);
	bool *is_needed = new_array(bool, k->n);
	for (size_t v = 0; v < k->n_values; v++)
		is_needed[kept_least(k, v)] = true;
	sift(k, is_needed);
	free(is_needed);
}

void kept_take(struct kept *k, struct kept_text x)
{
	(k->n_values ? take_by_values : take_by_cost)(k, x);
}

void kept_free(struct kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		forget(&k->of[i]);
	free(k->of);
	*k = (struct kept){0};
}
