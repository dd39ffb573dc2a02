/*
 * List scheduling, step by step: moves that are ready go in order of priority while capacity lasts; those that become
 * ready by them wait for the next step.
 *
 * Many steps of one round: each edge has a queue, and the edge whose first move has the least key is served first. An
 * edge without residual capacity is done for the step, as capacity only shrinks.
 *
 * Few steps, by a deadline: a step has as many rounds as moves at their last possible step need, or as keep the busiest
 * links full, and one pass over all moves that are left fills it.
 */

#include "synth/trees/tree_moves.h"

#include "core/base/heap.h"
#include "core/base/memory.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"
#include "synth/builder/residual_capacity.h"

#include <stdlib.h>
#include <string.h>

/* The loads that decide how many rounds a step has, on each (L, b): edges, then limits. */
struct deadline {
	int steps;
	bool eager;
	size_t n;
	int64_t *width;
	struct csr rows;      /* by edge */
	int *waiting;         /* moves without a step, in order */
	size_t n_waiting;
	bool *is_ready;       /* [move] */
	/* Of all moves that are left, of those that are ready, of those that are at their last step. */
	int64_t *left, *ready, *forced;
};

struct tree_placement {
	const struct tree_moves *m;
	const struct network *w;
	const int64_t *key;
	const struct csr *after;
	struct residual_capacity residual;
	struct deadline *deadline; /* NULL: steps of one round */
	struct heap *queues; /* [edge]: moves by key, then number */
	struct heap edges;   /* edges with a queue, in this step, by the key of their first move */
	int *waits, *freed;  /* [move]: predecessors left; moves that are ready from the next step on */
	int *at;             /* [move]: its step */
	size_t n_freed, left;
};

static void load(const struct deadline *d, int edge, int by, int64_t *loads)
{
	for (int i = d->rows.begin[edge]; i < d->rows.begin[edge + 1]; i++)
		loads[d->rows.of[i]] += by;
}

static struct deadline *deadline_new(const struct tree_moves *m, const struct tree_priority *priority)
{
	const struct network *w = m->network;
	struct deadline *d = new(struct deadline);
	int *number = new_array(int, w->n_edges);

	*d = (struct deadline){.steps = priority->steps, .eager = priority->eager, .n = w->n_edges + w->n_limits};
	d->width = new_array(int64_t, d->n);
	d->left = new_array(int64_t, d->n);
	d->ready = new_array(int64_t, d->n);
	d->forced = new_array(int64_t, d->n);
	for (size_t e = 0; e < w->n_edges; e++) {
		d->width[e] = w->edges[e].bandwidth;
		number[e] = (int)e;
	}
	for (size_t l = 0; l < w->n_limits; l++)
		d->width[w->n_edges + l] = w->limits[l].bandwidth;
	d->rows = limit_index(w, number, (int)w->n_edges);
	free(number);
	d->waiting = new_array(int, m->n);
	d->is_ready = new_array(bool, m->n);
	for (size_t i = 0; i < m->n; i++) {
		d->waiting[d->n_waiting++] = (int)i;
		load(d, m->of[i].edge, 1, d->left);
	}
	return d;
}

static void deadline_free(struct deadline *d)
{
	if (!d)
		return;
	free(d->width);
	csr_free(&d->rows);
	free(d->waiting);
	free(d->is_ready);
	free(d->left);
	free(d->ready);
	free(d->forced);
	free(d);
}

static int64_t rounds_for(const struct deadline *d, const int64_t *loads)
{
	int64_t rounds = 0;

	for (size_t l = 0; l < d->n; l++) {
		int64_t need = quotient_up(loads[l], d->width[l]);
		rounds = need > rounds ? need : rounds;
	}
	return rounds;
}

/* The most rounds for which no critical link idles: what is not ready yet must fit into the rounds after this step. */
static int64_t busy_rounds(const struct deadline *d, int64_t all)
{
	int64_t least = all;

	for (size_t l = 0; l < d->n; l++) {
		int64_t full = d->ready[l] / d->width[l], spare = all - quotient_up(d->left[l] - d->ready[l], d->width[l]);
		int64_t most = full > spare ? full : spare;
		least = most < least ? most : least;
	}
	return least;
}

/* A move must go when no more steps are left than its height. */
static int64_t forced_rounds(const struct tree_placement *p, int step)
{
	struct deadline *d = p->deadline;

	memset(d->forced, 0, d->n * sizeof *d->forced);
	for (size_t i = 0; i < d->n_waiting && step + p->m->of[d->waiting[i]].height >= d->steps; i++)
		load(d, p->m->of[d->waiting[i]].edge, 1, d->forced);
	return rounds_for(d, d->forced);
}

