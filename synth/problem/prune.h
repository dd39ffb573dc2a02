#ifndef SCCL_SYNTH_PROBLEM_PRUNE_H
#define SCCL_SYNTH_PROBLEM_PRUNE_H

/* Removes sends and reductions that the verifier does not need. */

struct algorithm;

/*
 * A must verify. Afterwards it still does, and would not without any one of the remaining sends or reductions. Solvers
 * that are asked for a whole allreduce produce needless ones; in schedules without reductions algorithm_prune
 * (core/schedule/transform.h) finds them without trial and error. Leaves A unchanged if it has more than
 * PRUNE_SENDS_MAX.
 */
void prune_needless(struct algorithm *a);

enum { PRUNE_SENDS_MAX = 4096 };

#endif
