#ifndef SCCL_RUNTIME_CORE_SYMMETRIC_H
#define SCCL_RUNTIME_CORE_SYMMETRIC_H

/*
 * The same number of bytes on every rank, each piece open to all. Of a rank on another server there is a shadow here: what
 * is written into it a bridge carries over.
 */

#include "runtime/core/device.h"

#include <stdbool.h>

/* What making one needs of a communicator. */
struct meeting {
	uint32_t rank, ranks;
	struct unit unit;
	sccl_bootstrap_t bootstrap;
	const uint32_t *servers; /* [ranks]: only those of the same number share memory; NULL: all do */
};

static inline bool meeting_reaches(const struct meeting *m, uint32_t rank)
{
	return !m->servers || m->servers[rank] == m->servers[m->rank];
}

struct symmetric {
	const struct device *device;
	uint32_t rank, ranks;
	size_t bytes;
	struct piece *pieces;
	uint8_t **bases;    /* [ranks]: the pieces' first bytes as seen from here */
	struct piece table; /* the same where kernels can read it */
};

/* Collective. On failure nothing is left. BUFFER: the caller's memory, which then is this rank's piece; NULL: new memory. */
sccl_status_t sccli_symmetric_create(struct symmetric *s, const struct meeting *m, void *buffer, size_t bytes);
void sccli_symmetric_free(struct symmetric *s); /* local; all zero is fine */

static inline uint8_t *const *symmetric_table(const struct symmetric *s)
{
	return (uint8_t *const *)(const void *)s->table.base;
}

#endif
