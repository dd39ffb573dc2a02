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
	bool uses_windows;
	bool fails; /* a call of this group has failed, which was told */
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
/* Collective. *ALL_DO: whether MINE is true on all ranks. */
sccl_status_t shadow_agree(const struct shadow *s, bool mine, bool *all_do);
/* Frees a shadow that nobody uses and that shadow_get does not find. */
void shadow_release(struct shadow *s);

#endif
