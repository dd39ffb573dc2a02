/* Builds the restricted program, and turns its last basis into exact amounts, rounds and prices. */

#include "synth/program/master.h"

#include "core/base/memory.h"
#include "core/graph/linear_program.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

enum { SCALE_MAX = 1 << 20 };

/* Orbits in place of the edges and limits themselves, and what they carry together. */
static void rows_new(struct master *m)
{
	const struct network *w = m->w;
	const struct machine_orbits *o = &m->p->commodities.orbits;
	bool *covered = limit_covered_edges(w);
	int *number = new_array(int, w->n_edges);

	m->p->n_rows = o->n_edges + o->n_limits;
	m->capacity = new_array(int64_t, (size_t)m->p->n_rows);
	for (size_t e = 0; e < w->n_edges; e++) {
		number[e] = covered[e] ? -1 : o->edge[e];
		m->capacity[o->edge[e]] += covered[e] ? 0 : w->edges[e].bandwidth;
	}
	for (size_t l = 0; l < w->n_limits; l++)
		m->capacity[o->n_edges + o->limit[l]] += w->limits[l].bandwidth;
	m->scale = 1;
	for (int r = 0; r < m->p->n_rows; r++)
		m->scale = m->capacity[r] > m->scale ? m->capacity[r] : m->scale;
	m->scale = m->scale < SCALE_MAX ? m->scale : SCALE_MAX;
	m->rows_of = limit_index(w, number, o->n_edges);
	for (size_t e = 0; e < w->n_edges; e++) {
		int *row = &m->rows_of.of[m->rows_of.begin[e]], n = csr_size(&m->rows_of, (int)e);
		for (int k = 0; k < n; k++)
			row[k] = row[k] < o->n_edges ? row[k] : o->n_edges + o->limit[row[k] - o->n_edges];
		qsort(row, (size_t)n, sizeof *row, by_number);
	}
	free(covered);
	free(number);
}

static void add_rounds(struct master *m)
{
	const struct timed_program *p = m->p;
	int *rows = new_array(int, (size_t)p->n_rows), demands = (int)p->commodities.n;
	double *values = new_array(double, (size_t)p->n_rows);

	for (int s = 0; s < p->steps; s++) {
		int n = 0;
		for (int r = 0; r < p->n_rows; r++)
			if (m->capacity[r]) {
				rows[n] = demands + s * p->n_rows + r;
				values[n++] = -(double)m->capacity[r];
			}
		linear_column(m->l, (double)m->scale, 0, linear_infinity, n, rows, values);
	}
	free(rows);
	free(values);
}

void master_new(struct timed_program *p, struct master *out)
{
	struct master m = {.p = p, .w = p->instance->network, .l = linear_new()};

	rows_new(&m);
	m.cells = (size_t)p->steps * (size_t)p->n_rows;
	m.prices = (size_t)p->steps * m.w->n_edges;
	for (size_t k = 0; k < p->commodities.n; k++)
		linear_row(m.l, (double)(p->commodities.of[k].demand * m.scale), linear_infinity, 0, NULL, NULL);
	for (size_t i = 0; i < m.cells; i++)
		linear_row(m.l, -linear_infinity, 0, 0, NULL, NULL);
	add_rounds(&m);
	*out = m;
}

void master_free(struct master *m)
{
	linear_free(m->l);
	csr_free(&m->rows_of);
	free(m->capacity);
}

/* The rows of capacities that a tree loads, ascending, each as often as it does: the number of them. The caller frees
 * *CELLS. */
static int cells_of(const struct master *m, const struct timed_tree *t, int **cells)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += csr_size(&m->rows_of, t->of[i].edge);
	*cells = new_array(int, (size_t)n);
	n = 0;
	for (int i = 0; i < t->n; i++)
		for (int k = m->rows_of.begin[t->of[i].edge]; k < m->rows_of.begin[t->of[i].edge + 1]; k++)
			(*cells)[n++] = t->of[i].step * m->p->n_rows + m->rows_of.of[k];
	qsort(*cells, (size_t)n, sizeof **cells, by_number);
	return n;
}

void master_add(struct master *m, int commodity, struct timed_tree tree)
{
	struct timed_program *p = m->p;
	int *cells, n_cells = cells_of(m, &tree, &cells), demands = (int)p->commodities.n, n = 1;
	int *rows = new_array(int, (size_t)n_cells + 1);
	double *values = new_array(double, (size_t)n_cells + 1);

	rows[0] = commodity;
	values[0] = 1;
	for (int i = 0; i < n_cells; i++) {
		if (i == 0 || cells[i] != cells[i - 1])
			rows[n++] = demands + cells[i];
		values[n - 1] += (double)p->commodities.of[commodity].orbit; /* the images of the tree load the orbit too */
	}
	linear_column(m->l, 0, 0, linear_infinity, n, rows, values);
	p->columns = grown(p->columns, &p->capacity, p->n_columns + 1, sizeof *p->columns);
	p->columns[p->n_columns++] = (struct timed_column){commodity, tree, rational(0, 1)};
	free(cells);
	free(rows);
	free(values);
}

