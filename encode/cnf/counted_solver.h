#ifndef SCCL_ENCODE_CNF_COUNTED_SOLVER_H
#define SCCL_ENCODE_CNF_COUNTED_SOLVER_H

/*
 * CaDiCaL under a limit of work (core/base/work.h), so that a question ends at the same point on every computer. Once the limit is
 * exceeded ccadical_solve returns 0, and nothing is known.
 */

#include <ccadical.h>
#include <stddef.h>

CCaDiCaL *counted_solver_new(void); /* with its default options; released by ccadical_release */
void counted_solver_clause(CCaDiCaL *solver, const int *literals, size_t n);

#endif
