/*
 * Engine `bits-z3`: the same plan in Z3's Boolean core (QF_FD), with capacities as native pseudo-Boolean constraints
 * (docs/concepts/encodings.md).
 */

#include "encode/engines.h"

#include "core/base/memory.h"
#include "encode/fold/folds.h"
#include "encode/cnf/plan.h"
#include "encode/smt/z3_question.h"

#include <stdlib.h>

struct formula {
	struct z3 z;
	Z3_ast *variables; /* [1..] */
};

static Z3_ast literal(const struct formula *f, int l)
{
	return l > 0 ? f->variables[l] : Z3_mk_not(f->z.context, f->variables[-l]);
}

static void clause(void *context, const int *literals, size_t n)
{
	struct formula *f = context;
	Z3_ast *args = new_array(Z3_ast, n);

	for (size_t i = 0; i < n; i++)
		args[i] = literal(f, literals[i]);
	Z3_solver_assert(f->z.context, f->z.solver, n == 1 ? args[0] : Z3_mk_or(f->z.context, (unsigned)n, args));
	free(args);
}

/*
 * sends + b for each round from the second on that the step does not have <= b * rounds. Counts only as many rounds as
 * all the sends could need, so that no product exceeds the number of sends by more than b.
 */
static void capacity(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth)
{
	struct formula *f = context;
	size_t useful = (n + (size_t)bandwidth - 1) / (size_t)bandwidth;
	int rounds = useful <= (size_t)p->extra ? (int)useful : p->extra + 1;
	size_t all = n + (size_t)rounds - 1;
	Z3_ast *args = new_array(Z3_ast, all);
	int *weights = new_array(int, all);

	for (size_t i = 0; i < n; i++) {
		args[i] = literal(f, sends[i]);
		weights[i] = 1;
	}
	for (int j = 2; j <= rounds; j++) {
		args[n + (size_t)j - 2] = literal(f, -plan_rho(p, s, j));
		weights[n + (size_t)j - 2] = bandwidth;
	}
	Z3_solver_assert(f->z.context, f->z.solver, Z3_mk_pble(f->z.context, (unsigned)all, args, weights, bandwidth * rounds));
	free(args);
	free(weights);
}

static void budget(void *context, const struct plan *p, const int *rhos, size_t n, int extra)
{
	struct formula *f = context;
	Z3_ast *args = new_array(Z3_ast, n);

	(void)p;
	for (size_t i = 0; i < n; i++)
		args[i] = literal(f, rhos[i]);
	Z3_solver_assert(f->z.context, f->z.solver, Z3_mk_atmost(f->z.context, (unsigned)n, args, (unsigned)extra));
	free(args);
}

static bool value(void *context, int variable)
{
	const struct formula *f = context;
	return z3_is_true(&f->z, f->variables[variable]);
}

/* For at most CONFLICTS conflicts; 0: until there is an answer. */
static enum answer attempt(const struct plan *p, int conflicts, struct solution *out)
{
	struct formula f = {z3_open("QF_FD"), new_array(Z3_ast, (size_t)p->variables + 1)};
	const struct sink to = {&f, clause, capacity, budget};

	if (conflicts)
		z3_limit_conflicts(&f.z, (unsigned)conflicts);
	for (int v = 1; v <= p->variables; v++)
		f.variables[v] = Z3_mk_const(f.z.context, Z3_mk_int_symbol(f.z.context, v), Z3_mk_bool_sort(f.z.context));
	plan_write(p, &to, ORDER_NONE);
	enum answer answer = z3_check(&f.z);
	if (answer == ANSWER_FOUND)
		plan_decode(p, value, &f, out);
	z3_close(&f.z);
	free(f.variables);
	return answer;
}

enum answer solve_bits_z3(const struct instance *i, const struct solve_options *o, struct solution *out)
{
	struct folds f = folds_new(i);
	bool found = folds_find(&f, i, attempt, out);

	(void)o; /* the worker enforces the limits */
	folds_free(&f);
	if (found)
		return ANSWER_FOUND;
	struct plan *p = plan_new(i, NULL);
	enum answer answer = p->too_large ? ANSWER_GAVE_UP : p->impossible ? ANSWER_NONE : attempt(p, 0, out);
	plan_free(p);
	return answer;
}
