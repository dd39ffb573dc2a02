#ifndef SCCL_SYNTH_METHODS_PROGRAM_ATTEMPTS_H
#define SCCL_SYNTH_METHODS_PROGRAM_ATTEMPTS_H

/* Algorithms from a solved program; and the method "timed-trees" where algorithms are measured, for synth/methods/attempts.c. */

#include "synth/methods/attempts.h"

struct least_rounds;

/*
 * An algorithm from the trees of the program L of P, with at most MOST chunks of the asked collective; with EXACTLY, of
 * so many. The caller's; NULL with *e set.
 */
struct algorithm *program_algorithm(const struct problem *p, const struct least_rounds *l, int most, bool exactly, struct error *e);

/* An attempt_run: for each number of steps from the fewest on, algorithms of few and of many chunks from one program. */
void attempt_programs(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e);
/* Do they give something within seconds? Elsewhere the first program alone takes as long. */
bool attempt_programs_begin_soon(const struct attempt_subject *s);

#endif
