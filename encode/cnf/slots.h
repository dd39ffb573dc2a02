#ifndef SCCL_ENCODE_CNF_SLOTS_H
#define SCCL_ENCODE_CNF_SLOTS_H

/*
 * Where memory is short: slot(c,n,s) says that chunk c, which neither begins nor ends at node n, takes a place there in step s.
 * It does in the step in which it comes and in every step that sends it on, and where it does in a step and was there before
 * that, it did in the step before too: from the first to the last. At most so many of them at a node in a step.
 */

#include "encode/cnf/plan.h"

struct clause;

void slots_number(struct plan *p); /* after its other variables; not of an allreduce */
void slots_free(struct slots *s);  /* NULL is fine */
void slots_write(const struct plan *p, struct clause *k);

#endif
