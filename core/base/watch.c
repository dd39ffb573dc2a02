/* One watcher for the process. */

#include "core/base/watch.h"

#include <stddef.h>

static struct {
	void (*see)(void *context, const char *doing, int64_t done, int64_t all);
	void *context;
} watcher;

void watch_with(void (*see)(void *context, const char *doing, int64_t done, int64_t all), void *context)
{
	watcher.see = see;
	watcher.context = context;
}

void watch_note(const char *doing, int64_t done, int64_t all)
{
	if (watcher.see)
		watcher.see(watcher.context, doing, done, all);
}
