#ifndef SCCL_SYNTH_PROGRAM_LEAST_ROUNDS_H
#define SCCL_SYNTH_PROGRAM_LEAST_ROUNDS_H

/* The algorithm with the least R/C for a number of steps, with as few chunks as its program gives. */

#include "synth/program/timed_program.h"

struct step;

/* The least R/C of one number of steps; released by least_rounds_free. */
struct least_rounds {
	struct timed_program program; /* under all symmetries of the machine */
	struct rational least;        /* R/C is at least this, with any C and R */
	bool attained;                /* and some algorithm attains it */
};

/*
 * For an instance of a non-combining collective, whose C is the unit in which the result counts. BEFORE: that of one
 * step less, or NULL. The instance must outlive *OUT, which the caller frees. False with *e set: as timed_program_solve.
 */
bool least_rounds_find(const struct instance *i, int steps, const struct least_rounds *before, struct least_rounds *out,
		       struct error *e);
void least_rounds_free(struct least_rounds *l);

/*
 * Steps of a schedule with that R/C and as few chunks as are found, or of the least R/C found with at most MOST chunks;
 * with EXACTLY of MOST chunks. *CHUNKS is its C. The caller frees the steps. NULL with *e set.
 */
struct step *least_rounds_steps(const struct least_rounds *l, int most, bool exactly, int *chunks, struct error *e);

#endif
