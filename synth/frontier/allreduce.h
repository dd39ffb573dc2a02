#ifndef SCCL_SYNTH_FRONTIER_ALLREDUCE_H
#define SCCL_SYNTH_FRONTIER_ALLREDUCE_H

/* One candidate of an allreduce in both of its classes: compositions, and all algorithms that keep one value per
 * node and chunk. */

#include "synth/frontier/candidate.h"

/*
 * Tries compositions if C is a multiple of the nodes; unless one is found, the candidate is solved directly in the time
 * that is left. ANSWER_NONE therefore holds for all algorithms, of which compositions are a part. False with *e set as
 * for candidate_solve. The answer's algorithm is the caller's.
 */
bool allreduce_solve(const struct topology *t, const struct collective *k, struct candidate c, const struct solve_options *o,
		     struct candidate_answer *out, struct error *e);

#endif
