/*
 * Exact values of a basis. Rows whose slack is basic and columns at 0 drop out; what is left is a square system of
 * integers, once for the values and once, transposed, for the duals. FLINT solves it by Dixon's p-adic lifting.
 */

#include "core/graph/linear_parts.h"

#include "core/base/memory.h"

#include <flint/fmpq_mat.h>
#include <flint/fmpz_mat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASIC = 1 };

/* ---- memory ---- */

static void *needed(void *p)
{
	if (!p)
		memory_out();
	return p;
}

static void *allocate(size_t n)
{
	return needed(malloc(n));
}

static void *allocate_zeros(size_t n, size_t size)
{
	return needed(calloc(n, size));
}

static void *reallocate(void *old, size_t n)
{
	return needed(realloc(old, n));
}

static void *reallocate_from(void *old, size_t before, size_t n)
{
	(void)before;
	return reallocate(old, n);
}

/* GMP's own functions, which are those of C with words and abort() where memory runs out. */
extern void *__gmp_default_allocate(size_t n);

/* Without memory FLINT and GMP abort; here a line and a status are due instead. Functions that the application gave to GMP stay. */
static void end_without_memory(void)
{
	void *(*now)(size_t);

	mp_get_memory_functions(&now, NULL, NULL);
	if (now == __gmp_default_allocate) {
		mp_set_memory_functions(allocate, reallocate_from, NULL);
		__flint_set_memory_functions(allocate, allocate_zeros, reallocate, free);
	}
}

/* ---- the system ---- */

/* The square system: positions of rows and columns in it, or -1. */
struct square {
	int n;
	int *row, *column;
	fmpz_mat_t a;
};

/* False: as many rows as columns do not remain. */
static bool square_new(const struct linear *l, struct square *q)
{
	int rows = 0, columns = 0;

	end_without_memory();
	q->row = new_array(int, (size_t)l->rows);
	q->column = new_array(int, (size_t)l->columns);
	for (int r = 0; r < l->rows; r++)
		q->row[r] = Clp_getRowStatus(l->model, r) == BASIC ? -1 : rows++;
	for (int c = 0; c < l->columns; c++)
		q->column[c] = Clp_getColumnStatus(l->model, c) == BASIC ? columns++ : -1;
	q->n = rows;
	fmpz_mat_init(q->a, rows, columns);
	const CoinBigIndex *begin = Clp_getVectorStarts(l->model);
	const int *length = Clp_getVectorLengths(l->model), *index = Clp_getIndices(l->model);
	const double *element = Clp_getElements(l->model);
	for (int c = 0; c < l->columns; c++)
		for (CoinBigIndex i = begin[c]; q->column[c] >= 0 && i < begin[c] + length[c]; i++)
			if (q->row[index[i]] >= 0)
				fmpz_set_si(fmpz_mat_entry(q->a, q->row[index[i]], q->column[c]), lround(element[i]));
	return rows == columns;
}

static void square_free(struct square *q)
{
	fmpz_mat_clear(q->a);
	free(q->row);
	free(q->column);
}

static bool fits(const fmpq_t x, struct rational *out)
{
	if (!fmpz_fits_si(fmpq_numref(x)) || !fmpz_fits_si(fmpq_denref(x)))
		return false;
	*out = rational(fmpz_get_si(fmpq_numref(x)), fmpz_get_si(fmpq_denref(x)));
	return rational_ok(*out);
}

/* Solves A X = B, or the transposed system; fills OUT [i] for each i with AT [i] >= 0. */
static bool solve(const struct square *q, bool transposed, const double *right, const int *right_at, int n_right,
		  const int *at, int n, struct rational *out)
{
	fmpz_mat_t a, b;
	fmpq_mat_t x;

	fmpz_mat_init(a, q->n, q->n);
	fmpz_mat_init(b, q->n, 1);
	fmpq_mat_init(x, q->n, 1);
	if (transposed)
		fmpz_mat_transpose(a, q->a);
	else
		fmpz_mat_set(a, q->a);
	for (int i = 0; i < n_right; i++)
		if (right_at[i] >= 0)
			fmpz_set_si(fmpz_mat_entry(b, right_at[i], 0), lround(right[i]));
	bool ok = fmpq_mat_solve_fmpz_mat_dixon(x, a, b);
	for (int i = 0; i < n; i++) {
		out[i] = rational(0, 1);
		if (ok && at[i] >= 0)
			ok = fits(fmpq_mat_entry(x, at[i], 0), &out[i]);
	}
	fmpz_mat_clear(a);
	fmpz_mat_clear(b);
	fmpq_mat_clear(x);
	return ok;
}

bool linear_exact_values(const struct linear *l, struct rational *values)
{
	struct square q;
	double *bound = new_array(double, (size_t)l->rows);
	const double *low = Clp_getRowLower(l->model), *high = Clp_getRowUpper(l->model);

	for (int r = 0; r < l->rows; r++)
		bound[r] = Clp_getRowStatus(l->model, r) == BASIC ? 0 : low[r] > -linear_infinity ? low[r] : high[r];
	bool ok = square_new(l, &q) && solve(&q, false, bound, q.row, l->rows, q.column, l->columns, values);
	square_free(&q);
	free(bound);
	flint_cleanup(); /* its caches */
	return ok;
}

bool linear_exact_duals(const struct linear *l, struct rational *duals)
{
	struct square q;
	bool ok = square_new(l, &q) &&
		  solve(&q, true, Clp_getObjCoefficients(l->model), q.column, l->columns, q.row, l->rows, duals);

	square_free(&q);
	flint_cleanup();
	return ok;
}
