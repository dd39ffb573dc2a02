/*
 * Solves a composed allreduce through its halves. A single candidate is split in every way into candidates of the
 * halves; a frontier is combined from the frontiers of the halves, scaled to a common C. On a machine that equals its
 * own reverse, the allgather run backwards is also the reducescatter, and only one half is solved.
 */

#include "synth/frontier/compose.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCATTERED, GATHERED, HALVES };
static const struct collective half_collectives[HALVES] = {{.kind = REDUCESCATTER}, {.kind = ALLGATHER}};

struct halves {
	struct problem problems[HALVES];
	bool mirrored; /* the network equals its own reverse: one half answers for both */
};

static bool same_limits(const struct network *a, const struct network *b)
{
	if (a->n_limits != b->n_limits)
		return false;
	for (size_t i = 0; i < a->n_limits; i++) {
		const struct network_limit *x = &a->limits[i], *y = &b->limits[i];
		if (x->bandwidth != y->bandwidth || x->n_edges != y->n_edges ||
		    memcmp(x->edges, y->edges, x->n_edges * sizeof *x->edges) != 0)
			return false;
	}
	return true;
}

static bool same_network(const struct network *a, const struct network *b)
{
	return a->n_edges == b->n_edges && (!a->n_edges || memcmp(a->edges, b->edges, a->n_edges * sizeof *a->edges) == 0) &&
	       same_limits(a, b);
}

static bool halves_open(const struct topology *t, struct halves *h, struct error *e)
{
	if (!problem_open(t, &half_collectives[SCATTERED], &h->problems[SCATTERED], e))
		return false;
	if (!problem_open(t, &half_collectives[GATHERED], &h->problems[GATHERED], e)) {
		problem_close(&h->problems[SCATTERED]);
		return false;
	}
	h->mirrored = same_network(h->problems[SCATTERED].network, h->problems[GATHERED].network);
	return true;
}

static void halves_close(struct halves *h)
{
	for (int i = 0; i < HALVES; i++)
		problem_close(&h->problems[i]);
}

/* Takes both halves; either may be NULL after an error. */
static struct algorithm *join(const struct problem *p, struct algorithm *scattered, struct algorithm *gathered,
			      struct error *e)
{
	struct algorithm *a = scattered && gathered ? algorithm_composed(scattered, gathered, e) : NULL;

	algorithm_free(scattered);
	algorithm_free(gathered);
	return problem_judged(p, a, e);
}

/* The reducescatter that an allgather gives, run backwards, on a machine that equals its own reverse. */
static struct algorithm *mirror(const struct algorithm *gathered, const struct topology *t, struct error *e)
{
	return algorithm_inverted(gathered, t, &half_collectives[SCATTERED], e);
}

/* One split of S and R. Adds its cost to *out and sets the answer; sets the algorithm only if both halves are found. */
static bool solve_shares(const struct problem *p, const struct halves *h, const struct candidate shares[HALVES],
			 candidate_solver *solve_half, const struct solve_options *o, struct candidate_answer *out, struct error *e)
{
	struct candidate_answer got[HALVES] = {{0}, {0}};
	bool once = h->mirrored && shares[SCATTERED].steps == shares[GATHERED].steps &&
		    shares[SCATTERED].rounds == shares[GATHERED].rounds;
	bool ok = true;

	out->answer = ANSWER_FOUND;
	for (int i = HALVES - 1; i >= (once ? GATHERED : SCATTERED) && ok && out->answer == ANSWER_FOUND; i--) {
		ok = solve_half(&h->problems[i], shares[i], o, &got[i], e);
		out->answer = ok ? got[i].answer : ANSWER_GAVE_UP;
		out->seconds += got[i].seconds;
		out->peak_kib = got[i].peak_kib > out->peak_kib ? got[i].peak_kib : out->peak_kib;
		if (ok && (!out->engine || strcmp(got[i].engine, "bounds") != 0))
			out->engine = got[i].engine;
		if (out->answer == ANSWER_GAVE_UP)
			memcpy(out->why, got[i].why, sizeof out->why);
	}
	if (ok && out->answer == ANSWER_FOUND) {
		if (once)
			got[SCATTERED].algorithm = mirror(got[GATHERED].algorithm, p->topology, e);
		out->algorithm = join(p, got[SCATTERED].algorithm, got[GATHERED].algorithm, e);
		return out->algorithm != NULL;
	}
	for (int i = 0; i < HALVES; i++)
		algorithm_free(got[i].algorithm);
	return ok;
}

/* The N-th split of a whole, by ascending distance from the even one: 0 +1 -1 +2 -2 ... */
static int share(int whole, int n)
{
	return whole / 2 + (n % 2 ? (n + 1) / 2 : -(n / 2));
}

static bool shares_at(const struct problem *p, struct candidate c, int steps, int rounds, struct candidate out[HALVES])
{
	out[GATHERED] = (struct candidate){c.chunks / p->unit, steps, rounds};
	out[SCATTERED] = (struct candidate){c.chunks, c.steps - steps, c.rounds - rounds};
	return steps >= 1 && c.steps - steps >= 1 && rounds >= steps && c.rounds - rounds >= c.steps - steps;
}

/* All splits share one time limit. False: it has expired. */
static bool time_left(const struct solve_options *o, double start, struct solve_options *rest)
{
	*rest = *o;
	if (o->timeout > 0)
		rest->timeout = o->timeout - (clock_seconds() - start);
	return o->timeout <= 0 || rest->timeout > 0;
}

