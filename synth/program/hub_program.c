/*
 * Column generation, as in synth/program/timed_program.c: a column is a pattern of one chunk, of which all images under
 * the symmetries are used alike. It is priced in three parts that do not depend on each other: a forest into the hubs, the
 * exchange, a forest out of them; all cores, and all ways to share the steps among the parts, are tried. The program is
 * then realized like one over trees, since only the loads of a pattern count there.
 */

#include "synth/program/hub_program.h"

#include "synth/program/dropping_patterns.h"
#include "synth/program/hub_bridges.h"
#include "synth/program/hub_cores.h"
#include "synth/program/hub_forest.h"
#include "synth/program/hub_orbits.h"
#include "synth/program/images.h"
#include "synth/program/partial_sums.h"
#include "synth/program/pattern_program.h"
#include "synth/program/pattern_questions.h"
#include "synth/program/realize.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-7;

/* A program that is being solved. */
struct hub_generation {
	const struct hub_cores *cores;
	size_t n_tried, *tried; /* of these: one of each orbit under the symmetries of the program */
	const struct hub_bridges *bridges;
	size_t n_crossed, *crossed; /* of these likewise */
	struct pattern_program q;
	int effort;   /* in looking for forests */
	int patience; /* in annealing */
	struct pattern_bound *bound; /* NULL: no solver is asked */
};

/* A pattern to be added: a core, and the steps before its exchange. */
struct hub_choice {
	const struct hub_core *core;
	int before;
	double cost;
};

static int by_cost(const void *va, const void *vb)
{
	const struct hub_choice *a = va, *b = vb;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->core != b->core ? (a->core > b->core) - (a->core < b->core) : a->before - b->before;
}

static double exchange_cost(const struct hub_generation *g, const struct hub_core *c, int before)
{
	double sum = 0;

	for (int i = 0; i < c->exchange.n; i++)
		sum += g->q.at[(size_t)(before + c->exchange.of[i].step) * g->q.m.w->n_edges + (size_t)c->exchange.of[i].edge];
	return sum;
}

/* The forest into the hubs of C that add up, or (BESIDE) into those that do so once more; a hub_forest_find. */
static double find_into(const struct hub_generation *g, const struct hub_core *c, bool beside, int before, struct timed_tree *out)
{
	struct hub_core of = *c;

	if (beside) {
		of.from = c->beside;
		of.n_from = c->n_beside;
	}
	return hub_forest_find(g->q.m.w, &of, true, 0, before, g->q.at, g->effort, out);
}

/* The forest out of the hubs of C that have the result, or (BEYOND) of those that have the other half of it. */
static double find_out(const struct hub_generation *g, const struct hub_core *c, bool beyond, int after, struct timed_tree *out)
{
	struct hub_core of = *c;

	if (beyond) {
		of.to = c->beyond;
		of.n_to = c->n_beyond;
	}
	return hub_forest_find(g->q.m.w, &of, false, after, g->q.p->steps - after, g->q.at, g->effort, out);
}

/* All is added up, or sent out, twice: only in one step does no node send a value of one kind as one of the other. */
static bool is_allowed(const struct hub_core *c, int before, int after)
{
	return (!c->n_beside || before == 1) && (!c->n_beyond || after == 1);
}

/* The best way to share the steps among the parts around core C. INFINITY: there is none. */
static struct hub_choice best_around(const struct hub_generation *g, const struct hub_core *c)
{
	struct hub_choice best = {c, 0, INFINITY};
	int steps = g->q.p->steps;

	for (int before = c->into; before + c->dimensions + c->out <= steps; before++) {
		int after = before + c->dimensions;
		if (!is_allowed(c, before, steps - after))
			continue;
		double cost = exchange_cost(g, c, before) + find_into(g, c, false, before, NULL) +
			      (c->n_beside ? find_into(g, c, true, before, NULL) : 0) +
			      find_out(g, c, false, after, NULL) + (c->n_beyond ? find_out(g, c, true, after, NULL) : 0);
		if (cost < best.cost) {
			best.cost = cost;
			best.before = before;
		}
	}
	return best;
}

