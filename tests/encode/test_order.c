/* Interchangeable chunks in order (encode/plan.h): what `bits` asks only after many conflicts, asked here at once. */
#include "core/memory.h"
#include "encode/plan.h"
#include "encode/z3_question.h"
#include "random_instance.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(order, .description = "interchangeable chunks in order", .timeout = 3000);

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

/* The answer to the plan with its chunks in order or not; how many clauses say it in *CLAUSES. */
static enum answer answer_of(const struct instance *i, bool ordered, size_t *clauses)
{
	struct plan *p = plan_new(i, NULL);
	struct asked a = {z3_open("QF_FD"), new_array(Z3_ast, (size_t)p->variables + 1), 0};
	const struct sink to = {&a, clause, capacity, budget};

	for (int v = 1; v <= p->variables; v++)
		a.variables[v] = Z3_mk_const(a.z.context, Z3_mk_int_symbol(a.z.context, v), Z3_mk_bool_sort(a.z.context));
	if (!p->impossible)
		plan_write(p, &to, ordered);
	enum answer answer = p->impossible ? ANSWER_NONE : z3_check(&a.z);
	*clauses = a.clauses;
	z3_close(&a.z);
	free(a.variables);
	plan_free(p);
	return answer;
}

Test(order, changes_no_answer)
{
	const char *many = getenv("ENGINE_CASES");
	int n = many ? atoi(many) : 200, found = 0, refuted = 0;

	random_seed(11);
	for (int nth = 0; nth < n; nth++) {
		struct question q = random_question();
		size_t free_clauses, ordered_clauses;
		enum answer as_it_is = answer_of(&q.instance, false, &free_clauses);
		enum answer in_order = answer_of(&q.instance, true, &ordered_clauses);
		enum tried tried = try_everything(&q.instance);

		cr_expect(eq(int, in_order, as_it_is), "question %d", nth);
		cr_expect(tried == TRIED_TOO_LARGE || (tried == TRIED_FOUND) == (in_order == ANSWER_FOUND), "question %d", nth);
		/* Only where the order says something is this a trial of it. */
		found += ordered_clauses > free_clauses && in_order == ANSWER_FOUND;
		refuted += ordered_clauses > free_clauses && in_order == ANSWER_NONE;
		question_free(&q);
	}
	cr_log_info("with something to order: %d found, %d refuted", found, refuted);
	cr_expect(gt(int, found, n / 10));
	cr_expect(gt(int, refuted, n / 40));
}
