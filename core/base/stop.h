#ifndef SCCL_CORE_BASE_STOP_H
#define SCCL_CORE_BASE_STOP_H

/*
 * When a long computation must end early: its time is up, or the user interrupted it. The deadline is global to the
 * process, so that no intermediate function has to pass it on. A computation that may take long polls stop_is_due in
 * its loops and returns what it has so far, which may be weaker but must be correct.
 */

#include <stdbool.h>

/*
 * Moves the deadline to SECONDS from now, unless the current one is sooner. INFINITY changes nothing. Returns the
 * previous deadline, for stop_restore.
 */
double stop_within(double seconds);
void stop_restore(double deadline);

/*
 * The same for a second deadline, in CPU time of this process: for a limit that the program sets itself, so that its
 * results do not depend on what else the computer does.
 */
double stop_within_cpu(double seconds);
void stop_restore_cpu(double deadline);

/* Seconds until the first of both deadlines: 0 once it has passed, INFINITY without one. */
double stop_left(void);

/* Registers a flag that a signal handler sets; borrowed; NULL: none. */
void stop_on(const volatile int *flag);

/* Has a deadline passed, or is the flag set? */
bool stop_is_due(void);

#endif
