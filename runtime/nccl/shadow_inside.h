#ifndef SCCL_NCCL_SHADOW_INSIDE_H
#define SCCL_NCCL_SHADOW_INSIDE_H

/* What the files that make and serve shadows share. */

#include "runtime/nccl/shadow.h"

/* Shared by all calls of the same kind. Selector NULL: NCCL serves them. */
struct shadow_slot {
	struct terms_of_call terms; /* count: the maximum it was created for */
	sccl_selector_t *selector;
	struct shadow_slot *next;
};

/* Memory that is registered here and there. */
struct shadow_window {
	ncclWindow_t real;
	sccl_memory_t *memory;
	struct shadow_window *next;
};

struct shadow {
	ncclComm_t real;
	sccl_comm_t *comm;
	sccl_bootstrap_t bootstrap;
	bool socket; /* the bootstrap is a socket one, which must be closed */
	uint32_t ranks, rank;
	bool alone; /* the thread that created it created no other in the same group, so calls may wait for other ranks */
	struct shadow_slot *slots;
	struct shadow_window *windows;
	int users;   /* number of threads using it; protected by the lock */
	bool leaves; /* the last user frees it */
	struct shadow *next;
};

/* Takes a reference to the shadow of COMM, if there is one, to be returned with shadow_put, so that an abort from another thread
 * does not free it. */
struct shadow *shadow_get(ncclComm_t comm);
void shadow_put(struct shadow *s); /* NULL is allowed */
void shadow_keep(struct shadow *s); /* from now on shadow_get finds it */
/* Frees a shadow that nobody uses and that shadow_get does not find. */
void shadow_release(struct shadow *s);

/* Runs WORK(of, i) for i < n: i = 0 on this thread, the others on threads of their own, because each may wait for the
 * rest. */
void shadows_together(void (*work)(void *of, size_t i), void *of, size_t n);
/* The same for an array OF, which has N elements of SIZE bytes; those of one communicator, which COMM returns, run one after another. */
void shadows_by_turns(void (*work)(void *of, size_t i), const void *of, size_t size, size_t n, ncclComm_t (*comm)(const void *of, size_t i));

#endif
