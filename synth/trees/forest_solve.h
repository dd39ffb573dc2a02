#ifndef SCCL_SYNTH_TREES_FOREST_SOLVE_H
#define SCCL_SYNTH_TREES_FOREST_SOLVE_H

/* Trees for a collective, and the algorithm made of them: combining ones by inversion, an allreduce from two halves. */

#include "synth/trees/forest.h"
#include "synth/problem/problem.h"

/*
 * The trees of an allgather or broadcast, or those that a reducescatter or reduce runs backwards (on reversed links).
 */
struct forest_half {
	struct collective collective;
	struct forest forest;       /* checked by forest_check */
	struct rational bandwidth;  /* R/C of the trees, in the collective's own C */
	struct rational by_routes;  /* the same where each pair has one route, as in algorithms */
	int unit;                   /* C of the collective is a multiple of this: k, times P for a reducescatter */
};

struct forest_answer {
	int n_halves;
	struct forest_half halves[2];
	struct algorithm *algorithm; /* verified; NULL: not asked for */
};

/*
 * CHUNKS is the C of the algorithm, a multiple of the unit (for an allreduce of both halves'); 0: the number of waves
 * is doubled until R/C is within a sixteenth of what the trees allow over the network's routes, or the sends get many.
 * False with *e set: a collective or machine that trees cannot serve, or a C that does not fit. Otherwise release with
 * forest_answer_free.
 */
bool forest_solve(const struct topology *t, const struct collective *k, int chunks, bool wants_algorithm,
		  struct forest_answer *out, struct error *e);
void forest_answer_free(struct forest_answer *a);

#endif
