/* The lines of a bound in the making: only those that are the largest for some size are kept. */

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
}
