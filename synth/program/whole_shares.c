/*
 * The shares that a solution gives its images suit rounds in its own proportions. In whole rounds other shares are best,
 * and a linear program for these rounds has mostly whole numbers in its basic solutions. What is whole is kept, the
 * largest fractions are rounded up where there is room, and the program is solved again for what is left, until nothing
 * more has room.
 */

#include "synth/program/whole_shares.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <stdlib.h>

static const double near_whole = 1e-6;

static int64_t demand_of(const struct timed_program *q, size_t commodity)
{
	return q->commodities.of[q->commodities.orbit[commodity]].demand;
}

/* Capacities: edges that no limit makes redundant, then limits. */
static struct csr capacities_of_edges(const struct network *w)
{
	bool *covered = limit_covered_edges(w);
	int *number = new_array(int, w->n_edges);

	for (size_t e = 0; e < w->n_edges; e++)
		number[e] = covered[e] ? -1 : (int)e;
	struct csr of = limit_index(w, number, (int)w->n_edges);
	free(covered);
	free(number);
	return of;
}

static int capacities(const struct network *w)
{
	return (int)(w->n_edges + w->n_limits);
}

static int bandwidth(const struct network *w, int capacity)
{
	return capacity < (int)w->n_edges ? w->edges[capacity].bandwidth : w->limits[capacity - (int)w->n_edges].bandwidth;
}

static int ascending(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static void find_cells(struct whole_shares *s)
{
	const struct network *w = s->q->instance->network;
	struct csr of = capacities_of_edges(w);

	s->cells = csr_new((int)s->x->n);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < s->x->n; i++)
			for (int j = 0; j < s->x->of[i].n; j++) {
				struct timed_edge e = s->x->of[i].of[j];
				for (int k = of.begin[e.edge]; k < of.begin[e.edge + 1]; k++)
					if (pass)
						csr_put(&s->cells, (int)i, e.step * capacities(w) + of.of[k]);
					else
						csr_count(&s->cells, (int)i);
			}
		if (!pass)
			csr_allocate(&s->cells);
	}
	csr_free(&of);
	s->row = new_array(int, (size_t)s->q->steps * (size_t)capacities(w));
	for (int c = 0; c < s->q->steps * capacities(w); c++)
		s->row[c] = -1;
	s->n_rows = (int)s->q->commodities.n_all;
	for (size_t i = 0; i < s->x->n; i++) {
		int *cells = &s->cells.of[s->cells.begin[i]], n = csr_size(&s->cells, (int)i);
		qsort(cells, (size_t)n, sizeof *cells, ascending);
		for (int k = 0; k < n; k++)
			if (s->row[cells[k]] < 0)
				s->row[cells[k]] = s->n_rows++;
	}
}

/* Columns: how often the demands are carried, then what each image carries. */
static void build(struct whole_shares *s, int most)
{
	int commodities = (int)s->q->commodities.n_all, *rows = new_array(int, (size_t)s->n_rows);
	double *values = new_array(double, (size_t)s->n_rows);

	s->l = linear_new();
	for (int r = 0; r < s->n_rows; r++)
		linear_row(s->l, -linear_infinity, 0, 0, NULL, NULL);
	for (int k = 0; k < commodities; k++) {
		rows[k] = k;
		values[k] = (double)demand_of(s->q, (size_t)k);
	}
	linear_column(s->l, -1, 0, most, commodities, rows, values);
	for (size_t i = 0; i < s->x->n; i++) {
		int n = 1;
		rows[0] = s->x->of[i].commodity;
		values[0] = -1;
		for (int k = s->cells.begin[i]; k < s->cells.begin[i + 1]; k++) {
			if (k == s->cells.begin[i] || s->cells.of[k] != s->cells.of[k - 1]) {
				rows[n] = s->row[s->cells.of[k]];
				values[n++] = 0;
			}
			values[n - 1]++;
		}
		linear_column(s->l, 0, 0, linear_infinity, n, rows, values);
	}
	free(rows);
	free(values);
}

bool whole_shares_open(const struct timed_program *q, const struct images *x, int most, struct whole_shares *out)
{
	enum { ENTRIES_MAX = 1 << 16 };
	struct whole_shares s = {.q = q, .x = x};

	find_cells(&s);
	bool small = s.cells.begin[s.cells.rows] <= ENTRIES_MAX;
	if (small)
		build(&s, most);
	else
		whole_shares_close(&s);
	*out = s;
	return small;
}

