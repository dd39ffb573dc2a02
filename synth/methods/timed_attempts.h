#ifndef SCCL_SYNTH_METHODS_TIMED_ATTEMPTS_H
#define SCCL_SYNTH_METHODS_TIMED_ATTEMPTS_H

/* Attempts at schedules in time (synth/timed), for each size of the measure. For synth/methods/attempts.c. */

#include "synth/methods/attempts.h"

attempt_run attempt_list_schedules;
attempt_run attempt_exact_schedules; /* by a solver, with few chunks: only where the next says so */
bool attempt_exact_serves(const struct attempt_subject *s);

#endif
