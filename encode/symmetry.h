#ifndef SCCL_ENCODE_SYMMETRY_H
#define SCCL_ENCODE_SYMMETRY_H

/* The automorphisms of a machine (bandwidths and limits kept), through nauty. */

struct network;

/* orbit[n] is the least node that an automorphism carries n to: one root of each orbit is enough for rooted collectives. */
void symmetry_node_orbits(const struct network *w, int *orbit);

#endif
