/*
 * A pattern is what is sent of one chunk. Its formula is that of an allreduce of one chunk (prove/cnf_direct.c) with a limit on
 * what it pays. Symmetries are not taken on trust: that they map links to links, and keep prices, is all that matters here.
 */

#include "prove/patterns.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/work.h"
#include "core/machine/network.h"
#include "core/symmetry/automorphisms.h"
#include "prove/program_prices.h"
#include "prove/rup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- prices ---- */

static int64_t cost(const struct step_costs *c, int step, int from, int to)
{
	return c->of[((size_t)step * (size_t)c->nodes + (size_t)from) * (size_t)c->nodes + (size_t)to];
}

/* Are links and prices the same if steps and links are reversed? */
static bool is_mirrored(const struct step_costs *c)
{
	if (!work_spend((double)c->steps * c->nodes * c->nodes))
		return false;
	for (int s = 0; s < c->steps; s++)
		for (int u = 0; u < c->nodes; u++)
			for (int v = 0; v < c->nodes; v++)
				if (cost(c, s, u, v) != cost(c, c->steps - 1 - s, v, u))
					return false;
	return true;
}

/* Is TO a permutation of the nodes that maps links to links of the same prices? */
static bool is_symmetry(const struct step_costs *c, const int *to)
{
	bool *taken = new_array(bool, (size_t)c->nodes), ok = work_spend((double)c->steps * c->nodes * c->nodes);

	for (int n = 0; n < c->nodes && ok; n++) {
		ok = to[n] >= 0 && to[n] < c->nodes && !taken[to[n]];
		if (ok)
			taken[to[n]] = true;
	}
	free(taken);
	for (int s = 0; s < c->steps && ok; s++)
		for (int u = 0; u < c->nodes && ok; u++)
			for (int v = 0; v < c->nodes && ok; v++)
				ok = cost(c, s, u, v) == cost(c, s, to[u], to[v]);
	return ok;
}

/* What each edge costs in each step; NULL: more than can be written out. */
static int64_t *edge_prices(const struct network *w, const struct step_costs *c)
{
	int64_t *price = new_array(int64_t, (size_t)c->steps * w->n_edges);

	for (int s = 0; s < c->steps; s++)
		for (size_t e = 0; e < w->n_edges; e++)
			price[(size_t)s * w->n_edges + e] = cost(c, s, w->edges[e].src, w->edges[e].dst);
	return price;
}

/* ---- the formula ---- */

static bool write_formula(const struct question *q, const struct step_program *p, const struct step_costs *c, struct cnf *out,
			  struct error *e)
{
	struct instance i;

	if (!question_instance(q, (struct candidate){1, p->steps, p->steps}, &i, e))
		return false;
	int64_t *price = edge_prices(q->network, c);
	const struct pattern_question asked = {.price = price, .most = (int)p->pays[0].pay - 1, .gossip = p->patterns->gossip,
					       .mirrored = p->patterns->mirrored,
					       .n_symmetries = p->patterns->n_symmetries, .symmetries = p->patterns->symmetries};
	bool ok = cnf_write_pattern(&i, &asked, out, e);
	free(price);
	question_done(&i);
	return ok;
}

static enum program_answer because(char why[PROGRAM_WHY], const char *what)
{
	snprintf(why, PROGRAM_WHY, "%.200s", what);
	return PROGRAM_FALSE;
}

/* Is LEAST no more than PAY over ROUND? Divides, since the product of LEAST and ROUND may not fit. */
static bool is_covered(struct rational least, int64_t pay, wide round)
{
	return round > 0 && (least.num == 0 || round <= (wide)pay * (wide)least.den / (wide)least.num);
}

/* Is it what every pattern pays over what a round can pay, and are the symmetries those of the prices? */
static enum program_answer check_claims(const struct step_program *p, const struct expanded_prices *x, char why[PROGRAM_WHY])
{
	const struct patterns *a = p->patterns;
	size_t nodes = (size_t)x->costs.nodes;

