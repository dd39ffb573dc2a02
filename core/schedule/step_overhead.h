#ifndef SCCL_CORE_SCHEDULE_STEP_OVERHEAD_H
#define SCCL_CORE_SCHEDULE_STEP_OVERHEAD_H

/*
 * What a step costs in a program apart from the latency of its links: waiting for flags, fences, and whatever drives a
 * network. Either one number, or the default of a target, by the kind of link.
 */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>

struct error;
struct topology;

/* Zero: a step costs nothing but the latency of its links. */
struct step_overhead {
	const char *target; /* whose defaults are meant, borrowed; NULL: US counts */
	struct rational us; /* µs; den 0 counts as 0 */
};

/* "cuda" and "hip" have defaults: docs/concepts/simulation.md has their sources. False: TARGET has none. */
bool step_overhead_has(const char *target);
/*
 * [kind of T]: what a step over such links costs, in µs. The caller frees it. NULL with *e set: the target has no
 * default for a kind of that name.
 */
struct rational *step_overhead_by_kind(const struct step_overhead *c, const struct topology *t, struct error *e);

#endif
