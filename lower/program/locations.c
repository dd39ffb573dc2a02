/* The numbering: first the inputs, then the outputs, by chunk and rank; then each rank's scratch and packet slots. */

#include "lower/program/locations.h"

#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"

#include <stdlib.h>

struct locations locations_new(const struct program *p, bool in_place)
{
	size_t cells = (size_t)p->algorithm->global_chunks * (size_t)p->ranks;
	struct locations l = {p, in_place, 2 * cells, new_array(size_t, (size_t)p->ranks),
			      new_array(size_t, (size_t)p->ranks)};

	for (int r = 0; r < p->ranks; r++) {
		l.scratch_begin[r] = l.n;
		l.n += (size_t)p->slots[r];
		l.packet_begin[r] = l.n;
		l.n += p->packets[r].n;
	}
	return l;
}

void locations_free(struct locations *l)
{
	free(l->scratch_begin);
	free(l->packet_begin);
}

size_t location(const struct locations *l, struct place at, int chunk)
{
	const struct algorithm *a = l->p->algorithm;
	size_t cell = (size_t)chunk * (size_t)l->p->ranks + (size_t)at.rank;
	size_t cells = (size_t)a->global_chunks * (size_t)l->p->ranks;

	if (at.buffer == BUFFER_SCRATCH)
		return l->scratch_begin[at.rank] + (size_t)at.slot;
	if (at.buffer == BUFFER_PACKET)
		return l->packet_begin[at.rank] + (size_t)at.slot;
	if (at.buffer == BUFFER_INPUT)
		return cell;
	return l->in_place && collective_pre(&a->collective, l->p->ranks, chunk, at.rank) ? cell : cells + cell;
}

bool location_exists(const struct program *p, struct place at, int chunk)
{
	const struct collective *k = &p->algorithm->collective;

	if (at.rank < 0 || at.rank >= p->ranks || chunk < 0 || chunk >= p->algorithm->global_chunks)
		return false;
	switch (at.buffer) {
	case BUFFER_INPUT:
		return collective_pre(k, p->ranks, chunk, at.rank);
	case BUFFER_OUTPUT:
		return collective_post(k, p->ranks, chunk, at.rank);
	case BUFFER_SCRATCH:
		return at.slot >= 0 && at.slot < p->slots[at.rank];
	case BUFFER_PACKET:
		return at.slot >= 0 && (size_t)at.slot < p->packets[at.rank].n && p->packets[at.rank].of[at.slot].chunk == chunk;
	}
	return false;
}
