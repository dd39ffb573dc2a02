#ifndef SCCL_PROVE_SOLVER_H
#define SCCL_PROVE_SOLVER_H

/* The door to the solver, which is C++: only there can it be asked for a trace. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *solver_name(void); /* "" : none */

/* Clauses end with 0. Gives up after so many conflicts, 0: never. Writes the trace to the file descriptor and closes it. 10:
 * satisfiable, 20: not, 0: unknown. */
int solver_run(const int *literals, size_t n, int conflicts, int file);

#ifdef __cplusplus
}
#endif

#endif
