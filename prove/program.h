#ifndef SCCL_PROVE_PROGRAM_H
#define SCCL_PROVE_PROGRAM_H

/*
 * Lower bounds on R/C for all algorithms of a number of steps, with any C and R: dual solutions of the linear program
 * over timed trees (docs/reference/proofs.md), verified, made from prices, and as JSON.
 */

#include "prove/proof.h"
#include "prove/question.h"

struct json_place;

/* The outcome of verifying a program. */
enum program_answer {
	PROGRAM_HOLDS,
	PROGRAM_FALSE,
	PROGRAM_TOO_LARGE, /* nothing is known; neither is it where the budget is exhausted */
};

/* WHY: one line if it is false. */
enum { PROGRAM_WHY = 240 };
enum program_answer step_program_check(const struct question *q, const struct step_program *p, char why[PROGRAM_WHY]);

/*
 * Adds the bound that PRICES show for STEPS steps to the side that Q asks about. Where that is an allreduce it is the
 * bound of a broadcast from ROOT, which every allreduce contains, or for one step that of an allgather; else ROOT is -1. PRICES [(step - 1) * rows + row], step
 * from 1; the rows are the edges of q->network, then its limits; all are nonnegative, and their scale does not matter.
 * at_least and what each commodity pays are computed here: they are the most that these prices show. On false nothing
 * was added, and *e is ERROR_LIMIT (numbers that do not fit, more than can be verified, or no bound above 0) or
 * ERROR_INPUT (a negative price, a collective without such programs, or a second program for STEPS).
 */
bool step_program_add(struct side *s, const struct question *q, int steps, int root, const struct rational *prices,
		      struct error *e);

/* The program of a side for STEPS steps, over timed trees or of PATTERNS (prove/patterns.h); NULL: none. */
const struct step_program *step_program_of(const struct side *s, int steps, bool patterns);
/* Is R/C of the candidate below what a program for its number of steps, or for more, shows? */
bool step_program_refutes(const struct side *s, struct candidate c);

/* Adds PRICES, as integers, to a program without any; for step_program_add. */
bool step_program_prices(const struct network *w, const struct rational *prices, struct step_program *p, struct error *e);
void step_program_clear(struct step_program *p); /* frees what it owns */
/* Frees the list and everything in it. */
void step_programs_free(struct step_program *list, size_t n);

/*
 * Member "programs" of a side's bounds; omitted if there are none. What has been read belongs to the side, even on
 * failure.
 */
void step_programs_write(struct text *into, const char *margin, const struct side *s, int nodes);
bool step_programs_read(const struct json_place *bounds, int nodes, struct side *s, struct error *e);

#endif
