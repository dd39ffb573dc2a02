/*
 * Preloaded: a system time that is set forward and back by a year, in turn, at every look at it. Clocks that nobody sets go on as
 * they are.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

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
