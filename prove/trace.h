#ifndef SCCL_PROVE_TRACE_H
#define SCCL_PROVE_TRACE_H

/*
 * A solver's answer to a formula, with its trace if it refutes the formula. The solver runs in a process of its own, so
 * that limits can be enforced and crashes do no harm.
 */

#include "prove/cnf.h"

#include "core/base/text.h"

/* Satisfiable, unsatisfiable, unknown. */
enum trace_answer { TRACE_FOUND, TRACE_REFUTED, TRACE_GAVE_UP };

/* The answer; out->bytes must be freed after TRACE_REFUTED. */
struct trace {
	enum trace_answer answer;
	struct text bytes; /* TRACE_REFUTED: binary DRAT as the solver wrote it. Owned. */
	double seconds;    /* CPU time of the process */
	char why[160];     /* TRACE_GAVE_UP */
	bool too_long;     /* the reason for giving up: the trace exceeded its limit */
	bool at_conflicts; /* it gave up at the limit of conflicts, so that more of them may decide */
};

/* Limits of one run. */
struct trace_limits {
	double timeout; /* in seconds of wall time; 0: none */
	int conflicts;  /* of the solver, reproducible on every machine; 0: none */
	size_t bytes;   /* of the trace, reproducible on every machine; 0: 1 GiB */
	const volatile int *interrupted; /* set by a signal handler; may be NULL */
};

/* Solves F. False with *e set: a system error, no solver in this build, or an interrupt. */
bool trace_solve(const struct cnf *f, const struct trace_limits *limits, struct trace *out, struct error *e);

const char *trace_solver(void); /* "cadical-1.5.3"; "" if this build has none */

#endif
