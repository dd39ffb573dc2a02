#ifndef SCCL_SYNTH_PROBLEM_IN_STEPS_H
#define SCCL_SYNTH_PROBLEM_IN_STEPS_H

/* Lower bounds on R/C for a given number of steps: the fewest steps and a few more, while they exceed the bandwidth
 * bound. */

#include "core/base/rational.h"

struct bounds;
struct collective;
struct topology;

enum { IN_STEPS = 5 };

struct in_steps {
	int first, n; /* bandwidth[i] is the bound for first + i steps; n is 0 if no better bound is known */
	struct rational bandwidth[IN_STEPS];
};

/* B: the bounds of K on T. Nothing to free. */
struct in_steps in_steps_new(const struct topology *t, const struct collective *k, const struct bounds *b);

#endif
