#ifndef SCCL_CORE_BASE_STOP_H
#define SCCL_CORE_BASE_STOP_H

/*
 * When a long computation must end early: its time is up, or the user interrupted it. The deadline belongs to the process, so that
 * no function in between passes it on. A computation that may take long polls stop_is_due in its loops and returns what it
 * has so far, which must be correct though it may be weaker.
 */

#include <stdbool.h>

/* At most SECONDS from now, or until the deadline that is set already if that is sooner. Returns the deadline so far, for
 * stop_restore. INFINITY changes nothing. */
double stop_within(double seconds);
void stop_restore(double deadline);

/* Seconds until the deadline: 0 once it has passed, INFINITY without one. */
double stop_left(void);

/* A flag that a signal handler sets; NULL: none. */
void stop_on(const volatile int *flag);

/* Past the deadline, or the flag is set. */
bool stop_is_due(void);

#endif
