#ifndef SCCL_ENCODE_CNF_COUNTED_SOLVER_H
#define SCCL_ENCODE_CNF_COUNTED_SOLVER_H

/*
 * CaDiCaL under a limit of work (core/base/work.h), so that a question ends at the same point on every computer. Once the limit is
 * exceeded clauses are left out, counted_solver_solve returns 0, and nothing is known.
 */

#include <ccadical.h>
#include <stddef.h>

struct counted_solver {
	CCaDiCaL *cadical; /* for its options, limits and values */
	double literals;   /* that it holds, and ends of clauses */
};

struct counted_solver *counted_solver_new(void); /* with its default options */
void counted_solver_clause(struct counted_solver *k, const int *literals, size_t n);
int counted_solver_solve(struct counted_solver *k); /* as ccadical_solve: 10 satisfiable, 20 not, 0 not decided */
void counted_solver_free(struct counted_solver *k);

#endif
