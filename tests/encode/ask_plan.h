#ifndef TESTS_ENCODE_ASK_PLAN_H
#define TESTS_ENCODE_ASK_PLAN_H

/* A plan asked to the end, by a third way to say its capacities: one constraint for each number of rounds. */

#include "encode/cnf/plan.h"
#include "encode/solve.h"

/* How many clauses said it in *CLAUSES; what is found in *OUT. Either may be NULL. */
enum answer ask_plan(const struct plan *p, enum plan_order order, size_t *clauses, struct solution *out);

#endif
