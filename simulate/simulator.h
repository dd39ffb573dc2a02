#ifndef SCCL_SIMULATE_SIMULATOR_H
#define SCCL_SIMULATE_SIMULATOR_H

/*
 * How long an algorithm takes on its machine, played message by message. A message is one send: a chunk, L/C bytes. It takes the
 * latency α of every link of its route, and its bytes over the narrowest; a link, or a limit over several, that others want too is
 * shared. docs/concepts/simulation.md.
 */

#include "simulate/fabric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct error;

enum simulation_start {
	START_STEPS,    /* a step begins when all messages of the one before have arrived */
	START_DATAFLOW, /* a message starts when its chunk is at its source, and those before it on its pair have left */
};
enum simulation_sharing {
	SHARING_FAIR, /* max-min: all at once, none faster while a slower one could be faster instead */
	SHARING_FIFO, /* one after another, as they come; heads cut through to the next link */
};
extern const char *const simulation_starts[], *const simulation_sharings[]; /* their names, NULL-terminated */

struct simulation {
	enum simulation_start start;
	enum simulation_sharing sharing;
	double alpha, beta; /* struct speeds */
	int64_t buffer;
	int64_t packet; /* bytes of payload in a packet; 0: a message is not cut */
	int64_t head;   /* bytes that each packet, or each message, carries beside */
};

/* What a run shows. */
struct simulated {
	double microseconds;
	double use, busiest;            /* of the links: the share of the time that they send, on average and at most */
	double waiting, longest_wait;   /* µs that a message took beyond what it takes alone, from when it could start */
};

struct link_load {
	int link; /* of the topology; below 0: limit -1 - link */
	double use;
};

struct simulator;

/* A in full; borrowed. NULL with *e set. */
struct simulator *simulator_new(const struct algorithm *a, const struct simulation *how, struct error *e);
void simulator_free(struct simulator *s); /* NULL is fine */

/* One call with an input of BYTES a rank, more than 0. */
void simulator_run(struct simulator *s, double bytes, struct simulated *out);
/* The links and limits of that run with the highest use, at most N; how many. */
size_t simulator_busiest(const struct simulator *s, double bytes, double microseconds, struct link_load *into, size_t n);

/* What the L of a collective asks of each rank's links: busbw = this times L over time. */
double bus_factor(const struct algorithm *a);

#endif
