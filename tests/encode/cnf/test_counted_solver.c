/* A question ends where its limit of work does, and answers nothing from then on. */

#include "core/base/work.h"
#include "encode/cnf/counted_solver.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(counted_solver, .description = "a limit of work for questions to CaDiCaL");

/* x, and not x: refuted by reading it. */
static int contradiction(double most)
{
	static const int x = 1, not_x = -1;
	struct work before = work_begin(most);
	struct counted_solver *k = counted_solver_new();

	counted_solver_clause(k, &x, 1);
	counted_solver_clause(k, &not_x, 1);
	int result = counted_solver_solve(k);
	counted_solver_free(k);
	work_end(before);
	return result;
}

Test(counted_solver, answers_nothing_once_its_limit_is_exceeded)
{
	cr_expect_eq(contradiction(INFINITY), 20);
	cr_expect_eq(contradiction(4), 20);
	cr_expect_eq(contradiction(3), 0, "the second clause is beyond the limit");
	cr_expect_eq(contradiction(1), 0);
}

Test(counted_solver, leaves_out_what_is_beyond_its_limit)
{
	struct work before = work_begin(1000);
	struct counted_solver *k = counted_solver_new();

	for (int v = 1; v <= 10000; v++)
		counted_solver_clause(k, (int[]){v, -(v + 1)}, 2);
	cr_expect_eq(k->literals, 999);
	cr_expect_eq(ccadical_irredundant(k->cadical), 1000 / 3);
	counted_solver_free(k);
	work_end(before);
}
