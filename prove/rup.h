#ifndef SCCL_PROVE_RUP_H
#define SCCL_PROVE_RUP_H

/*
 * Does a trace refute a formula? Every clause that a trace adds must follow by reverse unit propagation: with all its literals
 * false, unit clauses alone lead to a contradiction. Traces are binary DRAT, as SAT solvers write it: 'a' or 'd', literals as
 * 2 |l| + (l < 0) in groups of 7 bits, 0. No clause needs more than RUP: what solvers add with loss of models is refused.
 * Clauses that a trace deletes are forgotten; what followed of them as a unit stays, as it is true all the same.
 */

#include "prove/cnf.h"

#include <stdbool.h>
#include <stddef.h>

struct text;

struct replay {
	bool refuted;
	size_t added, deleted; /* lines of the trace that were taken */
	size_t byte;           /* where it fails */
	char why[160];         /* refuted is false: what is wrong */
};

/* Memory is linear in formula and trace. Any bytes are fine for a trace; the literals of F are within its variables. *INTERRUPTED
 * (may be NULL), once a signal has set it, ends it: it then refutes nothing. */
struct replay rup_check(const struct cnf *f, const void *trace, size_t n, const volatile int *interrupted);

/* The same, and of a trace that refutes only what the refutation needs, as another trace. */
struct replay rup_trim(const struct cnf *f, const void *trace, size_t n, struct text *trimmed, const volatile int *interrupted);

#endif
