#ifndef SCCL_SYNTH_CLASSIC_RINGS_H
#define SCCL_SYNTH_CLASSIC_RINGS_H

/* Rings through all nodes, each over units of links that no other ring uses. */

#include <stdbool.h>

struct network;

struct rings {
	int n;
	int *order;   /* ring r visits order[r * nodes] .. order[(r + 1) * nodes - 1], then returns to the first */
	/*
	 * No ring over links was found: two orders, one the reverse of the other, whose neighbours may be several hops
	 * apart.
	 */
	bool by_hops;
};

enum { RINGS_MAX = 64 };

/*
 * As many rings as a bounded search finds, at most MOST and RINGS_MAX: backtracking with restarts, and a ring's reverse
 * wherever it fits too. Every node must be able to reach every other. Release with rings_free.
 */
struct rings rings_find(const struct network *w, int most);
void rings_free(struct rings *r);

/*
 * Two edge-disjoint rings of a torus of two sides, one after the other in ORDER; each may be used in both directions.
 * False: not such a torus, or no such pair was found. For rings_find.
 */
bool torus_rings(const struct network *w, int *order);

/*
 * Rings through boxes of nodes with consecutive numbers, one after the other in ORDER, which has room for MOST + 1. Returns
 * how many fit into the links together; 0: there are no such boxes. For rings_find.
 */
int box_rings(const struct network *w, int most, int *order);

#endif
