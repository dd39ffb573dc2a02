/*
 * From stores to loads. Every move that writes into the memory of others gets one slot of its own at the sender, written once
 * per call. As for packets, the instructions of each rank are then replayed: at a wait, the slots covered by the signal become
 * the current content of the places that they stand for, and later reads of these places read the slots. What is meant for
 * the output is copied there when it is first read for another move, or at the end.
 */

#include "lower/program/pull.h"

#include "lower/program/program.h"
#include "lower/program/rewrite.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* What a rank keeps for another: the signal that announces it, the place that would have held it, and where it is. */
struct lent_value {
	int k, chunk, slot; /* slot: of the sender */
	struct place at;
};

/* What one rank keeps for another, in order. */
struct lent_values {
	size_t n, capacity, waited; /* waited: how many have been waited for */
	struct lent_value *of;
};

/* A slot of another rank; rank -1: none. */
struct lent {
	int rank, slot;
};

/* What a rank knows of the slots of others: which of its places they stand for, and which are still to be copied. */
struct loader {
	struct lent *of_slot;   /* [scratch slot] */
	struct lent *of_output; /* [chunk] */
	size_t n_copies, capacity;
	int *copies; /* chunks to copy to the output, in order of arrival */
};

struct pull {
	const struct program *from;
	struct program *to;
	struct lent_values *keeps; /* [from * ranks + to] */
	int *slots;          /* [rank] */
};

static const struct lent none = {-1, 0};

static struct lent_values *between(const struct pull *t, int from, int to)
{
	return &t->keeps[(size_t)from * (size_t)t->from->ranks + (size_t)to];
}

static bool writes_others(const struct instruction *in, int rank)
{
	for (size_t i = 0; i < in->n_targets; i++)
		if (in->targets[i].rank != rank)
			return true;
	return false;
}

/* The slots of RANK's moves are numbered behind its own, in order. */
static void number_moves(struct pull *t, int rank)
{
	int *signalled = new_array(int, (size_t)t->from->ranks);

	for (size_t i = 0; i < t->from->of[rank].n; i++) {
		const struct instruction *in = &t->from->of[rank].instructions[i];
		if (in->kind == INSTRUCTION_SIGNAL)
			signalled[in->peer] = in->k;
		for (size_t k = 0; k < in->n_targets; k++) {
			struct place at = in->targets[k];
			if (at.rank == rank)
				continue;
			struct lent_values *of = between(t, rank, at.rank);
			of->of = grown(of->of, &of->capacity, of->n + 1, sizeof *of->of);
			of->of[of->n++] = (struct lent_value){signalled[at.rank] + 1, in->chunk, t->slots[rank], at};
		}
		t->slots[rank] += writes_others(in, rank);
	}
	free(signalled);
}

static void wait(struct pull *t, struct loader *l, int rank, const struct instruction *in)
{
	struct lent_values *of = between(t, in->peer, rank);

	for (; of->waited < of->n && of->of[of->waited].k <= in->k; of->waited++) {
		const struct lent_value *a = &of->of[of->waited];
		struct lent at = {in->peer, a->slot};
		if (a->at.buffer == BUFFER_SCRATCH) {
			l->of_slot[a->at.slot] = at;
			continue;
		}
		l->of_output[a->chunk] = at;
		l->copies = grown(l->copies, &l->capacity, l->n_copies + 1, sizeof *l->copies);
		l->copies[l->n_copies++] = a->chunk;
	}
}

/* Is CHUNK still to be copied to the output? Then it no longer is. */
static bool takes_copy(struct loader *l, int chunk)
{
	size_t kept = 0, n = l->n_copies;

	for (size_t i = 0; i < n; i++)
		if (l->copies[i] != chunk)
			l->copies[kept++] = l->copies[i];
	l->n_copies = kept;
	return kept < n;
}

static struct place read_from(const struct loader *l, struct place at, int chunk)
{
	struct lent of = at.buffer == BUFFER_SCRATCH ? l->of_slot[at.slot] : at.buffer == BUFFER_OUTPUT ? l->of_output[chunk] : none;

	return of.rank < 0 ? at : (struct place){BUFFER_SCRATCH, of.rank, of.slot};
}

