#ifndef SCCL_SYNTH_METHODS_PROGRAM_ATTEMPTS_H
#define SCCL_SYNTH_METHODS_PROGRAM_ATTEMPTS_H

/* The method "timed-trees" where algorithms are measured. For synth/methods/attempts.c. */

#include "synth/methods/attempts.h"

/* An attempt_run: for each number of steps from the fewest on, algorithms of few and of many chunks from one program. */
void attempt_programs(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e);
/* Do they give something within seconds? Elsewhere the first program alone takes as long. */
bool attempt_programs_begin_soon(const struct attempt_subject *s);

#endif
