/*
 * A frontier is combined from the frontiers of the halves, scaled to a common C. On a machine that equals its own reverse,
 * only one half is searched.
 */

#include "synth/frontier/compose_frontier.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/halves.h"
#include "synth/frontier/keep_point.h"
#include "synth/frontier/known_frontiers.h"
#include "synth/frontier/program_search.h"
#include "synth/frontier/program_values.h"
#include "synth/frontier/search.h"

#include <stdlib.h>
#include <unistd.h>

/* The results of both halves, once they have been searched. */
struct curves {
	const struct problem *problem;
	struct frontier *frontiers[HALVES];
};

/* The least R/C that a half of STEPS steps could have: that of a point or of a candidate left open, in units of an
 * allgather's C. Not a number: there is no algorithm. */
static struct rational could_have(const struct curves *v, int half, int steps)
{
	const struct frontier *f = v->frontiers[half];
	struct rational least = frontier_best(f, steps);

	for (size_t i = 0; i < f->n_open; i++) {
		struct rational open = candidate_bandwidth(f->open[i]);
		if (f->open[i].steps <= steps && (!rational_ok(least) || rational_compare(open, least) < 0))
			least = open;
	}
	return half == SCATTERED ? rational_mul(least, rational(v->problem->unit, 1)) : least;
}

/* Is every split of the candidate's steps too costly? */
static bool composition_refuted(const void *context, struct candidate c)
{
	const struct curves *v = context;
	struct rational wanted = rational(c.rounds, c.chunks / v->problem->unit);

	for (int s = 1; s < c.steps; s++) {
		struct rational a = could_have(v, SCATTERED, s), b = could_have(v, GATHERED, c.steps - s);
		if (!rational_ok(a) || !rational_ok(b))
			continue;
		if (rational_compare(rational_add(a, b), wanted) <= 0)
			return false;
	}
	return true;
}

struct point_pair {
	const struct algorithm *scattered, *gathered;
	struct rational bandwidth; /* of the composition */
	int64_t chunks;            /* C of the composition: the halves are scaled to a common C */
	int unevenness;
};

static struct point_pair pair_of(const struct algorithm *scattered, const struct algorithm *gathered, int unit)
{
	int64_t a = scattered->chunks / unit, b = gathered->chunks, x = a, y = b;
	while (y) {
		int64_t rest = x % y;
		x = y, y = rest;
	}
	struct rational half = rational_div(algorithm_bandwidth(gathered), rational(unit, 1));
	return (struct point_pair){scattered, gathered, rational_add(algorithm_bandwidth(scattered), half), a / x * b * unit,
			     abs((int)scattered->n_steps - (int)gathered->n_steps)};
}

/* By least cost, then fewest chunks, then the more even split; of equals the first is kept. */
static bool is_better(const struct point_pair *a, const struct point_pair *b)
{
	int order = rational_compare(a->bandwidth, b->bandwidth);
	if (order)
		return order < 0;
	if (a->chunks != b->chunks)
		return a->chunks < b->chunks;
	return a->unevenness < b->unevenness;
}

/* The most chunks that a composition may have. */
static int64_t most_chunks(const struct curves *v, const struct pareto_options *o)
{
	int64_t usual = o->k == WITHOUT_K ? (int64_t)PROGRAM_CHUNKS * v->problem->unit : CHUNKS_MAX;
	int64_t most = o->max_chunks ? o->max_chunks : usual < CHUNKS_MAX ? usual : CHUNKS_MAX;

	return o->chunks_at_most && o->chunks_at_most < most ? o->chunks_at_most : most;
}

/* The best pair with at most MOST chunks. */
static struct point_pair best_pair(const struct curves *v, int steps, int64_t most)
{
	struct point_pair best = {0};
	const struct frontier *s = v->frontiers[SCATTERED], *g = v->frontiers[GATHERED];

	for (size_t i = 0; i < s->n_points; i++)
		for (size_t j = 0; j < g->n_points; j++) {
			if (s->points[i]->n_steps + g->points[j]->n_steps != (size_t)steps)
				continue;
			struct point_pair p = pair_of(s->points[i], g->points[j], v->problem->unit);
			if (p.chunks <= most && (!best.gathered || is_better(&p, &best)))
				best = p;
		}
	return best;
}

static struct algorithm *compose_pair(const struct problem *p, const struct point_pair *pair, struct error *e)
{
	int scale = (int)(pair->chunks / pair->scattered->chunks);
	struct algorithm *scattered = algorithm_scaled(pair->scattered, scale, e);
	scale = (int)(pair->chunks / p->unit / pair->gathered->chunks);
	return halves_join(p, scattered, algorithm_scaled(pair->gathered, scale, e), e);
}

/* Takes both; returns the one with the smaller R/C. */
static struct algorithm *better_of(struct algorithm *a, struct algorithm *b)
{
	bool second = !a || (b && rational_compare(algorithm_bandwidth(b), algorithm_bandwidth(a)) < 0);

	algorithm_free(second ? a : b);
	return second ? b : a;
}

