/* The linear program of simulate/time_expanded.c, and its solution in integers. */

#include "simulate/time_expansion.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"

#include <math.h>
#include <stdlib.h>

bool expansion_wants(const struct expansion *x, struct good g, int v)
{
	if (v == g.from || !collective_post(&x->collective, x->nodes, g.chunk, v))
		return false;
	return x->combines ? collective_wants_part(&x->collective, x->nodes, g.chunk, v, g.from) : !collective_pre(&x->collective, x->nodes, g.chunk, v);
}

int expansion_arrival(const struct expansion *x, size_t r, int i)
{
	int64_t at = x->begin[i] + x->delay[r];
	int j = i;

	while (j < x->slots && x->begin[j + 1] <= at)
		j++;
	return j;
}

/* ---- the program ---- */

/* Numbers the columns. */
static void number_columns(struct expansion *x)
{
	const struct fabric *f = x->fabric;
	size_t sends = x->n_goods * f->n_routes * (size_t)x->slots;
	int n = 0;

	x->worth = new_array(int, x->n_goods * (size_t)x->nodes);
	x->toll = new_array(int, sends);
	x->part = new_array(int, sends);
	x->price = new_array(int, f->n_resources * (size_t)x->slots);
	for (size_t g = 0; g < x->n_goods; g++) {
		for (int v = 0; v < x->nodes; v++)
			x->worth[g * (size_t)x->nodes + (size_t)v] = expansion_wants(x, x->goods[g], v) ? n++ : NONE;
		for (size_t r = 0; r < f->n_routes; r++)
			for (int i = 0; i < x->slots; i++) {
				bool sends_it = f->routes[r].dst != x->goods[g].from && expansion_arrival(x, r, i) < x->slots;
				x->toll[at_route(x, g, r, i)] = sends_it && f->routes[r].src != x->goods[g].from ? n++ : NONE;
				x->part[at_route(x, g, r, i)] = sends_it && x->combines ? n++ : NONE;
			}
	}
	for (size_t q = 0; q < f->n_resources; q++)
		for (int i = 0; i < x->slots; i++)
			x->price[at_resource(x, (int)q, i)] = x->priced[q] ? n++ : NONE;
	x->n_columns = n;
}

static void add_columns(const struct expansion *x, struct linear *l)
{
	double *cost = new_array(double, (size_t)x->n_columns), *low = new_array(double, (size_t)x->n_columns);
	double *high = new_array(double, (size_t)x->n_columns);
	int *begin = new_array(int, (size_t)x->n_columns + 1);

	for (int c = 0; c < x->n_columns; c++)
		high[c] = linear_infinity;
	for (size_t q = 0; q < x->fabric->n_resources; q++)
		for (int i = 0; i < x->slots; i++)
			if (x->priced[q])
				cost[x->price[at_resource(x, (int)q, i)]] =
					x->fabric->resources[q].rate * (double)(x->begin[i + 1] - x->begin[i]) / UNIT;
	linear_columns(l, x->n_columns, cost, low, high, begin, NULL, NULL);
	free(cost);
	free(low);
	free(high);
	free(begin);
}

/* Of the row that is being made. */
struct entries {
	int n, *columns;
	double *values;
};

static void enter(struct entries *r, int column, double value)
{
	if (column == NONE)
		return;
	r->columns[r->n] = column;
	r->values[r->n++] = value;
}

static void add_row(struct linear *l, struct entries *r, double low, double high)
{
	linear_row(l, low, high, r->n, r->columns, r->values);
	r->n = 0;
}

static void enter_prices(const struct expansion *x, struct entries *row, size_t r, int slot)
{
	for (int k = x->fabric->begin[r]; k < x->fabric->begin[r + 1]; k++)
		enter(row, x->price[at_resource(x, x->fabric->over[k], slot)], 1);
}

/* A send over route R in slot I is worth no more than it costs; and tolls fall. */
static void add_send(const struct expansion *x, struct linear *l, struct entries *row, size_t g, size_t r, int i)
{
	const struct fabric *f = x->fabric;
	int v = f->routes[r].dst, j = expansion_arrival(x, r, i), toll = x->toll[at_route(x, g, r, i)];

	if (v == x->goods[g].from || j == x->slots)
		return;
	enter(row, x->part[at_route(x, g, r, i)], 1);
	if (!x->combines)
		enter_prices(x, row, r, i);
	enter(row, toll, 1);
	enter(row, x->worth[g * (size_t)x->nodes + (size_t)v], -1);
	for (int out = f->from[v]; out < f->from[v + 1]; out++)
		enter(row, x->toll[at_route(x, g, (size_t)out, j)], -1);
	add_row(l, row, 0, linear_infinity);
	if (toll == NONE || i + 1 == x->slots)
		return;
	enter(row, toll, 1);
	enter(row, x->toll[at_route(x, g, r, i + 1)], -1);
	add_row(l, row, 0, linear_infinity);
}

/* The parts of all contributors to a chunk are no more than the prices. */
static void add_parts(const struct expansion *x, struct linear *l, struct entries *row)
{
	size_t end;

	for (size_t g = 0; g < x->n_goods && x->combines; g = end) {
		for (end = g; end < x->n_goods && x->goods[end].chunk == x->goods[g].chunk; end++)
			;
		for (size_t r = 0; r < x->fabric->n_routes; r++)
			for (int i = 0; i < x->slots; i++) {
				for (size_t k = g; k < end; k++)
					enter(row, x->part[at_route(x, k, r, i)], -1);
				enter_prices(x, row, r, i);
				add_row(l, row, 0, linear_infinity);
			}
	}
}

