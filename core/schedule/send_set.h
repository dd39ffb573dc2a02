#ifndef SCCL_CORE_SCHEDULE_SEND_SET_H
#define SCCL_CORE_SCHEDULE_SEND_SET_H

/* A hash set of sends. Empty when zeroed; owns its keys (send_set_free). */

#include "core/schedule/algorithm.h"

#include <stdint.h>

struct send_set {
	uint64_t *keys;
	size_t n, size;
};

/* Adds S. False: it was in the set already. Chunk and nodes must be below CHUNKS_MAX and NODES_MAX. */
bool send_set_add(struct send_set *t, struct send s);
void send_set_free(struct send_set *t);

#endif
