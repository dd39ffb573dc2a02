#ifndef SCCL_CORE_SCHEDULE_TRANSFORM_H
#define SCCL_CORE_SCHEDULE_TRANSFORM_H

/*
 * New algorithms out of old ones (SCCL, section 3.5). Inversion: reversed in time on reversed links, a broadcast is a
 * reduce, an allgather a reducescatter, a gather a scatter. Composition: a reducescatter and then an allgather of the
 * same chunks is an allreduce.
 */

#include "core/schedule/algorithm.h"

/* Drops every send that no post-condition needs, and what it leaves of second arrivals: each node then gets each chunk
 * at most once. Of a non-combining algorithm. */
void algorithm_prune(struct algorithm *a);

/* A is for collective_inverse(K) on the reverse of T. The result is for K on T. Prunes a copy first. */
struct algorithm *algorithm_inverted(const struct algorithm *a, const struct topology *t, const struct collective *k,
				     struct error *e);

/* Both on the same topology, with the same global chunks. */
struct algorithm *algorithm_composed(const struct algorithm *reducescatter, const struct algorithm *allgather,
				     struct error *e);

/* The same of halves with chunks of their own: both are cut until their chunks are the same. */
struct algorithm *algorithm_joined(const struct algorithm *reducescatter, const struct algorithm *allgather, struct error *e);

/* The number of part P of M of a chunk where each is cut in M; PERIOD is collective_period's. */
static inline int chunk_part(int chunk, int p, int m, int period)
{
	return (chunk / period * m + p) * period + chunk % period;
}

/* Every chunk cut into M: (C, S, R) becomes (M C, S, M R). Part p of chunk c is found by the collective's own numbering. */
struct algorithm *algorithm_scaled(const struct algorithm *a, int m, struct error *e);

#endif