static struct linear *program(const struct expansion *x)
{
	struct linear *l = linear_new();
	struct entries row = {0, new_array(int, (size_t)x->n_columns), new_array(double, (size_t)x->n_columns)};

	add_columns(x, l);
	for (size_t g = 0; g < x->n_goods; g++)
		for (int v = 0; v < x->nodes; v++)
			enter(&row, x->worth[g * (size_t)x->nodes + (size_t)v], 1);
	add_row(l, &row, 1, 1);
	for (size_t g = 0; g < x->n_goods && !stop_is_due(); g++)
		for (size_t r = 0; r < x->fabric->n_routes; r++)
			for (int i = 0; i < x->slots; i++)
				add_send(x, l, &row, g, r, i);
	add_parts(x, l, &row);
	free(row.columns);
	free(row.values);
	return l;
}

/* ---- the solution in integers ---- */

/* By how much a send is worth more than its toll; not below 0. */
static int64_t surplus(const struct expansion *x, size_t g, size_t r, int i)
{
	const struct fabric *f = x->fabric;
	int v = f->routes[r].dst, j = expansion_arrival(x, r, i);

	if (v == x->goods[g].from || j == x->slots)
		return 0;
	int64_t sum = value_at(x, x->worth[g * (size_t)x->nodes + (size_t)v]) - value_at(x, x->toll[at_route(x, g, r, i)]);
	for (int out = f->from[v]; out < f->from[v + 1]; out++)
		sum += value_at(x, x->toll[at_route(x, g, (size_t)out, j)]);
	return sum > 0 ? sum : 0;
}

/* Raises a price on route R in slot I to AMOUNT in all. False: none of its resources has one. */
static bool raise_price(struct expansion *x, size_t r, int i, int64_t amount)
{
	int first = NONE;

	for (int k = x->fabric->begin[r]; k < x->fabric->begin[r + 1]; k++) {
		int column = x->price[at_resource(x, x->fabric->over[k], i)];
		amount -= value_at(x, column);
		first = first == NONE ? column : first;
	}
	if (amount <= 0)
		return true;
	if (first == NONE)
		return false;
	x->value[first] += amount;
	return true;
}

static void take_values(struct expansion *x, const struct linear *l)
{
	static const double scale = 1e7;

	for (int c = 0; c < x->n_columns; c++)
		x->value[c] = (int64_t)fmax(0, floor(scale * linear_value(l, c)));
	for (size_t g = 0; g < x->n_goods; g++)
		for (size_t r = 0; r < x->fabric->n_routes; r++)
			for (int i = x->slots - 2; i >= 0; i--) {
				int here = x->toll[at_route(x, g, r, i)], next = x->toll[at_route(x, g, r, i + 1)];
				if (here != NONE && value_at(x, next) > x->value[here])
					x->value[here] = value_at(x, next);
			}
}

/* Rounds the solution to integers that hold. False: some send cannot be paid for, or a number is too large to be read again. */
static bool make_whole(struct expansion *x, const struct linear *l)
{
	enum { VALUE_MAX = 1000000000 };
	size_t end;
	bool ok = true;

	take_values(x, l);
	for (size_t g = 0; g < x->n_goods; g = end) {
		for (end = g + 1; x->combines && end < x->n_goods && x->goods[end].chunk == x->goods[g].chunk; end++)
			;
		for (size_t r = 0; r < x->fabric->n_routes; r++)
			for (int i = 0; i < x->slots; i++) {
				int64_t sum = 0;
				for (size_t k = g; k < end; k++)
					sum += surplus(x, k, r, i);
				ok = raise_price(x, r, i, sum) && ok;
			}
	}
	for (int c = 0; c < x->n_columns; c++)
		ok = ok && x->value[c] <= VALUE_MAX;
	return ok;
}

double expansion_bytes(const struct expansion *x)
{
	double room = 0, worth = 0;

	for (size_t q = 0; q < x->fabric->n_resources; q++)
		for (int i = 0; i < x->slots; i++)
			room += (double)value_at(x, x->price[at_resource(x, (int)q, i)]) * x->fabric->resources[q].rate *
				(double)(x->begin[i + 1] - x->begin[i]) / UNIT;
	for (size_t i = 0; i < x->n_goods * (size_t)x->nodes; i++)
		worth += (double)value_at(x, x->worth[i]);
	return worth > 0 ? room / worth * x->chunks : INFINITY;
}

/* ---- both ---- */

static void keep_arrivals(struct expansion *x)
{
	x->arrives = new_array(int, x->fabric->n_routes * (size_t)x->slots);
	for (size_t r = 0; r < x->fabric->n_routes; r++)
		for (int i = 0; i < x->slots; i++)
			x->arrives[r * (size_t)x->slots + (size_t)i] = expansion_arrival(x, r, i);
}

bool expansion_solve(struct expansion *x)
{
	enum { COLUMNS_MAX = 12000 };

	number_columns(x);
	keep_arrivals(x);
	x->value = new_array(int64_t, (size_t)x->n_columns);
	struct linear *l = x->n_columns <= COLUMNS_MAX ? program(x) : NULL;
	bool ok = l && !stop_is_due() && linear_solve(l) && make_whole(x, l);
	linear_free(l);
	if (!ok)
		expansion_forget(x);
	return ok;
}

void expansion_forget(struct expansion *x)
{
	free(x->worth);
	free(x->toll);
	free(x->part);
	free(x->price);
	free(x->arrives);
	free(x->value);
	x->arrives = NULL;
	x->worth = x->toll = x->part = x->price = NULL;
	x->value = NULL;
}
