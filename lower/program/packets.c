/*
 * From flags to packets. Every push gets a packet slot at its receiver. The instructions of each rank are then
 * replayed: at a wait, the packets covered by the signal become the current content of their original places, and later
 * reads of these places read the packets. A packet meant for the output is copied there when it is first read for
 * another move, or at the end.
 */

#include "lower/program/packets.h"

#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* A push over a connection: the signal that would have announced it, and the place that would have held it. */
struct packet_arrival {
	int k, chunk, slot; /* slot: of the packet */
	struct place at;
};

/* The pushes over a connection, in order. */
struct arrivals {
	size_t n, capacity, waited; /* waited: how many have been waited for */
	struct packet_arrival *of;
};

/* What a rank knows of its packets: which places they stand for, and which are still to be copied to its output. */
struct reader {
	int *of_slot;   /* [scratch slot]: the packet that still holds its value; -1: none */
	int *of_output; /* [chunk]: the same for its place in the output */
	size_t n_unpacks, capacity;
	int *unpacks; /* chunks to copy to the output, in order of arrival */
};

struct change {
	const struct program *from;
	struct program *to;
	struct arrivals *arrivals; /* [from * ranks + to] */
	int steps;
};

static struct arrivals *between(const struct change *c, int from, int to)
{
	return &c->arrivals[(size_t)from * (size_t)c->from->ranks + (size_t)to];
}

/* Assigns a packet slot to every push of RANK. */
static void number_pushes(struct change *c, int rank)
{
	int *waited = new_array(int, (size_t)c->from->ranks);

	for (size_t i = 0; i < c->from->of[rank].n; i++) {
		const struct instruction *in = &c->from->of[rank].instructions[i];
		if (in->kind == INSTRUCTION_SIGNAL)
			waited[in->peer] = in->k;
		for (size_t t = 0; t < in->n_targets; t++) {
			struct place at = in->targets[t];
			if (at.rank == rank)
				continue;
			struct arrivals *a = between(c, rank, at.rank);
			int slot = program_add_packet(c->to, at.rank, (struct packet){rank, in->chunk});
			a->of = grown(a->of, &a->capacity, a->n + 1, sizeof *a->of);
			a->of[a->n++] = (struct packet_arrival){waited[at.rank] + 1, in->chunk, slot, at};
		}
	}
	free(waited);
}

static void arrive(struct reader *r, const struct packet_arrival *a)
{
	if (a->at.buffer == BUFFER_SCRATCH) {
		r->of_slot[a->at.slot] = a->slot;
		return;
	}
	r->of_output[a->chunk] = a->slot;
	r->unpacks = grown(r->unpacks, &r->capacity, r->n_unpacks + 1, sizeof *r->unpacks);
	r->unpacks[r->n_unpacks++] = a->chunk;
}

static void wait(struct change *c, struct reader *r, int rank, const struct instruction *in)
{
	struct arrivals *a = between(c, in->peer, rank);

	for (; a->waited < a->n && a->of[a->waited].k <= in->k; a->waited++)
		arrive(r, &a->of[a->waited]);
}

static void forget_unpack(struct reader *r, int chunk)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_unpacks; i++)
		if (r->unpacks[i] != chunk)
			r->unpacks[kept++] = r->unpacks[i];
	r->n_unpacks = kept;
}

static struct place read_from(const struct reader *r, int rank, struct place at, int chunk)
{
	int slot = at.buffer == BUFFER_SCRATCH ? r->of_slot[at.slot] : at.buffer == BUFFER_OUTPUT ? r->of_output[chunk] : -1;

	return slot < 0 ? at : (struct place){BUFFER_PACKET, rank, slot};
}

static bool waits_to_be_unpacked(const struct reader *r, int chunk)
{
	for (size_t i = 0; i < r->n_unpacks; i++)
		if (r->unpacks[i] == chunk)
			return true;
	return false;
}

/* A value that the rank writes itself replaces the packet that arrived for this place. */
static void write_own(struct reader *r, struct place at, int chunk)
{
	if (at.buffer == BUFFER_SCRATCH)
		r->of_slot[at.slot] = -1;
	else {
		r->of_output[chunk] = -1;
		forget_unpack(r, chunk);
	}
}

/* Adds the move, with packets in the place of its arrived sources and its pushes. If its source is a packet that is
 * still to be copied to the output, the move does that, too. */
