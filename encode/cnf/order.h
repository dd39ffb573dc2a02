#ifndef SCCL_ENCODE_CNF_ORDER_H
#define SCCL_ENCODE_CNF_ORDER_H

/* The clauses that put interchangeable chunks in the order of their numbers; see enum plan_order. */

#include "encode/cnf/plan.h"

struct clause;

/*
 * Not for a folded plan, whose chunks are distinguished by their images, nor for an allreduce or a scan. The plan's
 * `same` must be numbered.
 */
void order_write(const struct plan *p, struct clause *k, enum plan_order order);

#endif
