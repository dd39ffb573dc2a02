/*
 * Engine `bits`: the plan as CNF in CaDiCaL, with totalizers for the capacities (Bailleux and Boufkhad, CP 2003).
 * Folded questions come first, then the instance as it stands under a conflict limit, and finally the instance with
 * interchangeable chunks ordered, in alternation with the remaining folded questions (docs/concepts/encodings.md).
 */

#include "encode/engines.h"

#include "core/base/memory.h"
#include "core/base/work.h"
#include "encode/cnf/counted_solver.h"
#include "encode/cnf/direct.h"
#include "encode/fold/folds.h"
#include "encode/cnf/measure.h"
#include "encode/cnf/plan.h"

#include <stdlib.h>
#include <string.h>

struct solver_sink {
	struct counted_solver *solver;
	int variables;
};

static void clause(void *context, const int *literals, size_t n)
{
	struct solver_sink *k = context;

	counted_solver_clause(k->solver, literals, n);
}

/*
 * Writes the outputs of a totalizer to OUT and returns how many there are: out[i] is true if more than i of the n
 * inputs are. At most MOST + 1 outputs are created; the last then means "too many". Only the direction from inputs to
 * outputs is encoded, since the constraint is an upper bound.
 */
static size_t totalize(struct solver_sink *k, const int *in, size_t n, size_t most, int *out)
{
	if (n == 1) {
		out[0] = in[0];
		return 1;
	}
	size_t half = n / 2, size = n <= most ? n : most + 1;
	int *left = new_array(int, half), *right = new_array(int, n - half);
	size_t n_left = totalize(k, in, half, most, left), n_right = totalize(k, in + half, n - half, most, right);

	for (size_t i = 0; i < size; i++)
		out[i] = ++k->variables;
	for (size_t a = 0; a <= n_left; a++)
		for (size_t b = 0; b <= n_right; b++) {
			if (a + b == 0)
				continue;
			int literals[3];
			size_t length = 0, sum = a + b < size ? a + b : size;
			if (a + b > size && a && b && a + b - 1 >= size)
				continue; /* implied by the clauses for smaller a or b */
			if (a)
				literals[length++] = -left[a - 1];
			if (b)
				literals[length++] = -right[b - 1];
			literals[length++] = out[sum - 1];
			clause(k, literals, length);
		}
	free(left);
	free(right);
	return size;
}

/* More than i sends need ceil((i + 1) / b) rounds. */
static void capacity(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth)
{
	struct solver_sink *k = context;
	size_t most = (size_t)bandwidth * (size_t)(p->extra + 1);
	int *out = new_array(int, n);
	size_t size = totalize(k, sends, n, most, out);

	for (size_t i = (size_t)bandwidth; i < size; i++) {
		int needed = (int)(i / (size_t)bandwidth) + 1;
		int literals[2] = {-out[i], needed <= p->extra + 1 ? plan_rho(p, s, needed) : 0};
		if (i % (size_t)bandwidth == 0)
			clause(k, literals, literals[1] ? 2 : 1);
	}
	free(out);
}

static void budget(void *context, const struct plan *p, const int *rhos, size_t n, int extra)
{
	struct solver_sink *k = context;
	int *out = new_array(int, n);
	size_t size = totalize(k, rhos, n, (size_t)extra, out);

	(void)p;
	if (size > (size_t)extra) {
		int literal = -out[extra];
		clause(k, &literal, 1);
	}
	free(out);
}

static bool value(void *context, int variable)
{
	struct solver_sink *k = context;
	return ccadical_val(k->solver->cadical, variable) > 0;
}

/*
 * Options that suit these formulas (figures in docs/evidence/measurements.md). Most sends do not happen, so the initial
 * phase is false; and CaDiCaL stays in stable mode, as only refutations of a different kind benefit from rapid
 * restarts. The random seed is fixed, so that answers are reproducible.
 */
static const struct {
	const char *name;
	int value;
} solver_options[] = {
	{"phase", 0},
	{"seed", 0},
	{"stabilizeonly", 1},
};

/*
 * First the formula without ordering, up to a conflict limit: most satisfiable instances are solved there. Then, until
 * there is an answer, with interchangeable chunks ordered, which refutations need: the two orders alternate, each time
 * with a larger limit and each solver resuming where it stopped. The limits count conflicts rather than seconds so that
 * the result is deterministic.
 */
enum { AS_IT_IS_CONFLICTS = 20000, ORDERED_CONFLICTS = 10000, MOST_CONFLICTS = 1 << 30 };

enum { SHARE_CONFLICTS = 1000000 };

static struct counted_solver *solver_new(void)
{
	struct counted_solver *solver = counted_solver_new();

	for (size_t i = 0; i < sizeof solver_options / sizeof *solver_options; i++)
		ccadical_set_option(solver->cadical, solver_options[i].name, solver_options[i].value);
	return solver;
}

