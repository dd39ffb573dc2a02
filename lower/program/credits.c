/*
 * Credits that data imply. The moves of each rank are numbered, and the program is played once: who reads a packet learns
 * which ranks its sender had heard from when it sent. A rank that has heard from another by the end of a call knows, once it
 * is in the next, that the other had ended the call before the one in which it sent.
 *
 * There are no barriers between moves. That a rank has heard of a third when it sends holds because the first thread of a
 * block (with lines: the first lanes of its first warp) has a part of every move, and makes the moves in order. If moves
 * were shared among warps, only what depends on a packet's data would count.
 */
#include "lower/program/packets.h"

#include "lower/program/execution.h"
#include "lower/program/program.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <limits.h>
#include <stdlib.h>

struct hearing {
	struct program *p;
	int *since; /* [rank * ranks + other]: the rank's first move with a packet that tells of the other; INT_MAX: none */
	int *moves; /* [rank]: how many it has made */
	int **sent; /* [rank][packet slot]: the number of its sender's move */
};

static int *since(const struct hearing *h, int rank)
{
	return &h->since[(size_t)rank * (size_t)h->p->ranks];
}

static void hear(struct hearing *h, int rank, int slot)
{
	int from = h->p->packets[rank].of[slot].from, *mine = since(h, rank), now = h->moves[rank];
	const int *theirs = since(h, from);

	if (now < mine[from])
		mine[from] = now;
	for (int other = 0; other < h->p->ranks; other++)
		if (theirs[other] <= h->sent[rank][slot] && now < mine[other])
			mine[other] = now;
}

static bool play(void *context, int rank, size_t i, struct error *e)
{
	struct hearing *h = context;
	const struct instruction *in = &h->p->of[rank].instructions[i];

	(void)e;
	h->moves[rank]++;
	for (size_t k = 0; k < in->n_sources; k++)
		if (in->sources[k].buffer == BUFFER_PACKET)
			hear(h, rank, in->sources[k].slot);
	for (size_t k = 0; k < in->n_targets; k++)
		if (in->targets[k].buffer == BUFFER_PACKET)
			h->sent[in->targets[k].rank][in->targets[k].slot] = h->moves[rank];
	return true;
}

static void mark(const struct hearing *h)
{
	for (int r = 0; r < h->p->ranks; r++)
		for (size_t i = 0; i < h->p->of[r].n; i++) {
			struct instruction *in = &h->p->of[r].instructions[i];
			if (in->kind == INSTRUCTION_CREDIT)
				in->rare = since(h, r)[in->peer] != INT_MAX;
			else if (in->kind == INSTRUCTION_OFFER)
				in->rare = since(h, in->peer)[r] != INT_MAX;
		}
}

void program_imply_credits(struct program *p)
{
	size_t ranks = (size_t)p->ranks;
	struct hearing h = {p, new_array(int, ranks * ranks), new_array(int, ranks), new_array(int *, ranks)};
	struct error e = {0};

	for (size_t i = 0; i < ranks * ranks; i++)
		h.since[i] = INT_MAX;
	for (size_t r = 0; r < ranks; r++)
		h.sent[r] = new_array(int, p->packets[r].n);
	if (program_execute(p, play, &h, &e)) /* otherwise the checkers will say what is wrong */
		mark(&h);
	for (size_t r = 0; r < ranks; r++)
		free(h.sent[r]);
	free(h.sent);
	free(h.moves);
	free(h.since);
}
