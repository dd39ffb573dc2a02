/* Random schedules: what is legal is tried, what is left is brought home in the end. */

#include "tests/lower/hand.h"

#include "tests/support/random.h"

#include <stdint.h>
#include <stdlib.h>

enum { NODES = 5, STEPS = 6, MOST_STEPS = 40 };

struct dice {
	uint64_t state;
};

static unsigned roll(struct dice *d, unsigned n)
{
	return (unsigned)random_below(&d->state, (int)n);
}

/* Of one chunk: whose parts each node's value has. */
struct play {
	unsigned all, parts[NODES];
};

static struct play play_start(const struct collective *k, int chunk)
{
	struct play p = {0, {0}};
	bool combining = collective_row(k)->combining;

	for (int n = 0; n < NODES; n++)
		if (collective_pre(k, NODES, chunk, n)) {
			p.parts[n] = combining ? 1u << n : 1;
			p.all |= p.parts[n];
		}
	return p;
}

static bool done(const struct collective *k, int chunk, const struct play *p)
{
	for (int n = 0; n < NODES; n++)
		if (collective_post(k, NODES, chunk, n) && p->parts[n] != p->all)
			return false;
	return true;
}

/* Would the whole still be found somewhere, or be put together, if node lost its value? */
static bool spare(const struct play *p, int node)
{
	unsigned rest = 0;

	for (int n = 0; n < NODES; n++)
		if (n != node && (rest & p->parts[n]) == 0)
			rest |= p->parts[n];
	return rest == p->all;
}

static void note(struct hand *h, bool reduce, int step, int chunk, int src, int dst)
{
	if (h)
		(reduce ? hand_reduce : hand_send)(h, step, chunk, src, dst);
}

/* One push of the chunk in this step, if the dice give a legal one. */
static void push(struct hand *h, struct dice *d, int step, int chunk, const struct play *before, struct play *after,
		 unsigned *arrived)
{
	int src = (int)roll(d, NODES), dst = (int)roll(d, NODES);

	if (src == dst || !before->parts[src])
		return;
	if (!(before->parts[src] & after->parts[dst]) && after->parts[dst]) {
		note(h, true, step, chunk, src, dst);
		after->parts[dst] |= before->parts[src];
		*arrived |= 1u << dst;
	} else if (!(*arrived >> dst & 1) && (before->parts[src] == before->all || (roll(d, 4) == 0 && spare(after, dst)))) {
		note(h, false, step, chunk, src, dst);
		after->parts[dst] = before->parts[src];
		*arrived |= 1u << dst;
	}
}

/* False: bad luck, parts that overlap cannot be added any more. H may be NULL: only to see. */
static bool run_chunk(const struct collective *k, struct hand *h, struct dice *d, int chunk)
{
	struct play p = play_start(k, chunk);

	for (int step = (int)roll(d, 3); step < MOST_STEPS && (step < STEPS || !done(k, chunk, &p)); step++) {
		struct play after = p;
		unsigned arrived = 0;
		for (unsigned tries = roll(d, 6); tries > 0; tries--)
			push(h, d, step, chunk, &p, &after, &arrived);
		p = after;
	}
	return done(k, chunk, &p);
}

struct algorithm *hand_random(unsigned seed)
{
	static const enum collective_kind kinds[] = {ALLGATHER, BROADCAST, GATHER, SCATTER, ALLTOALL, REDUCE, REDUCESCATTER,
						     ALLREDUCE};
	struct dice d = {random_start(seed)};

	for (;;) {
		struct hand h = {.topology = "complete:5"};
		h.collective.kind = kinds[roll(&d, sizeof kinds / sizeof *kinds)];
		if (collective_row(&h.collective)->rooted)
			h.collective.root = (int)roll(&d, NODES);
		h.chunks = collective_row(&h.collective)->chunks_in_blocks ? NODES : 1 + (int)roll(&d, 3);
		int global_chunks = collective_global_chunks(&h.collective, NODES, h.chunks);
		for (int c = 0; c < global_chunks; c++) {
			struct dice lucky = d, seen = d;
			while (!run_chunk(&h.collective, NULL, &seen, c))
				lucky = seen;
			run_chunk(&h.collective, &h, &lucky, c);
			d = seen;
		}
		for (size_t i = 0; i < h.n_steps && h.chunks; i++) /* verify wants steps that do something */
			if (h.steps[i].n_sends + h.steps[i].n_reduces == 0)
				h.chunks = 0;
		if (h.chunks)
			return hand_done(&h);
		steps_free(h.steps, h.n_steps);
	}
}
