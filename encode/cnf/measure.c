/*
 * Counts a plan's clauses by writing it to a sink that only counts; the totalizers' clauses are computed in closed
 * form, level by level.
 */

#include "encode/cnf/measure.h"

enum { CLAUSES_MAX = 1 << 25 }; /* at about 100 bytes each, including the solver's own data */

/*
 * Clauses of the totalizer node that adds up LEFT and RIGHT inputs: one for each pair of counts whose sum is
 * distinguished, except (0, 0).
 */
static double node(size_t left, size_t right, size_t most)
{
	size_t size = left + right <= most ? left + right : most + 1;
	double a = (double)(left < size ? left : size), b = (double)(right < size ? right : size);
	double over = a + b - (double)size; /* the pairs with larger sums form a triangle */

	return (a + 1) * (b + 1) - 1 - (over > 0 ? over * (over + 1) / 2 : 0);
}

/* Level by level: the sizes of the parts within a level differ by at most one input. */
double measure_totalizer(size_t n, size_t most)
{
	double sum = 0;

	for (size_t parts = 1; n / parts >= 1 && n > parts; parts *= 2) {
		size_t small = n / parts, n_large = n % parts;
		if (small > 1)
			sum += (double)(parts - n_large) * node(small / 2, small - small / 2, most);
		sum += (double)n_large * node((small + 1) / 2, (small + 1) - (small + 1) / 2, most);
	}
	return sum;
}

static void count_clause(void *context, const int *literals, size_t n)
{
	double *clauses = context;

	(void)literals;
	(void)n;
	++*clauses;
}

static void count_capacity(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth)
{
	double *clauses = context;

	(void)s;
	(void)sends;
	*clauses += measure_totalizer(n, (size_t)bandwidth * (size_t)(p->extra + 1));
}

static void count_budget(void *context, const struct plan *p, const int *rhos, size_t n, int extra)
{
	double *clauses = context;

	(void)p;
	(void)rhos;
	*clauses += measure_totalizer(n, (size_t)extra);
}

bool measure_is_too_large(const struct plan *p)
{
	double clauses = 0;
	const struct sink to = {&clauses, count_clause, count_capacity, count_budget, NULL};

	plan_write(p, &to, ORDER_NONE);
	return clauses > CLAUSES_MAX;
}
