/*
 * The search looks whether it should end after a fixed number of propagations and decisions: each look is work, and so is each literal of
 * the formula. Since watches and clauses of a large formula do not fit into caches, a look at one takes longer: on one core 30 us where
 * there are 270,000 literals, 140 us with 1.3 million, 300 us with 4.4 million and 1,200 us with 6 million, while five million literals are
 * read in a second.
 */

#include "encode/cnf/counted_solver.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <math.h>
#include <stdlib.h>

/* About as long as reading so many literals takes: of each look, and for how many literals beyond those that fit one more. */
static const double steps_a_look = 300, fit = 5e5, literals_a_step = 2500;

static int look(void *context)
{
	const struct counted_solver *k = context;

	return !work_spend(steps_a_look + fmax(0, k->literals - fit) / literals_a_step);
}

struct counted_solver *counted_solver_new(void)
{
	struct counted_solver *k = new_array(struct counted_solver, 1);

	k->cadical = ccadical_init();
	ccadical_set_terminate(k->cadical, k, look);
	return k;
}

void counted_solver_clause(struct counted_solver *k, const int *literals, size_t n)
{
	if (!work_spend((double)n + 1))
		return; /* to read a formula of many times the limit would take many times as long, and it is never solved */
	k->literals += (double)n + 1;
	for (size_t i = 0; i < n; i++)
		ccadical_add(k->cadical, literals[i]);
	ccadical_add(k->cadical, 0);
}

int counted_solver_solve(struct counted_solver *k)
{
	return work_is_over() ? 0 : ccadical_solve(k->cadical);
}

void counted_solver_free(struct counted_solver *k)
{
	ccadical_release(k->cadical);
	free(k);
}
