#ifndef SCCL_SYNTH_FRONTIER_CANDIDATE_H
#define SCCL_SYNTH_FRONTIER_CANDIDATE_H

/* One candidate (C, S, R) of any collective, from the question to a verified algorithm. */

#include "synth/problem/problem.h"

struct candidate_answer {
	enum answer answer;
	struct algorithm *algorithm; /* ANSWER_FOUND: verified, named, with bounds and class; owned by the caller */
	const char *engine;          /* that answered; "bounds" or "orbits" if no solver was needed */
	double seconds;              /* CPU time of the workers */
	double work;                 /* steps that they counted (struct solution) */
	size_t peak_kib;
	bool lacked_memory;          /* ANSWER_GAVE_UP: the solver did; not set for compositions */
	char why[256];               /* ANSWER_NONE: what refutes it; ANSWER_GAVE_UP: which limit was reached */
};

/* Answers candidate C of P into *OUT. False with *e set. */
typedef bool candidate_solver(const struct problem *p, struct candidate c, const struct solve_options *o,
			      struct candidate_answer *out, struct error *e);

/* For a composed allreduce, every split of S and R between the halves is tried, even splits first. False with *e
 * set: bad input (C not a multiple of P, R < S, ...), a fault, or an interrupt. */
candidate_solver candidate_solve;

#endif
