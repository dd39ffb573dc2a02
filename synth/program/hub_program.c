/*
 * Column generation, as in synth/program/timed_program.c: a column is a pattern of one chunk, of which all images under
 * the symmetries are used alike. It is priced in three parts that do not depend on each other: a forest into the hubs, the
 * exchange, a forest out of them; all cores, and all ways to share the steps among the parts, are tried. The program is
 * then realized like one over trees, since only the loads of a pattern count there.
 */

#include "synth/program/hub_program.h"

#include "synth/program/hub_cores.h"
#include "synth/program/hub_forest.h"
#include "synth/program/hub_orbits.h"
#include "synth/program/images.h"
#include "synth/program/master.h"
#include "synth/program/partial_sums.h"
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
	struct timed_program *p;
	struct master m;
	double *price; /* [step * n_rows + row] */
	double *at;    /* [step * n_edges + edge] */
	int effort;    /* in looking for forests */
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
		sum += g->at[(size_t)(before + c->exchange.of[i].step) * g->m.w->n_edges + (size_t)c->exchange.of[i].edge];
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
	return hub_forest_find(g->m.w, &of, true, 0, before, g->at, g->effort, out);
}

/* The forest out of the hubs of C that have the result, or (BEYOND) of those that have the other half of it. */
static double find_out(const struct hub_generation *g, const struct hub_core *c, bool beyond, int after, struct timed_tree *out)
{
	struct hub_core of = *c;

	if (beyond) {
		of.to = c->beyond;
		of.n_to = c->n_beyond;
	}
	return hub_forest_find(g->m.w, &of, false, after, g->p->steps - after, g->at, g->effort, out);
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
	int steps = g->p->steps;

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

/* Adds the cheapest patterns at the prices g->at that cost less than LIMIT. False: there are none, or it is too late. */
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
		master_add(&g->m, 0, pattern_of(g, &all[i]));
	free(all);
	return n > 0 && !stop_is_due();
}

/* Solves the program of the patterns known; fills the prices. False: not by the deadline. */
static bool solve_restricted(struct hub_generation *g)
{
	if (!linear_solve_wider_in_time(g->m.l))
		return false;
	for (size_t i = 0; i < g->m.cells; i++)
		g->price[i] = fmax(0, -linear_dual(g->m.l, 1 + (int)i));
	master_edge_prices(&g->m, g->price, g->at);
	return true;
}

/* Adds patterns that improve the program; false: none are found. */
static bool improve(struct hub_generation *g)
{
	enum { FIRST = 8, MORE = 4, MOST = 32 };
	double limit = linear_dual(g->m.l, 0) * (1 - tolerance);

	for (g->effort = 0; g->effort <= MOST && !stop_is_due(); g->effort = g->effort ? MORE * g->effort : FIRST)
		if (add_patterns(g, limit))
			return true;
	return false;
}

static bool generate(struct hub_generation *g)
{
	enum { ITERATIONS = 400 };
	bool solved = false;

	for (size_t i = 0; i < g->m.prices; i++)
		g->at[i] = 1;
	if (!add_patterns(g, INFINITY))
		return false;
	for (int i = 0; i < ITERATIONS && (solved = solve_restricted(g)) && improve(g); i++)
		;
	return solved;
}

static void take_solution(struct hub_generation *g)
{
	int64_t *unused = new_array(int64_t, g->m.cells);

	if (!master_exact(&g->m, unused) && !g->p->rounds) {
		double *amount = new_array(double, g->p->n_columns);
		for (size_t c = 0; c < g->p->n_columns; c++)
			amount[c] = linear_value(g->m.l, g->p->steps + (int)c) / (double)g->m.scale;
		master_rounded(&g->m, amount);
		free(amount);
	}
	free(unused);
}

/* The program of the patterns around CORES under a group. False: there are no patterns, or it is too late. */
static bool solve(const struct instance *i, const struct hub_cores *cores, const struct node_group *group, int steps,
		  struct timed_program *out, struct error *e)
{
	struct hub_generation g = {.cores = cores, .p = out};

	*out = (struct timed_program){.instance = i, .steps = steps};
	if (!commodities_new(i, group->generators, group->n, &out->commodities, e))
		return false;
	master_new(out, &g.m);
	g.tried = new_array(size_t, cores->n);
	g.n_tried = hub_cores_apart(i->network, cores, out->commodities.generators, out->commodities.n_generators, g.tried);
	g.price = new_array(double, g.m.cells);
	g.at = new_array(double, g.m.prices);
	bool ok = generate(&g);
	if (ok)
		take_solution(&g);
	master_free(&g.m);
	free(g.tried);
	free(g.price);
	free(g.at);
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

static void try_group(const struct instance *i, const struct hub_cores *cores, struct node_group group, int steps, int most,
		      struct found *best, struct error *e)
{
	static const double seconds = 10;
	double deadline = stop_within(stop_left() / 4), before = stop_within_cpu(seconds);
	struct found now = {.n = steps};
	struct timed_program p;
	bool solved = solve(i, cores, &group, steps, &p, e);

	stop_restore_cpu(before);
	stop_restore(deadline);
	if (!solved)
		return;
	now.steps = timed_program_steps(&p, most, false, &now.chunks, e);
	for (int s = 0; s < steps && now.steps; s++)
		now.rounds += now.steps[s].rounds;
	timed_program_free(&p);
	keep_better(best, now);
}

/* Under all symmetries a pattern has the most images; under fewer the program is larger, and its schedule has fewer chunks. */
static void try_groups(const struct instance *i, const struct hub_cores *cores, int steps, int most, struct found *best, struct error *e)
{
	struct node_group all = node_group_all(i->network, -1), few = node_group_regular(i->network);
	struct error unused = {0};

	if (!few.n) {
		node_group_free(&few);
		few = node_group_cycle(i->network);
	}
	try_group(i, cores, all, steps, most, best, e);
	if (best->steps && few.n)
		try_group(i, cores, few, steps, most, best, &unused);
	node_group_free(&all);
	node_group_free(&few);
}

struct step *hub_program_steps(const struct instance *i, int steps, int most, int *chunks, struct error *e)
{
	struct found best = {0};
	struct hub_cores cores;

	if (i->network->nodes > HUB_NODES_MAX) {
		error_set(e, ERROR_LIMIT, "hubs", "more than %d nodes", HUB_NODES_MAX);
		return NULL;
	}
	hub_cores_find(i->network, steps, &cores);
	if (cores.n)
		try_groups(i, &cores, steps, most, &best, e);
	else
		error_set(e, ERROR_LIMIT, "hubs", "no hubs are near enough for %d steps", steps);
	hub_cores_free(&cores);
	if (best.steps)
		partial_sums_tell_apart(best.steps, steps, best.chunks, i->network->nodes);
	*chunks = best.chunks;
	return best.steps;
}
