/* A problem is what its solver sees: the asked collective and the network, of which the order of limits does not matter. */

#include "synth/frontier/known_frontiers.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/network_same.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"

#include <stdlib.h>
#include <string.h>

struct known_frontier {
	struct frontier *frontier; /* owned */
	struct problem problem;    /* of the frontier's own machine and collective */
	struct known_extent extent;
};

/* ---- from one problem to another ---- */

/* Do both ask the same? OF as of network_same, from the limits of FROM to those of TO. */
static bool asks_the_same(const struct problem *from, const struct problem *to, int *of)
{
	return !from->composed && !to->composed && from->direct == to->direct && from->collective.kind != CUSTOM &&
	       collective_same(&from->asked, &to->asked) && (to->inverted || !from->inverted) && network_same(from->network, to->network, of);
}

/* Prices of all rows in the order of TO's. NULL stays NULL. */
static struct rational *turned_prices(const struct step_value *v, const struct network *w, const int *of)
{
	size_t rows = w->n_edges + w->n_limits;

	if (!v->prices)
		return NULL;
	struct rational *out = copy_bytes(v->prices, v->n_prices * sizeof *out);
	for (size_t first = 0; first < v->n_prices; first += rows)
		for (size_t i = 0; i < w->n_limits; i++)
			out[first + w->n_edges + (size_t)of[i]] = v->prices[first + w->n_edges + i];
	return out;
}

static struct algorithm *turned_point(const struct algorithm *a, const struct problem *from, const struct problem *to, struct error *e)
{
	return from->inverted == to->inverted ? algorithm_copy(a) : algorithm_inverted(a, to->topology, &to->collective, e);
}

static bool turn_points(const struct frontier *f, const struct problem *from, const struct problem *to, struct frontier *out, struct error *e)
{
	for (size_t i = 0; i < f->n_points; i++) {
		struct algorithm *a = turned_point(f->points[i], from, to, e);
		if (!a)
			return false;
		frontier_add(out, a);
	}
	return true;
}

static void turn_values(const struct frontier *f, const struct problem *from, const struct problem *to, const int *of, struct frontier *out)
{
	for (size_t i = 0; i < f->values.n; i++) {
		struct step_value v = f->values.of[i];
		v.prices = turned_prices(&v, from->network, of);
		v.at_least = rational_mul(v.at_least, rational(from->asked_unit, to->asked_unit));
		step_values_add(&out->values, v);
	}
}

struct frontier *frontier_transferred(const struct frontier *f, const struct problem *from, const struct problem *to, struct error *e)
{
	int *of = new_array(int, from->network->n_limits);
	struct frontier *out = NULL;

	if (!asks_the_same(from, to, of)) {
		error_set(e, ERROR_SYSTEM, to->topology->name, "%s does not ask what %s does", collective_name(&to->collective),
			  collective_name(&from->collective));
		free(of);
		return NULL;
	}
	out = frontier_new(to, f->k, f->max_chunks / from->asked_unit * to->asked_unit);
	if (turn_points(f, from, to, out, e)) {
		turn_values(f, from, to, of, out);
		out->open = copy_bytes(f->open, f->n_open * sizeof *f->open);
		out->n_open = f->n_open;
		for (size_t i = 0; i < out->n_open; i++)
			out->open[i].chunks = out->open[i].chunks / from->asked_unit * to->asked_unit;
		out->ended = f->ended;
		out->last_steps = f->last_steps;
		out->lacked_memory = f->lacked_memory;
	} else {
		frontier_free(out);
		out = NULL;
	}
	free(of);
	return out;
}

/* ---- the list ---- */

static bool same_extent(struct known_extent a, struct known_extent b)
{
	return a.last == b.last && a.most == b.most;
}

/* What answers P; if there are several, that of P's own collective. NULL: nothing. */
static const struct known_frontier *known(const struct known_frontiers *l, const struct problem *p, struct known_extent x)
{
	const struct known_frontier *best = NULL;

	for (size_t i = 0; i < l->n; i++) {
		const struct known_frontier *one = &l->of[i];
		bool own = one->problem.inverted == p->inverted;
		if ((own || !best) && same_extent(one->extent, x) && asks_the_same(&one->problem, p, NULL))
			best = one;
		if (best && own && best == one)
			break;
	}
	return best;
}

void known_frontiers_add(struct known_frontiers *l, const struct problem *p, const struct frontier *f, struct known_extent x)
{
	const struct known_frontier *before = known(l, p, x);
	struct known_frontier one = {.extent = x};
	struct error unused = {0};

	if (f->ended == ENDED_TIME || f->k != WITHOUT_K || constraints_any(&p->constraints) || (before && before->problem.inverted == p->inverted) ||
	    !asks_the_same(p, p, NULL))
		return;
	one.frontier = frontier_transferred(f, p, p, &unused);
	if (!one.frontier)
		return;
	if (!problem_open_bounded(one.frontier->topology, &one.frontier->collective, &p->bounds, &one.problem, &unused)) {
		frontier_free(one.frontier);
		return;
	}
	l->of = grown(l->of, &l->capacity, l->n + 1, sizeof *l->of);
	l->of[l->n++] = one;
}

static bool in_order(const int *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (of[i] != (int)i)
			return false;
	return true;
}

struct frontier *known_frontiers_find(const struct known_frontiers *l, const struct problem *p, struct known_extent x, bool *afresh)
{
	const struct known_frontier *one = constraints_any(&p->constraints) ? NULL : known(l, p, x);
	struct error unused = {0};

	if (!one)
		return NULL;
	int *of = new_array(int, p->network->n_limits);
	network_same(one->problem.network, p->network, of);
	*afresh = one->problem.inverted != p->inverted && !in_order(of, p->network->n_limits);
	free(of);
	return frontier_transferred(one->frontier, &one->problem, p, &unused);
}

void known_frontiers_free(struct known_frontiers *l)
{
	for (size_t i = 0; i < l->n; i++) {
		problem_close(&l->of[i].problem);
		frontier_free(l->of[i].frontier);
	}
	free(l->of);
	*l = (struct known_frontiers){0};
}
