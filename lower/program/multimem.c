/*
 * The instructions keep all their places, so that the same checkers judge them; two marks say what the switch does. A move
 * that reads every rank's input loads a sum. A move that writes a chunk into the outputs of all other ranks, at the same
 * block, stores it once; that store also reaches the rank's own output, so a copy of the chunk from its own input to its
 * own output is left out.
 */

#include "lower/program/multimem.h"

#include "lower/program/check.h"
#include "lower/program/geometry.h"
#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

enum { SUMS = 1, STORES = 2 };

/* Is there one switch that both ranks have links to and from, and that copies and adds? */
static bool is_joined(const struct topology *t, int a, int b)
{
	for (int s = t->nodes; s < t->nodes + t->switches; s++)
		if (topology_abilities(t, s) == (MULTICASTS | REDUCES) && topology_link(t, a, s) && topology_link(t, s, a) &&
		    topology_link(t, b, s) && topology_link(t, s, b))
			return true;
	return false;
}

static bool is_one_team(const struct topology *t)
{
	if (!topology_has_abilities(t) || t->nodes < 2)
		return false;
	for (int a = 0; a < t->nodes; a++)
		for (int b = 0; b < a; b++)
			if (!is_joined(t, a, b))
				return false;
	return true;
}

/* Are these places of CHUNK in BUFFER, one of each rank, except perhaps of OWN, and all in the same block? */
static bool is_of_all(const struct program *p, const struct place *at, size_t n, enum buffer buffer, int chunk, int own)
{
	const struct algorithm *a = p->algorithm;
	bool (*has)(const struct collective *, int, int, int) = buffer == BUFFER_INPUT ? collective_pre : collective_post;
	int (*block)(const struct algorithm *, int, int) = buffer == BUFFER_INPUT ? input_block : output_block;
	bool *found = new_array(bool, (size_t)p->ranks), all = true;

	for (size_t i = 0; i < n; i++)
		if (at[i].buffer == buffer)
			found[at[i].rank] = true;
	if (own >= 0)
		found[own] = true;
	for (int r = 0; r < p->ranks && all; r++)
		all = found[r] && has(&a->collective, p->ranks, chunk, r) && block(a, chunk, r) == block(a, chunk, 0);
	free(found);
	return all;
}

/* Marks what the switch does in this move of RANK, apart from what is not ALLOWED. */
static unsigned mark(const struct program *p, struct instruction *in, int rank, unsigned allowed)
{
	unsigned marks = 0;

	if (allowed & SUMS && in->n_sources == (size_t)p->ranks && is_of_all(p, in->sources, in->n_sources, BUFFER_INPUT, in->chunk, -1))
		marks |= SUMS;
	if (allowed & STORES && is_of_all(p, in->targets, in->n_targets, BUFFER_OUTPUT, in->chunk, rank))
		marks |= STORES;
	in->loads_sum = marks & SUMS;
	in->stores_once = marks & STORES;
	return marks;
}

static struct instruction copied(const struct instruction *in)
{
	struct instruction i = *in;

	i.sources = new_array(struct place, in->n_sources);
	i.targets = new_array(struct place, in->n_targets + 1);
	for (size_t k = 0; k < in->n_sources; k++)
		i.sources[k] = in->sources[k];
	for (size_t k = 0; k < in->n_targets; k++)
		i.targets[k] = in->targets[k];
	return i;
}

static void add_own_output(struct instruction *in, int rank)
{
	struct place own = {BUFFER_OUTPUT, rank, 0};

	for (size_t k = 0; k < in->n_targets; k++)
		if (place_same(in->targets[k], own))
			return;
	in->targets[in->n_targets++] = own;
}

/* Does this move only copy a chunk from the rank's own input to its own output, where it is stored anyway (STORED)? */
static bool is_needless(const struct instruction *in, const bool *stored)
{
	return in->kind == INSTRUCTION_MOVE && stored[in->chunk] && in->n_sources == 1 && in->n_targets == 1 &&
	       in->sources[0].buffer == BUFFER_INPUT && in->targets[0].buffer == BUFFER_OUTPUT &&
	       in->sources[0].rank == in->targets[0].rank;
}

/* The number of marks. */
static size_t rewrite_rank(const struct program *from, struct program *to, int rank, unsigned allowed)
{
	bool *stored = new_array(bool, (size_t)from->algorithm->global_chunks);
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < from->of[rank].n; i++) {
		struct instruction in = copied(&from->of[rank].instructions[i]);
		unsigned marks = in.kind == INSTRUCTION_MOVE ? mark(from, &in, rank, allowed) : 0;
		if (marks & STORES) {
			add_own_output(&in, rank);
			stored[in.chunk] = true;
		}
		n += marks != 0;
		program_add(to, rank, in);
	}
	struct rank_program *of = &to->of[rank];
	for (size_t i = 0; i < of->n; i++)
		if (!is_needless(&of->instructions[i], stored))
			of->instructions[kept++] = of->instructions[i];
		else {
			free(of->instructions[i].sources);
			free(of->instructions[i].targets);
		}
	of->n = kept;
	free(stored);
	return n;
}

static struct program *rewritten(const struct program *p, unsigned allowed)
{
	struct program *to = program_new(p->algorithm);
	struct error e = {0};
	size_t n = 0;

	to->shared = p->shared;
	to->signals = p->signals;
	for (int r = 0; r < p->ranks; r++) {
		to->slots[r] = p->slots[r];
		n += rewrite_rank(p, to, r, allowed);
	}
	if (n && program_check(to, &e) && program_interpret(to, &e))
		return to;
	program_free(to);
	return NULL;
}

struct program *program_multimem(const struct program *p)
{
	struct program *to = NULL;

	for (unsigned allowed = SUMS | STORES; allowed && !to && is_one_team(p->algorithm->topology); allowed--)
		to = rewritten(p, allowed);
	return to;
}
