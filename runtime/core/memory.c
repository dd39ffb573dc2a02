/*
 * The public functions for symmetric memory: creation, registration, and the communicator's list of live memories.
 */
#include "runtime/core/agree.h"
#include "runtime/net/bridge.h"
#include "runtime/core/comm.h"
#include "runtime/core/status.h"

#include <stdlib.h>

/* The other ranks are in the first agreement of sccli_symmetric_create, where they receive the error. */
static sccl_status_t refuse(const sccl_comm_t *c, sccl_status_t status, const char *text)
{
	const struct meeting *m = &c->meeting;
	return sccli_agree(&m->bootstrap, m->rank, m->ranks, sccli_fail(status, "%s", text), NULL);
}

static sccl_status_t make(sccl_memory_t **memory, sccl_comm_t *comm, void *buffer, size_t bytes)
{
	if (!memory)
		return sccli_fail(SCCL_INVALID, "sccl_memory_create needs a place for the handle");
	*memory = NULL;
	if (!comm)
		return sccli_fail(SCCL_INVALID, "a memory needs a communicator");
	if (bytes == 0)
		return refuse(comm, SCCL_INVALID, "a memory has more than 0 bytes");

	struct sccl_memory *m = calloc(1, sizeof *m);
	if (!m)
		return refuse(comm, SCCL_NO_MEMORY, "no memory for the record of a memory");
	sccl_status_t status = sccli_symmetric_create(&m->symmetric, &comm->meeting, buffer, bytes);
	if (status == SCCL_OK && comm->teams) {
		status = sccli_symmetric_join(&m->symmetric, &comm->meeting);
		if (status != SCCL_OK)
			sccli_symmetric_free(&m->symmetric);
	}
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

sccl_status_t sccl_memory_create(sccl_memory_t **memory, sccl_comm_t *comm, size_t bytes)
{
	return make(memory, comm, NULL, bytes);
}

sccl_status_t sccl_memory_register(sccl_memory_t **memory, sccl_comm_t *comm, void *buffer, size_t bytes)
{
	if (!buffer)
		return memory && comm ? refuse(comm, SCCL_INVALID, "a buffer to be registered is missing")
				      : sccli_fail(SCCL_INVALID, "sccl_memory_register needs a communicator, a buffer and a place");
	return make(memory, comm, buffer, bytes);
}

void *sccl_memory_at(const sccl_memory_t *memory, size_t offset)
{
	return memory && offset <= memory->symmetric.bytes ? memory->symmetric.bases[memory->symmetric.rank] + offset : NULL;
}

void sccl_memory_free(sccl_memory_t *memory)
{
	if (!memory)
		return;
	sccli_bridge_settle(memory->comm);
	*memory->link = memory->next;
	if (memory->next)
		memory->next->link = memory->link;
	sccli_symmetric_free(&memory->symmetric);
	free(memory);
}

/* The newest memory is the first on every rank, since all make and free them in the same order. */
sccl_status_t sccli_memory_join_all(struct sccl_comm *c)
{
	const struct meeting *m = &c->meeting;
	sccl_status_t status = SCCL_OK;

	if (c->ranks_here > 1 && m->unit.device->team_create)
		status = sccli_fail(SCCL_UNSUPPORTED, "the protocol multimem needs a GPU for each rank; %u ranks share this one", c->ranks_here);
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	for (struct sccl_memory *memory = c->memories; memory && status == SCCL_OK; memory = memory->next)
		status = sccli_symmetric_join(&memory->symmetric, m);
	c->teams = c->teams || status == SCCL_OK;
	return status;
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
