#ifndef SCCL_CORE_SYMMETRY_TRANSITIVE_GROUP_H
#define SCCL_CORE_SYMMETRY_TRANSITIVE_GROUP_H

/*
 * Machines that look the same from every node: a group of automorphisms with exactly one element that maps any given
 * node to any other (a regular group, so the machine is a Cayley graph of it). A schedule that is invariant under the
 * group is determined by that of one node, and the load of each link by its direction. See docs/concepts/symmetry.md.
 */

#include "core/schedule/symmetry.h"

struct network;

/* A group that acts freely on the nodes of a machine; released by transitive_group_free. */
struct transitive_group {
	const struct network *network; /* borrowed */
	struct symmetry *symmetry;     /* generators, with a single part; owned */
	struct elements group;         /* all elements; owned */
	size_t *to;                    /* [node]: the element that maps node 0 to it; owned */
	int *direction;                /* [edge]: neighbour of 0 that the source's element maps to its target; owned */
	int *neighbours;               /* of node 0, ascending; owned */
	int n_neighbours;
};

/*
 * Finds a regular group. Candidates are cyclic shifts of the node numbers within blocks, as the built-in shapes number
 * their nodes, and translations found by search. False: none was found; *out is then empty.
 */
bool transitive_group_find(const struct network *w, struct transitive_group *out);
/*
 * The same without transitivity: a group of two or more elements whose action is free, that is, only the identity fixes
 * a node. Leaves to, direction and neighbours NULL.
 */
bool transitive_group_find_free(const struct network *w, struct transitive_group *out);
void transitive_group_free(struct transitive_group *g);

/* The index of NODE, which must be a neighbour of 0, in neighbours. */
int transitive_group_neighbour(const struct transitive_group *g, int node);

/*
 * An automorphism that fixes node 0 and permutes its directions in a single cycle, [node]: image; NULL if there is none
 * of the kind tried. The caller frees it.
 */
int *transitive_group_rotation(const struct transitive_group *g);

#endif
