#ifndef SCCL_RUNTIME_CORE_CLOCK_H
#define SCCL_RUNTIME_CORE_CLOCK_H

/* Time limits for collective operations. */

#include <time.h>

/* Seconds on the monotonic clock. */
static inline double clock_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The time by which a wait that begins now must end; effectively never if TIMEOUT is 0. */
static inline double clock_deadline(double timeout)
{
	return timeout > 0 ? clock_seconds() + timeout : 1e300;
}

/* Time left until END in milliseconds for poll(2), rounded up. */
static inline int clock_left(double end)
{
	double left = end - clock_seconds();
	return left > 1000 ? 1000000 : left > 0 ? (int)(left * 1000) + 1 : 0;
}

#endif