void master_edge_prices(const struct master *m, const double *price, double *prices)
{
	for (int s = 0; s < m->p->steps; s++)
		for (size_t e = 0; e < m->w->n_edges; e++) {
			double sum = 0;
			for (int k = m->rows_of.begin[e]; k < m->rows_of.begin[e + 1]; k++)
				sum += price[s * m->p->n_rows + m->rows_of.of[k]];
			prices[(size_t)s * m->w->n_edges + e] = sum;
		}
}

double master_tree_cost(const struct master *m, const struct timed_tree *t, const double *prices)
{
	double sum = 0;

	for (int i = 0; i < t->n; i++)
		sum += prices[(size_t)t->of[i].step * m->w->n_edges + (size_t)t->of[i].edge];
	return sum;
}

double master_round_cost(const struct master *m, const double *price)
{
	double most = 0;

	for (int s = 0; s < m->p->steps; s++) {
		double paid = 0;
		for (int r = 0; r < m->p->n_rows; r++)
			paid += (double)m->capacity[r] * price[s * m->p->n_rows + r];
		most = fmax(most, paid);
	}
	return most;
}

/* The most that a round may cost at prices that are integers: so doubles hold the costs of all trees exactly. */
static const int64_t round_most = INT64_C(1) << 42;

/* The least common denominator of N numbers; 0: it is too large for prices. */
static int64_t common_unit(const struct rational *x, size_t n)
{
	int64_t d = 1;

	for (size_t i = 0; i < n; i++) {
		int64_t factor = x[i].den / common_divisor(d, x[i].den);
		if (!rational_ok(x[i]) || factor > round_most / d)
			return 0;
		d *= factor;
	}
	return d;
}

/* Demands are lower bounds, and where trees are free they may carry more: takes it away. */
static void trim(const struct master *m, struct rational *values)
{
	const struct timed_program *p = m->p;
	struct rational *left = new_array(struct rational, p->commodities.n), *amount = &values[p->steps];

	for (size_t k = 0; k < p->commodities.n; k++)
		left[k] = rational(p->commodities.of[k].demand, 1);
	for (size_t c = 0; c < p->n_columns; c++) {
		struct rational *of = &left[p->columns[c].commodity];
		if (rational_ok(*of) && rational_ok(amount[c]) && rational_compare(amount[c], *of) > 0)
			amount[c] = *of;
		*of = rational_sub(*of, amount[c]);
	}
	free(left);
}

static struct rational sum_of(const struct rational *values, int n)
{
	struct rational sum = rational(0, 1);

	for (int i = 0; i < n; i++)
		sum = rational_add(sum, values[i]);
	return sum;
}

/* Does a solution attain what it claims: no amount is negative, demands are met, no capacity is exceeded? */
static bool attains(const struct master *m, const struct rational *values)
{
	const struct timed_program *p = m->p;
	struct rational *load = new_array(struct rational, m->cells), *carried = new_array(struct rational, p->commodities.n);
	bool ok = rational_ok(sum_of(values, p->steps));

	for (size_t i = 0; i < m->cells; i++)
		load[i] = rational(0, 1);
	for (size_t k = 0; k < p->commodities.n; k++)
		carried[k] = rational(0, 1);
	for (size_t c = 0; c < p->n_columns; c++) {
		const struct timed_column *column = &p->columns[c];
		struct rational amount = values[(size_t)p->steps + c];
		int *cells, n = amount.num ? cells_of(m, &column->tree, &cells) : 0;
		ok = ok && amount.num >= 0;
		carried[column->commodity] = rational_add(carried[column->commodity], amount);
		for (int i = 0; i < n; i++)
			load[cells[i]] = rational_add(load[cells[i]],
						      rational_mul(amount, rational(p->commodities.of[column->commodity].orbit, 1)));
		if (amount.num)
			free(cells);
	}
	for (size_t k = 0; k < p->commodities.n && ok; k++)
		ok = rational_ok(carried[k]) && rational_compare(carried[k], rational(p->commodities.of[k].demand, 1)) == 0;
	for (size_t i = 0; i < m->cells && ok; i++) {
		struct rational most = rational_mul(values[i / (size_t)p->n_rows], rational(m->capacity[i % (size_t)p->n_rows], 1));
		ok = rational_ok(load[i]) && rational_ok(most) && rational_compare(load[i], most) <= 0;
	}
	free(load);
	free(carried);
	return ok;
}

static void take_amounts(struct timed_program *p, const struct rational *values)
{
	size_t steps = (size_t)p->steps;

	free(p->rounds);
	p->rounds = copy_bytes(values, steps * sizeof *values);
	p->attained = sum_of(values, p->steps);
	for (size_t c = 0; c < p->n_columns; c++)
		p->columns[c].amount = values[steps + c];
}

