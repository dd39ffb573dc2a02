#ifndef SCCL_SYNTH_TREES_MULTITREE_ALLTOALL_H
#define SCCL_SYNTH_TREES_MULTITREE_ALLTOALL_H

#include "core/schedule/algorithm.h"

struct network;

/*
 * Replaces the steps of N_TREES allgather trees, chunk t from node t modulo the nodes, by those of an alltoall over the same
 * trees. False with *e set: too many steps; the steps are still the caller's.
 */
bool multitree_alltoall(const struct network *w, int n_trees, struct step **steps, size_t *n_steps, struct error *e);

#endif
