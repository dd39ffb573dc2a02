/*
 * From pushed inputs to inputs that are read where they lie. As for packets, the instructions of each rank are replayed: at
 * a wait, the slots that the signal covers get their content, and where that is the input of the sender, later reads of the
 * slot read the input. Where all offers and credits can go (a rank writes only after it has heard from the reader anyway),
 * they do. Where a rank could leave before its input has been read, every reader tells it at the end.
 */

#include "lower/program/shared.h"

#include "lower/program/check.h"
#include "lower/program/program.h"
#include "lower/program/rewrite.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* A push into a scratch slot of the receiver: the signal that announces it, and whether it is a copy of the sender's
 * input. */
struct slot_arrival {
	int k, slot;
	bool input;
};

/* The pushes over a connection, in order. */
struct slot_arrivals {
	size_t n, capacity, waited; /* waited: how many have been waited for */
	struct slot_arrival *of;
};

struct share {
	const struct program *from;
	struct program *to;
	struct slot_arrivals *arrivals; /* [from * ranks + to] */
	size_t shared;                  /* pushes that are no longer made */
};

static struct slot_arrivals *between(const struct share *s, int from, int to)
{
	return &s->arrivals[(size_t)from * (size_t)s->from->ranks + (size_t)to];
}

/* Does this move only copy the rank's own input? */
static bool copies_input(const struct instruction *in)
{
	return in->kind == INSTRUCTION_MOVE && in->n_sources == 1 && in->sources[0].buffer == BUFFER_INPUT;
}

static bool is_push_to_slot(int rank, struct place at)
{
	return at.rank != rank && at.buffer == BUFFER_SCRATCH;
}

static void list_pushes(struct share *s, int rank)
{
	int *signalled = new_array(int, (size_t)s->from->ranks);

	for (size_t i = 0; i < s->from->of[rank].n; i++) {
		const struct instruction *in = &s->from->of[rank].instructions[i];
		if (in->kind == INSTRUCTION_SIGNAL)
			signalled[in->peer] = in->k;
		for (size_t t = 0; t < in->n_targets; t++) {
			struct place at = in->targets[t];
			if (!is_push_to_slot(rank, at))
				continue;
			struct slot_arrivals *a = between(s, rank, at.rank);
			a->of = grown(a->of, &a->capacity, a->n + 1, sizeof *a->of);
			a->of[a->n++] = (struct slot_arrival){signalled[at.rank] + 1, at.slot, copies_input(in)};
		}
	}
	free(signalled);
}

/* OWNERS[slot]: the rank whose input the slot would hold; -1: none. */
static void wait(struct share *s, int rank, const struct instruction *in, int *owners)
{
	struct slot_arrivals *a = between(s, in->peer, rank);

	for (; a->waited < a->n && a->of[a->waited].k <= in->k; a->waited++)
		owners[a->of[a->waited].slot] = a->of[a->waited].input ? in->peer : -1;
}

static void move(struct share *s, int rank, const struct instruction *in, int *owners)
{
	struct instruction i = *in;

	i.sources = copy_bytes(in->sources, in->n_sources * sizeof *in->sources);
	i.targets = new_array(struct place, in->n_targets);
	i.n_targets = 0;
	for (size_t k = 0; k < i.n_sources; k++)
		if (i.sources[k].buffer == BUFFER_SCRATCH && owners[i.sources[k].slot] >= 0)
			i.sources[k] = (struct place){BUFFER_INPUT, owners[i.sources[k].slot], 0};
	for (size_t k = 0; k < in->n_targets; k++) {
		if (copies_input(in) && is_push_to_slot(rank, in->targets[k])) {
			s->shared++;
			continue;
		}
		if (in->targets[k].rank == rank && in->targets[k].buffer == BUFFER_SCRATCH)
			owners[in->targets[k].slot] = -1;
		i.targets[i.n_targets++] = in->targets[k];
	}
	if (i.n_targets) {
		program_add(s->to, rank, i);
		return;
	}
	free(i.sources);
	free(i.targets);
}

static void share_rank(struct share *s, int rank, bool credits)
{
	int *owners = new_array(int, (size_t)s->from->slots[rank]);

	for (int i = 0; i < s->from->slots[rank]; i++)
		owners[i] = -1;
	for (size_t i = 0; i < s->from->of[rank].n; i++) {
		const struct instruction *in = &s->from->of[rank].instructions[i];
		bool credit = in->kind == INSTRUCTION_OFFER || in->kind == INSTRUCTION_CREDIT;
		if (in->kind == INSTRUCTION_WAIT)
			wait(s, rank, in, owners);
		if (in->kind == INSTRUCTION_MOVE)
			move(s, rank, in, owners);
		else if (credits || !credit)
			program_add(s->to, rank, *in);
	}
	free(owners);
}

static struct program *rewritten(const struct program *p, bool credits, bool leave)
{
	size_t pairs = (size_t)p->ranks * (size_t)p->ranks;
	struct share s = {p, program_new(p->algorithm), new_array(struct slot_arrivals, pairs), 0};
	struct error e = {0};

	s.to->shared = true;
	s.to->signals = p->signals;
	for (int r = 0; r < p->ranks; r++)
		list_pushes(&s, r);
	for (int r = 0; r < p->ranks; r++)
		share_rank(&s, r, credits);
	if (leave)
		program_take_leave(s.to);
	program_close_up(s.to, p->slots);
	for (size_t i = 0; i < pairs; i++)
		free(s.arrivals[i].of);
	free(s.arrivals);
	if (s.shared && program_check(s.to, &e) && program_interpret(s.to, &e))
		return s.to;
	program_free(s.to);
	return NULL;
}

struct program *program_share(const struct program *p)
{
	struct program *shared = NULL;

	for (int leave = 0; leave <= 1 && !shared; leave++)
		for (int credits = 0; credits <= 1 && !shared; credits++)
			shared = rewritten(p, credits, leave);
	return shared;
}
