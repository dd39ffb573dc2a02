/*
 * The checker of programs with packets, which shares only the representation (program.h) with the code that builds
 * them: one pass over each rank's instructions for credits, offers, senders and places; and, from the end of a rank's call
 * backwards, whose moves it must have heard of, for the credits that data imply.
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
	bool **sent;     /* [rank][packet slot] */
	size_t **sender; /* [rank][packet slot]: the number of the instruction that sends it */
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

/* Where each packet is sent. */
static void find_senders(struct judge *j)
{
	for (int r = 0; r < j->p->ranks; r++)
		for (size_t i = 0; i < j->p->of[r].n; i++) {
			const struct instruction *in = &j->p->of[r].instructions[i];
			for (size_t k = 0; k < in->n_targets; k++)
				if (in->targets[k].buffer == BUFFER_PACKET)
					j->sender[in->targets[k].rank][in->targets[k].slot] = i;
		}
}

/* Looks at the instructions of R before KNOWN[R], from SEEN on: who sent what they read is known up to there. */
static void look_back_at(const struct judge *j, int r, size_t *seen, size_t *known)
{
	for (; *seen < known[r]; ++*seen) {
		const struct instruction *in = &j->p->of[r].instructions[*seen];
		for (size_t k = 0; k < in->n_sources; k++) {
			if (in->sources[k].buffer != BUFFER_PACKET)
				continue;
			int from = j->p->packets[r].of[in->sources[k].slot].from;
			size_t least = j->sender[r][in->sources[k].slot] + 1;
			known[from] = known[from] < least ? least : known[from];
		}
	}
}

/* Does it know of all whose credits are rare? */
static bool knows_enough(const struct program *p, int rank, const size_t *known)
{
	for (size_t i = 0; i < p->of[rank].n; i++) {
		const struct instruction *in = &p->of[rank].instructions[i];
		if (in->kind == INSTRUCTION_CREDIT && in->rare && known[in->peer] == 0)
			return false;
	}
	return true;
}

/* How many of each rank's instructions RANK knows of at its end, by packets alone, as far as its rare credits ask. */
static void look_back(const struct judge *j, int rank, size_t *known)
{
	const struct program *p = j->p;
	size_t *seen = new_array(size_t, (size_t)p->ranks);
	bool more = true;

	known[rank] = p->of[rank].n;
	look_back_at(j, rank, &seen[rank], known);
	while (more && !knows_enough(p, rank, known)) {
		more = false;
		for (int r = 0; r < p->ranks; r++) {
			more |= seen[r] < known[r];
			look_back_at(j, r, &seen[r], known);
		}
	}
	free(seen);
}

static const struct instruction *offer_of(const struct program *p, int owner, int sender)
{
	for (size_t i = p->of[owner].n; i-- > 0;)
		if (p->of[owner].instructions[i].kind == INSTRUCTION_OFFER && p->of[owner].instructions[i].peer == sender)
			return &p->of[owner].instructions[i];
	return NULL;
}

/* A credit is rare only if its rank has heard from the peer by the end of the call, and exactly if the offer is. */
static bool check_rare(const struct judge *j, int rank, struct error *e)
{
	const struct program *p = j->p;
	size_t *known = new_array(size_t, (size_t)p->ranks);
	bool good = true;

	look_back(j, rank, known);
	for (size_t i = 0; good && i < p->of[rank].n; i++) {
		const struct instruction *in = &p->of[rank].instructions[i];
		if (in->kind != INSTRUCTION_CREDIT)
			continue;
		const struct instruction *offer = offer_of(p, in->peer, rank);
		if (in->rare && known[in->peer] == 0)
			good = program_fault(p, rank, i, e, "no data imply the credit of rank %d", in->peer);
		else if (offer && offer->rare != in->rare)
			good = program_fault(p, rank, i, e, "the offer of rank %d is%s rare, the credit is%s", in->peer,
					     offer->rare ? "" : " not", in->rare ? "" : " not");
	}
	free(known);
	return good;
}

bool packets_check(const struct program *p, struct error *e)
{
	struct judge j = {p, new_array(bool *, (size_t)p->ranks), new_array(size_t *, (size_t)p->ranks)};
	bool good = true;

	for (int r = 0; r < p->ranks; r++) {
		j.sent[r] = new_array(bool, p->packets[r].n);
		j.sender[r] = new_array(size_t, p->packets[r].n);
	}
	for (int r = 0; good && r < p->ranks; r++)
		good = check_rank(&j, r, e);
	for (int r = 0; good && r < p->ranks; r++)
		for (size_t k = 0; good && k < p->packets[r].n; k++)
			if (!j.sent[r][k])
				good = error_set(e, ERROR_SYSTEM, p->algorithm->name, "packet %zu of rank %d is never sent", k, r);
	if (good)
		find_senders(&j);
	for (int r = 0; good && r < p->ranks; r++)
		good = check_rare(&j, r, e);
	for (int r = 0; r < p->ranks; r++) {
		free(j.sent[r]);
		free(j.sender[r]);
	}
	free(j.sent);
	free(j.sender);
	return good;
}
