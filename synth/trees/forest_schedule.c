/*
 * Schedules trees in two ways and takes the better. Waves: wave w crosses depth d of its trees in step w + d - 1, so
 * that a step in the middle carries all depths at once, each of another wave: R is at most the rounds of one wave times
 * (waves + depth - 1). Filled: for a given number of steps each send has a deadline step; a step gets the rounds that
 * sends at their deadline need, or as many as keep the busiest links full, and is filled with other sends that are
 * ready.
 */

#include "synth/trees/forest_schedule.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/trees/forest_jobs.h"

#include <stdlib.h>
#include <string.h>

struct timing {
	int steps;
	int *at;          /* [job]: its step */
	int64_t *rounds;  /* [step] */
	int64_t total;
};

static void timing_free(struct timing *t)
{
	free(t->at);
	free(t->rounds);
}

/* Counts rounds from the steps of all jobs; steps without a send are dropped. */
static void count_rounds(const struct forest_jobs *j, struct timing *t)
{
	int64_t *loads = new_array(int64_t, (size_t)t->steps * j->n_widths);
	int *now = new_array(int, (size_t)t->steps), kept = 0;

	for (size_t i = 0; i < j->n; i++)
		forest_jobs_load(j, j->of[i].edge, 1, loads + (size_t)t->at[i] * j->n_widths);
	t->rounds = new_array(int64_t, (size_t)t->steps);
	t->total = 0;
	for (int s = 0; s < t->steps; s++) {
		now[s] = kept;
		t->rounds[kept] = forest_jobs_rounds(j, loads + (size_t)s * j->n_widths);
		t->total += t->rounds[kept];
		kept += t->rounds[kept] > 0;
	}
	for (size_t i = 0; i < j->n; i++)
		t->at[i] = now[t->at[i]];
	t->steps = kept;
	free(loads);
	free(now);
}

static struct timing in_waves(const struct forest_jobs *j)
{
	struct timing t = {.steps = j->waves + j->depth - 1, .at = new_array(int, j->n)};

	for (size_t i = 0; i < j->n; i++)
		t.at[i] = j->of[i].wave + j->of[i].depth - 1;
	count_rounds(j, &t);
	return t;
}

struct filling {
	const struct forest_jobs *j;
	struct timing *t;
	int *waiting;    /* jobs not yet scheduled, in order */
	size_t n_waiting;
	/*
	 * [L]: load of all waiting jobs, of those that are ready, of those at their deadline, of those scheduled in
	 * this step.
	 */
	int64_t *left, *ready, *forced, *loads;
};

static bool is_ready(const struct filling *f, int job, int step)
{
	int before = f->j->of[job].before;
	return before < 0 || f->t->at[before] < step;
}

static void survey(struct filling *f, int step)
{
	size_t bytes = f->j->n_widths * sizeof(int64_t);

	memset(f->ready, 0, bytes);
	memset(f->forced, 0, bytes);
	memset(f->loads, 0, bytes);
	for (size_t i = 0; i < f->n_waiting; i++) {
		const struct forest_job *job = &f->j->of[f->waiting[i]];
		if (step + job->height >= f->t->steps)
			forest_jobs_load(f->j, job->edge, 1, f->forced);
		if (is_ready(f, f->waiting[i], step))
			forest_jobs_load(f->j, job->edge, 1, f->ready);
	}
}

static int64_t up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

/* The most rounds for which no critical link idles: what is not ready yet must fit into the rounds after this step. */
static int64_t busy_rounds(const struct filling *f, int64_t all)
{
	int64_t least = all;

	for (size_t l = 0; l < f->j->n_widths; l++) {
		int64_t full = f->ready[l] / f->j->widths[l], spare = all - up(f->left[l] - f->ready[l], f->j->widths[l]);
		int64_t most = full > spare ? full : spare;
		least = most < least ? most : least;
	}
	return least;
}

static int64_t choose_rounds(const struct filling *f, int step, bool eager)
{
	int64_t all = forest_jobs_rounds(f->j, f->left), forced = forest_jobs_rounds(f->j, f->forced);
	int64_t rounds = busy_rounds(f, all), share = up(all, f->t->steps - step);

	if (!eager && rounds > share)
		rounds = share;
	if (rounds < forced)
		rounds = forced;
	return rounds > 0 ? rounds : 1;
}

static bool fits(const struct filling *f, int edge, int64_t rounds)
{
	const struct forest_jobs *j = f->j;

	forest_jobs_load(j, edge, 1, f->loads);
	for (int i = j->loaded.begin[edge]; i < j->loaded.begin[edge + 1]; i++)
		if (f->loads[j->loaded.of[i]] > j->widths[j->loaded.of[i]] * rounds) {
			forest_jobs_load(j, edge, -1, f->loads);
			return false;
		}
	return true;
}

