/* What the rewritings of programs in which ranks read each other's memory share (shared.c, pull.c). */

#include "lower/program/rewrite.h"

#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* The largest number of a signal from RANK to PEER. */
static int last_signal(const struct program *p, int rank, int peer)
{
	int last = 0;

	for (size_t i = 0; i < p->of[rank].n; i++) {
		const struct instruction *in = &p->of[rank].instructions[i];
		if (in->kind == INSTRUCTION_SIGNAL && in->peer == peer)
			last = in->k;
	}
	return last;
}

static bool reads_from(const struct program *p, int rank, int owner)
{
	for (size_t i = 0; i < p->of[rank].n; i++)
		for (size_t k = 0; k < p->of[rank].instructions[i].n_sources; k++)
			if (p->of[rank].instructions[i].sources[k].rank == owner)
				return true;
	return false;
}

void program_take_leave(struct program *p)
{
	int step = (int)p->algorithm->n_steps;
	bool *reads = new_array(bool, (size_t)p->ranks * (size_t)p->ranks);

	for (int r = 0; r < p->ranks; r++)
		for (int o = 0; o < p->ranks; o++)
			reads[r * p->ranks + o] = r != o && reads_from(p, r, o);
	for (int wait = 0; wait <= 1; wait++)
		for (int r = 0; r < p->ranks; r++)
			for (int o = 0; o < p->ranks; o++) {
				if (!reads[r * p->ranks + o])
					continue;
				int k = last_signal(p, r, o) + !wait;
				struct instruction in = {.kind = wait ? INSTRUCTION_WAIT : INSTRUCTION_SIGNAL, .step = step,
							 .peer = wait ? r : o, .k = k};
				program_add(p, wait ? o : r, in);
				p->signals = k > p->signals ? k : p->signals;
			}
	free(reads);
}

/* Calls VISIT for each place in a scratch slot. */
static void each_slot(struct program *p, void (*visit)(struct place *, int **), int **numbers)
{
	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			struct instruction *in = &p->of[r].instructions[i];
			for (size_t k = 0; k < in->n_sources + in->n_targets; k++) {
				struct place *at = k < in->n_sources ? &in->sources[k] : &in->targets[k - in->n_sources];
				if (at->buffer == BUFFER_SCRATCH)
					visit(at, numbers);
			}
		}
}

static void mark(struct place *at, int **numbers)
{
	numbers[at->rank][at->slot] = 1;
}

static void renumber(struct place *at, int **numbers)
{
	at->slot = numbers[at->rank][at->slot] - 1;
}

void program_close_up(struct program *p, const int *slots)
{
	int **numbers = new_array(int *, (size_t)p->ranks);

	for (int r = 0; r < p->ranks; r++)
		numbers[r] = new_array(int, (size_t)slots[r]);
	each_slot(p, mark, numbers);
	for (int r = 0; r < p->ranks; r++)
		for (int i = 0; i < slots[r]; i++)
			if (numbers[r][i])
				numbers[r][i] = ++p->slots[r];
	each_slot(p, renumber, numbers);
	for (int r = 0; r < p->ranks; r++)
		free(numbers[r]);
	free(numbers);
}
