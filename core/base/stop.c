/* One deadline and one flag for the process. */

#include "core/base/stop.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

static double deadline = INFINITY; /* in seconds of the monotonic clock */
static const volatile int *interrupted;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double stop_within(double seconds)
{
	double before = deadline, wanted = now() + seconds;

	deadline = wanted < deadline ? wanted : deadline;
	return before;
}

void stop_restore(double to)
{
	deadline = to;
}

double stop_left(void)
{
	return deadline == INFINITY ? INFINITY : fmax(0, deadline - now());
}

void stop_on(const volatile int *flag)
{
	interrupted = flag;
}

bool stop_is_due(void)
{
	return (interrupted && *interrupted) || stop_left() <= 0;
}
