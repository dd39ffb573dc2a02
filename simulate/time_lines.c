/* The lines and bends that are collected: only those that are the largest for some size are kept. */

#include "simulate/time_bounding.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

void time_line_free(struct time_line *l)
{
	free(l->over);
	free(l->inside);
}

void bounding_add(struct bounding *w, struct time_line l)
{
	if (!isfinite(l.latency) || !isfinite(l.per_byte)) {
		time_line_free(&l);
		return;
	}
	w->lines = grown(w->lines, &w->capacity, w->n + 1, sizeof *w->lines);
	w->lines[w->n++] = l;
}

static int by_slope(const void *va, const void *vb)
{
	const struct time_line *a = va, *b = vb;
	int order = (a->per_byte > b->per_byte) - (a->per_byte < b->per_byte);

	return order ? order : (a->latency > b->latency) - (a->latency < b->latency);
}

/* Is B nowhere above both A, which is flatter, and C, which is steeper? */
static bool is_below(struct time_line a, struct time_line b, struct time_line c)
{
	return (a.latency - c.latency) * (b.per_byte - a.per_byte) <= (a.latency - b.latency) * (c.per_byte - a.per_byte);
}

/* Is each number of A at least that of B, so that A is nowhere below B? */
static bool covers(const struct time_bend *a, const struct time_bend *b)
{
	return a->early.latency >= b->early.latency && a->early.per_byte >= b->early.per_byte && a->late.latency >= b->late.latency &&
	       a->late.per_byte >= b->late.per_byte;
}

void bounding_add_bend(struct bounding *w, struct time_bend b)
{
	size_t n = 0;
	bool needed = isfinite(b.early.latency + b.early.per_byte + b.late.latency + b.late.per_byte);

	for (size_t i = 0; i < w->n_bends; i++)
		needed = needed && !covers(&w->bends[i], &b);
	if (!needed) {
		time_line_free(&b.late);
		return;
	}
	for (size_t i = 0; i < w->n_bends; i++) {
		if (covers(&b, &w->bends[i]))
			time_line_free(&w->bends[i].late);
		else
			w->bends[n++] = w->bends[i];
	}
	w->n_bends = n;
	w->bends = grown(w->bends, &w->bends_capacity, w->n_bends + 1, sizeof *w->bends);
	w->bends[w->n_bends++] = b;
}

static double line_at(const struct time_line *l, double bytes)
{
	return l->latency + l->per_byte * bytes;
}

/* Is the bend above all lines at a size? */
static bool is_above(const struct bounding *w, const struct time_bend *b, double bytes)
{
	double most = 0;

	for (size_t i = 0; i < w->n; i++)
		most = fmax(most, line_at(&w->lines[i], bytes));
	return fmin(line_at(&b->early, bytes), line_at(&b->late, bytes)) > most * (1 + 1e-9);
}

/* Where two lines meet; 0: nowhere. */
static double meeting(const struct time_line *a, const struct time_line *b)
{
	double bytes = (b->latency - a->latency) / (a->per_byte - b->per_byte);
	return isfinite(bytes) && bytes > 0 ? bytes : 0;
}

/* A bend less the largest line is concave, and linear between these sizes: its largest value is at one of them. */
static bool is_needed(const struct bounding *w, const struct time_bend *b)
{
	static const double huge = 1e18;
	bool needed = is_above(w, b, 0) || is_above(w, b, huge) || is_above(w, b, meeting(&b->early, &b->late));

	for (size_t i = 1; i < w->n && !needed; i++)
		needed = is_above(w, b, meeting(&w->lines[i - 1], &w->lines[i]));
	return needed;
}

static void keep_bends(struct bounding *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_bends; i++) {
		if (is_needed(w, &w->bends[i]))
			w->bends[n++] = w->bends[i];
		else
			time_line_free(&w->bends[i].late);
	}
	w->n_bends = n;
}

void bounding_keep_largest(struct bounding *w)
{
	size_t n = 0;

	qsort(w->lines, w->n, sizeof *w->lines, by_slope);
	for (size_t i = 0; i < w->n; i++) {
		while (n && w->lines[n - 1].latency <= w->lines[i].latency)
			time_line_free(&w->lines[--n]);
		while (n > 1 && is_below(w->lines[n - 2], w->lines[n - 1], w->lines[i]))
			time_line_free(&w->lines[--n]);
		w->lines[n++] = w->lines[i];
	}
	w->n = n;
	keep_bends(w);
}
