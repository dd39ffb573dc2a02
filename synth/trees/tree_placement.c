/*
 * Round by round: each edge has a queue of moves that can go, and the edge whose first one comes first by order is served first. An edge
 * that has no room is done for the round, as room only gets less; who waited for what has gone comes into the next.
 */

#include "synth/trees/tree_moves.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/residual_capacity.h"

#include <stdlib.h>

struct ranked {
	int64_t key;
	int number; /* of a move, or of the edge whose queue begins with it */
};

/* The least first. */
struct heap {
	struct ranked *of;
	size_t n, capacity;
};

static bool is_before(struct ranked a, struct ranked b)
{
	return a.key != b.key ? a.key < b.key : a.number < b.number;
}

static void heap_add(struct heap *h, struct ranked one)
{
	h->of = grown(h->of, &h->capacity, h->n + 1, sizeof *h->of);
	size_t at = h->n++;
	for (; at > 0 && is_before(one, h->of[(at - 1) / 2]); at = (at - 1) / 2)
		h->of[at] = h->of[(at - 1) / 2];
	h->of[at] = one;
}

static struct ranked heap_take(struct heap *h)
{
	struct ranked first = h->of[0], last = h->of[--h->n];
	size_t at = 0;

	for (size_t child = 1; child < h->n; child = 2 * at + 1) {
		child += child + 1 < h->n && is_before(h->of[child + 1], h->of[child]);
		if (!is_before(h->of[child], last))
			break;
		h->of[at] = h->of[child];
		at = child;
	}
	h->of[at] = last;
	return first;
}

struct play {
	const struct tree_moves *m;
	const struct network *w;
	const int64_t *key;
	const struct tree_order *after;
	struct residual_capacity residual;
	struct heap *queues; /* [edge] */
	struct heap edges;   /* those with a queue, in this round */
	int *waits, *freed;  /* [move]; those that can go from the next round on */
	int *at;
	size_t n_freed, left;
};

static void enqueue(struct play *p, int move)
{
	heap_add(&p->queues[p->m->of[move].edge], (struct ranked){p->key[move], move});
}

/* What waited for it, and what waited for a turn that needs no room. */
static void release(struct play *p, int move)
{
	for (size_t k = p->after->begin[move]; k < p->after->begin[move + 1]; k++) {
		int next = p->after->of[k];
		if (--p->waits[next] > 0)
			continue;
		if (p->m->of[next].edge < 0)
			release(p, next);
		else
			p->freed[p->n_freed++] = next;
	}
}

static void go(struct play *p, int edge, int round)
{
	int move = heap_take(&p->queues[edge]).number;

	p->at[move] = round;
	p->left--;
	release(p, move);
	if (p->queues[edge].n)
		heap_add(&p->edges, (struct ranked){p->queues[edge].of[0].key, edge});
}

/* Where nothing has room in a whole round, as on a way that crosses a link of width 1 twice, one goes all the same: rounds are
 * counted from loads. */
static void play_round(struct play *p, int round)
{
	size_t before = p->left;

	residual_refill(&p->residual);
	for (size_t e = 0; e < p->w->n_edges; e++)
		if (p->queues[e].n)
			heap_add(&p->edges, (struct ranked){p->queues[e].of[0].key, (int)e});
	while (p->edges.n) {
		int edge = heap_take(&p->edges).number;
		if (residual_take(&p->residual, edge) || (p->edges.n == 0 && p->left == before))
			go(p, edge, round);
	}
	while (p->n_freed)
		enqueue(p, p->freed[--p->n_freed]);
}

int tree_moves_play(const struct tree_moves *m, const struct network *w, const int64_t *key, bool backward, int *at)
{
	const struct tree_order *before = backward ? &m->after : &m->before;
	struct play p = {.m = m, .w = w, .key = key, .after = backward ? &m->before : &m->after, .residual = residual_new(w), .at = at,
			 .left = m->n_sends};
	int round = 0;

	p.queues = new_array(struct heap, w->n_edges);
	p.waits = new_array(int, m->n);
	p.freed = new_array(int, m->n);
	for (size_t i = 0; i < m->n; i++) {
		p.waits[i] = (int)(before->begin[i + 1] - before->begin[i]);
		if (p.waits[i] == 0)
			enqueue(&p, (int)i);
	}
	for (; p.left > 0; round++)
		play_round(&p, round);
	for (size_t i = 0; i < m->n && backward; i++)
		at[i] = round - 1 - at[i];
	for (size_t e = 0; e < w->n_edges; e++)
		free(p.queues[e].of);
	free(p.queues);
	free(p.edges.of);
	free(p.waits);
	free(p.freed);
	residual_free(&p.residual);
	return round;
}
