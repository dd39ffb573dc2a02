/*
 * Preloaded: a system time that is set forward and back by a year, in turn, at every look at it. Clocks that nobody sets go on as
 * they are, unless $SLOWER says how many times as long a process has computed: so it is on a slower computer.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* SLOWER is small, and so is the time of a test. */
static void slow_down(struct timespec *t)
{
	const char *slower = getenv("SLOWER");
	long long nanoseconds = (t->tv_sec * 1000000000LL + t->tv_nsec) * (slower ? atoi(slower) : 1);

	*t = (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static int (*real)(clockid_t, struct timespec *);
	static unsigned looks;

	if (!real) {
		void *symbol = dlsym(RTLD_NEXT, "clock_gettime");
		memcpy(&real, &symbol, sizeof real);
	}
	int result = real(clock, t);
	if (result == 0 && clock == CLOCK_REALTIME)
		t->tv_sec += __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED) % 2 ? 366 * 86400 : -366 * 86400;
	if (result == 0 && (clock == CLOCK_PROCESS_CPUTIME_ID || clock < 0)) /* below 0: that of another process */
		slow_down(t);
	return result;
}

time_t time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec at;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &at);
	*t = (struct timeval){at.tv_sec, at.tv_nsec / 1000};
	return 0;
}
