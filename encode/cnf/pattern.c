/*
 * The direct encoding of one chunk, without rounds. Payments are counted in unary, exactly, step by step. Since the reverse of a
 * pattern is one too, patterns may be asked for that pay no more in the first half of the steps than in the second; and of all
 * images of a pattern under the symmetries one has the lexicographically largest first step.
 */

#include "encode/cnf/pattern.h"

#include "core/base/memory.h"
#include "encode/cnf/clause.h"
#include "encode/cnf/counted_solver.h"
#include "encode/cnf/direct.h"
#include "encode/cnf/gossip.h"

#include <stdlib.h>

enum { COMPARED = 20 }; /* edges of the first step that are compared with their images */

struct pattern_sink {
	struct counted_solver *solver;
	const struct plan *plan;
	const struct pattern_limit *limit;
	int variables;
};

/* A number in unary: the i-th variable says "more than i". */
struct unary {
	int n;
	int *of; /* owned */
};

static void clause(void *context, const int *literals, size_t n)
{
	struct pattern_sink *k = context;

	counted_solver_clause(k->solver, literals, n);
}

/* A clause of up to three literals; 0: none. */
static void write_clause(struct pattern_sink *k, int a, int b, int c)
{
	const int all[] = {a, b, c};
	int literals[3];
	size_t n = 0;

	for (size_t i = 0; i < 3; i++)
		if (all[i])
			literals[n++] = all[i];
	clause(k, literals, n);
}

/* X + Y, both of which are freed, as far as one more than may be paid. */
static struct unary plus(struct pattern_sink *k, struct unary x, struct unary y)
{
	int most = k->limit->most + 1;
	struct unary z = {x.n + y.n < most ? x.n + y.n : most, NULL};

	z.of = new_array(int, (size_t)z.n);
	for (int i = 0; i < z.n; i++)
		z.of[i] = ++k->variables;
	for (int i = 0; i <= x.n; i++)
		for (int j = 0; j <= y.n; j++) {
			int sum = i + j < z.n ? i + j : z.n;
			if (sum && (i + j <= z.n || !i || !j))
				write_clause(k, i ? -x.of[i - 1] : 0, j ? -y.of[j - 1] : 0, z.of[sum - 1]);
			if (i + j < z.n)
				write_clause(k, i < x.n ? x.of[i] : 0, j < y.n ? y.of[j] : 0, -z.of[i + j]);
		}
	free(x.of);
	free(y.of);
	return z;
}

/* What is paid in the steps from FIRST to LAST. */
static struct unary paid(struct pattern_sink *k, int first, int last)
{
	const struct plan *p = k->plan;
	size_t cells = last < first ? 0 : (size_t)(last - first + 1) * (size_t)p->edges, n = 0;
	struct unary *all = new_array(struct unary, cells), sum = {0};

	for (int s = first; s <= last; s++)
		for (int e = 0; e < p->edges; e++) {
			int price = k->limit->price[(size_t)(s - 1) * (size_t)p->edges + (size_t)e];
			int times = price > k->limit->most ? k->limit->most + 1 : price;
			if (!times)
				continue;
			all[n] = (struct unary){times, new_array(int, (size_t)times)};
			for (int i = 0; i < times; i++)
				all[n].of[i] = plan_send(p, 0, e, s);
			n++;
		}
	for (; n > 1; n = (n + 1) / 2)
		for (size_t i = 0; i < n; i += 2)
			all[i / 2] = i + 1 < n ? plus(k, all[i], all[i + 1]) : all[i];
	if (n)
		sum = all[0];
	free(all);
	return sum;
}

static void write_limit(struct pattern_sink *k)
{
	int steps = k->plan->steps, half = steps / 2, most = k->limit->most;
	struct unary early = paid(k, 1, half), late = paid(k, steps - half + 1, steps);

	for (int i = 0; i < early.n && k->limit->mirrored; i++)
		write_clause(k, -early.of[i], i < late.n ? late.of[i] : 0, 0);
	if (k->limit->mirrored && early.n > most / 2)
		write_clause(k, -early.of[most / 2], 0, 0);
	struct unary all = plus(k, plus(k, early, late), paid(k, half + 1, steps - half));
	if (all.n > most)
		write_clause(k, -all.of[most], 0, 0);
	free(all.of);
}

static void write_symmetry(struct pattern_sink *k, const int *to)
{
	const struct network *w = k->plan->network;
	int same = 0, compared = 0; /* 0: no condition yet */

	for (int e = 0; e < k->plan->edges && compared < COMPARED; e++) {
		int image = network_edge(w, to[w->edges[e].src], to[w->edges[e].dst]);
		if (image == e || image < 0)
			continue;
		int mine = plan_send(k->plan, 0, e, 1), other = plan_send(k->plan, 0, image, 1), still = ++k->variables;
		write_clause(k, -same, -other, mine);
		write_clause(k, -same, -other, still);
		write_clause(k, -same, mine, still);
		same = still;
		compared++;
	}
}

static bool value(void *context, int variable)
{
	struct pattern_sink *k = context;
	return ccadical_val(k->solver->cadical, variable) > 0;
}

enum answer solve_pattern(const struct instance *i, const struct pattern_limit *l, struct solution *out)
{
	struct instance one = *i;
	one.rounds = one.steps;
	struct plan *p = plan_new(&one, NULL);
	struct pattern_sink k = {counted_solver_new(), p, l, p->variables};
	const struct sink to = {&k, clause, NULL, NULL, NULL};
	struct clause c = {.to = &to};
	enum answer answer = p->impossible ? ANSWER_NONE : ANSWER_GAVE_UP;

	if (answer == ANSWER_GAVE_UP && !p->too_large) {
		ccadical_set_option(k.solver->cadical, "phase", 0);
		ccadical_set_option(k.solver->cadical, "stabilizeonly", 1);
		if (l->gossip)
			gossip_write(p, l->price, &c, &k.variables);
		else
			direct_write(p, &c, false);
		write_limit(&k);
		for (size_t s = 0; s < l->n_symmetries; s++)
			write_symmetry(&k, l->symmetries + s * (size_t)p->nodes);
		int result = counted_solver_solve(k.solver);
		answer = result == 10 ? ANSWER_FOUND : result == 20 ? ANSWER_NONE : ANSWER_GAVE_UP;
		if (result == 10 && l->gossip)
			gossip_decode(p, l->price, value, &k, out);
		else if (result == 10)
			direct_decode(p, value, &k, out);
	}
	free(c.literals);
	counted_solver_free(k.solver);
	plan_free(p);
	return answer;
}
