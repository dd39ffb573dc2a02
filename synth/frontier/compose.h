#ifndef SCCL_SYNTH_FRONTIER_COMPOSE_H
#define SCCL_SYNTH_FRONTIER_COMPOSE_H

/*
 * Allreduce as a reducescatter and then an allgather of the same chunks (SCCL, section 3.5). What is found and refused
 * here is so within compositions of k-synchronous halves; docs/concepts/encodings.md says what lies outside.
 */

#include "synth/frontier/pareto.h"
#include "synth/frontier/candidate.h"

/* Every way to share S and R between the halves, the even ones first. SOLVE_HALF answers for one half, which is no
 * composition itself: candidate_solve, which calls this. */
bool compose_solve(const struct problem *p, struct candidate c, candidate_solver *solve_half, const struct solve_options *o,
		   struct candidate_answer *out, struct error *e);

/* From the halves' frontiers: for each S the least sum of their R/C. */
struct frontier *compose_search(const struct problem *p, const struct pareto_options *o, struct error *e);
/* Those of the halves of a composed problem; when all is stored. */
void compose_drop_journals(const struct problem *p, const char *dir);

#endif
