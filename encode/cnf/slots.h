#ifndef SCCL_ENCODE_CNF_SLOTS_H
#define SCCL_ENCODE_CNF_SLOTS_H

/*
 * Limited memory. slot(c,n,s) means that chunk c, which neither begins nor ends at node n, occupies a slot there in
 * step s. It does so in the step in which it arrives and in every step that sends it on; and if it does so in a step
 * and was there before, it did so in the previous step too. The slot is therefore occupied from the first of these
 * steps to the last. At each node and in each step at most constraints.extra_memory slots are occupied.
 */

#include "encode/cnf/plan.h"

struct clause;

void slots_number(struct plan *p); /* after the have and send variables; not for an allreduce */
void slots_free(struct slots *s);  /* NULL is allowed */
/* Writes the liveness clauses, and a budget for each node and step. */
void slots_write(const struct plan *p, struct clause *k);

#endif
