#ifndef SCCL_CORE_SYMMETRY_TRANSITIVE_GROUP_H
#define SCCL_CORE_SYMMETRY_TRANSITIVE_GROUP_H

/*
 * Machines that look the same from every node: a group of relabellings that carries each node to each other in exactly one
 * way (a regular group, so the machine is a Cayley graph of it). A schedule that the group keeps is that of one node, and
 * each link's load is that of its direction. docs/concepts/symmetry.md.
 */

#include "core/schedule/symmetry.h"

struct network;

struct transitive_group {
	const struct network *network; /* borrowed */
	struct symmetry *symmetry;     /* generators, of one part; owned */
	struct elements group;         /* owned */
	size_t *to;                    /* [node]: the element that carries node 0 there; owned */
	int *direction;                /* [edge]: the neighbour of 0 that its start's element carries to its end; owned */
	int *neighbours;               /* of node 0, ascending; owned */
	int n_neighbours;
};

/* False: none was found. Looked for are shifts of the nodes' numbers, which is how shapes number theirs, within blocks. */
bool transitive_group_find(const struct network *w, struct transitive_group *out);
/* The same, but that it need not carry each node to each other: a group of two or more that leaves no node where it is, but
 * for the identity. Has no directions. */
bool transitive_group_find_free(const struct network *w, struct transitive_group *out);
void transitive_group_free(struct transitive_group *g);

/* Which neighbour of 0 it is, by its index. */
int transitive_group_neighbour(const struct transitive_group *g, int node);

/* The automorphism that fixes 0 and carries the directions of 0 in a circle, [node]: NULL where none is of this kind. The
 * caller frees. */
int *transitive_group_rotation(const struct transitive_group *g);

#endif
