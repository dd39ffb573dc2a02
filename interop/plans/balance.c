/*
 * For each chunk at each rank the order of what arrives and leaves is kept: what leaves after an arrival stays in a later
 * step, what arrives after something left may be in the same step. From the last step backwards this gives the latest step
 * of each send; then, step by step, those that must be sent decide how many rounds it has, and others are sent as long
 * as they fit.
 */

#include "interop/plans/balance.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

/* A send at one of its ends. */
struct send_end {
	int place; /* chunk * ranks + rank */
	int step, send;
	bool arrives;
};

static int by_place(const void *va, const void *vb)
{
	const struct send_end *a = va, *b = vb;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return a->arrives - b->arrives; /* in a step, what leaves is read first */
}

struct balancing {
	struct plan_log *log;
	const struct network *w;
	int steps;
	struct send_end *ends; /* sorted; those of a place are adjacent */
	size_t n_ends;
	int *latest, *now;     /* [send]: the latest step, the one chosen (0: none yet) */
	size_t *at[2];         /* [send]: its end that leaves, and that arrives */
	int64_t *loads;
};

static void find_ends(struct balancing *x)
{
	const struct plan_log *l = x->log;

	for (size_t i = 0; i < l->n; i++) {
		const struct plan_send *s = &l->of[i];
		x->ends[x->n_ends++] = (struct send_end){s->datum * x->w->nodes + s->src, s->step, (int)i, false};
		x->ends[x->n_ends++] = (struct send_end){s->datum * x->w->nodes + s->dst, s->step, (int)i, true};
	}
	qsort(x->ends, x->n_ends, sizeof *x->ends, by_place);
	for (size_t k = 0; k < x->n_ends; k++)
		x->at[x->ends[k].arrives][x->ends[k].send] = k;
}

/* Visits what is before or after an end at its place: calls that matter for order. */
static int latest_by(const struct balancing *x, size_t k)
{
	int latest = x->steps;

	for (size_t i = k + 1; i < x->n_ends && x->ends[i].place == x->ends[k].place; i++) {
		int other = x->latest[x->ends[i].send], gap = x->ends[k].arrives && (!x->ends[i].arrives || x->ends[i].step > x->ends[k].step);
		if (x->ends[i].step > x->ends[k].step || (!x->ends[k].arrives && x->ends[i].arrives))
			latest = other - gap < latest ? other - gap : latest;
	}
	return latest;
}

/* May the send be in STEP, given the choices so far? All before it at both places must be chosen, in steps before. */
static bool may_go(const struct balancing *x, int send, int step)
{
	for (int end = 0; end < 2; end++) {
		size_t k = x->at[end][send];
		for (size_t i = k; i-- > 0 && x->ends[i].place == x->ends[k].place;) {
			if (x->ends[i].step == x->ends[k].step && (x->ends[i].arrives || !end))
				continue;
			int other = x->now[x->ends[i].send];
			bool strictly = x->ends[i].arrives;
			if (!other || (strictly ? other >= step : other > step))
				return false;
		}
	}
	return true;
}

static void choose(struct balancing *x, size_t send, int step)
{
	const struct plan_send *s = &x->log->of[send];
	int edge = network_edge(x->w, s->src, s->dst);

	x->now[send] = step;
	if (edge >= 0)
		x->loads[edge]++;
}

static bool fits(struct balancing *x, size_t send, int64_t rounds)
{
	const struct plan_send *s = &x->log->of[send];
	int edge = network_edge(x->w, s->src, s->dst);

	if (edge < 0)
		return true;
	x->loads[edge]++;
	bool fine = network_rounds(x->w, x->loads) <= rounds;
	x->loads[edge]--;
	return fine;
}

static bool fill_step(struct balancing *x, int step)
{
	memset(x->loads, 0, x->w->n_edges * sizeof *x->loads);
	for (size_t i = 0; i < x->log->n; i++)
		if (!x->now[i] && x->latest[i] <= step) {
			if (!may_go(x, (int)i, step))
				return false;
			choose(x, i, step);
		}
	int64_t rounds = network_rounds(x->w, x->loads);
	for (size_t i = 0; i < x->log->n; i++)
		if (!x->now[i] && may_go(x, (int)i, step) && fits(x, i, rounds > 1 ? rounds : 1))
			choose(x, i, step);
	return true;
}

void sends_balance(struct plan_log *log, const struct network *w, int steps)
{
	struct balancing x = {.log = log, .w = w, .steps = steps};
	bool ok = true;

	if (log->n > BALANCED_MAX || log->n == 0)
		return;
	x.ends = new_array(struct send_end, 2 * log->n);
	x.latest = new_array(int, log->n);
	x.now = new_array(int, log->n);
	x.at[0] = new_array(size_t, log->n);
	x.at[1] = new_array(size_t, log->n);
	x.loads = new_array(int64_t, w->n_edges);
	find_ends(&x);
	for (size_t i = log->n; i-- > 0;) { /* sends are sorted by step */
		int a = latest_by(&x, x.at[0][i]), b = latest_by(&x, x.at[1][i]);
		x.latest[i] = a < b ? a : b;
	}
	for (int step = 1; ok && step <= steps; step++)
		ok = fill_step(&x, step);
	for (size_t i = 0; ok && i < log->n; i++)
		log->of[i].step = x.now[i] ? x.now[i] : x.latest[i];
	free(x.ends);
	free(x.latest);
	free(x.now);
	free(x.at[0]);
	free(x.at[1]);
	free(x.loads);
}
