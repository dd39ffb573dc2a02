#ifndef SCCL_SYNTH_PROGRAM_REFINEMENT_H
#define SCCL_SYNTH_PROGRAM_REFINEMENT_H

/* Trees for the chunks of a single commodity, without a solution of the program: for machines on which that is too large. */

#include "synth/program/chunk_packing.h"

/* Has the instance a single commodity, and so many nodes that its program is hardly solved in the time that there is? */
bool refinement_may_serve(const struct instance *i);
/* Is that so, and was the program not solved? */
bool refinement_serves(const struct timed_program *q);
/*
 * FACTOR times the demand of the only commodity of Q, in as few rounds as are found, whatever the columns of Q. Deterministic,
 * but for the deadline (core/base/stop.h), after which it ends with the best so far. False: the steps are too few.
 */
bool refinement_find(const struct timed_program *q, int factor, struct chunk_packing *out);

#endif
