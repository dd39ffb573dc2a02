#ifndef SCCL_INTEROP_PLANS_TO_ALGORITHM_H
#define SCCL_INTEROP_PLANS_TO_ALGORITHM_H

/* Plans of other libraries, and schedules of other tools, as algorithms of ours. */

#include "interop/plans/plan.h"

struct algorithm;
struct topology;

/*
 * P on the machine T: its sends in steps by hops, with as many rounds as the links need. The caller frees the algorithm,
 * which verifies. NULL with *e set: P has faults (`lint` lists them), is for a collective that is not ours, sends where T
 * has no link, or is no schedule in which a rank holds one value of a chunk.
 */
struct algorithm *plan_to_algorithm(const struct foreign_plan *p, const struct topology *t, struct error *e);

/* A schedule of TE-CCL (its "7-Flows"), likewise: an allgather of whole chunks. */
struct algorithm *te_ccl_to_algorithm(const char *path, const char *bytes, const struct topology *t, struct error *e);

#endif
