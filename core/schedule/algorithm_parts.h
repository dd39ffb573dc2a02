#ifndef SCCL_CORE_SCHEDULE_ALGORITHM_PARTS_H
#define SCCL_CORE_SCHEDULE_ALGORITHM_PARTS_H

/* Shared by core/schedule/algorithm*.c, relabel.c and transform.c. */

#include "core/schedule/algorithm.h"

void step_sort(struct step *s); /* sends and reduces by (chunk, src, dst) */
/* How A was made: the method, or "smt" if its file does not say. */
static inline const char *algorithm_method(const struct algorithm *a)
{
	return a->method ? a->method : "smt";
}

struct step *steps_copy(const struct step *steps, size_t n_steps); /* deep; the caller frees it with steps_free */

#endif
