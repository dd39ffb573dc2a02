/*
 * Windows of NCCL, memory that all ranks have registered, are registered with the shadow too: an allreduce or allgather whose
 * output lies in one needs no copy of it, and programs that read the inputs of other ranks can run if these lie in one. Only
 * symmetric windows are registered (NCCL_WIN_COLL_SYMMETRIC): with those an application guarantees that in a call all ranks'
 * buffers are at the same offset. Outputs of other collectives are copied all the same: a reduce has one at its root alone, a
 * reducescatter in place has each at another offset, and of a broadcast NCCL never checks it.
 */
#include "runtime/nccl/shadow_inside.h"

#include "runtime/nccl/catalog.h"
#include "runtime/nccl/turns.h"

#include <stdlib.h>
#include <string.h>

static void register_one(void *of, size_t i)
{
	const struct registering *r = (const struct registering *)of + i;
	struct shadow *s = shadow_get(r->comm);
	struct shadow_window *w = s ? must_have(calloc(1, sizeof *w)) : NULL;

	if (w && sccl_memory_register(&w->memory, s->comm, r->buffer, r->bytes) == SCCL_OK) {
		w->real = r->window;
		w->next = s->windows;
		s->windows = w;
		catalog_log("rank %u: a window of %zu bytes", s->rank, r->bytes);
	} else if (w) {
		catalog_log("rank %u: a window of %zu bytes is not used: %s", s->rank, r->bytes, sccl_error_text());
		free(w);
	}
	shadow_put(s);
}

static ncclComm_t comm_of(const void *of, size_t i)
{
	return ((const struct registering *)of)[i].comm;
}

bool windows_are_used(void)
{
	const char *asked = getenv("SCCL_NCCL_WINDOWS");

	return !asked || strcmp(asked, "0") != 0;
}

bool shadow_uses_windows(ncclComm_t comm)
{
	struct shadow *s = shadow_get(comm);
	bool uses = s && s->uses_windows;

	shadow_put(s);
	return uses;
}

void shadows_register(const struct registering *all, size_t n)
{
	turns_by_comm(register_one, (void *)(uintptr_t)all, n, comm_of);
}

void shadow_deregister(ncclComm_t comm, ncclWindow_t window)
{
	struct shadow *s = shadow_get(comm);
	struct shadow_window **at = s ? &s->windows : NULL;

	while (at && *at && (*at)->real != window)
		at = &(*at)->next;
	struct shadow_window *w = at ? *at : NULL;
	if (w) {
		*at = w->next;
		sccl_memory_free(w->memory);
		free(w);
	}
	shadow_put(s);
}
