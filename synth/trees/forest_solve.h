#ifndef SCCL_SYNTH_TREES_FOREST_SOLVE_H
#define SCCL_SYNTH_TREES_FOREST_SOLVE_H

/* Trees for a collective, and the algorithm that they make. A combining one by inversion, an allreduce in two halves. */

#include "synth/trees/forest.h"
#include "synth/problem/problem.h"

/* The trees of an allgather or broadcast, or those that a reducescatter or reduce runs backwards (on reversed links). */
struct forest_half {
	struct collective collective;
	struct forest forest;       /* judged */
	struct rational bandwidth;  /* R/C of the trees, in the collective's own C */
	struct rational by_routes;  /* the same where every pair of nodes has one route, as in algorithms */
	int unit;                   /* C of the collective goes in steps of this: k, times P for a reducescatter */
};

struct forest_answer {
	int n_halves;
	struct forest_half halves[2];
	struct algorithm *algorithm; /* verified; NULL: not asked for */
};

/*
 * CHUNKS is the C of the algorithm, a multiple of the unit (of an allreduce: of both halves'); 0: as few waves as come within a
 * sixteenth of the trees' rate. False with *e set: another collective, a machine that cannot, C that does not fit.
 */
bool forest_solve(const struct topology *t, const struct collective *k, int chunks, bool wants_algorithm,
		  struct forest_answer *out, struct error *e);
void forest_answer_free(struct forest_answer *a);

#endif
