#ifndef SCCL_SYNTH_PROBLEM_IN_STEPS_H
#define SCCL_SYNTH_PROBLEM_IN_STEPS_H

/* What R/C must be in the fewest steps and in some more, where that is more than the bandwidth bound. */

#include "core/base/rational.h"

struct bounds;
struct collective;
struct topology;

enum { IN_STEPS = 5 };

struct in_steps {
	int first, n; /* bandwidth[i] is of first + i steps; n is 0 where little is known */
	struct rational bandwidth[IN_STEPS];
};

struct in_steps in_steps_new(const struct topology *t, const struct collective *k, const struct bounds *b);

#endif