/* Joins the half that is fixed, scaled to C chunks, with another of the remaining steps, made for as many chunks. */
static struct algorithm *join_made(const struct curves *v, const struct halves *h, int fixed, const struct algorithm *half, int64_t chunks, int steps)
{
	struct algorithm *both[HALVES];
	struct error unused = {0};
	int unit = v->problem->unit, other = fixed == SCATTERED ? GATHERED : SCATTERED;
	int64_t own[HALVES] = {[SCATTERED] = chunks, [GATHERED] = chunks / unit};

	both[fixed] = algorithm_scaled(half, (int)(own[fixed] / half->chunks), &unused);
	both[other] = program_algorithm_of(&h->problems[other], steps - (int)half->n_steps, (int)own[other], &unused);
	return halves_join(v->problem, both[SCATTERED], both[GATHERED], &unused);
}

/*
 * Without k, where the best pair has too many chunks in common: each of its halves, scaled to about MOST chunks, with
 * one made for as many. NULL: none.
 */
static struct algorithm *commensurate(const struct curves *v, const struct halves *h, const struct point_pair *pair, int64_t most)
{
	const struct algorithm *of[HALVES] = {pair->scattered, pair->gathered};
	struct algorithm *best = NULL;

	for (int i = 0; i < HALVES; i++) {
		int64_t each = (int64_t)of[i]->chunks * (i == GATHERED ? v->problem->unit : 1);
		if (each <= most)
			best = better_of(best, join_made(v, h, i, of[i], most / each * each, (int)(pair->scattered->n_steps + pair->gathered->n_steps)));
	}
	return best;
}

/* The best composition of so many steps. NULL without an error: none. */
static struct algorithm *best_composition(const struct curves *v, const struct halves *h, const struct pareto_options *o, int steps,
					  struct rational than, struct error *e)
{
	int64_t most = most_chunks(v, o);
	struct point_pair best = best_pair(v, steps, most), any = best_pair(v, steps, INT64_MAX);
	bool gains = best.gathered && (!rational_ok(than) || rational_compare(best.bandwidth, than) < 0);
	struct error why = {0};
	struct algorithm *a = gains ? compose_pair(v->problem, &best, &why) : NULL;

	if (why.kind != ERROR_NONE && why.kind != ERROR_LIMIT) /* too large to be verified: as if there were none */
		*e = why;
	if (e->kind == ERROR_NONE && o->k == WITHOUT_K && any.gathered && (!best.gathered || rational_compare(any.bandwidth, best.bandwidth) < 0) &&
	    (!rational_ok(than) || rational_compare(any.bandwidth, than) < 0))
		a = better_of(a, commensurate(v, h, &any, most));
	if (a && rational_ok(than) && rational_compare(algorithm_bandwidth(a), than) >= 0) {
		algorithm_free(a);
		a = NULL;
	}
	return a;
}

/* The value of a half for STEPS steps, in units of a reducescatter's C. Not a number: it needs more. */
static struct rational half_value(const struct frontier *f, int unit, int steps, bool *attained)
{
	const struct step_value *at = step_values_at(&f->values, steps), *last = f->values.n ? &f->values.of[f->values.n - 1] : NULL;

	if (!at && last && steps > last->steps && f->ended == ENDED_BOUND)
		at = last; /* more steps gain nothing */
	*attained = at && at->attained;
	if (!at && steps < f->bound_steps)
		return rational(1, 0);
	return rational_div(at ? at->at_least : f->bound_bandwidth, rational(unit, 1));
}

struct step_value composed_value(const struct frontier *const halves[HALVES], int unit, int steps)
{
	struct step_value least = {.steps = steps, .at_least = rational(1, 0), .root = -1};

	for (int s = 1; s < steps; s++) {
		bool met[HALVES];
		struct rational a = half_value(halves[SCATTERED], 1, s, &met[SCATTERED]), b = half_value(halves[GATHERED], unit, steps - s, &met[GATHERED]);
		struct rational sum = rational_ok(a) && rational_ok(b) ? rational_add(a, b) : rational(1, 0);
		int order = !rational_ok(sum) ? 1 : rational_ok(least.at_least) ? rational_compare(sum, least.at_least) : -1;
		if (order < 0)
			least.at_least = sum;
		if (order <= 0) /* of several splits one that is attained is enough */
			least.attained = (order == 0 && least.attained) || (met[SCATTERED] && met[GATHERED]);
	}
	return least;
}

static void add_value(const struct curves *v, int steps, struct frontier *f)
{
	const struct frontier *const halves[HALVES] = {v->frontiers[0], v->frontiers[1]};
	struct step_value least = composed_value(halves, v->problem->unit, steps);

	if (!rational_ok(least.at_least) || rational_compare(least.at_least, f->bound_bandwidth) < 0) {
		least.at_least = f->bound_bandwidth;
		least.attained = false;
	}
	step_values_add(&f->values, least);
	f->last_steps = steps;
	frontier_claim_values(f);
}

static bool compose_points(const struct curves *v, const struct halves *h, const struct pareto_options *o, int last, struct frontier *f,
			   struct error *e)
{
	int first = bounds_first_steps(&v->problem->bounds);

