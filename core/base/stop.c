/* One deadline, one in CPU time, and one flag for the process. */

#include "core/base/stop.h"

#include "core/base/clock.h"

#include <math.h>

static double deadline = INFINITY; /* in clock_seconds */
static double cpu_deadline = INFINITY; /* in clock_cpu_seconds */
static const volatile int *interrupted;

double stop_within(double seconds)
{
	double before = deadline, wanted = clock_seconds() + seconds;

	deadline = wanted < deadline ? wanted : deadline;
	return before;
}

void stop_restore(double to)
{
	deadline = to;
}

double stop_within_cpu(double seconds)
{
	double before = cpu_deadline;

	cpu_deadline = fmin(before, clock_cpu_seconds() + seconds);
	return before;
}

void stop_restore_cpu(double to)
{
	cpu_deadline = to;
}

double stop_left(void)
{
	double left = deadline == INFINITY ? INFINITY : fmax(0, deadline - clock_seconds());

	return cpu_deadline == INFINITY ? left : fmin(left, fmax(0, cpu_deadline - clock_cpu_seconds()));
}

void stop_on(const volatile int *flag)
{
	interrupted = flag;
}

bool stop_is_due(void)
{
	return (interrupted && *interrupted) || stop_left() <= 0;
}
