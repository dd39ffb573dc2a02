#ifndef SCCL_PROVE_TRACE_H
#define SCCL_PROVE_TRACE_H

/* A solver's answer to a formula, and its trace where it refutes. In a process of its own, which a limit or a fault ends. */

#include "prove/cnf.h"

#include "core/base/text.h"

enum trace_answer { TRACE_FOUND, TRACE_REFUTED, TRACE_GAVE_UP };

struct trace {
	enum trace_answer answer;
	struct text bytes; /* TRACE_REFUTED: binary DRAT, as the solver wrote it. Owned. */
	double seconds;    /* CPU time of the process */
	char why[160];     /* TRACE_GAVE_UP */
	bool too_long;     /* and that is why: its trace grew beyond the limit */
};

struct trace_limits {
	double timeout; /* in seconds of wall time; 0: none */
	int conflicts;  /* of the solver, the same on every machine; 0: none */
	size_t bytes;   /* of the trace, the same on every machine; 0: 1 GiB */
	const volatile int *interrupted; /* set by a signal; may be NULL */
};

/* False with *e set: a fault of the system, no solver in this build, or an interrupt. */
bool trace_solve(const struct cnf *f, const struct trace_limits *limits, struct trace *out, struct error *e);

const char *trace_solver(void); /* "cadical-1.5.3"; "" where this build has none */

#endif