	if (p->n_pays != 1 || p->pays[0].count != 1)
		return because(why, "it states more than what one pattern pays");
	if (p->pays[0].pay < 1 || p->pays[0].pay > PATTERN_PAY_MAX)
		return because(why, "what a pattern pays is out of range");
	if (!is_covered(p->at_least, p->pays[0].pay, x->round))
		return because(why, "that is more than a pattern pays over what a round can pay");
	if (a->recipe.orders.n)
		return because(why, "a single chunk has no order");
	if (a->mirrored && !is_mirrored(&x->costs))
		return because(why, work_is_over() ? "" : "its prices are not the same backwards");
	for (size_t k = 0; k < a->n_symmetries; k++)
		if (!is_symmetry(&x->costs, a->symmetries + k * nodes))
			return because(why, "a symmetry does not keep links and prices");
	return PROGRAM_HOLDS;
}

enum program_answer patterns_formula(const struct question *q, const struct step_program *p, struct cnf *out, char why[PROGRAM_WHY])
{
	struct expanded_prices x;
	struct error e = {0};
	bool too_large;

	why[0] = '\0';
	*out = (struct cnf){0};
	if (q->asked.kind != ALLREDUCE || p->root >= 0)
		return because(why, "patterns are only for an allreduce, without a root");
	if (!step_program_expand(q->network, p, &x, why, &too_large))
		return too_large || work_is_over() ? PROGRAM_TOO_LARGE : PROGRAM_FALSE;
	enum program_answer answer = check_claims(p, &x, why);
	if (answer == PROGRAM_HOLDS && !write_formula(q, p, &x.costs, out, &e))
		answer = e.kind == ERROR_LIMIT ? PROGRAM_TOO_LARGE : because(why, e.what);
	free(x.costs.of);
	return work_is_over() ? PROGRAM_TOO_LARGE : answer;
}

/* ---- making ---- */

/* Is the permutation among the N before it? */
static bool is_known(const int *all, size_t n, const int *to, size_t nodes)
{
	for (size_t k = 0; k < n; k++)
		if (memcmp(all + k * nodes, to, nodes * sizeof *to) == 0)
			return true;
	return false;
}

/* Some automorphisms of the network that keep the prices: products of generators, the shortest first. */
static void find_symmetries(const struct network *w, const struct step_costs *c, struct patterns *out)
{
	size_t nodes = (size_t)w->nodes, n_generators, n = 1, kept = 0;
	int *generators = automorphisms_generators(w, -1, &n_generators), *all = new_array(int, (PATTERN_SYMMETRIES_MOST + 1) * nodes);

	for (size_t v = 0; v < nodes; v++)
		all[v] = (int)v;
	for (size_t k = 0; k < n; k++)
		for (size_t g = 0; g < n_generators && n <= PATTERN_SYMMETRIES_MOST; g++) {
			int *next = all + n * nodes;
			for (size_t v = 0; v < nodes; v++)
				next[v] = generators[g * nodes + (size_t)all[k * nodes + v]];
			n += !is_known(all, n, next, nodes);
		}
	for (size_t k = 1; k < n; k++)
		if (is_symmetry(c, all + k * nodes))
			memmove(all + kept++ * nodes, all + k * nodes, nodes * sizeof *all);
	free(generators);
	out->symmetries = all;
	out->n_symmetries = kept;
}

/* What a pattern must pay at least, so that LEAST is shown; 0: too much. */
static int64_t pay_for(struct rational least, wide round)
{
	wide pay = round > (wide)INT64_MAX ? 0 : ((wide)least.num * round + (wide)least.den - 1) / (wide)least.den;

	return pay <= PATTERN_PAY_MAX ? (int64_t)pay : 0;
}

