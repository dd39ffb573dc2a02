/*
 * Engine `bits-z3`: the same plan in Z3's Boolean core (QF_FD), with capacities as native pseudo-Boolean constraints
 * (docs/concepts/encodings.md).
 */

#include "encode/engines.h"

#include "core/base/memory.h"
#include "encode/fold/folds.h"
#include "encode/cnf/plan.h"
#include "encode/smt/z3_plan.h"

#include <stdlib.h>

/*
 * sends + b for each round from the second on that the step does not have <= b * rounds. Counts only as many rounds as
 * all the sends could need, so that no product exceeds the number of sends by more than b.
 */
static void capacity(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth)
{
	const struct z3_plan *f = context;
	size_t useful = (n + (size_t)bandwidth - 1) / (size_t)bandwidth;
	int rounds = useful <= (size_t)p->extra ? (int)useful : p->extra + 1;
	size_t all = n + (size_t)rounds - 1;
	Z3_ast *args = new_array(Z3_ast, all);
	int *weights = new_array(int, all);

	for (size_t i = 0; i < n; i++) {
		args[i] = z3_plan_literal(f, sends[i]);
		weights[i] = 1;
	}
	for (int j = 2; j <= rounds; j++) {
		args[n + (size_t)j - 2] = z3_plan_literal(f, -plan_rho(p, s, j));
		weights[n + (size_t)j - 2] = bandwidth;
	}
	Z3_solver_assert(f->z.context, f->z.solver, Z3_mk_pble(f->z.context, (unsigned)all, args, weights, bandwidth * rounds));
	free(args);
	free(weights);
}

static void budget(void *context, const struct plan *p, const int *rhos, size_t n, int extra)
{
	const struct z3_plan *f = context;
	Z3_ast *args = new_array(Z3_ast, n);

	(void)p;
	for (size_t i = 0; i < n; i++)
		args[i] = z3_plan_literal(f, rhos[i]);
	Z3_solver_assert(f->z.context, f->z.solver, Z3_mk_atmost(f->z.context, (unsigned)n, args, (unsigned)extra));
	free(args);
}

/* For at most CONFLICTS conflicts; 0: until there is an answer. */
static enum answer attempt(const struct plan *p, int conflicts, struct solution *out)
{
	struct z3_plan f = z3_plan_open(z3_open("QF_FD"), p);
	const struct sink to = {&f, z3_plan_clause, capacity, budget, NULL};

	if (conflicts)
		z3_limit_conflicts(&f.z, (unsigned)conflicts);
	plan_write(p, &to, ORDER_NONE);
	enum answer answer = z3_check(&f.z);
	if (answer == ANSWER_FOUND)
		plan_decode(p, z3_plan_value, &f, out);
	z3_plan_close(&f);
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
