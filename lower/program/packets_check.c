/*
 * The checker of programs with packets, which shares only the representation (program.h) with the code that builds
 * them: one pass over each rank's instructions for credits, offers, senders and places.
 */

#include "lower/program/packets.h"

#include "lower/program/locations.h"
#include "lower/program/program.h"
#include "lower/program/execution.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* A rank's credits and offers so far: the numbers of their instructions, from 1; 0: none yet. */
struct place_in_call {
	size_t *credit, *offer; /* [peer] */
};

struct judge {
	const struct program *p;
	bool **sent; /* [rank][packet slot] */
};

static bool check_source(const struct judge *j, const struct place_in_call *x, int rank, size_t i, struct place at,
			 struct error *e)
{
	if (at.rank != rank)
		return program_fault(j->p, rank, i, e, "it reads the memory of rank %d", at.rank);
	if (at.buffer == BUFFER_PACKET && x->offer[j->p->packets[rank].of[at.slot].from])
		return program_fault(j->p, rank, i, e, "packet %d is read after its slot was offered again", at.slot);
	return true;
}

static bool check_packet(struct judge *j, const struct place_in_call *x, int rank, size_t i, struct place at, struct error *e)
{
	const struct packet *packet = &j->p->packets[at.rank].of[at.slot];

	if (packet->from != rank)
		return program_fault(j->p, rank, i, e, "packet %d of rank %d must be sent by rank %d", at.slot, at.rank,
				     packet->from);
	if (j->sent[at.rank][at.slot])
		return program_fault(j->p, rank, i, e, "packet %d of rank %d is sent twice", at.slot, at.rank);
	if (!x->credit[at.rank])
		return program_fault(j->p, rank, i, e, "packet %d of rank %d is sent without credit", at.slot, at.rank);
	j->sent[at.rank][at.slot] = true;
	return true;
}

static bool check_move(struct judge *j, const struct place_in_call *x, int rank, size_t i, struct error *e)
{
	const struct instruction *in = &j->p->of[rank].instructions[i];

	if (in->n_sources == 0 || in->n_targets == 0)
		return program_fault(j->p, rank, i, e, "a move has no source or no target");
	for (size_t k = 0; k < in->n_sources + in->n_targets; k++) {
		struct place at = k < in->n_sources ? in->sources[k] : in->targets[k - in->n_sources];
		if (!location_exists(j->p, at, in->chunk))
			return program_fault(j->p, rank, i, e, "chunk %d has no place number %d there", in->chunk, at.slot);
		bool good = k < in->n_sources		  ? check_source(j, x, rank, i, at, e)
			    : at.buffer == BUFFER_PACKET  ? check_packet(j, x, rank, i, at, e)
			    : at.rank != rank		  ? program_fault(j->p, rank, i, e, "it writes the memory of rank %d", at.rank)
			    : at.buffer == BUFFER_INPUT   ? program_fault(j->p, rank, i, e, "it writes an input")
							  : true;
		if (!good)
			return false;
	}
	return true;
}

static bool check_instruction(struct judge *j, struct place_in_call *x, int rank, size_t i, struct error *e)
{
	const struct instruction *in = &j->p->of[rank].instructions[i];
	bool about_peer = in->kind == INSTRUCTION_OFFER || in->kind == INSTRUCTION_CREDIT;

	if (about_peer && (in->peer < 0 || in->peer >= j->p->ranks || in->peer == rank))
		return program_fault(j->p, rank, i, e, "rank %d is not a peer", in->peer);
	switch (in->kind) {
	case INSTRUCTION_SYNC:
		return true;
	case INSTRUCTION_CREDIT:
		x->credit[in->peer] = i + 1;
		return true;
	case INSTRUCTION_OFFER:
		x->offer[in->peer] = i + 1;
		return true;
	case INSTRUCTION_MOVE:
		return check_move(j, x, rank, i, e);
	case INSTRUCTION_WAIT:
	case INSTRUCTION_SIGNAL:
	case INSTRUCTION_KINDS:
		break;
	}
	return program_fault(j->p, rank, i, e, "packets need no such instruction");
}

static bool check_rank(struct judge *j, int rank, struct error *e)
{
	struct place_in_call x = {.credit = new_array(size_t, (size_t)j->p->ranks), .offer = new_array(size_t, (size_t)j->p->ranks)};
	bool good = true;

	for (size_t i = 0; good && i < j->p->of[rank].n; i++)
		good = check_instruction(j, &x, rank, i, e);
	for (size_t k = 0; good && k < j->p->packets[rank].n; k++)
		if (!x.offer[j->p->packets[rank].of[k].from])
			good = error_set(e, ERROR_SYSTEM, j->p->algorithm->name, "rank %d never offers its packets to rank %d again",
					 rank, j->p->packets[rank].of[k].from);
	free(x.credit);
	free(x.offer);
	return good;
}

bool packets_check(const struct program *p, struct error *e)
{
	struct judge j = {p, new_array(bool *, (size_t)p->ranks)};
	bool good = true;

	for (int r = 0; r < p->ranks; r++)
		j.sent[r] = new_array(bool, p->packets[r].n);
	for (int r = 0; good && r < p->ranks; r++)
		good = check_rank(&j, r, e);
	for (int r = 0; good && r < p->ranks; r++)
		for (size_t k = 0; good && k < p->packets[r].n; k++)
			if (!j.sent[r][k])
				good = error_set(e, ERROR_SYSTEM, p->algorithm->name, "packet %zu of rank %d is never sent", k, r);
	for (int r = 0; r < p->ranks; r++)
		free(j.sent[r]);
	free(j.sent);
	return good;
}
