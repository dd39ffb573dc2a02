#ifndef SCCL_ENCODE_CNF_MEASURE_H
#define SCCL_ENCODE_CNF_MEASURE_H

#include "encode/cnf/plan.h"

#include <stdbool.h>

/*
 * Would the plan's clauses, including the totalizers, take more than about 4 GiB in a solver? They are counted without
 * being stored. Giving up on such a question keeps the machine from running out of memory.
 */
bool measure_is_too_large(const struct plan *p);

/* Clauses of a totalizer of N inputs that distinguishes counts up to MOST (encode/cnf/bits.c). */
double measure_totalizer(size_t n, size_t most);

#endif
