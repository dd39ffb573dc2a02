/*
 * Engine `lia`: linear integer arithmetic (QF_LIA) in Z3 over the plan of `bits`. The rounds r_s are integers, and a
 * capacity is the paper's C5, a sum of zeros and ones that is at most b r_s; what distances decide has no variable, and
 * sends over expanded time are Booleans (docs/concepts/encodings.md). Folded questions and two orders of the
 * interchangeable chunks take turns.
 */

#include "encode/engines.h"

#include "core/base/memory.h"
#include "encode/cnf/plan.h"
#include "encode/fold/folds.h"
#include "encode/smt/z3_plan.h"

#include <stdio.h>
#include <stdlib.h>

/* Begins with the plan, as the functions of encode/smt/z3_plan.h ask for. */
struct formula {
	struct z3_plan plan;
	Z3_ast *rounds; /* [1..S]: r_s */
	int *useful;    /* [1..S]: more rounds than this serve no capacity of the step */
};

static Z3_ast number(const struct formula *f, int n)
{
	return Z3_mk_int(f->plan.z.context, n, Z3_mk_int_sort(f->plan.z.context));
}

static void require(const struct formula *f, Z3_ast holds)
{
	Z3_solver_assert(f->plan.z.context, f->plan.z.solver, holds);
}

/* How many of these are true. A variable may be listed more than once, and then counts as often. */
static Z3_ast count(const struct formula *f, const int *variables, size_t n)
{
	Z3_context c = f->plan.z.context;
	Z3_ast *args = new_array(Z3_ast, n), one = number(f, 1), zero = number(f, 0);

	for (size_t i = 0; i < n; i++)
		args[i] = Z3_mk_ite(c, f->plan.variables[variables[i]], one, zero);
	Z3_ast sum = Z3_mk_add(c, (unsigned)n, args);
	free(args);
	return sum;
}

static void capacity(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth)
{
	struct formula *f = context;
	size_t useful = (n + (size_t)bandwidth - 1) / (size_t)bandwidth;
	Z3_ast factors[] = {number(f, bandwidth), f->rounds[s]};

	require(f, Z3_mk_le(f->plan.z.context, count(f, sends, n), Z3_mk_mul(f->plan.z.context, 2, factors)));
	if (useful > (size_t)f->useful[s])
		f->useful[s] = useful <= (size_t)p->extra ? (int)useful : p->extra + 1;
}

static void budget(void *context, const struct plan *p, const int *variables, size_t n, int most)
{
	const struct formula *f = context;

	(void)p;
	require(f, Z3_mk_le(f->plan.z.context, count(f, variables, n), number(f, most)));
}

/*
 * C6 as an upper bound, since decoding pads the last step. Bounding each r_s by what its sends can use keeps its domain
 * small where R is large; Z3 then counts Booleans in place of it.
 */
static void rounds(void *context, const struct plan *p)
{
	const struct formula *f = context;
	Z3_context c = f->plan.z.context;

	for (int s = 1; s <= p->steps; s++) {
		int first = (s - 1) % plan_interval(p) + 1;
		require(f, Z3_mk_le(c, number(f, 1), f->rounds[s]));
		require(f, Z3_mk_le(c, f->rounds[s], number(f, f->useful[first])));
		if (first < s)
			require(f, Z3_mk_eq(c, f->rounds[s], f->rounds[first]));
	}
	require(f, Z3_mk_le(c, Z3_mk_add(c, (unsigned)p->steps, f->rounds + 1), number(f, p->instance->rounds)));
}

static struct formula formula_new(const struct plan *p)
{
	/*
	 * lia2card turns sums of (ite b 1 0), and integers of few values, into cardinality constraints, which the core
	 * `smt` handles natively. Chains that continue to bit vectors are wrong in Z3 4.8.12: encode/smt/lia_paper.c.
	 */
	static const char *const tactics[] = {"simplify", "propagate-values", "lia2card", "smt", NULL};
	struct formula f = {z3_plan_open(z3_open_tactics(tactics), p), new_array(Z3_ast, (size_t)p->steps + 1),
			    new_array(int, (size_t)p->steps + 1)};

	for (int s = 1; s <= p->steps; s++) {
		char name[32];
		snprintf(name, sizeof name, "r_%d", s);
		f.rounds[s] = z3_constant(&f.plan.z, name, Z3_mk_int_sort(f.plan.z.context));
		f.useful[s] = 1;
	}
	return f;
}

static void formula_free(struct formula *f)
{
	z3_plan_close(&f->plan);
	free(f->rounds);
	free(f->useful);
}

/* How often, with how much effort, a question was asked: the random seed differs from turn to turn. */
struct turn {
	unsigned number, conflicts;
};

static enum answer ask(const struct plan *p, enum plan_order order, struct turn t, struct solution *out)
{
	struct formula f = formula_new(p);
	const struct sink to = {&f, z3_plan_clause, capacity, budget, rounds};

	z3_seed(&f.plan.z, t.number);
	z3_limit_conflicts(&f.plan.z, t.conflicts);
	plan_write(p, &to, order);
	enum answer answer = z3_check(&f.plan.z);
	if (answer == ANSWER_FOUND)
		plan_decode(p, z3_plan_value, &f, out);
	formula_free(&f);
	return answer;
}

/* Refuted folds are dropped: they say nothing about the whole. */
static enum answer ask_folded(struct folds *f, const struct instance *i, struct turn t, struct solution *out)
{
	for (size_t k = 0; k < f->n;) {
		enum answer answer = ask(f->all[k].plan, ORDER_NONE, t, out);
		if (answer == ANSWER_FOUND) {
			folds_restrict(i, out);
			return answer;
		}
		if (answer == ANSWER_NONE)
			folds_drop(f, k);
		else
			k++;
	}
	return ANSWER_GAVE_UP;
}

/* Ordered at the farthest node alone, schedules are found sooner; ordered at all nodes, questions are refuted sooner. */
static enum answer ask_whole(const struct plan *p, struct turn t, struct solution *out)
{
	enum answer answer = ask(p, p->same ? ORDER_ONE_NODE : ORDER_NONE, t, out);

	return answer == ANSWER_GAVE_UP && p->same ? ask(p, ORDER_ALL_NODES, t, out) : answer;
}

/*
 * Each turn begins anew with twice the conflicts: the tactic keeps nothing, and a search that was unlucky is better not
 * resumed. Conflicts and not seconds, so that the result is deterministic.
 */
enum { FIRST_CONFLICTS = 2000, MOST_CONFLICTS = 1 << 30 };

static enum answer take_turns(const struct plan *p, struct folds *f, struct solution *out)
{
	enum answer answer = ANSWER_GAVE_UP;
	struct turn t = {0, FIRST_CONFLICTS};

	for (; answer == ANSWER_GAVE_UP && t.conflicts < MOST_CONFLICTS; t.number++, t.conflicts *= 2) {
		answer = ask_folded(f, p->instance, t, out);
		if (answer == ANSWER_GAVE_UP && !p->too_large)
			answer = ask_whole(p, t, out);
	}
	return answer;
}

enum answer solve_lia(const struct instance *i, const struct solve_options *o, struct solution *out)
{
	struct plan *p = plan_new(i, NULL);
	struct folds f = {0};
	enum answer answer = ANSWER_NONE;

	(void)o; /* the worker enforces the limits */
	if (!p->impossible) {
		f = folds_new(i);
		answer = take_turns(p, &f, out);
	}
	folds_free(&f);
	plan_free(p);
	return answer;
}
