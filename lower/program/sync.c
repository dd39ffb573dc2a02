/*
 * Inserts barriers greedily: one pass over each rank's instructions, with a barrier just before the first instruction
 * that needs one. A barrier covers everything before it, so this takes the fewest.
 */

#include "lower/program/sync.h"

#include "lower/program/geometry.h"
#include "lower/program/locations.h"
#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* What a rank has done since its last barrier. An access is marked with the number of the interval between barriers in
 * which it happened. */
struct sync_state {
	const struct program *p;
	struct locations locations;
	size_t *written, *read; /* [location] */
	size_t meeting;         /* number of the current interval, from 1 over all ranks */
	size_t moves, places;   /* in the current interval */
};

static size_t at(const struct sync_state *s, struct place place, int chunk)
{
	return location(&s->locations, place, chunk);
}

static bool collides(const struct sync_state *s, const struct instruction *i)
{
	if (s->p->packets_only)
		return false;
	for (size_t k = 0; k < i->n_sources; k++)
		if (s->written[at(s, i->sources[k], i->chunk)] == s->meeting)
			return true;
	for (size_t k = 0; k < i->n_targets; k++) {
		size_t target = at(s, i->targets[k], i->chunk);
		if (s->written[target] == s->meeting || s->read[target] == s->meeting)
			return true;
	}
	return false;
}

static bool must_meet(const struct sync_state *s, const struct instruction *i)
{
	switch (i->kind) {
	case INSTRUCTION_MOVE:
		return collides(s, i) || s->moves == SYNC_MOVES_MOST ||
		       (s->moves && s->places + i->n_sources + i->n_targets > SYNC_PLACES_MOST);
	case INSTRUCTION_SIGNAL:
	case INSTRUCTION_OFFER:
		return s->moves > 0;
	case INSTRUCTION_WAIT:
	case INSTRUCTION_CREDIT:
	case INSTRUCTION_SYNC:
	case INSTRUCTION_KINDS:
		break;
	}
	return false;
}

static void note(struct sync_state *s, const struct instruction *i)
{
	s->moves += i->kind == INSTRUCTION_MOVE;
	s->places += i->n_sources + i->n_targets;
	for (size_t k = 0; k < i->n_sources; k++)
		s->read[at(s, i->sources[k], i->chunk)] = s->meeting;
	for (size_t k = 0; k < i->n_targets; k++)
		s->written[at(s, i->targets[k], i->chunk)] = s->meeting;
}

static void sync_rank(struct sync_state *s, struct rank_program *old, struct program *p, int rank)
{
	for (size_t i = 0; i < old->n; i++) {
		if (must_meet(s, &old->instructions[i])) {
			program_add(p, rank, (struct instruction){.kind = INSTRUCTION_SYNC, .step = old->instructions[i].step});
			s->meeting++;
			s->moves = s->places = 0;
		}
		note(s, &old->instructions[i]);
		program_add(p, rank, old->instructions[i]);
	}
	s->meeting++;
	s->moves = s->places = 0;
}

void program_sync(struct program *p)
{
	struct sync_state s = {.p = p, .locations = locations_new(p, collective_in_place(&p->algorithm->collective)), .meeting = 1};

	s.written = new_array(size_t, s.locations.n);
	s.read = new_array(size_t, s.locations.n);
	for (int r = 0; r < p->ranks; r++) {
		struct rank_program old = p->of[r];
		p->of[r] = (struct rank_program){0};
		sync_rank(&s, &old, p, r);
		free(old.instructions);
	}
	free(s.written);
	free(s.read);
	locations_free(&s.locations);
}
