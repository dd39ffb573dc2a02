#ifndef SCCL_CORE_SCHEDULE_SEND_SET_H
#define SCCL_CORE_SCHEDULE_SEND_SET_H

/* A set of sends. Empty when zeroed. */

#include "core/schedule/algorithm.h"

#include <stdint.h>

struct send_set {
	uint64_t *keys;
	size_t n, size;
};

/* False: it was in the set. Chunk and nodes must be in range. */
bool send_set_add(struct send_set *t, struct send s);
void send_set_free(struct send_set *t);

#endif
