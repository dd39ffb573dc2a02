#ifndef SCCL_PROVE_PRICED_H
#define SCCL_PROVE_PRICED_H

/* Bounds by prices of what a round carries, counted anew. */

#include "core/base/rational.h"
#include "prove/proof.h"

#include <stddef.h>

struct instance;

/*
 * What all chunks of the instance must pay, each on the shortest way to the farthest node that wants it, over what a round can pay:
 * R is at least this, whatever the prices are. 0: nothing, or the prices are of another machine, or it is too much to count.
 */
struct rational priced_rounds(const struct instance *i, const struct price *list, size_t n);

#endif