static void append(struct timed_tree *to, const struct timed_tree *from, int later)
{
	for (int i = 0; i < from->n; i++)
		to->of[to->n++] = (struct timed_edge){from->of[i].step + later, from->of[i].edge};
}

static struct timed_tree pattern_of(const struct hub_generation *g, const struct hub_choice *x)
{
	int after = x->before + x->core->dimensions;
	struct timed_tree into, beside = {0}, out, beyond = {0}, all = {0};

	find_into(g, x->core, false, x->before, &into);
	if (x->core->n_beside)
		find_into(g, x->core, true, x->before, &beside);
	find_out(g, x->core, false, after, &out);
	if (x->core->n_beyond)
		find_out(g, x->core, true, after, &beyond);
	all.of = new_array(struct timed_edge, (size_t)(into.n + beside.n + x->core->exchange.n + out.n + beyond.n));
	append(&all, &into, 0);
	append(&all, &beside, 0);
	append(&all, &x->core->exchange, x->before);
	append(&all, &out, 0);
	append(&all, &beyond, 0);
	free(into.of);
	free(beside.of);
	free(out.of);
	free(beyond.of);
	return all;
}

/* The cheapest pattern around bridge B whose result is formed in step AT; its cost. */
static double best_across(const struct hub_generation *g, const struct hub_bridge *b, int at, struct bridge_pattern *best)
{
	enum { ASIDE_MAX = 8, WORSE_MAX = 2 };
	double least = INFINITY;

	for (int later = 0; later < 2; later++)
		for (int aside = later, worse = 0; aside <= ASIDE_MAX && worse < WORSE_MAX; aside++) {
			struct bridge_pattern p = {b, at, aside, later};
			double cost = hub_bridge_price(g->q.m.w, g->bridges->part, &p, g->q.p->steps, g->q.at, g->effort, NULL);
			worse = cost < least ? 0 : worse + 1;
			if (cost < least) {
				least = cost;
				*best = p;
			}
		}
	return least;
}

/* Adds the patterns across bridges that cost less than LIMIT, one for each step in which the result is formed. */
static bool add_bridges(struct hub_generation *g, double limit)
{
	size_t before = g->q.p->n_columns;

	for (size_t i = 0; i < g->n_crossed; i++)
		for (int at = 1; at + 1 < g->q.p->steps && !stop_is_due(); at++) {
			struct bridge_pattern best;
			struct timed_tree pattern;
			if (best_across(g, &g->bridges->of[g->crossed[i]], at, &best) >= limit)
				continue;
			hub_bridge_price(g->q.m.w, g->bridges->part, &best, g->q.p->steps, g->q.at, g->effort, &pattern);
			pattern_program_add(&g->q, pattern, NULL);
		}
	return g->q.p->n_columns > before;
}

/* Adds the cheapest patterns at the prices g->q.at that cost less than LIMIT. False: there are none, or it is too late. */
static bool add_patterns(struct hub_generation *g, double limit)
{
	enum { AT_ONCE = 24 };
	struct hub_choice *all = new_array(struct hub_choice, g->n_tried);
	size_t n = 0;

	for (size_t i = 0; i < g->n_tried && !stop_is_due(); i++) {
		all[n] = best_around(g, &g->cores->of[g->tried[i]]);
		n += all[n].cost < limit;
	}
	if (n)
		qsort(all, n, sizeof *all, by_cost);
	for (size_t i = 0; i < n && i < AT_ONCE; i++)
		pattern_program_add(&g->q, pattern_of(g, &all[i]), NULL);
	free(all);
	n += add_bridges(g, limit);
	return n > 0 && !stop_is_due();
}

