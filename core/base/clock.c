/* Clocks as doubles; CLOCK_MONOTONIC is unaffected by changes to the system time. */

#include "core/base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_seconds(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double clock_cpu_seconds(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