void whole_shares_close(struct whole_shares *s)
{
	csr_free(&s->cells);
	free(s->row);
	linear_free(s->l);
}

/* Chunks given so far, and the room left. */
struct rounding {
	struct whole_shares *s;
	int64_t *left;    /* [step * capacities + capacity] */
	int64_t *carried; /* [commodity] */
	int *taken;       /* [image] */
	double *part;     /* [image]: what the program gives it besides, a fraction */
};

static void give(struct rounding *r, size_t image, int chunks)
{
	const struct csr *c = &r->s->cells;

	for (int k = c->begin[image]; k < c->begin[image + 1]; k++)
		r->left[c->of[k]] -= chunks;
	r->carried[r->s->x->of[image].commodity] += chunks;
	r->taken[image] += chunks;
}

/* Is there room for one more chunk? */
static bool has_room(const struct rounding *r, size_t image)
{
	const struct csr *c = &r->s->cells;

	for (int k = c->begin[image], times = 0; k < c->begin[image + 1]; k++) {
		times = k > c->begin[image] && c->of[k] == c->of[k - 1] ? times + 1 : 1;
		if (r->left[c->of[k]] < times)
			return false;
	}
	return true;
}

/* Solves the program for what is left. False: there is nothing, or no time. */
static bool solve(struct rounding *r, int cells)
{
	struct linear *l = r->s->l;
	bool any = false;

	for (int c = 0; c < cells; c++)
		if (r->s->row[c] >= 0)
			linear_row_high(l, r->s->row[c], (double)r->left[c]);
	for (size_t k = 0; k < r->s->q->commodities.n_all; k++)
		linear_row_high(l, (int)k, (double)r->carried[k]);
	for (size_t i = 0; i < r->s->x->n; i++) {
		bool room = has_room(r, i);
		linear_column_between(l, (int)i + 1, 0, room ? linear_infinity : 0);
		any = any || room;
	}
	if (!any || stop_is_due() || !linear_solve(l))
		return false;
	for (size_t i = 0; i < r->s->x->n; i++)
		r->part[i] = fmax(0, linear_value(l, (int)i + 1));
	return true;
}

/* Gives images the whole part of what the program does. Is there any? */
static bool give_whole(struct rounding *r)
{
	bool any = false;

	for (size_t i = 0; i < r->s->x->n; i++) {
		int whole = (int)floor(r->part[i] + near_whole);
		for (int c = 0; c < whole && has_room(r, i); c++) {
			give(r, i, 1);
			any = true;
		}
		r->part[i] -= whole;
	}
	return any;
}

/* Rounds up the largest fractions for which there is room, at least one, and never so that a commodity has more than TIMES its demand. */
static bool give_fractions(struct rounding *r, int64_t times)
{
	enum { PORTION = 40 };
	bool any = false;

	for (size_t n = r->s->x->n / PORTION + 1; n > 0; n--) {
		size_t best = r->s->x->n;
		for (size_t i = 0; i < r->s->x->n; i++) {
			size_t k = (size_t)r->s->x->of[i].commodity;
			if (r->part[i] > near_whole && (best == r->s->x->n || r->part[i] > r->part[best]) &&
			    r->carried[k] < times * demand_of(r->s->q, k) && has_room(r, i))
				best = i;
		}
		if (best == r->s->x->n || (any && r->part[best] < 0.5))
			break;
		give(r, best, 1);
		r->part[best] = 0;
		any = true;
	}
	return any;
}

void whole_shares_find(struct whole_shares *s, const int *rounds, int *taken)
{
	enum { ITERATIONS = 100 };
	const struct network *w = s->q->instance->network;
	int cells = s->q->steps * capacities(w);
	struct rounding r = {.s = s, .left = new_array(int64_t, (size_t)cells), .carried = new_array(int64_t, s->q->commodities.n_all),
			     .taken = taken, .part = new_array(double, s->x->n)};
	int64_t times = 0;

	for (int c = 0; c < cells; c++)
		r.left[c] = (int64_t)rounds[c / capacities(w)] * bandwidth(w, c % capacities(w));
	for (size_t i = 0; i < s->x->n; i++)
		taken[i] = 0;
	for (int i = 0; i < ITERATIONS && solve(&r, cells); i++) {
		times = i ? times : (int64_t)floor(-linear_cost(s->l) + near_whole);
		bool any = give_whole(&r);
		if (!((i > 0 || !any) && give_fractions(&r, times)) && !any)
			break;
	}
	free(r.left);
	free(r.carried);
	free(r.part);
}
