/* A thin wrapper around the C interface of COIN-OR Clp. */

#include "core/graph/linear_parts.h"

#include "core/base/memory.h"
#include "core/base/stop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

const double linear_infinity = DBL_MAX;

struct linear *linear_new(void)
{
	struct linear *l = new(struct linear);

	l->model = Clp_newModel();
	Clp_setLogLevel(l->model, 0);
	return l;
}

void linear_free(struct linear *l)
{
	if (l)
		Clp_deleteModel(l->model);
	free(l);
}

int linear_row(struct linear *l, double low, double high, int n, const int *columns, const double *values)
{
	const CoinBigIndex starts[] = {0, n};

	Clp_addRows(l->model, 1, &low, &high, starts, columns, values);
	return l->rows++;
}

int linear_column(struct linear *l, double cost, double low, double high, int n, const int *rows, const double *values)
{
	const CoinBigIndex starts[] = {0, n};

	Clp_addColumns(l->model, 1, &low, &high, &cost, starts, rows, values);
	return l->columns++;
}

void linear_columns(struct linear *l, int n, const double *costs, const double *lows, const double *highs, const int *begin,
		    const int *rows, const double *values)
{
	CoinBigIndex *starts = new_array(CoinBigIndex, (size_t)n + 1);

	for (int i = 0; i <= n; i++)
		starts[i] = begin[i];
	Clp_addColumns(l->model, n, lows, highs, costs, starts, rows, values);
	l->columns += n;
	free(starts);
}

void linear_row_high(struct linear *l, int row, double high)
{
	Clp_rowUpper(l->model)[row] = high;
}

void linear_column_between(struct linear *l, int column, double low, double high)
{
	Clp_columnLower(l->model)[column] = low;
	Clp_columnUpper(l->model)[column] = high;
}

bool linear_solve(struct linear *l)
{
	double left = stop_left();

	Clp_setMaximumSeconds(l->model, isinf(left) ? -1 : left);
	Clp_dual(l->model, 0);
	return Clp_status(l->model) == 0;
}

bool linear_solve_wider(struct linear *l)
{
	Clp_primal(l->model, 0);
	return Clp_status(l->model) == 0;
}

bool linear_solve_wider_in_time(struct linear *l)
{
	double left = stop_left();

	Clp_setMaximumSeconds(l->model, isinf(left) ? -1 : left);
	return linear_solve_wider(l);
}

int linear_iterations(const struct linear *l)
{
	return Clp_numberIterations(l->model);
}

double linear_cost(const struct linear *l)
{
	return Clp_objectiveValue(l->model);
}

double linear_value(const struct linear *l, int column)
{
	return Clp_primalColumnSolution(l->model)[column];
}

double linear_dual(const struct linear *l, int row)
{
	return Clp_dualRowSolution(l->model)[row];
}
