#include "tests/lower/program/free_run.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"
#include "lower/program/program.h"
#include "tests/support/random.h"

#include <stdint.h>
#include <stdlib.h>

/* What lies somewhere: of which call, which chunk, and whose parts of it. Ranks are few here. */
struct content {
	int call, chunk;
	uint64_t parts;
};

struct runner {
	int call;
	size_t next;
};

struct run {
	const struct program *p;
	const struct algorithm *a;
	bool in_place, wrong;
	int calls;
	struct runner *ranks;
	struct content *input, *output;   /* [rank * chunks + chunk] */
	struct content **scratch;         /* [rank][slot] */
	int *signals, *offers;            /* [from * ranks + to]: how far, over all calls */
};

static struct content *cell(struct run *r, struct place at, int chunk)
{
	size_t i = (size_t)at.rank * (size_t)r->a->global_chunks + (size_t)chunk;

	if (at.buffer == BUFFER_SCRATCH)
		return &r->scratch[at.rank][at.slot];
	return at.buffer == BUFFER_INPUT || (r->in_place && collective_pre(&r->a->collective, r->p->ranks, chunk, at.rank))
		       ? &r->input[i] : &r->output[i];
}

static void enter(struct run *r, int rank)
{
	bool combining = collective_row(&r->a->collective)->combining;

	for (int c = 0; c < r->a->global_chunks; c++)
		if (collective_pre(&r->a->collective, r->p->ranks, c, rank))
			*cell(r, (struct place){BUFFER_INPUT, rank, 0}, c) =
				(struct content){r->ranks[rank].call, c, combining ? (uint64_t)1 << rank : 0};
}

static void leave(struct run *r, int rank)
{
	bool combining = collective_row(&r->a->collective)->combining;

	for (int c = 0; c < r->a->global_chunks; c++) {
		uint64_t all = 0;
		for (int n = 0; combining && n < r->p->ranks; n++)
			all |= (uint64_t)collective_pre(&r->a->collective, r->p->ranks, c, n) << n;
		if (!collective_post(&r->a->collective, r->p->ranks, c, rank))
			continue;
		const struct content *at = cell(r, (struct place){BUFFER_OUTPUT, rank, 0}, c);
		if (at->call != r->ranks[rank].call || at->chunk != c || at->parts != all)
			r->wrong = true;
	}
}

static void move(struct run *r, const struct instruction *i)
{
	struct content sum = {0};

	for (size_t k = 0; k < i->n_sources; k++) {
		const struct content *at = cell(r, i->sources[k], i->chunk);
		if (k && (at->call != sum.call || at->chunk != sum.chunk || (at->parts & sum.parts)))
			sum.call = -1; /* a mixture */
		else
			sum = (struct content){at->call, at->chunk, sum.parts | at->parts};
	}
	for (size_t k = 0; k < i->n_targets; k++)
		*cell(r, i->targets[k], i->chunk) = sum;
}

/* False: it waits. */
static bool step(struct run *r, int rank)
{
	const struct instruction *i = &r->p->of[rank].instructions[r->ranks[rank].next];
	size_t to_peer = (size_t)(rank * r->p->ranks + i->peer), from_peer = (size_t)(i->peer * r->p->ranks + rank);
	int base = r->ranks[rank].call * r->p->signals;

	switch (i->kind) {
	case INSTRUCTION_OFFER:
		r->offers[from_peer] = base + 1;
		return true;
	case INSTRUCTION_CREDIT:
		return r->offers[to_peer] >= base + 1;
	case INSTRUCTION_WAIT:
		return r->signals[from_peer] >= base + i->k;
	case INSTRUCTION_SIGNAL:
		r->signals[to_peer] = base + i->k;
		return true;
	case INSTRUCTION_MOVE:
		move(r, i);
		return true;
	case INSTRUCTION_SYNC:
		return true;
	case INSTRUCTION_KINDS:
		break;
	}
	return false;
}

/* One step of one rank, between calls too. */
static bool go(struct run *r, int rank)
{
	struct runner *at = &r->ranks[rank];

	if (at->call == r->calls)
		return false;
	if (at->next == 0)
		enter(r, rank);
	if (at->next < r->p->of[rank].n) {
		if (!step(r, rank))
			return false;
		at->next++;
	}
	if (at->next == r->p->of[rank].n) {
		leave(r, rank);
		*at = (struct runner){at->call + 1, 0};
	}
	return true;
}

/* Ranks are drawn for several steps at a time, now few and now many, so that they drift far apart. */
static bool run_all(struct run *r, uint64_t state)
{
	bool moved = true;

	while (moved && !r->wrong) {
		moved = false;
		for (int tries = 0; tries < 4 * r->p->ranks && !moved; tries++) {
			int rank = random_below(&state, r->p->ranks);
			for (unsigned steps = 1u << (state >> 60) % 8; steps > 0 && go(r, rank); steps--)
				moved = true;
		}
		for (int rank = 0; rank < r->p->ranks && !moved; rank++)
			moved = go(r, rank);
	}
	for (int rank = 0; rank < r->p->ranks; rank++)
		if (r->ranks[rank].call < r->calls)
			return false;
	return !r->wrong;
}

bool free_run(const struct program *p, int calls, bool in_place, unsigned seed)
{
	size_t ranks = (size_t)p->ranks, cells = ranks * (size_t)p->algorithm->global_chunks;
	struct run r = {.p = p, .a = p->algorithm, .in_place = in_place, .calls = calls};

	r.ranks = new_array(struct runner, ranks);
	r.input = new_array(struct content, cells);
	r.output = new_array(struct content, cells);
	r.signals = new_array(int, ranks * ranks);
	r.offers = new_array(int, ranks * ranks);
	r.scratch = new_array(struct content *, ranks);
	for (size_t i = 0; i < cells; i++)
		r.input[i].call = r.output[i].call = -1;
	for (size_t i = 0; i < ranks; i++)
		r.scratch[i] = new_array(struct content, (size_t)p->slots[i]);
	bool right = run_all(&r, random_start(seed));

	for (size_t i = 0; i < ranks; i++)
		free(r.scratch[i]);
	free(r.scratch);
	free(r.ranks);
	free(r.input);
	free(r.output);
	free(r.signals);
	free(r.offers);
	return right;
}
