#ifndef SCCL_RUNTIME_CORE_SYMMETRIC_H
#define SCCL_RUNTIME_CORE_SYMMETRIC_H

/*
 * The same number of bytes on every rank, each piece accessible to all ranks. A rank on another server is represented
 * by a local shadow; the bridge transfers what is written into it.
 */

#include "runtime/core/device.h"

#include <stdbool.h>

/* The part of a communicator that collective creation needs. */
struct meeting {
	uint32_t rank, ranks;
	struct unit unit;
	sccl_bootstrap_t bootstrap;
	const uint32_t *servers; /* [ranks]: only ranks with the same number share memory; NULL: all do */
	enum piece_reach reach;        /* of this rank's memory */
};

/* Whether this rank shares memory with RANK. */
static inline bool meeting_reaches(const struct meeting *m, uint32_t rank)
{
	return !m->servers || m->servers[rank] == m->servers[m->rank];
}

/* Symmetric memory: this rank's piece and its mappings of all the others. */
struct symmetric {
	const struct device *device;
	uint32_t rank, ranks;
	size_t bytes;
	struct piece *pieces;
	uint8_t **bases;    /* [ranks]: start of each piece, as mapped by this rank */
	struct piece table; /* the same table, where kernels can read it */
	uint8_t *all;       /* address of all pieces together (device.h: team_bind); NULL: none */
	void *team;
};

/* Collective. On failure nothing remains allocated. BUFFER: caller-owned memory to use as this rank's piece; NULL:
 * allocate new memory. */
sccl_status_t sccli_symmetric_create(struct symmetric *s, const struct meeting *m, void *buffer, size_t bytes);
/* Collective. Makes `all`, where the device has such addresses; done already: nothing happens. */
sccl_status_t sccli_symmetric_join(struct symmetric *s, const struct meeting *m);
void sccli_symmetric_free(struct symmetric *s); /* local; an all-zero struct is allowed */

/* The table of bases, for use by kernels. */
static inline uint8_t *const *symmetric_table(const struct symmetric *s)
{
	return (uint8_t *const *)(const void *)s->table.base;
}

#endif
