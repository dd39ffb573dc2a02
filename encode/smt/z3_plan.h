#ifndef SCCL_ENCODE_SMT_Z3_PLAN_H
#define SCCL_ENCODE_SMT_Z3_PLAN_H

/* A plan's variables as Boolean constants of Z3, and what engines that write plans to Z3 have in common. */

#include "encode/cnf/plan.h"
#include "encode/smt/z3_question.h"

struct z3_plan {
	struct z3 z;       /* owned, like everything here */
	Z3_ast *variables; /* [1..] */
};

/* Takes Z. Close with z3_plan_close. */
struct z3_plan z3_plan_open(struct z3 z, const struct plan *p);
void z3_plan_close(struct z3_plan *f);
/* A variable, or the negation of one if LITERAL is negative. */
Z3_ast z3_plan_literal(const struct z3_plan *f, int literal);

/* For a sink and for plan_decode; CONTEXT is a struct z3_plan, or begins with one. */
void z3_plan_clause(void *context, const int *literals, size_t n);
bool z3_plan_value(void *context, int variable); /* after ANSWER_FOUND */

#endif
