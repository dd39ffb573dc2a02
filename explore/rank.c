/*
 * Which change of a machine gains the most: sorts the rows by exact ratios, with the measure that was asked for first
 * and the others as tie-breakers.
 */

#include "explore/explore.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const rank_by_names[RANKINGS] = {"bandwidth", "steps", "time"};

/* <0: A is better. A known value is better than an unknown one. */
static int by_ratio(struct rational a, struct rational b)
{
	if (!rational_ok(a) || !rational_ok(b))
		return rational_ok(b) - rational_ok(a);
	return rational_compare(a, b);
}

static int by_bandwidth(const struct row *a, const struct row *b, size_t n_sizes)
{
	(void)n_sizes;
	return by_ratio(a->bounds.bandwidth, b->bounds.bandwidth);
}

static int by_steps(const struct row *a, const struct row *b, size_t n_sizes)
{
	(void)n_sizes;
	return (a->bounds.steps > b->bounds.steps) - (a->bounds.steps < b->bounds.steps);
}

static struct rational time_at(const struct row *row, size_t size)
{
	return row->best[size].entry < 0 ? (struct rational){0, 0} : row->best[size].microseconds;
}

/* From the largest size down. */
static int by_time(const struct row *a, const struct row *b, size_t n_sizes)
{
	for (size_t s = n_sizes; s-- > 0;) {
		int order = by_ratio(time_at(a, s), time_at(b, s));
		if (order)
			return order;
	}
	return 0;
}

static int (*const measures[RANKINGS])(const struct row *a, const struct row *b, size_t n_sizes) = {
	[BY_BANDWIDTH] = by_bandwidth, [BY_STEPS] = by_steps, [BY_TIME] = by_time,
};

/* By the requested measure, then by the others. Equal rows keep their order. */
static int compare_rows(const struct row *a, const struct row *b, size_t n_sizes, enum rank_by by)
{
	if (!a->why_not != !b->why_not)
		return a->why_not ? 1 : -1;
	if (a->why_not)
		return 0;
	int order = measures[by](a, b, n_sizes);
	for (int i = 0; i < RANKINGS && order == 0; i++)
		order = measures[i](a, b, n_sizes);
	return order;
}

/* Sort key of a row: collective and root, unchanged before changed, the machine's index before sorting, then rank. */
struct rank_place {
	size_t collective, machine;
	bool changed;
	struct row row;
	size_t was; /* its index before sorting */
	const struct ranking *ranking;
};

struct ranking {
	size_t n_sizes;
	enum rank_by by;
};

static int by_place(const void *va, const void *vb)
{
	const struct rank_place *a = va, *b = vb;

	if (a->collective != b->collective)
		return a->collective < b->collective ? -1 : 1;
	if (a->changed != b->changed)
		return a->changed ? 1 : -1;
	if (a->machine != b->machine)
		return a->machine < b->machine ? -1 : 1;
	int order = a->changed ? compare_rows(&a->row, &b->row, a->ranking->n_sizes, a->ranking->by) : 0;
	return order ? order : (a->was > b->was) - (a->was < b->was);
}

static size_t first_of_collective(const struct rows *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (r->at[k].root == r->at[i].root && strcmp(r->at[k].collective, r->at[i].collective) == 0)
			return k;
	return i;
}

void rows_rank(struct rows *r, size_t n_sizes, enum rank_by by)
{
	const struct ranking ranking = {n_sizes, by};
	struct rank_place *places = new_array(struct rank_place, r->n + 1);
	int *now = new_array(int, r->n + 1);

	for (size_t i = 0; i < r->n; i++) {
		bool changed = r->at[i].base >= 0;
		places[i] = (struct rank_place){first_of_collective(r, i), changed ? (size_t)r->at[i].base : i, changed, r->at[i], i, &ranking};
	}
	qsort(places, r->n, sizeof *places, by_place);
	for (size_t i = 0; i < r->n; i++)
		now[places[i].was] = (int)i;
	for (size_t i = 0, first = 0; i < r->n; i++) {
		if (i && (places[i].machine != places[i - 1].machine || places[i].changed != places[i - 1].changed))
			first = i;
		bool same = i > first && compare_rows(&places[i - 1].row, &places[i].row, n_sizes, by) == 0;
		r->at[i] = places[i].row;
		r->at[i].rank = !places[i].changed ? 0 : same ? r->at[i - 1].rank : (int)(i - first) + 1;
		if (r->at[i].base >= 0)
			r->at[i].base = now[r->at[i].base];
	}
	free(places);
	free(now);
}

static const struct row *base_of(const struct rows *r, const struct row *row)
{
	return row->base < 0 || row->why_not || r->at[row->base].why_not ? NULL : &r->at[row->base];
}

struct rational row_gain_bandwidth(const struct rows *r, const struct row *row)
{
	const struct row *base = base_of(r, row);
	return base ? rational_div(base->bounds.bandwidth, row->bounds.bandwidth) : (struct rational){0, 0};
}

struct rational row_gain_time(const struct rows *r, const struct row *row, size_t size)
{
	const struct row *base = base_of(r, row);

	if (!base || base->best[size].entry < 0 || row->best[size].entry < 0)
		return (struct rational){0, 0};
	return rational_div(base->best[size].microseconds, row->best[size].microseconds);
}