static int64_t choose_rounds(const struct tree_placement *p, int step)
{
	const struct deadline *d = p->deadline;
	int64_t all = rounds_for(d, d->left), forced = forced_rounds(p, step);
	int64_t rounds = busy_rounds(d, all), share = quotient_up(all, d->steps - step);
	if (!d->eager && rounds > share)
		rounds = share;
	if (rounds < forced)
		rounds = forced;
	return rounds > 0 ? rounds : 1;
}

static void enqueue(struct tree_placement *p, int move)
{
	int edge = p->m->of[move].edge;

	if (p->deadline) {
		p->deadline->is_ready[move] = true;
		load(p->deadline, edge, 1, p->deadline->ready);
	} else
		heap_put(&p->queues[edge], (struct heap_entry){p->key[move], move, move});
}

/* Releases the moves that waited for this one, and for virtual moves, which need no capacity. */
static void release(struct tree_placement *p, int move)
{
	for (int k = p->after->begin[move]; k < p->after->begin[move + 1]; k++) {
		int next = p->after->of[k];
		if (--p->waits[next] > 0)
			continue;
		if (p->m->of[next].edge < 0)
			release(p, next);
		else
			p->freed[p->n_freed++] = next;
	}
}

static void go(struct tree_placement *p, int move, int step)
{
	p->at[move] = step;
	p->left--;
	release(p, move);
}

static void fill_step(struct tree_placement *p, int step)
{
	struct deadline *d = p->deadline;
	size_t kept = 0;

	residual_refill(&p->residual, choose_rounds(p, step));
	for (size_t i = 0; i < d->n_waiting; i++) {
		int move = d->waiting[i], edge = p->m->of[move].edge;
		if (!d->is_ready[move] || !residual_take(&p->residual, edge)) {
			d->waiting[kept++] = move;
			continue;
		}
		load(d, edge, -1, d->left);
		load(d, edge, -1, d->ready);
		go(p, move, step);
	}
	d->n_waiting = kept;
}

static void offer(struct tree_placement *p, int edge)
{
	if (p->queues[edge].n)
		heap_put(&p->edges, (struct heap_entry){p->queues[edge].of[0].key, edge, edge});
}

/*
 * Where nothing fits into an empty round, as on a route that crosses a link of width 1 twice, one move goes anyway: the
 * rounds of the step are counted from its loads later.
 */
static void fill_round(struct tree_placement *p, int step)
{
	size_t before = p->left;

	residual_refill(&p->residual, 1);
	for (size_t e = 0; e < p->w->n_edges; e++)
		offer(p, (int)e);
	while (p->edges.n) {
		int edge = heap_take(&p->edges).item;
		if (!residual_take(&p->residual, edge) && (p->edges.n || p->left < before))
			continue;
		go(p, heap_take(&p->queues[edge]).item, step);
		offer(p, edge);
	}
}

int tree_moves_place(const struct tree_moves *m, const struct tree_priority *priority, int *at)
{
	const struct csr *before = priority->backward ? &m->after : &m->before;
	size_t edges = m->network->n_edges;
	struct tree_placement p = {.m = m, .w = m->network, .key = priority->key, .after = priority->backward ? &m->before : &m->after,
			      .residual = residual_new(m->network), .queues = new_array(struct heap, edges), .waits = new_array(int, m->n),
			      .freed = new_array(int, m->n), .at = at, .left = m->n_sends};
	int steps = 0;

	p.deadline = priority->steps ? deadline_new(m, priority) : NULL;
	for (size_t i = 0; i < m->n; i++) {
		at[i] = 0;
		p.waits[i] = csr_size(before, (int)i);
		if (p.waits[i] == 0)
			enqueue(&p, (int)i);
	}
	for (; p.left > 0; steps++) {
		(p.deadline ? fill_step : fill_round)(&p, steps);
		while (p.n_freed)
			enqueue(&p, p.freed[--p.n_freed]);
	}
	for (size_t i = 0; i < m->n && priority->backward; i++)
		at[i] = steps - 1 - at[i];
	for (size_t e = 0; e < edges; e++)
		heap_free(&p.queues[e]);
	free(p.queues);
	heap_free(&p.edges);
	free(p.waits);
	free(p.freed);
	residual_free(&p.residual);
	deadline_free(p.deadline);
	return steps;
}
