/*
 * A frontier and its class of candidates: S from the step bound, R - S <= k, R/C from the bandwidth bound. The
 * candidates that would beat the points are enumerated; a point is Pareto-optimal within the class once all that beat
 * it are refuted.
 */

#include "synth/frontier/frontier_parts.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

const char *const frontier_end_names[] = {"bound", "steps", "limit", "time"};

struct frontier *frontier_new(const struct problem *p, int k, int max_chunks)
{
	struct frontier *f = new(struct frontier);
	f->topology = topology_copy(p->topology);
	f->collective = collective_copy(&p->collective);
	f->within = p->composed ? WITHIN_COMPOSITION : p->direct ? WITHIN_ONE_VALUE : WITHIN_ALL;
	f->constraints = p->constraints;
	f->k = k;
	f->unit = p->unit;
	f->max_chunks = max_chunks;
	f->bound_steps = p->bounds.steps;
	f->bound_bandwidth = p->bounds.bandwidth;
	f->last_steps = p->bounds.steps - 1;
	return f;
}

void frontier_free(struct frontier *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_points; i++) {
		algorithm_free(f->points[i]);
		free(f->files[i]);
	}
	free(f->points);
	free(f->files);
	free(f->refuted);
	free(f->open);
	step_values_free(&f->values);
	step_values_free(&f->halves[0]);
	step_values_free(&f->halves[1]);
	frontier_free(f->composed);
	collective_free(&f->collective);
	topology_free(f->topology);
	free(f);
}

void frontier_add(struct frontier *f, struct algorithm *a)
{
	f->points = grown(f->points, &f->points_capacity, f->n_points + 1, sizeof *f->points);
	f->files = grown(f->files, &f->files_capacity, f->n_points + 1, sizeof *f->files);
	f->points[f->n_points] = a;
	f->files[f->n_points++] = NULL;
}

bool frontier_expand(struct frontier *f, struct error *e)
{
	for (size_t i = 0; i < f->n_points; i++)
		if (!algorithm_expand(f->points[i], e))
			return false;
	return !f->composed || frontier_expand(f->composed, e);
}

bool frontier_is_composed(const struct frontier *f, const struct algorithm *point)
{
	return f->within == WITHIN_ONE_VALUE && point->optimality.within == WITHIN_COMPOSITION;
}

struct rational frontier_best(const struct frontier *f, int steps)
{
	struct rational best = rational(1, 0);
	for (size_t i = 0; i < f->n_points && (int)f->points[i]->n_steps <= steps; i++)
		best = algorithm_bandwidth(f->points[i]);
	return best;
}

bool frontier_at_bound(const struct frontier *f)
{
	struct rational best = frontier_best(f, f->last_steps);
	return rational_ok(best) && (rational_compare(best, f->bound_bandwidth) <= 0 || f->bound_bandwidth.num == 0);
}

int frontier_least_chunks(const struct frontier *f, int rounds, struct rational than)
{
	int64_t chunks = f->unit;

	if (rational_ok(than)) { /* R/C < than: C > R/than */
		chunks = rational_floor(rational_div(rational(rounds, 1), than)) + 1;
		chunks = (chunks + f->unit - 1) / f->unit * f->unit;
	}
	if (chunks > CHUNKS_MAX || (f->max_chunks && chunks > f->max_chunks))
		return 0;
	/* If nothing need cross a link, R/C has no minimum: one point, with any R/C, is enough. */
	if (f->bound_bandwidth.num == 0)
		return rational_ok(than) ? 0 : (int)chunks;
	return rational_compare(rational(rounds, chunks), f->bound_bandwidth) < 0 ? 0 : (int)chunks;
}

/* The largest C of the class with R rounds; 0 if the bandwidth bound is 0, for then no candidate need be refuted. */
static int most_chunks(const struct frontier *f, int rounds)
{
	if (f->bound_bandwidth.num == 0)
		return 0;
	int64_t most = rational_floor(rational_div(rational(rounds, 1), f->bound_bandwidth));
	if (f->max_chunks && most > f->max_chunks)
		most = f->max_chunks;
	return (int)(most < CHUNKS_MAX ? most : CHUNKS_MAX);
}

