#include "tests/encode/ask_plan.h"

#include "core/base/memory.h"
#include "encode/smt/z3_question.h"

#include <stdlib.h>

struct asked {
	struct z3 z;
	Z3_ast *variables; /* [1..] */
	size_t clauses;
};

static Z3_ast literal(const struct asked *a, int l)
{
	return l > 0 ? a->variables[l] : Z3_mk_not(a->z.context, a->variables[-l]);
}

static void clause(void *context, const int *literals, size_t n)
{
	struct asked *a = context;
	Z3_ast *args = new_array(Z3_ast, n);
	for (size_t i = 0; i < n; i++)
		args[i] = literal(a, literals[i]);
	Z3_solver_assert(a->z.context, a->z.solver, Z3_mk_or(a->z.context, (unsigned)n, args));
	a->clauses++;
	free(args);
}

static void at_most(struct asked *a, const int *variables, size_t n, int most, Z3_ast unless)
{
	Z3_ast *args = new_array(Z3_ast, n);
	for (size_t i = 0; i < n; i++)
		args[i] = a->variables[variables[i]];
	Z3_ast said[2] = {Z3_mk_atmost(a->z.context, (unsigned)n, args, (unsigned)most), unless};
	Z3_solver_assert(a->z.context, a->z.solver, Z3_mk_or(a->z.context, unless ? 2 : 1, said));
	free(args);
}

/* Without rho(s, r + 1), step s has r rounds or fewer. */
static void capacity(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth)
{
	struct asked *a = context;
	for (int r = 1; r <= p->extra + 1; r++)
		at_most(a, sends, n, bandwidth * r, r <= p->extra ? literal(a, plan_rho(p, s, r + 1)) : NULL);
}

static void budget(void *context, const struct plan *p, const int *rhos, size_t n, int extra)
{
	(void)p;
	at_most(context, rhos, n, extra, NULL);
}

static bool value(void *context, int variable)
{
	const struct asked *a = context;
	return z3_is_true(&a->z, a->variables[variable]);
}

enum answer ask_plan(const struct plan *p, enum plan_order order, size_t *clauses, struct solution *out)
{
	struct asked a = {z3_open("QF_FD"), new_array(Z3_ast, (size_t)p->variables + 1), 0};
	const struct sink to = {&a, clause, capacity, budget, NULL};

	for (int v = 1; v <= p->variables; v++)
		a.variables[v] = Z3_mk_const(a.z.context, Z3_mk_int_symbol(a.z.context, v), Z3_mk_bool_sort(a.z.context));
	if (!p->impossible)
		plan_write(p, &to, order);
	enum answer answer = p->impossible ? ANSWER_NONE : z3_check(&a.z);
	if (answer == ANSWER_FOUND && out)
		plan_decode(p, value, &a, out);
	if (clauses)
		*clauses = a.clauses;
	z3_close(&a.z);
	free(a.variables);
	return answer;
}