/* False: one is of the wrong sign, or they have no common unit. */
static bool take_prices(const struct master *m, const struct rational *dual, int64_t *price)
{
	int64_t unit = common_unit(dual, m->cells);

	for (size_t i = 0; i < m->cells && unit; i++)
		unit = dual[i].num > 0 ? 0 : unit;
	for (size_t i = 0; i < m->cells && unit; i++)
		price[i] = -dual[i].num * (unit / dual[i].den);
	return unit > 0;
}

bool master_exact(struct master *m, int64_t *price)
{
	struct timed_program *p = m->p;
	size_t steps = (size_t)p->steps, demands = p->commodities.n;
	struct rational *values = new_array(struct rational, steps + p->n_columns);
	struct rational *duals = new_array(struct rational, demands + m->cells);
	bool ok = linear_exact_values(m->l, values);

	for (size_t i = 0; i < steps + p->n_columns && ok; i++)
		values[i] = rational_div(values[i], rational(m->scale, 1));
	if (ok)
		trim(m, values);
	ok = ok && attains(m, values);
	if (ok)
		take_amounts(p, values);
	ok = ok && linear_exact_duals(m->l, duals);
	for (size_t i = demands; i < demands + m->cells && ok; i++)
		duals[i] = rational_div(duals[i], rational(m->scale, 1));
	ok = ok && take_prices(m, duals + demands, price);
	free(values);
	free(duals);
	return ok;
}

void master_whole_prices(const struct master *m, const double *price, double *whole)
{
	double unit = master_round_cost(m, price) / (double)round_most;

	for (size_t i = 0; i < m->cells; i++)
		whole[i] = unit > 0 ? floor(price[i] / unit + 0.5) : 0;
}

/* Amounts are rounded to multiples of 1 / GRID. */
static const int64_t grid = 1 << 20;

/* PARTS [column]: the amounts in units of 1 / grid; what rounding adds or takes away, the largest of its commodity bears. */
static void round_amounts(const struct timed_program *p, const double *amount, int64_t *parts)
{
	int64_t *left = new_array(int64_t, p->commodities.n);
	size_t *largest = new_array(size_t, p->commodities.n);

	for (size_t k = 0; k < p->commodities.n; k++)
		left[k] = p->commodities.of[k].demand * grid;
	for (size_t c = 0; c < p->n_columns; c++) {
		int k = p->columns[c].commodity;
		int64_t whole = llround(fmax(0, amount[c]) * (double)grid);
		parts[c] = whole < left[k] ? whole : left[k]; /* demands are lower bounds, and where trees are free more is carried */
		left[k] -= parts[c];
		if (p->columns[largest[k]].commodity != k || parts[c] > parts[largest[k]])
			largest[k] = c;
	}
	for (size_t k = 0; k < p->commodities.n; k++)
		parts[largest[k]] += left[k];
	free(left);
	free(largest);
}

/* The least rounds of each step, as multiples of 1 / (grid << SHIFT), for LOAD [cell] in units of 1 / grid. */
static void least_rounds_for(const struct master *m, const int64_t *load, struct rational *rounds)
{
	enum { BITS = 56 }; /* so the sum over steps fits */
	int64_t most = 1;
	int shift = 0;

	for (size_t i = 0; i < m->cells; i++)
		most = load[i] > most ? load[i] : most;
	while (most << (shift + 1) < INT64_C(1) << BITS && grid << (shift + 1) < INT64_C(1) << BITS)
		shift++;
	for (size_t i = 0; i < m->cells; i++) {
		int64_t capacity = m->capacity[i % (size_t)m->p->n_rows];
		struct rational *r = &rounds[i / (size_t)m->p->n_rows];
		struct rational needs = load[i] ? rational(quotient_up(load[i] << shift, capacity), grid << shift) : rational(0, 1);
		if (rational_compare(needs, *r) > 0)
			*r = needs;
	}
}

void master_rounded(struct master *m, const double *amount)
{
	struct timed_program *p = m->p;
	size_t steps = (size_t)p->steps;
	int64_t *parts = new_array(int64_t, p->n_columns), *load = new_array(int64_t, m->cells);
	struct rational *values = new_array(struct rational, steps + p->n_columns);

	round_amounts(p, amount, parts);
	for (size_t c = 0; c < p->n_columns; c++) {
		const struct timed_column *column = &p->columns[c];
		int *cells, n = parts[c] ? cells_of(m, &column->tree, &cells) : 0;
		for (int i = 0; i < n; i++)
			load[cells[i]] += parts[c] * p->commodities.of[column->commodity].orbit;
		if (parts[c])
			free(cells);
		values[steps + c] = rational(parts[c], grid);
	}
	for (size_t s = 0; s < steps; s++)
		values[s] = rational(0, 1);
	least_rounds_for(m, load, values);
	take_amounts(p, values);
	free(parts);
	free(load);
	free(values);
}
