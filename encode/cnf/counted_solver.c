/*
 * The search looks whether it should end after a fixed number of propagations and decisions, however long they take: each look is
 * work, and so is each literal of the formula.
 */

#include "encode/cnf/counted_solver.h"

#include "core/base/work.h"

/* About as long as reading so many literals takes. */
static const double steps_a_look = 300;

static int look(void *unused)
{
	(void)unused;
	return !work_spend(steps_a_look);
}

CCaDiCaL *counted_solver_new(void)
{
	CCaDiCaL *solver = ccadical_init();

	ccadical_set_terminate(solver, NULL, look);
	return solver;
}

void counted_solver_clause(CCaDiCaL *solver, const int *literals, size_t n)
{
	work_spend((double)n + 1);
	for (size_t i = 0; i < n; i++)
		ccadical_add(solver, literals[i]);
	ccadical_add(solver, 0);
}
