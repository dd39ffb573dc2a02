#ifndef SCCL_PROVE_PRICED_H
#define SCCL_PROVE_PRICED_H

/* Bounds by prices of what a round carries, recomputed. */

#include "core/base/rational.h"
#include "prove/proof.h"

#include <stddef.h>

struct instance;

/*
 * What all chunks of the instance must pay, each on the shortest path to the farthest node that wants it, over the most
 * that can be paid in a round: R is at least this, whatever the prices. 0: no bound, prices that do not fit the
 * machine, or overflow.
 */
struct rational priced_rounds(const struct instance *i, const struct price *list, size_t n);

#endif
