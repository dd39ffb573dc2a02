#ifndef SCCL_LOWER_PROGRAM_PROGRAM_H
#define SCCL_LOWER_PROGRAM_PROGRAM_H

/*
 * The intermediate representation: the instructions of each rank, in order. Ranks write into each other's memory and
 * read only their own, and, where inputs are shared, those of others; a connection (from, to) carries numbered signals. docs/concepts/lowering.md explains it by
 * example.
 */

#include <stdbool.h>
#include <stddef.h>

struct algorithm;

enum buffer { BUFFER_INPUT, BUFFER_OUTPUT, BUFFER_SCRATCH, BUFFER_PACKET };

/* Where a value is stored. A chunk has a fixed place in an input or output buffer; a scratch slot holds any chunk, and
 * a packet slot the one chunk that it is assigned (struct packet). */
struct place {
	enum buffer buffer;
	int rank; /* whose memory */
	int slot; /* of BUFFER_SCRATCH and BUFFER_PACKET; 0 otherwise */
};

enum instruction_kind {
	INSTRUCTION_OFFER,  /* allow peer to write into my memory */
	INSTRUCTION_CREDIT, /* wait for peer's offer */
	INSTRUCTION_WAIT,   /* wait for peer's signal number k */
	INSTRUCTION_SIGNAL, /* send my signal number k to peer: all that I wrote into its memory before has arrived */
	INSTRUCTION_SYNC,   /* barrier among the threads of a block (sync.h) */
	INSTRUCTION_MOVE,   /* copy one source, or reduce several from left to right, into every target */
	INSTRUCTION_KINDS
};

struct instruction {
	enum instruction_kind kind;
	int step;    /* of the algorithm, from 1; 0: before the first step */
	int peer, k; /* k: signal number, counted from 1 on each connection */
	int chunk;
	size_t n_sources, n_targets;
	struct place *sources, *targets; /* owned; a target may be the place of a source */
	bool loads_sum;   /* the sources, every rank's input, are loaded as the sum that a switch adds (multimem.h) */
	bool stores_once; /* of the targets, every rank's output is written by one store that a switch copies */
	bool rare;  /* an offer or credit of packets that data imply in calls without empty packets (credits.c) */
	bool total; /* a reduction whose result has the parts of all ranks, so that averages are divided here (totals.h) */
};

/* The instructions of one rank. */
struct rank_program {
	size_t n, capacity;
	struct instruction *instructions; /* owned */
};

/* A packet slot: written once per call by rank `from`, and read only by its owner. */
struct packet {
	int from, chunk;
};

/* The packet slots of one rank. */
struct packets {
	size_t n, capacity;
	struct packet *of; /* owned */
};

struct program {
	const struct algorithm *algorithm; /* borrowed */
	int ranks;
	struct rank_program *of;           /* owned: one per rank */
	int *slots;                        /* owned: the number of scratch slots of each rank */
	bool packets_only;                 /* uses packets in place of flags (packets.h) */
	bool pulls;                        /* ranks read each other's scratch slots and write only their own memory (pull.h) */
	bool shared;                       /* ranks read each other's inputs (shared.h); not for calls in place */
	struct packets *packets;           /* owned: one per rank; empty in a program with flags */
	int signals;                       /* with flags, the largest k, at least 1; with packets, 0 */
};

extern const char *const instruction_names[]; /* indexed by instruction_kind: "offer", ... */

/* An empty program for A, which must outlive it. The caller releases it with program_free. */
struct program *program_new(const struct algorithm *a);
void program_free(struct program *p); /* NULL is fine */
/* Both take ownership of the arrays `sources` and `targets` of I. */
void program_add(struct program *p, int rank, struct instruction i);
void program_insert(struct program *p, int rank, size_t at, struct instruction i);
bool place_same(struct place a, struct place b);
int program_slots(const struct program *p);        /* the largest number of scratch slots of any rank */
int program_packet_slots(const struct program *p); /* the largest number of packet slots of any rank */
int program_add_packet(struct program *p, int rank, struct packet packet); /* returns the number of its slot */

#endif