bool compose_solve(const struct problem *p, struct candidate c, candidate_solver *solve_half, const struct solve_options *o,
		   struct candidate_answer *out, struct error *e)
{
	struct halves h;
	struct candidate shares[HALVES];
	char open[sizeof out->why] = "";
	struct solve_options rest;
	double start = clock_seconds();
	bool ok = true;

	*out = (struct candidate_answer){.answer = ANSWER_NONE};
	if (!halves_open(p->topology, &h, e))
		return false;
	for (int s = 0; s <= c.steps && ok && out->answer != ANSWER_FOUND; s++)
		for (int r = 0; r <= c.rounds && ok && out->answer != ANSWER_FOUND && time_left(o, start, &rest); r++)
			if (shares_at(p, c, share(c.steps, s), share(c.rounds, r), shares)) {
				ok = solve_shares(p, &h, shares, solve_half, &rest, out, e);
				if (out->answer == ANSWER_GAVE_UP)
					memcpy(open, out->why, sizeof open);
			}
	halves_close(&h);
	if (out->answer != ANSWER_FOUND && !time_left(o, start, &rest))
		snprintf(open, sizeof open, "time limit of %g s", o->timeout);
	if (out->answer != ANSWER_FOUND)
		out->answer = open[0] ? ANSWER_GAVE_UP : ANSWER_NONE;
	if (out->answer == ANSWER_GAVE_UP)
		memcpy(out->why, open, sizeof open);
	if (out->answer == ANSWER_NONE)
		snprintf(out->why, sizeof out->why,
			 "among compositions of reducescatter and allgather, every split of S=%d and R=%d was refuted",
			 c.steps, c.rounds);
	return ok;
}

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

static struct point_pair best_pair(const struct curves *v, int steps)
{
	struct point_pair best = {0};
	const struct frontier *s = v->frontiers[SCATTERED], *g = v->frontiers[GATHERED];

	for (size_t i = 0; i < s->n_points; i++)
		for (size_t j = 0; j < g->n_points; j++) {
			if (s->points[i]->n_steps + g->points[j]->n_steps != (size_t)steps)
				continue;
			struct point_pair p = pair_of(s->points[i], g->points[j], v->problem->unit);
			if (p.chunks <= CHUNKS_MAX && (!best.gathered || is_better(&p, &best)))
				best = p;
		}
	return best;
}

static struct algorithm *compose_pair(const struct problem *p, const struct point_pair *pair, struct error *e)
{
	int scale = (int)(pair->chunks / pair->scattered->chunks);
	struct algorithm *scattered = algorithm_scaled(pair->scattered, scale, e);
	scale = (int)(pair->chunks / p->unit / pair->gathered->chunks);
	return join(p, scattered, algorithm_scaled(pair->gathered, scale, e), e);
}

static bool compose_points(const struct curves *v, const struct pareto_options *o, int last, struct frontier *f,
			   struct error *e)
{
	f->ended = ENDED_STEPS;
	for (int steps = v->problem->bounds.steps; steps <= last && f->ended == ENDED_STEPS; steps++) {
		struct point_pair best = best_pair(v, steps);
		struct rational than = frontier_best(f, steps);
		if (best.gathered && (!o->max_chunks || best.chunks <= o->max_chunks) &&
		    (!rational_ok(than) || rational_compare(best.bandwidth, than) < 0)) {
			struct algorithm *a = compose_pair(v->problem, &best, e);
			if (!a)
				return false;
			frontier_add(f, a);
		}
		frontier_settle(f, steps, composition_refuted, v);
		if (frontier_at_bound(f))
			f->ended = ENDED_BOUND;
		if (f->n_points && o->least_steps)
			break;
	}
	if (f->n_open)
		f->ended = ENDED_LIMIT;
	for (size_t i = 0; i < f->n_points && o->out; i++)
		if (!catalog_store_point(f, i, o->out, e))
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

static struct frontier *search_half(const struct problem *whole, const struct problem *half, const struct pareto_options *o,
				  int max_steps, struct error *e)
{
	struct pareto_options own = *o;
	char *journal = journal_of(whole, half, o);
	struct answers known = {0};

	own.out = NULL;
	own.max_steps = max_steps;
	own.max_chunks = o->max_chunks ? o->max_chunks / whole->unit * half->unit : 0;
	struct frontier *f = frontier_search(half, &own, journal, &known, e);
	answers_free(&known);
	free(journal);
	return f;
}

/* The reducescatter's frontier from the allgather's, on a machine that equals its own reverse. */
static struct frontier *mirror_frontier(const struct frontier *gathered, const struct problem *half, struct error *e)
{
	struct frontier *f = frontier_new(half, gathered->k, 0);

	for (size_t i = 0; i < gathered->n_points; i++) {
		struct algorithm *a = mirror(gathered->points[i], half->topology, e);
		if (!a) {
			frontier_free(f);
			return NULL;
		}
		frontier_add(f, a);
	}
	f->open = copy_bytes(gathered->open, gathered->n_open * sizeof *f->open);
	f->n_open = gathered->n_open;
	for (size_t i = 0; i < f->n_open; i++)
		f->open[i].chunks *= half->unit;
	return f;
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
	v->frontiers[SCATTERED] = h->mirrored ? mirror_frontier(v->frontiers[GATHERED], s, e)
					      : search_half(p, s, o, last - g->bounds.steps, e);
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
	if (!search_halves(p, &h, o, last, &v, e) || !compose_points(&v, o, last, f, e)) {
		frontier_free(f);
		f = NULL;
	}
	for (int i = 0; i < HALVES; i++)
		frontier_free(v.frontiers[i]);
	halves_close(&h);
	return f;
}
