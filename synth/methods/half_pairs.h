#ifndef SCCL_SYNTH_METHODS_HALF_PAIRS_H
#define SCCL_SYNTH_METHODS_HALF_PAIRS_H

/* Which reducescatters and allgathers are joined to an allreduce, and in which order. For synth/methods/attempts.c. */

#include <stddef.h>

struct attempt_subject;

/* Indices into the halves of a subject. */
struct half_pair {
	size_t scattered, gathered;
	double sends; /* to be listed for both together */
};

/*
 * All pairs whose common chunks are not too many: that of the least R/C first, if it is quick to join, then those with the
 * fewest sends. Their number goes to *N. The caller frees the array.
 */
struct half_pair *half_pairs(const struct attempt_subject *s, size_t *n);

#endif
