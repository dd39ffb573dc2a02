#ifndef SCCL_RUNTIME_CORE_CLOCK_H
#define SCCL_RUNTIME_CORE_CLOCK_H

/* Time limits of what ranks do together. */

#include <time.h>

/* Seconds of a clock that nobody sets. */
static inline double clock_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* When a wait that begins now must have ended; never where the timeout is 0. */
static inline double clock_deadline(double timeout)
{
	return timeout > 0 ? clock_seconds() + timeout : 1e300;
}

/* The same for poll(2): milliseconds, rounded up. */
static inline int clock_left(double end)
{
	double left = end - clock_seconds();
	return left > 1000 ? 1000000 : left > 0 ? (int)(left * 1000) + 1 : 0;
}

#endif