static void fill_step(struct filling *f, int step, bool eager)
{
	size_t kept = 0;

	survey(f, step);
	int64_t rounds = choose_rounds(f, step, eager);
	for (size_t i = 0; i < f->n_waiting; i++) {
		int job = f->waiting[i], edge = f->j->of[job].edge;
		if (!is_ready(f, job, step) || !fits(f, edge, rounds)) {
			f->waiting[kept++] = job;
			continue;
		}
		f->t->at[job] = step;
		forest_jobs_load(f->j, edge, -1, f->left);
	}
	f->n_waiting = kept;
}

static struct timing filled(const struct forest_jobs *j, int steps, bool eager)
{
	struct timing t = {.steps = steps, .at = new_array(int, j->n)};
	struct filling f = {.j = j, .t = &t, .waiting = new_array(int, j->n), .n_waiting = j->n};

	f.left = new_array(int64_t, j->n_widths);
	f.ready = new_array(int64_t, j->n_widths);
	f.forced = new_array(int64_t, j->n_widths);
	f.loads = new_array(int64_t, j->n_widths);
	for (size_t i = 0; i < j->n; i++) {
		t.at[i] = steps; /* not scheduled yet */
		f.waiting[i] = (int)i;
		forest_jobs_load(j, j->of[i].edge, 1, f.left);
	}
	for (int s = 0; s < steps && f.n_waiting; s++)
		fill_step(&f, s, eager);
	free(f.waiting);
	free(f.left);
	free(f.ready);
	free(f.forced);
	free(f.loads);
	count_rounds(j, &t);
	return t;
}

/* Fewer rounds, then fewer steps. Takes ownership of both and frees the other. */
static struct timing better(struct timing a, struct timing b)
{
	bool first = a.total != b.total ? a.total < b.total : a.steps <= b.steps;

	timing_free(first ? &b : &a);
	return first ? a : b;
}

/* More steps leave more freedom to balance loads. Ends where the routes' own bound is met or the work gets large. */
static struct timing best_timing(const struct forest_jobs *j)
{
	enum { MORE_MAX = 256, LOOKS_MAX = 1 << 24 };
	int64_t *loads = new_array(int64_t, j->n_widths);
	struct timing best = in_waves(j);

	for (size_t i = 0; i < j->n; i++)
		forest_jobs_load(j, j->of[i].edge, 1, loads);
	int64_t least = forest_jobs_rounds(j, loads);
	free(loads);
	for (int more = 0; more <= MORE_MAX && (best.total > least || best.steps > j->depth + more); more = more ? 2 * more : 1) {
		if (more && (int64_t)j->n * (j->depth + more) > LOOKS_MAX)
			break;
		for (int eager = 0; eager < 2; eager++)
			best = better(best, filled(j, j->depth + more, eager));
	}
	return best;
}

static struct step *steps_of(const struct forest_jobs *j, const struct timing *t)
{
	struct step *steps = new_array(struct step, (size_t)t->steps);
	size_t *n = new_array(size_t, (size_t)t->steps);

	for (size_t i = 0; i < j->n; i++)
		n[t->at[i]]++;
	for (int s = 0; s < t->steps; s++)
		steps[s] = (struct step){.rounds = (int)t->rounds[s], .sends = new_array(struct send, n[s])};
	for (size_t i = 0; i < j->n; i++) {
		const struct edge *edge = &j->network->edges[j->of[i].edge];
		struct step *step = &steps[t->at[i]];
		step->sends[step->n_sends++] = (struct send){j->of[i].chunk, edge->src, edge->dst};
	}
	free(n);
	return steps;
}

struct step *forest_schedule(const struct network *w, const struct forest *f, int waves, size_t *n_steps, struct error *e)
{
	int64_t a_chunk = (f->root < 0 ? (int64_t)f->nodes : 1) * (f->nodes - 1);
	struct forest_jobs j;

	if (f->chunks > FOREST_SENDS_MAX / a_chunk / waves) {
		error_set(e, ERROR_LIMIT, "-C", "%d times %lld trees a root make more than %d sends", waves, (long long)f->chunks,
			  FOREST_SENDS_MAX);
		return NULL;
	}
	forest_jobs_new(w, f, waves, &j);
	struct timing t = best_timing(&j);
	struct step *steps = steps_of(&j, &t);
	*n_steps = (size_t)t.steps;
	timing_free(&t);
	forest_jobs_free(&j);
	return steps;
}

struct rational forest_by_routes(const struct network *w, const struct forest *f)
{
	struct forest none = {.nodes = f->nodes};
	struct rational most = rational(0, 1);
	struct forest_jobs j;

	forest_jobs_new(w, &none, 0, &j); /* only for its index of loads */
	int64_t *loads = new_array(int64_t, j.n_widths);
	for (size_t i = 0; i < f->n_trees; i++)
		for (int v = 0; v < f->nodes; v++)
			if (v != f->trees[i].root)
				forest_jobs_load(&j, network_edge(w, f->trees[i].parent[v], v), f->trees[i].count, loads);
	for (size_t l = 0; l < j.n_widths; l++) {
		struct rational need = rational_div(rational(loads[l], j.widths[l]), rational(f->chunks, 1));
		if (rational_compare(need, most) > 0)
			most = need;
	}
	free(loads);
	forest_jobs_free(&j);
	return most;
}
