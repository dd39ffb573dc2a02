#ifndef SCCL_SYNTH_PROGRAM_PATTERN_ANNEALING_H
#define SCCL_SYNTH_PROGRAM_PATTERN_ANNEALING_H

/*
 * Cheaper patterns of one chunk of an allreduce, by simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983): sends are
 * added, taken away, and moved to other steps and edges; contributions that are missing or arrive twice cost extra.
 */

#include "synth/program/timed_tree.h"

#include <stdint.h>

struct network;

enum { ANNEALED_MOST = 6, ANNEALED_NODES_MAX = 64 };

/* How patterns are looked for. */
struct annealing {
	const struct network *w; /* of at most ANNEALED_NODES_MAX nodes */
	int steps;
	const double *prices; /* [step * n_edges + edge]; none is negative */
	double least;         /* cheapest pattern that is expected: the scale of temperatures */
	long moves;
	uint64_t *random; /* the state of pseudo-random numbers, which goes on */
	const uint64_t *drops; /* [step]: nodes, as bits, that drop their value if anything arrives; NULL: none */
};

/*
 * Begins with the pattern FROM. OUT gets the last ANNEALED_MOST patterns that were cheaper than all before, and than LIMIT;
 * the caller frees each of. The number of them. In all of them a node keeps its value unless a part of it arrives, or the
 * annealing says that it drops it.
 */
int pattern_anneal(const struct annealing *a, const struct timed_tree *from, double limit, struct timed_tree out[ANNEALED_MOST]);

/*
 * Leaves out sends of a pattern as long as the rest is one, in random order, those that cost something first. *OUT gets the
 * rest; the caller frees out->of. DROPPED [step] gets the nodes, as bits, that then drop their values. False: FROM is no pattern.
 */
bool pattern_thin(const struct annealing *a, const struct timed_tree *from, struct timed_tree *out, uint64_t *dropped);
/* The nodes, as bits, that drop their values in each step of a pattern: DROPPED [step]. */
void pattern_dropped(const struct annealing *a, const struct timed_tree *of, uint64_t *dropped);

#endif
