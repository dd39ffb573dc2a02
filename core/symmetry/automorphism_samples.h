#ifndef SCCL_CORE_SYMMETRY_AUTOMORPHISM_SAMPLES_H
#define SCCL_CORE_SYMMETRY_AUTOMORPHISM_SAMPLES_H

/*
 * Relabellings of a machine's nodes that keep its links, bandwidths and limits, each with its powers a cyclic group: of every
 * order that was met the one that leaves the fewest nodes out of circles of its order, or, of these, has the fewest circles. They
 * are drawn by chance from what nauty's generators make, the same every time.
 */

#include <stddef.h>

struct network;

struct automorphism {
	int order;   /* its powers are so many */
	int left;    /* nodes that fewer of its powers carry home */
	int circles; /* of nodes; one that stays is one */
	int *nodes;  /* [node]: images; owned */
};

struct automorphism_samples {
	size_t n, capacity;
	struct automorphism *all; /* the largest order first; of 2 or more */
};

/* Those that leave node ROOT where it is; -1: all. None of an order above MOST. */
struct automorphism_samples automorphism_samples_new(const struct network *w, int root, int most);
void automorphism_samples_free(struct automorphism_samples *t);

#endif
