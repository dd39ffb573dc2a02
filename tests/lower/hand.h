#ifndef SCCL_TESTS_LOWER_HAND_H
#define SCCL_TESTS_LOWER_HAND_H

/* Schedules made by hand, for every kind of collective, and at random. */

#include "core/schedule/algorithm.h"

struct hand {
	const char *topology;
	struct collective collective; /* taken */
	int chunks;                   /* C */
	size_t n_steps;
	struct step *steps;
};

void hand_send(struct hand *h, int step, int chunk, int src, int dst); /* steps count from 0 */
void hand_reduce(struct hand *h, int step, int chunk, int src, int dst);
struct algorithm *hand_done(struct hand *h); /* rounds are set to what the links need; verified, or the test fails */

struct algorithm *hand_allgather_ring(int nodes);
struct algorithm *hand_reducescatter_ring(int nodes);
struct algorithm *hand_allreduce_ring(int nodes);
struct algorithm *hand_allreduce_direct(int nodes);      /* everyone sends all to everyone */
struct algorithm *hand_broadcast_line(int nodes, int chunks); /* a pipeline from node 0 */
struct algorithm *hand_reduce_line(int nodes);           /* to node 0 */
struct algorithm *hand_gather_line(int nodes);           /* to node 0 */
struct algorithm *hand_scatter_line(int nodes);          /* from node 0 */
struct algorithm *hand_alltoall_direct(int nodes);
struct algorithm *hand_alltoall_ring(int nodes);         /* blocks pass through those between */
struct algorithm *hand_custom(void);                     /* chunks pass through a node that keeps none */
struct algorithm *hand_custom_sum(void);                 /* and the same with sums, one wanted at two nodes */
struct algorithm *hand_replaced(void);                   /* an allreduce in which a copy replaces a partial value */

/* All of the above and some more sizes of them; NULL past the end. */
struct algorithm *hand_all(size_t i);

/* A random schedule of a random collective, with needless sends among the others. */
struct algorithm *hand_random(unsigned seed);

#endif
