#ifndef SCCL_SYNTH_PROGRAM_NODE_GROUPS_H
#define SCCL_SYNTH_PROGRAM_NODE_GROUPS_H

/*
 * Groups of automorphisms of a machine under which a program may be solved. The larger the group, the smaller the
 * program; the smaller the group, the fewer images of each tree an algorithm needs, and thus chunks.
 */

#include <stddef.h>

struct network;

/* Generator g maps node v to generators[g * P + v]. Released by node_group_free. */
struct node_group {
	size_t n;
	int *generators; /* owned */
};

/* ROOT is a node that all elements must fix, or -1. The caller frees the results. */
struct node_group node_group_all(const struct network *w, int root); /* all automorphisms */
struct node_group node_group_none(void);                             /* the identity alone */
struct node_group node_group_regular(const struct network *w);       /* no element but the identity fixes a node */
/* One element of few powers, which rotates every class of interchangeable nodes at once. */
struct node_group node_group_rotation(const struct network *w, int root);
/*
 * The powers of one automorphism that moves all nodes in cycles of one length, as long as are found with some effort; no
 * generator: none is found. For machines without a regular group.
 */
struct node_group node_group_cycle(const struct network *w);
/* Up to MOST elements of the group of G but the identity, on NODES nodes, as generators: the shortest products of those of G. */
struct node_group node_group_elements(const struct node_group *g, int nodes, size_t most);
void node_group_free(struct node_group *g);

#endif