int frontier_first_steps(const struct frontier *f)
{
	return f->bound_steps > 1 ? f->bound_steps : 1;
}

size_t frontier_class_size(const struct frontier *f, int last_steps)
{
	size_t size = 0;

	for (int s = frontier_first_steps(f); s <= last_steps; s++) {
		struct rational best = frontier_best(f, s);
		for (int r = s; r <= s + f->k; r++) {
			int least = frontier_least_chunks(f, r, best), most = most_chunks(f, r);
			size += least && least <= most ? (size_t)((most - least) / f->unit + 1) : 0;
		}
	}
	return size;
}

int frontier_list_order(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;
	if (a->steps != b->steps)
		return a->steps < b->steps ? -1 : 1;
	int order = rational_compare(candidate_bandwidth(*a), candidate_bandwidth(*b));
	return order ? order : (a->chunks > b->chunks) - (a->chunks < b->chunks);
}

struct candidate_list {
	size_t n, capacity;
	struct candidate *all;
};

static void put(struct candidate_list *l, struct candidate c)
{
	l->all = grown(l->all, &l->capacity, l->n + 1, sizeof c);
	l->all[l->n++] = c;
}

/* No more steps and no larger R/C, and at least one of them smaller. */
static bool beats(struct candidate c, const struct algorithm *point)
{
	int order = rational_compare(candidate_bandwidth(c), algorithm_bandwidth(point));
	return c.steps <= (int)point->n_steps && (order < 0 || (order == 0 && c.steps < (int)point->n_steps));
}

/* If every better candidate is refuted, the point is proved by exhaustion, unless a bound proves it already. */
static void prove_point(const struct frontier *f, struct algorithm *point)
{
	struct optimality *o = &point->optimality;
	struct candidate_list better = {0};

	if (frontier_is_composed(f, point))
		return;
	for (size_t i = 0; i < f->n_open; i++)
		if (beats(f->open[i], point))
			return;
	/* No claim if --max-chunks restricted the class, or if nothing need cross a link, where no R/C is the least. */
	if (o->class == CLASS_BANDWIDTH || o->class == CLASS_BOTH || f->max_chunks || f->bound_bandwidth.num == 0)
		return;
	for (size_t i = 0; i < f->n_refuted; i++)
		if (beats(f->refuted[i], point))
			put(&better, f->refuted[i]);
	free(o->refuted);
	o->class = o->class == CLASS_LATENCY ? CLASS_LATENCY : CLASS_PARETO;
	o->proof = PROOF_EXHAUSTED;
	o->within = f->within;
	o->class_k = f->k;
	o->refuted = better.all;
	o->n_refuted = better.n;
}

void frontier_settle(struct frontier *f, int last_steps, bool (*refuted)(const void *context, struct candidate c),
		     const void *context)
{
	struct candidate_list no = {0}, open = {0};

	f->last_steps = last_steps;
	for (int s = frontier_first_steps(f); s <= last_steps; s++) {
		struct rational best = frontier_best(f, s);
		for (int r = s; r <= s + f->k; r++) {
			int least = frontier_least_chunks(f, r, best), most = most_chunks(f, r);
			for (int c = least; c && c <= most; c += f->unit) {
				struct candidate better = {c, s, r};
				put(refuted(context, better) ? &no : &open, better);
			}
		}
	}
	if (no.n)
		qsort(no.all, no.n, sizeof *no.all, frontier_list_order);
	if (open.n)
		qsort(open.all, open.n, sizeof *open.all, frontier_list_order);
	free(f->refuted);
	free(f->open);
	f->refuted = no.all, f->n_refuted = no.n;
	f->open = open.all, f->n_open = open.n;
	for (size_t i = 0; i < f->n_points; i++)
		prove_point(f, f->points[i]);
}
