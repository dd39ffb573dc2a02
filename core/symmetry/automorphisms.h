#ifndef SCCL_CORE_SYMMETRY_AUTOMORPHISMS_H
#define SCCL_CORE_SYMMETRY_AUTOMORPHISMS_H

/*
 * Automorphisms of a machine: permutations of its nodes that preserve links, bandwidths and limits. Computed by nauty.
 */

#include <stddef.h>

struct network;

/* orbit[n] is the least node in the orbit of n. For rooted collectives one root of each orbit is enough. */
void automorphisms_node_orbits(const struct network *w, int *orbit);

/*
 * place[n] is the number of node n in a canonical order: isomorphic machines numbered this way are equal. With a ROOT,
 * that node is distinguished from all others, so machines count as isomorphic only if an isomorphism maps root to root;
 * -1: no root.
 */
void automorphisms_canonical_order(const struct network *w, int root, int *place);

/*
 * Generators of the automorphisms that fix node ROOT, or of all automorphisms if ROOT is -1: generator k maps node n to
 * [k * P + n]. The caller frees the array. If there are none, *N is 0.
 */
int *automorphisms_generators(const struct network *w, int root, size_t *n);

#endif
