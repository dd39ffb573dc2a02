#ifndef SCCL_CORE_SYMMETRY_AUTOMORPHISMS_H
#define SCCL_CORE_SYMMETRY_AUTOMORPHISMS_H

/* The automorphisms of a machine (bandwidths and limits kept), through nauty. */

#include <stddef.h>

struct network;

/* orbit[n] is the least node that an automorphism carries n to: one root of each orbit is enough for rooted collectives. */
void automorphisms_node_orbits(const struct network *w, int *orbit);

/*
 * place[n] is node n's number in an order that isomorphic machines share: numbered by it they are the same. With ROOT that
 * node is told from all others, and machines are alike where their roots may be carried to each other; -1: none.
 */
void automorphisms_canonical_order(const struct network *w, int root, int *place);

/* Relabellings that make all those which leave node ROOT where it is, or all for -1: number k carries node n to [k * P + n]. The
 * caller frees; with none *N is 0. */
int *automorphisms_generators(const struct network *w, int root, size_t *n);

#endif
