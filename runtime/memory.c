#include "runtime/comm.h"
#include "runtime/status.h"

#include <stdlib.h>

sccl_status_t sccl_memory_create(sccl_memory_t **memory, sccl_comm_t *comm, size_t bytes)
{
	if (!memory)
		return sccli_fail(SCCL_INVALID, "sccl_memory_create needs a place for the memory");
	*memory = NULL;
	if (!comm || bytes == 0)
		return sccli_fail(SCCL_INVALID, "sccl_memory_create needs a communicator and more than 0 bytes");

	struct sccl_memory *m = calloc(1, sizeof *m);
	if (!m)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for the record of a memory");
	sccl_status_t status = sccli_symmetric_create(&m->symmetric, &comm->meeting, NULL, bytes);
	if (status != SCCL_OK) {
		free(m);
		return status;
	}
	m->comm = comm;
	m->number = ++comm->n_memories;
	m->next = comm->memories;
	m->link = &comm->memories;
	if (m->next)
		m->next->link = &m->next;
	comm->memories = m;
	*memory = m;
	return SCCL_OK;
}

void *sccl_memory_at(const sccl_memory_t *memory, size_t offset)
{
	return memory && offset <= memory->symmetric.bytes ? memory->symmetric.bases[memory->symmetric.rank] + offset : NULL;
}

void sccl_memory_free(sccl_memory_t *memory)
{
	if (!memory)
		return;
	*memory->link = memory->next;
	if (memory->next)
		memory->next->link = memory->link;
	sccli_symmetric_free(&memory->symmetric);
	free(memory);
}

struct sccl_memory *sccli_memory_of(const struct sccl_comm *c, const void *at)
{
	for (struct sccl_memory *m = c->memories; m; m = m->next) {
		uintptr_t base = (uintptr_t)m->symmetric.bases[m->symmetric.rank];
		if ((uintptr_t)at >= base && (uintptr_t)at - base < m->symmetric.bytes)
			return m;
	}
	return NULL;
}
