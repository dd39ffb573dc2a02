#ifndef SCCL_ENCODE_SMT_Z3_QUESTION_H
#define SCCL_ENCODE_SMT_Z3_QUESTION_H

/*
 * A Z3 solver for one question in a worker process. The random seed is fixed, so that answers are reproducible; any
 * error that Z3 reports ends the process.
 */

#include "encode/solve.h"

#include <z3.h>

/* A context with one solver; close with z3_close. */
struct z3 {
	Z3_context context;
	Z3_solver solver;
	Z3_model model; /* after ANSWER_FOUND; released by z3_close */
};

/* A solver for an SMT-LIB logic, such as "QF_FD". */
struct z3 z3_open(const char *logic);
/* A solver that applies these tactics in turn; NULL terminates the list. */
struct z3 z3_open_tactics(const char *const *tactics);
/* Releases model, solver and context. */
void z3_close(struct z3 *z);
/*
 * A check then stops after this many conflicts with ANSWER_GAVE_UP. Of solvers from z3_open_tactics only for those that
 * end in "smt".
 */
void z3_limit_conflicts(struct z3 *z, unsigned conflicts);
void z3_seed(struct z3 *z, unsigned seed); /* of the search; 0 if it is not set */
Z3_ast z3_constant(const struct z3 *z, const char *name, Z3_sort sort);
/* Solves what has been asserted. Lack of memory ends the process. */
enum answer z3_check(struct z3 *z);
/* The value of a Boolean or an integer constant in the model, after ANSWER_FOUND; unassigned ones get a default. */
bool z3_is_true(const struct z3 *z, Z3_ast boolean);
int z3_integer(const struct z3 *z, Z3_ast integer);

#endif
