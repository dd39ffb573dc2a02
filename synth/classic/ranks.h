#ifndef SCCL_SYNTH_CLASSIC_RANKS_H
#define SCCL_SYNTH_CLASSIC_RANKS_H

/* Which node is which rank, for methods in which ranks meet whose numbers differ in one bit. */

#include <stdbool.h>

struct network;
struct topology;

/* Ranks 0 .. core - 1 meet bit by bit; core is the largest power of two. Each rank above meets the one with core taken away. */
struct ranks {
	int nodes, core, bits;
	int *node;   /* [rank]; owned */
	bool joined; /* every two that meet have an edge both ways */
};

/* So that all who meet are joined, if a search finds it; else rank r is node r. */
struct ranks ranks_joined(const struct network *w);

/* So that all who meet in a step get in each other's way as little as can be: hdrm. *HOW tells how it was found. */
struct ranks hdrm_ranks(const struct topology *t, const struct network *w, const char **how);

void ranks_free(struct ranks *r);

#endif
