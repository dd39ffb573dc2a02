#ifndef SCCL_SYNTH_FRONTIER_COMPOSE_H
#define SCCL_SYNTH_FRONTIER_COMPOSE_H

/*
 * Allreduce as a reducescatter followed by an allgather of the same chunks (SCCL, section 3.5). What is found and
 * refuted here holds within compositions of k-synchronous halves; docs/concepts/encodings.md explains what lies
 * outside.
 */

#include "synth/frontier/pareto.h"
#include "synth/frontier/candidate.h"

/* Tries every split of S and R between the halves, even splits first. SOLVE_HALF answers one half, which is no
 * composition itself: candidate_solve, which calls this function. */
bool compose_solve(const struct problem *p, struct candidate c, candidate_solver *solve_half, const struct solve_options *o,
		   struct candidate_answer *out, struct error *e);

/* Searches the frontiers of both halves and combines them: for each S the least sum of their R/C. The caller's, NULL
 * with *e set. */
struct frontier *compose_search(const struct problem *p, const struct pareto_options *o, struct error *e);
/* Removes the journals of the halves of a composed problem, once everything is stored. */
void compose_drop_journals(const struct problem *p, const char *dir);

#endif
