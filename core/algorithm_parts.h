#ifndef SCCL_CORE_ALGORITHM_PARTS_H
#define SCCL_CORE_ALGORITHM_PARTS_H

/* What the files of core/algorithm*.c and transform.c share. */

#include "core/algorithm.h"

struct json_place;

void step_sort(struct step *s);
struct step *steps_copy(const struct step *steps, size_t n_steps);

/* The compact form: each step's sends and all their images under the group that the generators make, each once. */
bool symmetry_expand(const struct json_place *generators, struct algorithm *a, struct error *e);

#endif
