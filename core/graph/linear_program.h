#ifndef SCCL_CORE_GRAPH_LINEAR_PROGRAM_H
#define SCCL_CORE_GRAPH_LINEAR_PROGRAM_H

/*
 * Linear programs in floating point: the only interface to the LP solver. Its results are never trusted as they are:
 * the caller recomputes whatever it claims in exact arithmetic.
 */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>

struct linear;

/* An empty program: minimize the sum of cost times value over all columns. The caller frees it. */
struct linear *linear_new(void);
void linear_free(struct linear *l); /* NULL is fine */

extern const double linear_infinity; /* as a bound of a row or column: none */

/*
 * Add a row or a column with the bounds LOW and HIGH; return its number, from 0. The N entries of a row (VALUES at
 * COLUMNS) must refer to existing columns, those of a column (VALUES at ROWS) to existing rows.
 */
int linear_row(struct linear *l, double low, double high, int n, const int *columns, const double *values);
int linear_column(struct linear *l, double cost, double low, double high, int n, const int *rows, const double *values);

/*
 * Adds N columns at once, which is much faster: column i has the entries begin[i] .. begin[i + 1] - 1 of ROWS and
 * VALUES.
 */
void linear_columns(struct linear *l, int n, const double *costs, const double *lows, const double *highs, const int *begin,
		    const int *rows, const double *values);

/* Changes the upper bound of a row. */
void linear_row_high(struct linear *l, int row, double high);

/* Changes the bounds of a column. */
void linear_column_between(struct linear *l, int column, double low, double high);

/*
 * Solves by dual simplex, starting from the previous basis. False: there is no optimum, or none was found before the
 * deadline (core/base/stop.h).
 */
bool linear_solve(struct linear *l);
/*
 * The same by primal simplex: faster if only columns were added since the last solution, which is then still feasible.
 * Sets no time limit of its own.
 */
bool linear_solve_wider(struct linear *l);
/* The same, but ends at the deadline. */
bool linear_solve_wider_in_time(struct linear *l);

/* The number of iterations of the last solve: a deterministic measure of time. */
int linear_iterations(const struct linear *l);

/*
 * After a successful solve: the minimum cost, the value of a column, and the dual value of a row, i.e. the rate at
 * which the cost changes with the row's bound.
 */
double linear_cost(const struct linear *l);
double linear_value(const struct linear *l, int column);
double linear_dual(const struct linear *l, int row);

/*
 * After a successful solve: the same basis solved in exact arithmetic. All coefficients, costs and bounds must be
 * integers, and columns that are not in the basis must be at 0. VALUES [column] and DUALS [row] are what linear_value
 * and linear_dual approximate; neither need be optimal, or even feasible, if the basis is so only within the tolerance
 * of floating point. False: the basis is singular, or some value does not fit in a rational.
 */
bool linear_exact_values(const struct linear *l, struct rational *values);
bool linear_exact_duals(const struct linear *l, struct rational *duals);

#endif