static struct solver_sink begin(const struct plan *p, enum plan_order order)
{
	struct solver_sink k = {solver_new(), p->variables};
	const struct sink to = {&k, clause, capacity, budget, NULL};

	plan_write(p, &to, order);
	return k;
}

/* Solves for at most CONFLICTS conflicts. May be called again, and then resumes. */
static enum answer go_on(struct solver_sink *k, const struct plan *p, int conflicts, struct solution *out)
{
	ccadical_limit(k->solver->cadical, "conflicts", conflicts);
	int result = counted_solver_solve(k->solver);

	if (result == 10)
		plan_decode(p, value, k, out);
	return result == 10 ? ANSWER_FOUND : result == 20 ? ANSWER_NONE : ANSWER_GAVE_UP;
}

static enum answer attempt(const struct plan *p, int conflicts, struct solution *out)
{
	if (work_is_over())
		return ANSWER_GAVE_UP;
	struct solver_sink k = begin(p, ORDER_NONE);
	enum answer answer = go_on(&k, p, conflicts, out);

	counted_solver_free(k.solver);
	return answer;
}

/* Splits one conflict limit evenly among the remaining folded questions and drops those that are refuted. */
static enum answer go_on_folded(struct solver_sink *k, const struct plan *p, struct folds *f, int conflicts, struct solution *out)
{
	int each = f->n ? conflicts / (int)f->n : 0;

	for (size_t i = 0; i < f->n;) {
		enum answer answer = go_on(&k[i], f->all[i].plan, each, out);
		if (answer == ANSWER_FOUND) {
			folds_restrict(p->instance, out);
			return answer;
		}
		if (answer == ANSWER_GAVE_UP) {
			i++;
			continue;
		}
		counted_solver_free(k[i].solver);
		folds_drop(f, i);
		memmove(k + i, k + i + 1, (f->n - i) * sizeof *k);
	}
	return ANSWER_GAVE_UP;
}

/* Runs until there is an answer, or the limit of work is reached; the worker process enforces those of time and memory. */
static enum answer in_order(const struct plan *p, struct folds *f, struct solution *out)
{
	static const enum plan_order orders[] = {ORDER_ONE_NODE, ORDER_ALL_NODES};
	struct solver_sink k[2], folded[FOLDS_MAX];
	int n = p->same ? 2 : 1;
	enum answer answer = ANSWER_GAVE_UP;

	for (size_t i = 0; i < f->n; i++)
		folded[i] = begin(f->all[i].plan, ORDER_NONE);
	for (int i = 0; i < n; i++)
		k[i] = begin(p, orders[i]);
	for (int conflicts = ORDERED_CONFLICTS; answer == ANSWER_GAVE_UP && !work_is_over(); conflicts += conflicts < MOST_CONFLICTS ? conflicts : 0) {
		answer = go_on_folded(folded, p, f, conflicts, out);
		for (int i = 0; i < n && answer == ANSWER_GAVE_UP; i++)
			answer = go_on(&k[i], p, conflicts, out);
	}
	for (int i = 0; i < n; i++)
		counted_solver_free(k[i].solver);
	for (size_t i = 0; i < f->n; i++)
		counted_solver_free(folded[i].solver);
	return answer;
}

/*
 * Is one chunk alone already infeasible with the sends that an average chunk may have? A small question that refutes
 * many large ones.
 */
static bool share_is_refuted(const struct plan *p)
{
	struct instance one = *p->instance;
	int share = direct_share(p);

	if (!share)
		return false;
	one.chunks = one.global_chunks = 1;
	struct plan *alone = plan_new(&one, NULL);
	struct solution unused = {0};
	alone->most_sends = share;
	bool refuted = attempt(alone, SHARE_CONFLICTS, &unused) == ANSWER_NONE;
	steps_free(unused.steps, unused.n_steps);
	plan_free(alone);
	return refuted;
}

static enum answer answer_whole(const struct plan *p, struct folds *f, struct solution *out)
{
	enum answer answer = p->impossible ? ANSWER_NONE : ANSWER_GAVE_UP;

	if (answer == ANSWER_NONE || p->too_large || measure_is_too_large(p))
		return answer;
	answer = attempt(p, AS_IT_IS_CONFLICTS, out);
	if (answer == ANSWER_GAVE_UP && !work_is_over())
		answer = share_is_refuted(p) ? ANSWER_NONE : in_order(p, f, out);
	return answer;
}

enum answer solve_bits(const struct instance *i, const struct solve_options *o, struct solution *out)
{
	struct folds f = folds_new(i);

	(void)o; /* the worker enforces the limits */
	enum answer answer = ANSWER_FOUND;
	if (!folds_find(&f, i, attempt, out)) {
		struct plan *p = plan_new(i, NULL);
		answer = answer_whole(p, &f, out);
		plan_free(p);
	}
	folds_free(&f);
	return answer;
}
