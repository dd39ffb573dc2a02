#ifndef SCCL_SYNTH_PROGRAM_HUB_CORES_H
#define SCCL_SYNTH_PROGRAM_HUB_CORES_H

/*
 * Hubs that exchange sums. The hubs stand on a grid of one dimension for each step of the exchange, and in that step every
 * hub sends its value to all that differ from it in this dimension alone, which adds up the values of all: a hypercube
 * is recursive doubling, one dimension is a direct exchange, and a grid of none is a single hub.
 */

#include "synth/program/timed_tree.h"

struct network;

enum { HUB_NODES_MAX = 64, HUB_DIMENSIONS_MAX = 4 };

/* A grid of hubs on a machine. */
struct hub_core {
	int dimensions;
	int n, *of;          /* the hubs; owned */
	struct timed_tree exchange; /* its sends; step d (from 0) is that of dimension d; owned */
	int into, out;       /* hops that the farthest node has to the nearest hub, and from it */
};

/* Released by hub_cores_free. */
struct hub_cores {
	size_t n, capacity;
	struct hub_core *of; /* owned, with what they own */
};

/*
 * The cores of a machine of at most HUB_NODES_MAX nodes with which an allreduce can take at most STEPS steps, of each
 * shape (the sizes of its dimensions) so many as are found with some effort.
 */
void hub_cores_find(const struct network *w, int steps, struct hub_cores *out);
void hub_cores_free(struct hub_cores *c);

#endif
