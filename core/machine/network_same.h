#ifndef SCCL_CORE_MACHINE_NETWORK_SAME_H
#define SCCL_CORE_MACHINE_NETWORK_SAME_H

/* Whether two networks are the same relation, in whatever order they list their limits. */

#include <stdbool.h>

struct network;

/*
 * Do A and B have the same nodes, edges and limits? Names of limits and their order do not count: the reverse of a
 * machine lists those of senders and receivers the other way round. OF [a->n_limits] gets the limit of B that each limit
 * of A is; NULL: not wanted.
 */
bool network_same(const struct network *a, const struct network *b, int *of);

#endif
