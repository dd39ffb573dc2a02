#ifndef SCCL_SYNTH_PROGRAM_HUB_CORES_H
#define SCCL_SYNTH_PROGRAM_HUB_CORES_H

/*
 * Hubs that exchange sums. The hubs stand on a grid of one dimension for each step of the exchange, and in that step every
 * hub sends its value to all that differ from it in this dimension alone. That adds up the values of all: a hypercube is
 * recursive doubling, one dimension is a direct exchange, and a grid of no dimension is a single hub. Where the exchange takes
 * one step, the hubs that have the result need not be those that add up, as long as each of the latter is joined to each of
 * the former. Over links that lead one way only, as between two boxes, each of two hubs with the result has a hub of its own
 * from which such a link leads to it: all is added up twice, at once, in one step, so that no node sends a sum. Or, backwards,
 * all is added up once, at the two hubs from which the links lead, and both halves of the result are sent to all in one step.
 */

#include "synth/program/timed_tree.h"

struct network;

enum { HUB_NODES_MAX = 64, HUB_DIMENSIONS_MAX = 4 };

/* Hubs on a machine. */
struct hub_core {
	int dimensions;      /* steps of the exchange */
	int n_from, *from;   /* the hubs that add up; owned */
	int n_beside, *beside; /* those that add up once more, beside these; n_beside is 0 if all is added up once; owned */
	int n_to, *to;       /* those that have the result; owned */
	int n_beyond, *beyond; /* n_beyond not 0: those have one half of the result, and these the other; owned */
	struct timed_tree exchange; /* its sends, in steps from 0; owned */
	int into, out;       /* hops that the farthest node has to the nearest hub that adds up, and from one with the result */
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
