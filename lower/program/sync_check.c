/*
 * The checker of barriers, which shares only the numbering of locations with the code that inserts them: it records the
 * last instruction of each kind and the last accesses to each location, and compares them with the last barrier.
 */

#include "lower/program/sync.h"

#include "lower/program/geometry.h"
#include "lower/program/locations.h"
#include "lower/program/program.h"
#include "lower/program/execution.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The last accesses to a location: numbers of the rank's instructions, from 1; 0: none. */
struct own_access {
	size_t write, read;
};

struct sync {
	const struct program *p;
	struct locations locations;
	struct own_access *accesses; /* [location], of the current rank */
	size_t met, moved;           /* the last barrier and move; 0: none */
	size_t moves, places;        /* since the last barrier */
};

static struct own_access *access_of(const struct sync *s, struct place at, int chunk)
{
	return &s->accesses[location(&s->locations, at, chunk)];
}

/* A move may write where it reads: a thread writes only the elements that it has read itself. */
static bool check_move(struct sync *s, int rank, size_t i, const struct instruction *in, struct error *e)
{
	s->moves++;
	s->places += in->n_sources + in->n_targets;
	if (s->moves > SYNC_MOVES_MOST || (s->moves > 1 && s->places > SYNC_PLACES_MOST))
		return program_fault(s->p, rank, i, e, "the threads cannot keep so many moves between two barriers");
	for (size_t k = 0; k < in->n_sources && !s->p->packets_only; k++)
		if (access_of(s, in->sources[k], in->chunk)->write > s->met)
			return program_fault(s->p, rank, i, e, "chunk %d is read although the threads have not synchronized since it was written",
					     in->chunk);
	for (size_t k = 0; k < in->n_targets && !s->p->packets_only; k++) {
		const struct own_access *a = access_of(s, in->targets[k], in->chunk);
		if (a->write > s->met || a->read > s->met)
			return program_fault(s->p, rank, i, e,
					     "chunk %d is written although the threads have not synchronized since its place was used", in->chunk);
	}
	for (size_t k = 0; k < in->n_sources; k++)
		access_of(s, in->sources[k], in->chunk)->read = i + 1;
	for (size_t k = 0; k < in->n_targets; k++)
		access_of(s, in->targets[k], in->chunk)->write = i + 1;
	s->moved = i + 1;
	return true;
}

static bool check_instruction(struct sync *s, int rank, size_t i, struct error *e)
{
	const struct instruction *in = &s->p->of[rank].instructions[i];

	switch (in->kind) {
	case INSTRUCTION_SYNC:
		s->met = i + 1;
		s->moves = s->places = 0;
		return true;
	case INSTRUCTION_WAIT:
	case INSTRUCTION_CREDIT:
		return true;
	case INSTRUCTION_SIGNAL:
	case INSTRUCTION_OFFER:
		return s->moved <= s->met ||
		       program_fault(s->p, rank, i, e, "the threads have not synchronized since the last move");
	case INSTRUCTION_MOVE:
		return check_move(s, rank, i, in, e);
	case INSTRUCTION_KINDS:
		break;
	}
	return true;
}

bool sync_check(const struct program *p, struct error *e)
{
	struct sync s = {.p = p, .locations = locations_new(p, collective_in_place(&p->algorithm->collective))};
	bool good = true;

	s.accesses = new_array(struct own_access, s.locations.n);
	for (int r = 0; good && r < p->ranks; r++) {
		memset(s.accesses, 0, s.locations.n * sizeof *s.accesses);
		s.met = s.moved = s.moves = s.places = 0;
		for (size_t i = 0; good && i < p->of[r].n; i++)
			good = check_instruction(&s, r, i, e);
	}
	free(s.accesses);
	locations_free(&s.locations);
	return good;
}
