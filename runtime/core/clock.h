#ifndef SCCL_RUNTIME_CORE_CLOCK_H
#define SCCL_RUNTIME_CORE_CLOCK_H

/* Reading the monotonic clock, sleeping, and time limits of collective operations. */

#include <stdint.h>
#include <time.h>

/* Time on the monotonic clock, from an unspecified origin. */
static inline uint64_t clock_nanoseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double clock_seconds(void)
{
	return 1e-9 * (double)clock_nanoseconds();
}

/* Sleeps for so long, or until a signal arrives. */
static inline void clock_sleep(long microseconds)
{
	const struct timespec nap = {microseconds / 1000000, microseconds % 1000000 * 1000};
	nanosleep(&nap, NULL);
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
