#ifndef SCCL_CORE_SCHEDULE_COST_H
#define SCCL_CORE_SCHEDULE_COST_H

/*
 * The cost model S·α + (R/C)·L·β (SCCL, section 3.6), in exact arithmetic; where kinds of links have their own
 * latencies, the sum of those of the steps in place of S·α.
 */

#include "core/base/rational.h"

struct algorithm;
struct error;
struct step_overhead;
struct topology;

struct cost {
	int steps, rounds;         /* S, R */
	struct rational bandwidth; /* R/C */
};

struct cost algorithm_cost(const struct algorithm *a);

/*
 * α in µs, β in µs per byte over one unit of bandwidth: the largest of each among the link kinds in use. False: no link
 * has a kind, or a value does not fit in 64 bits.
 */
bool topology_alpha_beta(const struct topology *t, struct rational *alpha, struct rational *beta);

/*
 * The latency of all steps of A in µs: for each, the largest among the routes of its sends, plus the step cost C. A may be
 * compact. False with *e set: a link that it uses has no kind, C has no default for the kind, or there are too many routes.
 */
bool algorithm_latency(const struct algorithm *a, const struct step_overhead *c, struct rational *out, struct error *e);

/* The time in µs for L = BYTES. */
struct rational cost_time(const struct cost *c, struct rational alpha, struct rational beta, int64_t bytes);

#endif
