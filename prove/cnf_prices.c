/*
 * What a pattern pays, in unary: the sends of each step are added up, then the steps of each half, then all. Where the two
 * halves are compared, sums are exact in both directions; else it is enough that they are no less than what is paid.
 */

#include "prove/cnf_parts.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

enum { COMPARED = 20 }; /* edges of the first step that are compared with their images */

/* A number in unary. */
struct number {
	size_t n;
	int *of; /* owned */
};

/* The sum of X and Y, which are freed; no number counts further than MOST. */
static struct number add(struct writer *k, struct number x, struct number y, size_t most)
{
	struct number z = {0};

	if (x.n == 0 || y.n == 0) {
		z = x.n ? x : y;
		free(x.n ? y.of : x.of);
		return z;
	}
	z.of = new_array(int, x.n + y.n < most ? x.n + y.n : most);
	z.n = cnf_sum(k, x.of, x.n, y.of, y.n, most, z.of);
	for (size_t i = 0; i <= x.n && k->pattern->mirrored && !k->full && work_spend((double)y.n + 1); i++)
		for (size_t j = 0; j <= y.n && i + j < z.n; j++) {
			cnf_add(k, i < x.n ? x.of[i] : NO);
			cnf_add(k, j < y.n ? y.of[j] : NO);
			cnf_add(k, -z.of[i + j]);
			cnf_end(k);
		}
	free(x.of);
	free(y.of);
	return z;
}

/* Adds N numbers, neighbours in pairs, until one is left. Frees the list. */
static struct number add_all(struct writer *k, struct number *all, size_t n, size_t most)
{
	struct number sum = {0};

	for (; n > 1; n = (n + 1) / 2)
		for (size_t i = 0; i < n; i += 2)
			all[i / 2] = i + 1 < n ? add(k, all[i], all[i + 1], most) : all[i];
	if (n)
		sum = all[0];
	free(all);
	return sum;
}

/* What is paid in step S: a send is there as often as it costs. */
static struct number paid_in(struct writer *k, int s, size_t most)
{
	struct number *all = new_array(struct number, (size_t)k->edges);
	size_t n = 0;

	for (int e = 0; e < k->edges; e++) {
		int64_t price = k->pattern->price[(size_t)(s - 1) * (size_t)k->edges + (size_t)e];
		size_t times = price > (int64_t)most ? most : (size_t)price;
		if (!times || !work_spend((double)times))
			continue;
		all[n] = (struct number){times, new_array(int, times)};
		for (size_t i = 0; i < times; i++)
			all[n].of[i] = *send_at(k, 0, e, s);
		n++;
	}
	return add_all(k, all, n, most);
}

static struct number paid_between(struct writer *k, int first, int last, size_t most)
{
	struct number *all = new_array(struct number, last < first ? 1 : (size_t)(last - first + 1));
	size_t n = 0;

	for (int s = first; s <= last && !k->full && !work_is_over(); s++)
		all[n++] = paid_in(k, s, most);
	return add_all(k, all, n, most);
}

/* EARLY is no more than LATE, and at most half of what may be paid. */
static void write_mirrored(struct writer *k, const struct number *early, const struct number *late)
{
	size_t half = (size_t)k->pattern->most / 2;

	for (size_t i = 0; i < early->n; i++)
		cnf_clause(k, -early->of[i], i < late->n ? late->of[i] : NO, NO);
	if (early->n > half)
		cnf_clause(k, -early->of[half], NO, NO);
}

/* The first step's sends, edge by edge, read as a binary number: that of the image is no larger. */
static void write_symmetry(struct writer *k, const int *to)
{
	int same = YES, compared = 0; /* equal up to this edge */

	for (int e = 0; e < k->edges && compared < COMPARED && work_spend(8); e++) {
		int image = network_edge(k->w, to[k->w->edges[e].src], to[k->w->edges[e].dst]);
		if (image == e || image < 0)
			continue;
		int mine = *send_at(k, 0, e, 1), other = *send_at(k, 0, image, 1), still = ++k->f->variables;
		cnf_clause(k, -same, -other, mine);
		cnf_clause(k, -same, -other, still);
		cnf_clause(k, -same, mine, still);
		same = still;
		compared++;
	}
}

void cnf_write_prices(struct writer *k)
{
	const struct pattern_question *q = k->pattern;
	size_t most = (size_t)q->most + 1;
	int half = k->steps / 2;
	struct number early = paid_between(k, 1, half, most), late = paid_between(k, k->steps - half + 1, k->steps, most);
	struct number middle = paid_between(k, half + 1, k->steps - half, most);

	if (q->mirrored)
		write_mirrored(k, &early, &late);
	struct number all = add(k, add(k, early, late, most), middle, most);
	if (all.n >= most)
		cnf_clause(k, -all.of[most - 1], NO, NO);
	free(all.of);
	for (size_t i = 0; i < q->n_symmetries && !k->full; i++)
		write_symmetry(k, q->symmetries + i * (size_t)k->nodes);
}