/* A value that the rank writes itself replaces what another keeps for this place. */
static void write_own(struct loader *l, struct place at, int chunk)
{
	if (at.buffer == BUFFER_SCRATCH) {
		l->of_slot[at.slot] = none;
		return;
	}
	l->of_output[chunk] = none;
	(void)takes_copy(l, chunk);
}

static void move(struct pull *t, struct loader *l, int rank, const struct instruction *in, int *slot)
{
	struct instruction i = {.kind = INSTRUCTION_MOVE, .step = in->step, .chunk = in->chunk, .n_sources = in->n_sources, .total = in->total};
	struct place own = {BUFFER_OUTPUT, rank, 0};
	bool copies = in->n_sources == 1 && in->sources[0].buffer == BUFFER_OUTPUT && takes_copy(l, in->chunk);

	i.sources = new_array(struct place, in->n_sources);
	i.targets = new_array(struct place, in->n_targets + 1);
	for (size_t k = 0; k < in->n_sources; k++)
		i.sources[k] = read_from(l, in->sources[k], in->chunk);
	for (size_t k = 0; k < in->n_targets; k++)
		if (in->targets[k].rank == rank) {
			write_own(l, in->targets[k], in->chunk);
			i.targets[i.n_targets++] = in->targets[k];
		}
	if (writes_others(in, rank))
		i.targets[i.n_targets++] = (struct place){BUFFER_SCRATCH, rank, (*slot)++};
	if (copies) {
		i.targets[i.n_targets++] = own;
		l->of_output[in->chunk] = none;
	}
	program_add(t->to, rank, i);
}

static void copy_rest(struct pull *t, const struct loader *l, int rank)
{
	for (size_t i = 0; i < l->n_copies; i++) {
		int chunk = l->copies[i];
		struct place own = {BUFFER_OUTPUT, rank, 0}, from = read_from(l, own, chunk);
		program_add(t->to, rank,
			    (struct instruction){.kind = INSTRUCTION_MOVE, .step = (int)t->from->algorithm->n_steps, .chunk = chunk,
						 .n_sources = 1, .n_targets = 1, .sources = copy_bytes(&from, sizeof from),
						 .targets = copy_bytes(&own, sizeof own)});
	}
}

static void turn_rank(struct pull *t, int rank)
{
	size_t slots = (size_t)t->from->slots[rank], chunks = (size_t)t->from->algorithm->global_chunks;
	struct loader l = {.of_slot = new_array(struct lent, slots), .of_output = new_array(struct lent, chunks)};
	int slot = t->from->slots[rank];

	for (size_t i = 0; i < slots; i++)
		l.of_slot[i] = none;
	for (size_t i = 0; i < chunks; i++)
		l.of_output[i] = none;
	for (size_t i = 0; i < t->from->of[rank].n; i++) {
		const struct instruction *in = &t->from->of[rank].instructions[i];
		if (in->kind == INSTRUCTION_WAIT)
			wait(t, &l, rank, in);
		if (in->kind == INSTRUCTION_MOVE)
			move(t, &l, rank, in, &slot);
		else if (in->kind != INSTRUCTION_OFFER && in->kind != INSTRUCTION_CREDIT)
			program_add(t->to, rank, *in);
	}
	copy_rest(t, &l, rank);
	free(l.of_slot);
	free(l.of_output);
	free(l.copies);
}

struct program *program_pull(const struct program *p)
{
	size_t pairs = (size_t)p->ranks * (size_t)p->ranks;
	struct pull t = {p, program_new(p->algorithm), new_array(struct lent_values, pairs), new_array(int, (size_t)p->ranks)};

	t.to->pulls = true;
	t.to->signals = p->signals;
	for (int r = 0; r < p->ranks; r++)
		t.slots[r] = p->slots[r];
	for (int r = 0; r < p->ranks; r++)
		number_moves(&t, r);
	for (int r = 0; r < p->ranks; r++)
		turn_rank(&t, r);
	program_take_leave(t.to);
	program_close_up(t.to, t.slots);
	for (size_t i = 0; i < pairs; i++)
		free(t.keeps[i].of);
	free(t.keeps);
	free(t.slots);
	return t.to;
}
