#ifndef SCCL_CORE_BASE_WATCH_H
#define SCCL_CORE_BASE_WATCH_H

/*
 * What a long computation is doing, for a line of progress. Like the deadline (core/base/stop.h) the watcher is global to
 * the process, so that no intermediate function has to pass it on.
 */

#include <stdint.h>

/* SEE is called with CONTEXT at every watch_note; NULL: no longer. It decides how often to show anything. */
void watch_with(void (*see)(void *context, const char *doing, int64_t done, int64_t all), void *context);

/* DONE of ALL of what DOING names, as in "splitting switches off"; ALL is 0 where that is not known. */
void watch_note(const char *doing, int64_t done, int64_t all);

#endif
