/*
 * The checker of programs with flags: happens-before race detection with vector clocks (Fidge 1988, Mattern 1989). It
 * executes the program in one order and keeps a clock per rank, which signals and offers pass on, and the last accesses
 * to each location. Any two conflicting accesses must be ordered by these clocks; then every execution orders them so.
 */

#include "lower/program/check.h"

#include "lower/program/geometry.h"
#include "lower/program/locations.h"
#include "lower/program/program.h"
#include "lower/program/execution.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The last accesses to a location: instructions are counted from 1; 0: none. Only the owner of a location reads it, apart
 * from inputs that are shared, which are not written, and slots that are lent, which are not written again. */
struct access {
	int writer;
	uint32_t write, read;
	bool lent;
};

/* The clocks carried by a connection's signals that have not been waited for yet. */
struct queue {
	int first; /* the number k of the signal of stamps[0] */
	size_t n, capacity;
	uint32_t **stamps;
};

struct program_check_state {
	const struct program *p;
	struct locations locations;
	struct access *accesses;
	struct connections connections;
	struct queue *queues;  /* of each connection */
	uint32_t **offers;     /* of each connection: the clock that its offer carries */
	uint32_t *clocks;      /* [rank * ranks + other]: how many instructions of other rank knows to be done */
};

static uint32_t *clock_of(const struct program_check_state *c, int rank)
{
	return c->clocks + (size_t)rank * (size_t)c->p->ranks;
}

static void learn(const struct program_check_state *c, int rank, const uint32_t *stamps)
{
	uint32_t *clock = clock_of(c, rank);

	for (int r = 0; r < c->p->ranks; r++)
		if (stamps[r] > clock[r])
			clock[r] = stamps[r];
}

/* Is instruction number WHEN (from 1) of OTHER surely done before RANK's current one? */
static bool ordered(const struct program_check_state *c, int rank, int other, uint32_t when)
{
	return rank == other || clock_of(c, rank)[other] >= when;
}

static const char *const buffer_names[] = {"the input", "the output", "scratch", "packets"};

static bool fault_at(const struct program_check_state *c, int rank, size_t i, struct place at, int chunk, struct error *e,
		     const char *what, int other)
{
	return program_fault(c->p, rank, i, e, "chunk %d, %s of rank %d: %s rank %d", chunk, buffer_names[at.buffer], at.rank,
			     what, other);
}

static bool check_read(struct program_check_state *c, int rank, size_t i, struct place at, int chunk, struct error *e)
{
	struct access *a = &c->accesses[location(&c->locations, at, chunk)];

	if (at.rank != rank && !(c->p->shared && at.buffer == BUFFER_INPUT) && !(c->p->pulls && at.buffer == BUFFER_SCRATCH))
		return fault_at(c, rank, i, at, chunk, e, "it is read by", rank);
	if (!ordered(c, rank, at.rank, 1))
		return fault_at(c, rank, i, at, chunk, e, "it is read before it is certain to be there by", rank);
	if (a->write == 0 && at.buffer != BUFFER_INPUT)
		return program_fault(c->p, rank, i, e, "chunk %d is read from %s, where nothing was written", chunk,
				     buffer_names[at.buffer]);
	if (!ordered(c, rank, a->writer, a->write))
		return fault_at(c, rank, i, at, chunk, e, "it is read before it is certain to have arrived from", a->writer);
	if (at.rank != rank && at.buffer == BUFFER_SCRATCH)
		a->lent = true;
	else
		a->read = (uint32_t)i + 1;
	return true;
}

