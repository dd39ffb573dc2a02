#ifndef SCCL_CORE_SCHEDULE_TRANSFORM_H
#define SCCL_CORE_SCHEDULE_TRANSFORM_H

/*
 * Derives algorithms from others (SCCL, section 3.5). Inversion: run backwards in time on reversed links, a broadcast
 * becomes a reduce, an allgather a reducescatter, a gather a scatter. Composition: a reducescatter followed by an
 * allgather of the same chunks is an allreduce. The caller frees the results; errors return NULL with *e set.
 */

#include "core/schedule/algorithm.h"

/*
 * For a non-combining algorithm in full form: drops redundant arrivals, so that each node gets each chunk at most once,
 * and then every send that no postcondition needs.
 */
void algorithm_prune(struct algorithm *a);

/*
 * The inverse of A: A is for collective_inverse(K) on the reverse of T, the result for K on T. Inverts a pruned copy; a
 * compact A is not pruned, and must already deliver each chunk to each node at most once.
 */
struct algorithm *algorithm_inverted(const struct algorithm *a, const struct topology *t, const struct collective *k,
				     struct error *e);

/* The allreduce composed of both, which must be on the same topology and have the same global chunks. */
struct algorithm *algorithm_composed(const struct algorithm *reducescatter, const struct algorithm *allgather,
				     struct error *e);

/* The same for halves with different numbers of chunks: both are scaled until their chunks are the same. */
struct algorithm *algorithm_joined(const struct algorithm *reducescatter, const struct algorithm *allgather, struct error *e);

/* The number of part P of a chunk after each chunk is cut into M; PERIOD is that of collective_period. */
static inline int chunk_part(int chunk, int p, int m, int period)
{
	return (chunk / period * m + p) * period + chunk % period;
}

/* Cuts every chunk into M parts: (C, S, R) becomes (M C, S, M R). chunk_part gives the numbers of the parts. */
struct algorithm *algorithm_scaled(const struct algorithm *a, int m, struct error *e);

#endif
