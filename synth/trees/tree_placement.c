/*
 * List scheduling, round by round. Each edge has a queue of moves that are ready; the edge whose first move has the
 * least key is served first. An edge without residual capacity is done for the round, as capacity only shrinks; moves
 * that become ready join the queues in the next round.
 */

#include "synth/trees/tree_moves.h"

#include "core/base/heap.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/residual_capacity.h"

#include <stdlib.h>

struct placement_play {
	const struct tree_moves *m;
	const struct network *w;
	const int64_t *key;
	const struct csr *after;
	struct residual_capacity residual;
	struct heap *queues; /* [edge]: moves by key, then number */
	struct heap edges;   /* edges with a queue, in this round, by the key of their first move */
	int *waits, *freed;  /* [move]: predecessors left; moves that are ready from the next round on */
	int *at;
	size_t n_freed, left;
};

static void enqueue(struct placement_play *p, int move)
{
	heap_put(&p->queues[p->m->of[move].edge], (struct heap_entry){p->key[move], move, move});
}

/* Releases the moves that waited for this one, and for virtual moves, which need no capacity. */
static void release(struct placement_play *p, int move)
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

static void go(struct placement_play *p, int edge, int round)
{
	int move = heap_take(&p->queues[edge]).item;

	p->at[move] = round;
	p->left--;
	release(p, move);
	if (p->queues[edge].n)
		heap_put(&p->edges, (struct heap_entry){p->queues[edge].of[0].key, edge, edge});
}

/*
 * Where nothing fits into an empty round, as on a route that crosses a link of width 1 twice, one move goes anyway: the
 * rounds of the step are counted from its loads later.
 */
static void play_round(struct placement_play *p, int round)
{
	size_t before = p->left;

	residual_refill(&p->residual);
	for (size_t e = 0; e < p->w->n_edges; e++)
		if (p->queues[e].n)
			heap_put(&p->edges, (struct heap_entry){p->queues[e].of[0].key, (int)e, (int)e});
	while (p->edges.n) {
		int edge = heap_take(&p->edges).item;
		if (residual_take(&p->residual, edge) || (p->edges.n == 0 && p->left == before))
			go(p, edge, round);
	}
	while (p->n_freed)
		enqueue(p, p->freed[--p->n_freed]);
}

int tree_moves_play(const struct tree_moves *m, const struct network *w, const int64_t *key, bool backward, int *at)
{
	const struct csr *before = backward ? &m->after : &m->before;
	struct placement_play p = {.m = m, .w = w, .key = key, .after = backward ? &m->before : &m->after, .residual = residual_new(w), .at = at,
			 .left = m->n_sends};
	int round = 0;

	p.queues = new_array(struct heap, w->n_edges);
	p.waits = new_array(int, m->n);
	p.freed = new_array(int, m->n);
	for (size_t i = 0; i < m->n; i++) {
		p.waits[i] = csr_size(before, (int)i);
		if (p.waits[i] == 0)
			enqueue(&p, (int)i);
	}
	for (; p.left > 0; round++)
		play_round(&p, round);
	for (size_t i = 0; i < m->n && backward; i++)
		at[i] = round - 1 - at[i];
	for (size_t e = 0; e < w->n_edges; e++)
		heap_free(&p.queues[e]);
	free(p.queues);
	heap_free(&p.edges);
	free(p.waits);
	free(p.freed);
	residual_free(&p.residual);
	return round;
}
