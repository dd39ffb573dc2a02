#ifndef SCCL_PROVE_SOLVER_H
#define SCCL_PROVE_SOLVER_H

/* C interface to the solver, which is C++: only its C++ API can write a trace. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *solver_name(void); /* "": there is none */

/*
 * Solves clauses that end with 0 each. Gives up after CONFLICTS conflicts, 0: never. Writes the trace to the file
 * descriptor and closes it. Returns 10: satisfiable, 20: unsatisfiable, 0: unknown.
 */
int solver_run(const int *literals, size_t n, int conflicts, int file);

#ifdef __cplusplus
}
#endif

#endif
