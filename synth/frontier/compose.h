#ifndef SCCL_SYNTH_FRONTIER_COMPOSE_H
#define SCCL_SYNTH_FRONTIER_COMPOSE_H

/*
 * One candidate of an allreduce as a reducescatter followed by an allgather of the same chunks (SCCL, section 3.5). What
 * is found and refuted here holds within compositions; docs/concepts/encodings.md explains what lies outside.
 */

#include "synth/frontier/candidate.h"

/* Tries every split of S and R between the halves, even splits first. SOLVE_HALF answers one half, which is no
 * composition itself: candidate_solve, which calls this function. */
bool compose_solve(const struct problem *p, struct candidate c, candidate_solver *solve_half, const struct solve_options *o,
		   struct candidate_answer *out, struct error *e);

#endif
