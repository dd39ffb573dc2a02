#ifndef SCCL_LOWER_PROGRAM_PROGRAM_H
#define SCCL_LOWER_PROGRAM_PROGRAM_H

/*
 * The intermediate form: what each rank does, in order. Ranks write into each other's memory and read only their own;
 * a connection (from, to) carries numbered signals. docs/concepts/lowering.md walks through it.
 */

#include <stdbool.h>
#include <stddef.h>

struct algorithm;

enum buffer { BUFFER_INPUT, BUFFER_OUTPUT, BUFFER_SCRATCH, BUFFER_PACKET };

/* Where a value lies. In an input or output buffer a chunk has one place; a scratch or packet slot holds any chunk. */
struct place {
	enum buffer buffer;
	int rank; /* whose memory */
	int slot; /* of BUFFER_SCRATCH and BUFFER_PACKET; 0 otherwise */
};

enum instruction_kind {
	INSTRUCTION_OFFER,  /* peer may write into my memory */
	INSTRUCTION_CREDIT, /* wait for peer's offer */
	INSTRUCTION_WAIT,   /* wait for peer's signal number k */
	INSTRUCTION_SIGNAL, /* my signal number k to peer: what I wrote into its memory before is there */
	INSTRUCTION_SYNC,   /* the threads of a block meet (sync.h) */
	INSTRUCTION_MOVE,   /* one source: a copy; more: their sum, from the left. Written to every target */
	INSTRUCTION_KINDS
};

struct instruction {
	enum instruction_kind kind;
	int step;    /* of the algorithm, from 1; 0: before the first */
	int peer, k; /* k from 1 on each connection */
	int chunk;
	size_t n_sources, n_targets;
	struct place *sources, *targets; /* owned; a target may be the place of a source */
};

struct rank_program {
	size_t n, capacity;
	struct instruction *instructions; /* owned */
};

/* A packet slot: written once a call, and read by its owner. */
struct packet {
	int from, chunk;
};

struct packets {
	size_t n, capacity;
	struct packet *of; /* owned */
};

struct program {
	const struct algorithm *algorithm; /* borrowed */
	int ranks;
	struct rank_program *of;           /* owned: one a rank */
	int *slots;                        /* owned: scratch slots of each rank */
	bool packets_only;                 /* packets take the place of flags (packets.h) */
	struct packets *packets;           /* owned: each rank's; empty where there are flags */
	int signals;                       /* the largest k, at least 1 */
};

extern const char *const instruction_names[]; /* "offer", ... */

struct program *program_new(const struct algorithm *a);
struct program *program_copy(const struct program *p);
void program_free(struct program *p); /* NULL is fine */
/* Both take the instruction's places. */
void program_add(struct program *p, int rank, struct instruction i);
void program_insert(struct program *p, int rank, size_t at, struct instruction i);
void program_remove(struct program *p, int rank, size_t i);
bool place_same(struct place a, struct place b);
int program_slots(const struct program *p); /* the most that a rank needs */
int program_packet_slots(const struct program *p);
int program_add_packet(struct program *p, int rank, struct packet packet); /* its slot */

#endif
