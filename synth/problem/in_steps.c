/*
 * Evaluates the timed-cut bound (core/bounds/timed_cuts.h) for one step count after another, starting at the step
 * bound, until it no longer exceeds the bandwidth bound, which holds for any number of steps.
 */

#include "synth/problem/in_steps.h"

#include "core/bounds/timed_cuts.h"
#include "core/base/error.h"
#include "synth/problem/problem.h"

struct in_steps in_steps_new(const struct topology *t, const struct collective *k, const struct bounds *b)
{
	struct in_steps in = {.first = bounds_first_steps(b)};
	struct error ignored = {0};
	struct problem p;

	if (!problem_open_bounded(t, k, b, &p, &ignored))
		return in;
	for (; in.n < IN_STEPS; in.n++) {
		in.bandwidth[in.n] = problem_bandwidth_in(&p, in.first + in.n, TIMED_QUICK);
		if (rational_compare(in.bandwidth[in.n], b->bandwidth) <= 0)
			break;
	}
	problem_close(&p);
	return in;
}
