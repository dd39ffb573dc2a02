#ifndef SCCL_SYNTH_TIMED_EXACT_SCHEDULE_H
#define SCCL_SYNTH_TIMED_EXACT_SCHEDULE_H

/*
 * Schedules in time by a solver, on small machines: of all schedules of C chunks in which each message has its full rate, as
 * with the sharing "order" of simulate/simulator.h, one that none undercuts. docs/concepts/schedules-in-time.md, "Exact".
 */

#include "synth/timed/list_schedule.h"

/* Times of a schedule that a solver found. */
struct exact_times {
	double microseconds; /* as the solver plans it */
	double at_least;     /* µs: no schedule of so many chunks in which messages have their full rate takes less; 0: not known */
};

/*
 * For P and size number I, with C = CHUNKS of the collective, verified; the caller frees it. Ends in time for core/base/stop.h,
 * with the best so far and what has been refuted. NULL with *e set: the collective or its simulation is not served
 * (ERROR_INPUT), it is too large, or nothing was found (ERROR_LIMIT).
 */
struct algorithm *exact_schedule(const struct problem *p, const struct timed_question *q, size_t i, int chunks, struct exact_times *times,
				 struct error *e);

/* Is such a question on P small enough to be decided within seconds? */
bool exact_schedule_is_small(const struct problem *p, int chunks);

#endif
