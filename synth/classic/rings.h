#ifndef SCCL_SYNTH_CLASSIC_RINGS_H
#define SCCL_SYNTH_CLASSIC_RINGS_H

/* Rings through all nodes, each over units of links that no other takes. */

#include <stdbool.h>

struct network;

struct rings {
	int n;
	int *order;   /* ring r visits order[r * nodes] .. order[(r + 1) * nodes - 1], and then the first again */
	bool by_hops; /* there is none, or none was found: two orders, one the other backwards, whose neighbours may be hops apart */
};

enum { RINGS_MAX = 64 };

/* As many as a search finds, at most MOST of them: backtracking from many beginnings, and a ring's reverse wherever it fits too.
 * Every node must reach every other. Free it. */
struct rings rings_find(const struct network *w, int most);
void rings_free(struct rings *r);

/* Two of a torus of two sides, one after the other in ORDER, of links of their own both ways round. False: it is none, or no such
 * pair was found. For rings_find. */
bool torus_rings(const struct network *w, int *order);

#endif
