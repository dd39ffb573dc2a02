#ifndef SCCL_SYNTH_METHODS_ATTEMPT_SINK_H
#define SCCL_SYNTH_METHODS_ATTEMPT_SINK_H

/* What attempts do with what they built, and with why they built nothing. For synth/methods/attempts.c and timed_attempts.c. */

#include "synth/methods/attempts.h"

/* Gives A to the sink, or frees it with *e set (ERROR_LIMIT) if it is beyond the limits of S. NULL is fine. */
void attempt_give(const struct attempt_subject *s, const struct attempt_sink *to, struct algorithm *a, struct error *e);
/* Sets *E to FURTHER: the first reason why nothing was built counts, but for faults, which always do. */
void attempt_note(struct error *e, const struct error *further);

#endif
