#ifndef SCCL_SYNTH_FRONTIER_ALLREDUCE_H
#define SCCL_SYNTH_FRONTIER_ALLREDUCE_H

/* One candidate of an allreduce in both its classes: compositions, and all algorithms of one value a node and chunk. */

#include "synth/frontier/candidate.h"

/*
 * Composed where C and S allow it; what cannot be composed, or was not decided so, is asked directly in what is left of the
 * time. ANSWER_NONE is about all algorithms: a composition is one of them. False with *e set as candidate_solve.
 */
bool allreduce_solve(const struct topology *t, const struct collective *k, struct candidate c, const struct solve_options *o,
		     struct candidate_answer *out, struct error *e);

#endif