static bool check_write(struct program_check_state *c, int rank, size_t i, struct place at, int chunk, struct error *e)
{
	struct access *a = &c->accesses[location(&c->locations, at, chunk)];

	if (at.buffer == BUFFER_INPUT)
		return fault_at(c, rank, i, at, chunk, e, "an input is written by", rank);
	if (!ordered(c, rank, at.rank, 1))
		return fault_at(c, rank, i, at, chunk, e, "it is written without an offer from", at.rank);
	if (a->write && !ordered(c, rank, a->writer, a->write))
		return fault_at(c, rank, i, at, chunk, e, "it is written twice in no fixed order, the other time by", a->writer);
	if (a->read && !ordered(c, rank, at.rank, a->read))
		return fault_at(c, rank, i, at, chunk, e, "it is written while it may still be read by", at.rank);
	if (a->lent)
		return fault_at(c, rank, i, at, chunk, e, "it is written after another rank has read it, by", rank);
	*a = (struct access){rank, (uint32_t)i + 1, 0, false};
	return true;
}

static bool check_move(struct program_check_state *c, int rank, size_t i, const struct instruction *in, struct error *e)
{
	if (in->n_sources == 0 || in->n_targets == 0)
		return program_fault(c->p, rank, i, e, "a move has no source or no target");
	for (size_t k = 0; k < in->n_sources + in->n_targets; k++) {
		struct place at = k < in->n_sources ? in->sources[k] : in->targets[k - in->n_sources];
		if (!location_exists(c->p, at, in->chunk))
			return program_fault(c->p, rank, i, e, "chunk %d has no place in %s (%d) of rank %d", in->chunk,
					     buffer_names[at.buffer], at.slot, at.rank);
	}
	for (size_t k = 0; k < in->n_targets; k++)
		for (size_t l = 0; l < k; l++)
			if (place_same(in->targets[k], in->targets[l]))
				return fault_at(c, rank, i, in->targets[k], in->chunk, e, "it is written twice in one move by", rank);
	for (size_t k = 0; k < in->n_sources; k++)
		if (!check_read(c, rank, i, in->sources[k], in->chunk, e))
			return false;
	for (size_t k = 0; k < in->n_targets; k++)
		if (!check_write(c, rank, i, in->targets[k], in->chunk, e))
			return false;
	return true;
}

static uint32_t *clock_copy(const struct program_check_state *c, int rank, size_t i)
{
	clock_of(c, rank)[rank] = (uint32_t)i + 1;
	return copy_bytes(clock_of(c, rank), (size_t)c->p->ranks * sizeof *c->clocks);
}

static void queue_clock(struct queue *q, uint32_t *stamps)
{
	q->stamps = grown(q->stamps, &q->capacity, q->n + 1, sizeof *q->stamps);
	q->stamps[q->n++] = stamps;
}

/* Signal k carries at least what all signals before it carried, so its clock alone is merged. */
static void wait_learned(struct program_check_state *c, int rank, struct queue *q, int k)
{
	if (k < q->first)
		return;
	size_t n = (size_t)(k - q->first) + 1;
	learn(c, rank, q->stamps[n - 1]);
	for (size_t i = 0; i < n; i++)
		free(q->stamps[i]);
	memmove(q->stamps, q->stamps + n, (q->n - n) * sizeof *q->stamps);
	q->n -= n;
	q->first += (int)n;
}

static bool visit(void *context, int rank, size_t i, struct error *e)
{
	struct program_check_state *c = context;
	const struct instruction *in = &c->p->of[rank].instructions[i];
	const struct connections *all = &c->connections;

	switch (in->kind) {
	case INSTRUCTION_SYNC:
		return true;
	case INSTRUCTION_OFFER: {
		uint32_t **offer = &c->offers[connections_find(all, in->peer, rank)];
		if (*offer)
			return program_fault(c->p, rank, i, e, "rank %d already has an offer", in->peer);
		*offer = clock_copy(c, rank, i);
		return true;
	}
	case INSTRUCTION_CREDIT:
		learn(c, rank, c->offers[connections_find(all, rank, in->peer)]);
		return true;
	case INSTRUCTION_WAIT:
		wait_learned(c, rank, &c->queues[connections_find(all, in->peer, rank)], in->k);
		return true;
	case INSTRUCTION_SIGNAL:
		if (in->k > c->p->signals)
			return program_fault(c->p, rank, i, e, "signal %d of at most %d", in->k, c->p->signals);
		queue_clock(&c->queues[connections_find(all, rank, in->peer)], clock_copy(c, rank, i));
		return true;
	case INSTRUCTION_MOVE:
		return check_move(c, rank, i, in, e);
	case INSTRUCTION_KINDS:
		break;
	}
	return program_fault(c->p, rank, i, e, "no such instruction");
}

