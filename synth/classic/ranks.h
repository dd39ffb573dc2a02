#ifndef SCCL_SYNTH_CLASSIC_RANKS_H
#define SCCL_SYNTH_CLASSIC_RANKS_H

/* Which node is which rank, for methods in which partners are ranks whose numbers differ in one bit. */

#include <stdbool.h>

struct network;
struct topology;

/*
 * Ranks 0 .. core - 1 pair up bit by bit; core is the largest power of two. A rank r beyond pairs up with rank r -
 * core.
 */
struct ranks {
	int nodes, core, bits;
	int *node;   /* [rank]; owned */
	bool joined; /* all partners have an edge both ways */
};

/* A mapping in which all partners are joined, if a bounded search finds one; otherwise rank r is node r. */
struct ranks ranks_joined(const struct network *w);

/*
 * A mapping for hdrm: partners of a step contend for links as little as possible. *HOW: how it was found, a static
 * string.
 */
struct ranks hdrm_ranks(const struct topology *t, const struct network *w, const char **how);

void ranks_free(struct ranks *r);

#endif
