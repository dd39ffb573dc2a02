#ifndef SCCL_INTEROP_PLANS_TO_ALGORITHM_H
#define SCCL_INTEROP_PLANS_TO_ALGORITHM_H

/* Plans of other libraries, and schedules of other tools, as algorithms of ours. */

#include "interop/plans/plan.h"

struct algorithm;
struct collective;
struct topology;

/*
 * P on the machine T: its sends in steps by hops, with as many rounds as the links need. The caller frees the algorithm,
 * which verifies. NULL with *e set: P has faults (`lint` lists them), is for a collective that is not ours, sends where T
 * has no link, or is no schedule in which a rank holds one value of a chunk.
 */
struct algorithm *plan_to_algorithm(const struct foreign_plan *p, const struct topology *t, struct error *e);

/* Adds a send to *LOG; its steps count from 1. */
void plan_log_add(struct plan_log *log, int step, int chunk, int src, int dst, bool reduce);

/*
 * The sends of LOG, whose data are numbered as our chunks, as an algorithm for K with CHUNKS chunks on T. Sorts LOG, and drops
 * copies of what a rank has. ROUNDS: of each of the N_ROUNDS steps; NULL: steps without sends are left out, sends may move to
 * later steps where that needs fewer rounds, and each step has as many as its sends need. The caller frees the algorithm,
 * which verifies. NULL with *e set. The caller has checked that chunks, ranks and, with ROUNDS, steps are in range.
 */
struct algorithm *sends_to_algorithm(const char *path, struct plan_log *log, const struct topology *t, const struct collective *k, int chunks,
				     const int *rounds, size_t n_rounds, struct error *e);

#endif