/* Adds patterns that improve the program; false: none are found. */
static bool improve(struct hub_generation *g)
{
	enum { FIRST = 8, MORE = 4, MOST = 32 };
	double limit = pattern_program_limit(&g->q);

	for (g->effort = 0; g->effort <= MOST && !stop_is_due(); g->effort = g->effort ? MORE * g->effort : FIRST)
		if (add_patterns(g, limit))
			return true;
	return false;
}

static bool generate(struct hub_generation *g)
{
	enum { ITERATIONS = 400 };
	static const double around_hubs = 7; /* CPU seconds */
	double before = stop_within_cpu(around_hubs);
	bool solved = false;

	for (size_t i = 0; i < g->q.m.prices; i++)
		g->q.at[i] = 1;
	bool any = add_patterns(g, INFINITY) || g->q.p->n_columns > 0;
	for (int i = 0; i < ITERATIONS && any && (solved = pattern_program_solve(&g->q)) && !pattern_program_is_least(&g->q) && improve(g); i++)
		;
	stop_restore_cpu(before);
	if (!any || !(solved || pattern_program_solve(&g->q)) || !pattern_program_anneal(&g->q, g->patience))
		return false;
	/* Where patterns were added and then it was too late, what was found before is still there. */
	return !g->bound || (pattern_program_ask(&g->q) && pattern_program_bound(&g->q, g->bound)) || pattern_program_solve_late(&g->q);
}

static void take_solution(struct pattern_program *q)
{
	int64_t *unused = new_array(int64_t, q->m.cells);

	if (!master_exact(&q->m, unused) && !q->p->rounds) {
		double *amount = new_array(double, q->p->n_columns);
		for (size_t c = 0; c < q->p->n_columns; c++)
			amount[c] = linear_value(q->m.l, q->p->steps + (int)c) / (double)q->m.scale;
		master_rounded(&q->m, amount);
		free(amount);
	}
	free(unused);
}

/* The patterns of a machine that are mixed, and what they are to attain. */
struct hub_search {
	const struct instance *instance;
	int steps, most;
	struct hub_cores cores;
	struct hub_bridges bridges;
	double least; /* no algorithm has less R/C; 0: that is not known */
	struct pattern_bound *bound; /* that is found */
};

/*
 * The program of the patterns under a group; ASKS: a solver is asked too. *DROPPING: those that are used and drop values. False: there
 * are no patterns, or it is too late.
 */
static bool solve(const struct hub_search *x, const struct node_group *group, int patience, bool asks, struct timed_program *out,
		  struct dropping_patterns *dropping, struct error *e)
{
	const struct network *w = x->instance->network;
	struct hub_generation g = {.cores = &x->cores, .bridges = &x->bridges, .patience = patience, .bound = asks ? x->bound : NULL};

	*out = (struct timed_program){.instance = x->instance, .steps = x->steps};
	if (!commodities_new(x->instance, group->generators, group->n, &out->commodities, e))
		return false;
	pattern_program_new(out, x->least, &g.q);
	g.tried = new_array(size_t, x->cores.n);
	g.n_tried = hub_cores_apart(w, &x->cores, out->commodities.generators, out->commodities.n_generators, g.tried);
	g.crossed = new_array(size_t, x->bridges.n);
	g.n_crossed = hub_bridges_apart(w, &x->bridges, out->commodities.generators, out->commodities.n_generators, g.crossed);
	bool ok = generate(&g);
	*dropping = (struct dropping_patterns){0};
	if (ok) {
		take_solution(&g.q);
		dropping_patterns_new(out, g.q.drops, group, dropping);
	}
	pattern_program_free(&g.q);
	free(g.tried);
	free(g.crossed);
	if (!ok) {
		timed_program_free(out);
		error_set(e, ERROR_LIMIT, "hubs", "no pattern was found in time");
	}
	return ok;
}

/* ---- groups ---- */

/* A schedule that was found. */
struct found {
	struct step *steps;
	int n, chunks, rounds;
};

