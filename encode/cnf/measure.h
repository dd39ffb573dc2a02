#ifndef SCCL_ENCODE_CNF_MEASURE_H
#define SCCL_ENCODE_CNF_MEASURE_H

#include "encode/cnf/plan.h"

#include <stdbool.h>

/*
 * Would the plan's clauses, totalizers included, be more than a solver holds in some 4 GiB? They are counted without being
 * made. Who gives such a question up spares the machine.
 */
bool measure_is_too_large(const struct plan *p);

/* Clauses of a totalizer of N inputs that tells up to MOST of them apart (encode/cnf/bits.c). */
double measure_totalizer(size_t n, size_t most);

#endif
