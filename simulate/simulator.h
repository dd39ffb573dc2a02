#ifndef SCCL_SIMULATE_SIMULATOR_H
#define SCCL_SIMULATE_SIMULATOR_H

/*
 * How long an algorithm takes on its machine, simulated message by message. A message is one send: a chunk of L/C
 * bytes. It takes the latency α of every link of its route, and the time for its bytes at the route's narrowest link;
 * links, and limits over several of them, are shared with the other messages in flight. docs/concepts/simulation.md.
 */

#include "core/schedule/step_overhead.h"
#include "simulate/fabric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct collective;
struct error;
struct topology;

/* When messages may start. */
enum simulation_start {
	START_STEPS,    /* a step begins when all messages of the one before have arrived */
	START_DATAFLOW, /* a message starts when its chunk is at its source and its pair's earlier messages have left */
	/*
	 * As network interfaces play schedule tables (MultiTree, section IV): a node issues the messages of its current step, as their
	 * chunks come, and goes on when all are issued and the step's estimated time has passed. Nodes do not wait for each other.
	 */
	START_LOCKSTEP,
};
/* How messages share a link or limit. */
enum simulation_sharing {
	SHARING_FAIR, /* max-min: all at once, none could be faster without making a slower one slower */
	SHARING_FIFO, /* one after another, as they arrive; heads cut through to the next link */
	/*
	 * Each link and limit starts its messages in the algorithm's order, by step and then by their place in it, and each
	 * message at its full rate: it waits for those before it and until that rate is free, and shares no rate.
	 */
	SHARING_ORDER,
};
extern const char *const simulation_starts[], *const simulation_sharings[]; /* their names, NULL-terminated */

/* How to simulate. Times are in µs, sizes in bytes. */
struct simulation {
	enum simulation_start start;
	enum simulation_sharing sharing;
	double alpha, beta; /* as in struct speeds */
	struct step_overhead step; /* µs from the arrival of a message's last byte until its step is done there */
	double reduce; /* µs that a node takes to add a byte to its own, from its arrival until its step is done there */
	double call;   /* µs that a call takes before and after its messages: launches */
	/*
	 * Calls that are issued one after another before their end is waited for: the next is launched while one runs. Times are then
	 * the average of one. 0: 1.
	 */
	int calls;
	int64_t buffer;
	int64_t interface; /* bytes that a network interface holds, by which lockstep's estimates are shorter */
	/*
	 * Ports through which a node receives: the messages of a step take them in turn, whichever link they come over, and a node
	 * begins a step in lockstep when all that it has sent has left. 0: a node receives whatever its links bring.
	 */
	int ports;
	double jitter; /* µs by which arrivals vary: each is that much later at most, the same in every run */
	int64_t packet; /* bytes of payload in a packet; 0: messages are not divided */
	int64_t head;   /* bytes of header that each packet, or each undivided message, adds */
};

/* The result of a run. */
struct simulated {
	double microseconds;
	double use, busiest;            /* fraction of the time that the links are sending: mean and maximum */
	/* µs that messages took beyond their time on an idle machine, from when they could start: mean and maximum */
	double waiting, longest_wait;
};

/* How busy a link or limit is: the fraction of the run's time that it is sending. */
struct link_load {
	int link; /* index into the topology's links; negative: limit -1 - link */
	double use;
};

/*
 * Can T be simulated with HOW? False with *e set: first in, first out where switches copy or add, since a switch would send a
 * sum before its last addend has come.
 */
bool simulation_serves(const struct simulation *how, const struct topology *t, struct error *e);

/* An algorithm prepared for any number of runs. */
struct simulator;

/*
 * A must be in full form, not compact (core/schedule/algorithm.h); it is borrowed. NULL with *e set: the speed of some
 * link is not known, a send has no route, or there are too many sends.
 */
struct simulator *simulator_new(const struct algorithm *a, const struct simulation *how, struct error *e);
void simulator_free(struct simulator *s); /* NULL is allowed */

/* Simulates one call with an input of BYTES per rank, which must be positive. */
void simulator_run(struct simulator *s, double bytes, struct simulated *out);
/*
 * List scheduling, for a simulator with START_DATAFLOW: the same, but a pair that is free starts, of all messages whose
 * chunk is at its source, the one of the highest PRIORITY [message]; of equals the first. Messages are numbered step by
 * step, in a step sends before reduces. STARTS [message] gets when each starts. Played as an algorithm in which each pair
 * sends in the order of these starts, it takes as long, but for ties.
 */
void simulator_order(struct simulator *s, double bytes, const double *priority, double *starts, struct simulated *out);
/* Puts the links and limits of that run with the highest use into INTO, at most N, and returns how many. */
size_t simulator_busiest(const struct simulator *s, double bytes, double microseconds, struct link_load *into, size_t n);

/* What the collective asks of each rank's links, per byte of L: busbw = bus_factor * L / time. */
double bus_factor(const struct algorithm *a);
double bus_factor_of(const struct collective *k, int nodes);

#endif
