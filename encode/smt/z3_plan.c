/* Declares a plan's variables in Z3, numbered as in the plan, and asserts clauses of them. */

#include "encode/smt/z3_plan.h"

#include "core/base/memory.h"

#include <stdlib.h>

struct z3_plan z3_plan_open(struct z3 z, const struct plan *p)
{
	struct z3_plan f = {z, new_array(Z3_ast, (size_t)p->variables + 1)};
	Z3_sort boolean = Z3_mk_bool_sort(z.context);

	for (int v = 1; v <= p->variables; v++)
		f.variables[v] = Z3_mk_const(z.context, Z3_mk_int_symbol(z.context, v), boolean);
	return f;
}

void z3_plan_close(struct z3_plan *f)
{
	z3_close(&f->z);
	free(f->variables);
}

Z3_ast z3_plan_literal(const struct z3_plan *f, int literal)
{
	return literal > 0 ? f->variables[literal] : Z3_mk_not(f->z.context, f->variables[-literal]);
}

void z3_plan_clause(void *context, const int *literals, size_t n)
{
	const struct z3_plan *f = context;
	Z3_ast *args = new_array(Z3_ast, n);

	for (size_t i = 0; i < n; i++)
		args[i] = z3_plan_literal(f, literals[i]);
	Z3_solver_assert(f->z.context, f->z.solver, n == 1 ? args[0] : Z3_mk_or(f->z.context, (unsigned)n, args));
	free(args);
}

bool z3_plan_value(void *context, int variable)
{
	const struct z3_plan *f = context;
	return z3_is_true(&f->z, f->variables[variable]);
}