static bool is_better(const struct found *a, const struct found *b)
{
	int64_t left = (int64_t)a->rounds * b->chunks, right = (int64_t)b->rounds * a->chunks;

	return !b->steps || left < right || (left == right && a->chunks < b->chunks);
}

/* Keeps the better of two schedules; takes OTHER. */
static void keep_better(struct found *best, struct found other)
{
	struct found worse = other;

	if (!other.steps)
		return;
	if (is_better(&other, best)) {
		worse = *best;
		*best = other;
	}
	if (worse.steps)
		steps_free(worse.steps, (size_t)worse.n);
}

/* Does the mixture attain what no algorithm is below? */
static bool try_group(const struct hub_search *x, const struct node_group *group, int patience, bool asks, struct found *best,
		      struct error *e)
{
	static const double seconds = 45;
	double deadline = stop_within(stop_left() / 4), before = stop_within_cpu(seconds);
	struct found now = {.n = x->steps};
	struct dropping_patterns dropping;
	struct timed_program p;
	bool solved = solve(x, group, patience, asks, &p, &dropping, e);

	stop_restore_cpu(before);
	stop_restore(deadline);
	if (!solved)
		return false;
	bool least = rational_double(p.attained) <= x->least * (1 + tolerance);
	now.steps = timed_program_steps(&p, x->most, false, &now.chunks, e);
	for (int s = 0; s < x->steps && now.steps; s++)
		now.rounds += now.steps[s].rounds;
	timed_program_free(&p);
	if (now.steps)
		partial_sums_tell_apart(now.steps, now.n, now.chunks, x->instance->network->nodes, &dropping);
	dropping_patterns_free(&dropping);
	keep_better(best, now);
	return least;
}

/* Are there no more symmetries than nodes? Then a pattern has few images under all of them. */
static bool is_small(const struct node_group *all, int nodes)
{
	struct node_group elements = node_group_elements(all, nodes, (size_t)nodes);
	bool small = elements.n < (size_t)nodes;

	node_group_free(&elements);
	return small;
}

/* Under all symmetries a pattern has the most images; under fewer the program is larger, and its schedule has fewer chunks. */
static bool try_groups(const struct hub_search *x, struct found *best, struct error *e)
{
	enum { PATIENT = 80, HASTY = 20 };
	const struct network *w = x->instance->network;
	struct node_group all = node_group_all(w, -1), few = node_group_regular(w);
	struct error unused = {0};

	if (!few.n) {
		node_group_free(&few);
		few = node_group_cycle(w);
	}
	bool small = is_small(&all, w->nodes), asks = small && patterns_are_asked_for(w, x->steps);
	bool least = try_group(x, &all, PATIENT, asks, best, e);
	if (best->steps && few.n && !small)
		least = try_group(x, &few, HASTY, false, best, &unused) || least;
	node_group_free(&all);
	node_group_free(&few);
	return least;
}

struct step *hub_program_steps(const struct instance *i, int steps, int most, struct rational least, int *chunks,
			       struct pattern_bound *bound, struct error *e)
{
	struct hub_search x = {.instance = i, .steps = steps, .most = most, .least = rational_double(least), .bound = bound};
	struct found best = {0};
	struct error unused = {0};

	*bound = (struct pattern_bound){0};
	if (i->network->nodes > HUB_NODES_MAX) {
		error_set(e, ERROR_LIMIT, "hubs", "more than %d nodes", HUB_NODES_MAX);
		return NULL;
	}
	hub_bridges_find(i->network, &x.bridges);
	if (!x.bridges.n || !try_groups(&x, &best, &unused)) { /* on a machine of two parts there are so many other cores that finding them takes long */
		hub_cores_find(i->network, steps, &x.cores);
		if (x.cores.n)
			try_groups(&x, &best, e);
		else if (!best.steps)
			error_set(e, ERROR_LIMIT, "hubs", "no hubs are near enough for %d steps", steps);
	}
	hub_cores_free(&x.cores);
	hub_bridges_free(&x.bridges);
	*chunks = best.chunks;
	return best.steps;
}
