#ifndef SCCL_SYNTH_PROGRAM_PATTERN_PROGRAM_H
#define SCCL_SYNTH_PROGRAM_PATTERN_PROGRAM_H

/*
 * The best mixture of the patterns of an allreduce that are known so far: a linear program, with a column for each pattern and
 * all its images under the symmetries of the machine, as for timed trees (synth/program/master.h).
 */

#include "synth/program/master.h"

/* Released by pattern_program_free. */
struct pattern_program {
	struct timed_program *p; /* borrowed */
	struct master m;
	double *price; /* [step * n_rows + row] */
	double *at;    /* [step * n_edges + edge]: the prices of the last solution */
	double least;  /* no algorithm has less R/C */
	int *back;     /* [edge]: the reverse edge, once each pattern is there in reverse too; else NULL */
	size_t drops_capacity;
	uint64_t *drops; /* [column * steps + step]: nodes, as bits, that drop their values; all 0: those of which a part arrives */
};

/* For the steps of P, whose commodity is the only one of an allreduce; without patterns. */
void pattern_program_new(struct timed_program *p, double least, struct pattern_program *out);
void pattern_program_free(struct pattern_program *q);
/*
 * Adds a pattern, taking it; and its reverse, if all patterns are there in reverse. DROPS [step]: nodes, as bits, that drop
 * their values; NULL: those of which a part arrives.
 */
void pattern_program_add(struct pattern_program *q, struct timed_tree pattern, const uint64_t *drops);
/* Solves the program; fills the prices. False: not by the deadline (core/base/stop.h). */
bool pattern_program_solve(struct pattern_program *q);
/* The same without a deadline, for one that was solved before patterns were added to it. */
bool pattern_program_solve_late(struct pattern_program *q);
/* R/C of the last solution. */
double pattern_program_value(const struct pattern_program *q);
/* What a pattern that improves the program costs less than, at the prices of the last solution. */
double pattern_program_limit(const struct pattern_program *q);
/* Does the last solution attain what no algorithm is below? */
bool pattern_program_is_least(const struct pattern_program *q);
/* From now on all patterns are there in reverse (back). Does nothing where some link has no reverse of the same bandwidth. */
void pattern_program_reverse(struct pattern_program *q);
/*
 * Improves a program that has patterns by simulated annealing (synth/program/pattern_annealing.h). Ends
 * after as many attempts in vain as PATIENCE says, one after the other. The work is limited, not the time. False: it could not be solved by the deadline.
 */
bool pattern_program_anneal(struct pattern_program *q, int patience);

#endif