/* Was every output chunk written, and was every write into a rank's memory complete before the rank left? */
static bool check_end(const struct program_check_state *c, struct error *e)
{
	const struct algorithm *a = c->p->algorithm;

	for (int r = 0; r < c->p->ranks; r++)
		for (int k = 0; k < a->global_chunks; k++) {
			struct place out = {BUFFER_OUTPUT, r, 0};
			if (!location_exists(c->p, out, k))
				continue;
			const struct access *at = &c->accesses[location(&c->locations, out, k)];
			bool there = c->locations.in_place && collective_pre(&a->collective, c->p->ranks, k, r);
			if (at->write == 0 && !there)
				return error_set(e, ERROR_SYSTEM, a->name, "rank %d never gets chunk %d of its output", r, k);
		}
	for (int r = 0; r < c->p->ranks; r++)
		for (size_t i = 0; i < c->p->of[r].n; i++) {
			const struct instruction *in = &c->p->of[r].instructions[i];
			for (size_t k = 0; k < in->n_sources; k++)
				if (!ordered(c, in->sources[k].rank, r, (uint32_t)i + 1))
					return program_fault(c->p, r, i, e, "rank %d may have left when chunk %d of its input is read",
							     in->sources[k].rank, in->chunk);
			for (size_t t = 0; t < in->n_targets; t++)
				if (!ordered(c, in->targets[t].rank, r, (uint32_t)i + 1))
					return program_fault(c->p, r, i, e, "rank %d may have left when chunk %d is written into it",
							     in->targets[t].rank, in->chunk);
		}
	return true;
}

static bool check_once(const struct program *p, bool in_place, struct error *e)
{
	struct program_check_state c = {.p = p, .locations = locations_new(p, in_place), .connections = program_connections(p)};

	c.accesses = new_array(struct access, c.locations.n);
	c.clocks = new_array(uint32_t, (size_t)p->ranks * (size_t)p->ranks);
	c.queues = new_array(struct queue, c.connections.n);
	c.offers = new_array(uint32_t *, c.connections.n);
	for (size_t i = 0; i < c.connections.n; i++)
		c.queues[i].first = 1;
	bool good = program_execute(p, visit, &c, e) && check_end(&c, e);

	for (size_t i = 0; i < c.connections.n; i++) {
		for (size_t k = 0; k < c.queues[i].n; k++)
			free(c.queues[i].stamps[k]);
		free(c.queues[i].stamps);
		free(c.offers[i]);
	}
	free(c.queues);
	free(c.offers);
	free(c.clocks);
	free(c.accesses);
	connections_free(&c.connections);
	locations_free(&c.locations);
	return good;
}

/* What the other checks assume: peers exist, and no place is a packet. */
static bool check_peers(const struct program *p, struct error *e)
{
	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			const struct instruction *in = &p->of[r].instructions[i];
			if (in->kind != INSTRUCTION_MOVE && in->kind != INSTRUCTION_SYNC && (in->peer < 0 || in->peer >= p->ranks || in->peer == r))
				return program_fault(p, r, i, e, "rank %d is not a peer", in->peer);
			for (size_t k = 0; k < in->n_sources + in->n_targets; k++)
				if ((k < in->n_sources ? in->sources[k] : in->targets[k - in->n_sources]).buffer == BUFFER_PACKET)
					return program_fault(p, r, i, e, "the program has flags and no packets");
		}
	return true;
}

bool program_check(const struct program *p, struct error *e)
{
	if (p->algorithm->n_steps > UINT32_MAX >> 8)
		return error_set(e, ERROR_SYSTEM, p->algorithm->name, "too many steps");
	return check_peers(p, e) && check_once(p, false, e) &&
	       (p->shared || !collective_in_place(&p->algorithm->collective) || check_once(p, true, e));
}