	f->ended = ENDED_STEPS;
	for (int steps = first; steps <= last && f->ended == ENDED_STEPS; steps++) {
		struct algorithm *a = best_composition(v, h, o, steps, frontier_best(f, steps), e);
		if (a && o->expand && o->k == WITHOUT_K)
			algorithm_expand(a, e);
		if (a)
			frontier_add(f, a);
		if (e->kind != ERROR_NONE)
			return false;
		if (o->k == WITHOUT_K)
			add_value(v, steps, f);
		else
			frontier_settle(f, steps, composition_refuted, v);
		if (frontier_at_bound(f))
			f->ended = ENDED_BOUND;
		if (f->n_points && o->least_steps)
			break;
	}
	if (f->n_open)
		f->ended = ENDED_LIMIT;
	if (f->ended == ENDED_STEPS && o->k == WITHOUT_K && stop_left() <= 0)
		f->ended = ENDED_TIME;
	for (size_t i = 0; i < f->n_points; i++)
		if (!keep_point(f, i, o, e))
			return false;
	return true;
}

/* A half's journal is kept in the allreduce's own folder: an allgather that is searched for itself has another. */
static char *journal_of(const struct problem *whole, const struct problem *half, const struct pareto_options *o)
{
	if (!o->out)
		return NULL;
	return catalog_half_journal_path(o->out, whole->topology, &whole->collective, &half->collective);
}

/* The C of a half with as many chunks as C of the whole, but at least one of each block; 0: 0. */
static int of_half(int chunks, const struct problem *whole, const struct problem *half)
{
	return chunks >= whole->unit ? chunks / whole->unit * half->unit : chunks ? half->unit : 0;
}

static struct frontier *search_half(const struct problem *whole, const struct problem *half, const struct pareto_options *o,
				  int max_steps, struct error *e)
{
	struct pareto_options own = *o;
	char *journal = journal_of(whole, half, o);
	struct answers known = {0};

	own.out = NULL;
	own.found = NULL;
	own.max_steps = max_steps > 0 || o->k != WITHOUT_K ? max_steps : 1; /* 0: as many as there are */
	own.max_chunks = of_half(o->max_chunks, whole, half);
	own.chunks_at_most = of_half(o->chunks_at_most, whole, half);
	struct frontier *f = o->k == WITHOUT_K ? program_search(half, &own, e) : frontier_search(half, &own, journal, &known, e);
	answers_free(&known);
	free(journal);
	return f;
}

/* May a search for the reducescatter take what one before found? That is better than the allgather's: its trees are its own. */
static bool takes_known(const struct pareto_options *o, const struct frontier *gathered)
{
	return o->known && o->k == WITHOUT_K && !o->least_steps && gathered->ended != ENDED_TIME;
}

/* The reducescatter as one searched before, or as the allgather run backwards, or searched. */
static struct frontier *search_scattered(const struct problem *p, const struct halves *h, const struct pareto_options *o, int max_steps,
					 const struct frontier *gathered, struct error *e)
{
	const struct problem *s = &h->problems[SCATTERED];

	return h->mirrored && !takes_known(o, gathered) ? frontier_transferred(gathered, &h->problems[GATHERED], s, e)
							: search_half(p, s, o, max_steps, e);
}

static bool search_halves(const struct problem *p, const struct halves *h, const struct pareto_options *o, int last,
			struct curves *v, struct error *e)
{
	const struct problem *s = &h->problems[SCATTERED], *g = &h->problems[GATHERED];

	double deadline = stop_within(stop_left() / (h->mirrored ? 1 : 2));

	v->frontiers[GATHERED] = search_half(p, g, o, last - s->bounds.steps, e);
	stop_restore(deadline);
	if (!v->frontiers[GATHERED])
		return false;
	v->frontiers[SCATTERED] = search_scattered(p, h, o, last - g->bounds.steps, v->frontiers[GATHERED], e);
	return v->frontiers[SCATTERED] != NULL;
}

void compose_drop_journals(const struct problem *p, const char *dir)
{
	for (int i = 0; i < HALVES; i++) {
		char *journal = catalog_half_journal_path(dir, p->topology, &p->collective, &half_collectives[i]);
		unlink(journal);
		free(journal);
	}
}

struct frontier *compose_search(const struct problem *p, const struct pareto_options *o, struct error *e)
{
	struct halves h;
	struct curves v = {.problem = p};
	int last = o->max_steps ? o->max_steps : p->bounds.steps + 4;

	if (!halves_open(p->topology, &h, e))
		return NULL;
	struct frontier *f = frontier_new(p, o->k, o->max_chunks);
	if (!search_halves(p, &h, o, last, &v, e) || !compose_points(&v, &h, o, last, f, e)) {
		frontier_free(f);
		f = NULL;
	}
	for (int i = 0; i < HALVES; i++) {
		if (f) {
			f->lacked_memory = f->lacked_memory || v.frontiers[i]->lacked_memory;
			f->halves[i] = v.frontiers[i]->values;
			v.frontiers[i]->values = (struct step_values){0};
		}
		frontier_free(v.frontiers[i]);
	}
	halves_close(&h);
	return f;
}
