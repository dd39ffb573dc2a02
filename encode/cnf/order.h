#ifndef SCCL_ENCODE_CNF_ORDER_H
#define SCCL_ENCODE_CNF_ORDER_H

/* The clauses that ask for interchangeable chunks in the order of their numbers: enum plan_order says how. */

#include "encode/cnf/plan.h"

struct clause;

/* Not of a folded plan, whose chunks are told apart by their images, nor of an allreduce. */
void order_write(const struct plan *p, struct clause *k, enum plan_order order);

#endif
