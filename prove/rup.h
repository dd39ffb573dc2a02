#ifndef SCCL_PROVE_RUP_H
#define SCCL_PROVE_RUP_H

/*
 * Does a trace refute a formula? Every clause that a trace adds must follow by reverse unit propagation (RUP; Goldberg
 * and Novikov, 2003): assuming all its literals false, unit propagation leads to a conflict. Traces are binary DRAT, as
 * SAT solvers write it: 'a' or 'd', literals as 2 |l| + (l < 0) in groups of 7 bits, and 0. Only RUP is accepted:
 * clauses that need the RAT rule, which may remove models, are rejected. Clauses that a trace deletes are dropped;
 * units that followed from them stay, as they remain valid.
 */

#include "prove/cnf.h"

#include <stdbool.h>
#include <stddef.h>

struct text;

/* The result of replaying a trace. */
struct replay {
	bool refuted;
	size_t added, deleted; /* lines of the trace that were processed */
	size_t byte;           /* where it fails */
	char why[160];         /* if not refuted: the reason */
};

/*
 * Replays the trace. Memory is linear in formula and trace. TRACE may be any bytes; the literals of F must be within
 * its variables. If *INTERRUPTED (may be NULL) is set, by a signal handler, the replay ends without a refutation.
 */
struct replay rup_check(const struct cnf *f, const void *trace, size_t n, const volatile int *interrupted);

/* The same; if the trace refutes, also appends to TRIMMED a trace of only those clauses that the refutation needs. */
struct replay rup_trim(const struct cnf *f, const void *trace, size_t n, struct text *trimmed, const volatile int *interrupted);

#endif