static void move(struct change *c, struct reader *r, int rank, const struct instruction *in, size_t *sent)
{
	struct instruction i = {.kind = INSTRUCTION_MOVE, .step = in->step, .chunk = in->chunk, .n_sources = in->n_sources, .total = in->total};
	bool unpack = in->n_sources == 1 && in->sources[0].buffer == BUFFER_OUTPUT && waits_to_be_unpacked(r, in->chunk);

	i.sources = new_array(struct place, in->n_sources);
	i.targets = new_array(struct place, in->n_targets + 1);
	for (size_t k = 0; k < in->n_sources; k++)
		i.sources[k] = read_from(r, rank, in->sources[k], in->chunk);
	for (size_t k = 0; k < in->n_targets; k++) {
		struct place at = in->targets[k];
		if (at.rank == rank)
			write_own(r, at, in->chunk);
		else
			at = (struct place){BUFFER_PACKET, at.rank, between(c, rank, at.rank)->of[sent[at.rank]++].slot};
		i.targets[i.n_targets++] = at;
	}
	if (unpack) {
		i.targets[i.n_targets++] = (struct place){BUFFER_OUTPUT, rank, 0};
		forget_unpack(r, in->chunk);
		r->of_output[in->chunk] = -1;
	}
	program_add(c->to, rank, i);
}

static void unpack_rest(struct change *c, const struct reader *r, int rank)
{
	for (size_t i = 0; i < r->n_unpacks; i++) {
		struct place from = {BUFFER_PACKET, rank, r->of_output[r->unpacks[i]]}, to = {BUFFER_OUTPUT, rank, 0};
		program_add(c->to, rank,
			    (struct instruction){.kind = INSTRUCTION_MOVE, .step = c->steps, .chunk = r->unpacks[i],
						 .n_sources = 1, .n_targets = 1, .sources = copy_bytes(&from, sizeof from),
						 .targets = copy_bytes(&to, sizeof to)});
	}
}

static void add_for_all(struct change *c, int rank, enum instruction_kind kind, int step)
{
	for (int peer = 0; peer < c->from->ranks; peer++) {
		bool meets = kind == INSTRUCTION_CREDIT ? between(c, rank, peer)->n > 0 : between(c, peer, rank)->n > 0;
		if (meets)
			program_add(c->to, rank, (struct instruction){.kind = kind, .step = step, .peer = peer});
	}
}

static void change_rank(struct change *c, int rank)
{
	size_t slots = (size_t)c->from->slots[rank], chunks = (size_t)c->from->algorithm->global_chunks;
	struct reader r = {.of_slot = new_array(int, slots), .of_output = new_array(int, chunks)};
	size_t *sent = new_array(size_t, (size_t)c->from->ranks);

	for (size_t i = 0; i < slots; i++)
		r.of_slot[i] = -1;
	for (size_t i = 0; i < chunks; i++)
		r.of_output[i] = -1;
	add_for_all(c, rank, INSTRUCTION_CREDIT, 0);
	for (size_t i = 0; i < c->from->of[rank].n; i++) {
		const struct instruction *in = &c->from->of[rank].instructions[i];
		if (in->kind == INSTRUCTION_WAIT)
			wait(c, &r, rank, in);
		if (in->kind == INSTRUCTION_MOVE)
			move(c, &r, rank, in, sent);
	}
	unpack_rest(c, &r, rank);
	add_for_all(c, rank, INSTRUCTION_OFFER, c->steps);
	free(sent);
	free(r.of_slot);
	free(r.of_output);
	free(r.unpacks);
}

struct program *program_packets(const struct program *p)
{
	size_t pairs = (size_t)p->ranks * (size_t)p->ranks;
	struct change c = {p, program_new(p->algorithm), new_array(struct arrivals, pairs), (int)p->algorithm->n_steps};

	c.to->packets_only = true;
	c.to->signals = 0;
	for (int r = 0; r < p->ranks; r++)
		c.to->slots[r] = p->slots[r];
	for (int r = 0; r < p->ranks; r++)
		number_pushes(&c, r);
	for (int r = 0; r < p->ranks; r++)
		change_rank(&c, r);
	program_imply_credits(c.to);
	for (size_t i = 0; i < pairs; i++)
		free(c.arrivals[i].of);
	free(c.arrivals);
	return c.to;
}
