#ifndef SCCL_CORE_SCHEDULE_ALGORITHM_PARTS_H
#define SCCL_CORE_SCHEDULE_ALGORITHM_PARTS_H

/* What the files of core/schedule/algorithm*.c and transform.c share. */

#include "core/schedule/algorithm.h"

void step_sort(struct step *s);
struct step *steps_copy(const struct step *steps, size_t n_steps);

#endif
