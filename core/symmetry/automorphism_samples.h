#ifndef SCCL_CORE_SYMMETRY_AUTOMORPHISM_SAMPLES_H
#define SCCL_CORE_SYMMETRY_AUTOMORPHISM_SAMPLES_H

/*
 * Automorphisms of a machine (permutations of its nodes that preserve links, bandwidths and limits), each standing for
 * the cyclic group it generates. For every order found, the one kept leaves the fewest nodes outside cycles of full
 * length and, among those, has the fewest cycles. They are powers of pseudorandom products of nauty's generators; the
 * result is deterministic.
 */

#include <stddef.h>

struct network;

/* An automorphism and the measures by which samples are compared. */
struct automorphism {
	int order;   /* of the cyclic group that it generates */
	int left;    /* nodes on cycles shorter than the order */
	int cycles; /* cycles of nodes, fixed points included */
	int *nodes;  /* [node]: image; owned */
};

/* At most one automorphism of each order; released by automorphism_samples_free. */
struct automorphism_samples {
	size_t n, capacity;
	struct automorphism *all; /* descending order; all orders are 2 or more */
};

/* Samples of the automorphisms that fix node ROOT, or of all automorphisms if ROOT is -1, of order at most MOST. */
struct automorphism_samples automorphism_samples_new(const struct network *w, int root, int most);
void automorphism_samples_free(struct automorphism_samples *t);

#endif
