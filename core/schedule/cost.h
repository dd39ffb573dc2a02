#ifndef SCCL_CORE_SCHEDULE_COST_H
#define SCCL_CORE_SCHEDULE_COST_H

/* S·α + (R/C)·L·β (SCCL, section 3.6), exact where the parts are. */

#include "core/base/rational.h"

struct algorithm;
struct topology;

struct cost {
	int steps, rounds;         /* S, R */
	struct rational bandwidth; /* R/C */
};

struct cost algorithm_cost(const struct algorithm *a);

/* α in µs, β in µs per byte of one unit of bandwidth: the slowest link kind's of the machine. False: it has no kinds. */
bool topology_alpha_beta(const struct topology *t, struct rational *alpha, struct rational *beta);

/* µs for an input of BYTES. */
struct rational cost_time(const struct cost *c, struct rational alpha, struct rational beta, int64_t bytes);

#endif
