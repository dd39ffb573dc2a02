#ifndef SCCL_SYNTH_PROGRAM_LEAST_ROUNDS_H
#define SCCL_SYNTH_PROGRAM_LEAST_ROUNDS_H

/* The algorithm with the least R/C for a number of steps, with as few chunks as its program gives. */

#include "synth/program/timed_program.h"

struct step;

/* The least R/C of one number of steps; released by least_rounds_free. */
struct least_rounds {
	struct timed_program program; /* under all symmetries of the machine */
	struct rational least;        /* R/C is at least this, with any C and R */
	struct rational most;         /* and some algorithm comes as near to this as wanted; the least that was found */
	bool attained;                /* both are the same */
};

/*
 * For an instance of a non-combining collective, whose C is the unit in which the result counts. BEFORE: that of one
 * step less, or NULL. The instance must outlive *OUT, which the caller frees. False with *e set: as timed_program_solve.
 * After the deadline (core/base/stop.h) LEAST and MOST are what is known by then.
 */
bool least_rounds_find(const struct instance *i, int steps, const struct least_rounds *before, struct least_rounds *out,
		       struct error *e);
/* The same, solved no longer than until the result is known to be no more than ABOVE, which MOST then is. */
bool least_rounds_above(const struct instance *i, int steps, const struct least_rounds *before, struct rational above,
			struct least_rounds *out, struct error *e);
void least_rounds_free(struct least_rounds *l);

/*
 * The dual prices that show it, for each of the N (step, row): [step * rows + row], where the rows are the edges of the
 * network, then its limits. Their scale does not matter. The caller frees them.
 */
struct rational *least_rounds_prices(const struct least_rounds *l, size_t *n);

/*
 * Steps of a schedule with that R/C and as few chunks as are found, or of the least R/C found with at most MOST chunks;
 * with EXACTLY of MOST chunks. *CHUNKS is its C. The caller frees the steps. NULL with *e set.
 */
struct step *least_rounds_steps(const struct least_rounds *l, int most, bool exactly, int *chunks, struct error *e);

#endif
