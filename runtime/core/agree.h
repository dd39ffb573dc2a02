#ifndef SCCL_RUNTIME_CORE_AGREE_H
#define SCCL_RUNTIME_CORE_AGREE_H

/* The ranks exchange their status and parameters, so that either all of them continue or all of them stop. */

#include <sccl/sccl.h>

enum { AGREE_TERMS = 10 };

/* Values that must be equal on all ranks. Unused entries have no name. */
struct terms {
	const char *names[AGREE_TERMS];
	uint64_t values[AGREE_TERMS];
};

/*
 * Collective. MINE is the status of this rank's part so far (with the error text set if it failed). Returns SCCL_OK if
 * all ranks pass SCCL_OK and the same terms; otherwise the same status on every rank, with a text that names the rank
 * or value at fault. Also acts as a barrier.
 */
sccl_status_t sccli_agree(const sccl_bootstrap_t *bootstrap, uint32_t rank, uint32_t ranks, sccl_status_t mine,
                          const struct terms *terms);

/* Collective allgather; reports only failures of the bootstrap itself. The entry of RANK in ALL is verified to be what
 * RANK sent. The entries of other ranks may contain anything: the caller must check them before using them. */
sccl_status_t sccli_exchange(const sccl_bootstrap_t *bootstrap, uint32_t rank, const void *mine, void *all, size_t bytes);

#endif
