/* The intermediate representation as data: creating and editing programs. */

#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

const char *const instruction_names[] = {
	[INSTRUCTION_OFFER] = "offer",
	[INSTRUCTION_CREDIT] = "credit",
	[INSTRUCTION_WAIT] = "wait",
	[INSTRUCTION_SIGNAL] = "signal",
	[INSTRUCTION_SYNC] = "sync",
	[INSTRUCTION_MOVE] = "move",
};

struct program *program_new(const struct algorithm *a)
{
	struct program *p = new(struct program);

	p->algorithm = a;
	p->ranks = a->topology->nodes;
	p->of = new_array(struct rank_program, (size_t)p->ranks);
	p->slots = new_array(int, (size_t)p->ranks);
	p->packets = new_array(struct packets, (size_t)p->ranks);
	p->signals = 1;
	return p;
}

void program_free(struct program *p)
{
	if (!p)
		return;
	for (int r = 0; r < p->ranks; r++) {
		for (size_t i = 0; i < p->of[r].n; i++) {
			free(p->of[r].instructions[i].sources);
			free(p->of[r].instructions[i].targets);
		}
		free(p->of[r].instructions);
		free(p->packets[r].of);
	}
	free(p->packets);
	free(p->of);
	free(p->slots);
	free(p);
}

void program_add(struct program *p, int rank, struct instruction i)
{
	struct rank_program *of = &p->of[rank];

	of->instructions = grown(of->instructions, &of->capacity, of->n + 1, sizeof *of->instructions);
	of->instructions[of->n++] = i;
}

void program_insert(struct program *p, int rank, size_t at, struct instruction i)
{
	struct rank_program *of = &p->of[rank];

	program_add(p, rank, i);
	memmove(&of->instructions[at + 1], &of->instructions[at], (of->n - 1 - at) * sizeof *of->instructions);
	of->instructions[at] = i;
}

bool place_same(struct place a, struct place b)
{
	return a.buffer == b.buffer && a.rank == b.rank && a.slot == b.slot;
}

int program_slots(const struct program *p)
{
	int most = 0;

	for (int r = 0; r < p->ranks; r++)
		if (p->slots[r] > most)
			most = p->slots[r];
	return most;
}

int program_packet_slots(const struct program *p)
{
	size_t most = 0;

	for (int r = 0; r < p->ranks; r++)
		if (p->packets[r].n > most)
			most = p->packets[r].n;
	return (int)most;
}

int program_add_packet(struct program *p, int rank, struct packet packet)
{
	struct packets *of = &p->packets[rank];

	of->of = grown(of->of, &of->capacity, of->n + 1, sizeof *of->of);
	of->of[of->n++] = packet;
	return (int)of->n - 1;
}
