#ifndef SCCL_TESTS_SYNTH_PROGRAM_PROGRAM_ALGORITHM_H
#define SCCL_TESTS_SYNTH_PROGRAM_PROGRAM_ALGORITHM_H

/* What a program gives, in terms of the problem whose instance it solves. */

#include "synth/problem/problem.h"
#include "synth/program/realize.h"

/* timed_program_chunks in C of the problem. */
static inline int program_chunks(const struct problem *p, const struct timed_program *q, int most)
{
	return timed_program_chunks(q, most / p->asked_unit) * p->asked_unit;
}

/* A verified algorithm of at most MOST chunks; NULL with *e set. The caller frees it. */
static inline struct algorithm *program_algorithm(const struct problem *p, const struct timed_program *q, int most,
						  struct error *e)
{
	struct candidate c = {0, q->steps, 0};
	struct step *steps = timed_program_steps(q, most / p->asked_unit, false, &c.chunks, e);

	if (!steps)
		return NULL;
	for (int s = 0; s < q->steps; s++)
		c.rounds += steps[s].rounds;
	c.chunks *= p->asked_unit;
	return problem_algorithm(p, c, steps, (size_t)q->steps, e);
}

#endif
