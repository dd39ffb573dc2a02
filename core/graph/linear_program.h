#ifndef SCCL_CORE_GRAPH_LINEAR_PROGRAM_H
#define SCCL_CORE_GRAPH_LINEAR_PROGRAM_H

/*
 * Linear programs, in floating point: the one door to the LP solver. What is claimed of an answer is always computed again in
 * whole numbers by who asks.
 */

#include <stdbool.h>
#include <stddef.h>

struct linear;

/* Minimize the sum of costs times columns. Empty. */
struct linear *linear_new(void);
void linear_free(struct linear *l); /* NULL is fine */

extern const double linear_infinity;

/* Both give their number, 0 the first. An entry's VALUES belong to COLUMNS (of a row) or ROWS (of a column) that are there. */
int linear_row(struct linear *l, double low, double high, int n, const int *columns, const double *values);
int linear_column(struct linear *l, double cost, double low, double high, int n, const int *rows, const double *values);

/* Many columns at once, which is far quicker: entries of column i lie at begin[i] .. begin[i + 1] - 1 of ROWS and VALUES. */
void linear_columns(struct linear *l, int n, const double *costs, const double *lows, const double *highs, const int *begin,
		    const int *rows, const double *values);

/* The sum of a row may be so much from now on. */
void linear_row_high(struct linear *l, int row, double high);

/* A column may be from and to so much from now on. */
void linear_column_between(struct linear *l, int column, double low, double high);

/* Goes on from the last answer. False: there is none, or it was not found, perhaps before the deadline (core/base/stop.h). */
bool linear_solve(struct linear *l);
/* The same where columns were added alone, so that the last answer still is one: quicker. It knows no deadline. */
bool linear_solve_wider(struct linear *l);

/* What the last answer took: a measure of time that is the same every time. */
int linear_iterations(const struct linear *l);

/* After linear_solve: what it costs, a column's value, by how much the cost rises with a row's bound. */
double linear_cost(const struct linear *l);
double linear_value(const struct linear *l, int column);
double linear_dual(const struct linear *l, int row);

#endif
