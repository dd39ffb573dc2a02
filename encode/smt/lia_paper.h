#ifndef SCCL_ENCODE_SMT_LIA_PAPER_H
#define SCCL_ENCODE_SMT_LIA_PAPER_H

/*
 * The SCCL paper's encoding (section 3.4, C1 to C6) as linear integer arithmetic, written once as SMT-LIB 2: Z3 reads
 * the same text that `export --format smt2` writes for other solvers.
 *   time_C_N: the step after which chunk C is at node N (S+1: never);
 *   snd_N_C_M: N sends C to M;
 *   r_S: rounds of step S.
 */

#include "core/schedule/instance.h"

struct text;

void lia_paper_write(const struct instance *i, struct text *into); /* appends declarations and assertions, no (check-sat) */

#endif
