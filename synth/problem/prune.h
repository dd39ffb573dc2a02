#ifndef SCCL_SYNTH_PROBLEM_PRUNE_H
#define SCCL_SYNTH_PROBLEM_PRUNE_H

/* Leaves out what the judge does not miss. */

struct algorithm;

/*
 * Of an algorithm that verifies: no send or reduction is left without which it would verify too. Solvers that are asked for an
 * allreduce as a whole give such; where nothing is added, core/schedule/transform.h sees it without trying. Not tried on more than
 * PRUNE_SENDS_MAX.
 */
void prune_needless(struct algorithm *a);

enum { PRUNE_SENDS_MAX = 4096 };

#endif