static bool refute(const struct cnf *f, const struct trace_limits *limits, struct recipe *r, struct error *e)
{
	struct trace t;

	if (!trace_solve(f, limits, &t, e))
		return false;
	if (t.answer == TRACE_FOUND)
		return error_set(e, ERROR_INPUT, "patterns", "some pattern pays less");
	if (t.answer == TRACE_GAVE_UP)
		return error_set(e, ERROR_LIMIT, "patterns", "%s", t.why);
	struct replay got = rup_check(f, t.bytes.bytes, t.bytes.length, limits->interrupted);
	r->solver = copy_string(trace_solver());
	r->bytes = t.bytes.length;
	sha256_of(t.bytes.bytes, t.bytes.length, r->trace);
	text_free(&t.bytes);
	return got.refuted || error_set(e, ERROR_SYSTEM, "trace", "the solver's trace does not refute the formula: at byte %zu, %s", got.byte,
					got.why);
}

/* Is a send free? Then gossips are asked about: all free sends are in, so that the formula is much smaller. */
static bool has_free_send(const struct network *w, const struct step_costs *c)
{
	for (int s = 0; s < c->steps; s++)
		for (size_t e = 0; e < w->n_edges; e++)
			if (cost(c, s, w->edges[e].src, w->edges[e].dst) == 0)
				return true;
	return false;
}

/* Fills in the size and digest of the formula of what P states so far, and makes its refutation. */
static bool make_recipe(struct step_program *p, const struct question *q, const struct trace_limits *limits, struct error *e)
{
	char why[PROGRAM_WHY];
	struct cnf f;

	enum program_answer answer = patterns_formula(q, p, &f, why);
	if (answer != PROGRAM_HOLDS)
		return error_set(e, ERROR_LIMIT, "patterns", "%s", answer == PROGRAM_FALSE ? why : "too large to verify");
	struct recipe *r = &p->patterns->recipe;
	r->variables = f.variables;
	r->clauses = f.n_clauses;
	cnf_digest(&f, r->formula);
	bool ok = refute(&f, limits, r, e);
	cnf_free(&f);
	return ok;
}

/* Fills in what is missing beside the prices. */
static bool make(struct step_program *p, const struct question *q, const struct trace_limits *limits, struct error *e)
{
	struct expanded_prices x;
	char why[PROGRAM_WHY] = "too large";
	bool too_large;

	if (!step_program_expand(q->network, p, &x, why, &too_large))
		return error_set(e, ERROR_LIMIT, "patterns", "%s", why);
	p->pays = new(struct step_pay);
	p->n_pays = 1;
	*p->pays = (struct step_pay){pay_for(p->at_least, x.round), 1};
	p->patterns = new(struct patterns);
	p->patterns->mirrored = is_mirrored(&x.costs);
	find_symmetries(q->network, &x.costs, p->patterns);
	p->patterns->gossip = has_free_send(q->network, &x.costs);
	free(x.costs.of);
	if (make_recipe(p, q, limits, e))
		return true;
	if (!p->patterns->gossip)
		return false;
	*e = (struct error){0}; /* perhaps some gossip pays less, and no pattern does */
	p->patterns->gossip = false;
	recipe_clear(&p->patterns->recipe);
	p->patterns->recipe = (struct recipe){0};
	return make_recipe(p, q, limits, e);
}

bool step_patterns_add(struct side *s, const struct question *q, int steps, const struct rational *prices, struct rational least,
		       const struct trace_limits *limits, struct error *e)
{
	struct step_program p = {.steps = steps, .root = -1, .at_least = least};

	if (step_program_of(s, steps, true))
		return error_set(e, ERROR_INPUT, "programs", "%d steps are there twice", steps);
	if (!step_program_prices(q->network, prices, &p, e) || !make(&p, q, limits, e)) {
		step_program_clear(&p);
		return false;
	}
	s->programs = grown(s->programs, &s->programs_capacity, s->n_programs + 1, sizeof p);
	s->programs[s->n_programs++] = p;
	return true;
}
