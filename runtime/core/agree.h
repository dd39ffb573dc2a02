#ifndef SCCL_RUNTIME_CORE_AGREE_H
#define SCCL_RUNTIME_CORE_AGREE_H

/* The ranks tell each other how it went and what they were asked for, so that all go on or all stop. */

#include <sccl/sccl.h>

enum { AGREE_TERMS = 10 };

/* What every rank must have been given alike. Unused terms have no name. */
struct terms {
	const char *names[AGREE_TERMS];
	uint64_t values[AGREE_TERMS];
};

/*
 * Collective. MINE is how this rank's own part went so far (with the error text set where it failed). SCCL_OK where all
 * ranks come with SCCL_OK and the same terms; otherwise the same status and text on every rank. A barrier besides.
 */
sccl_status_t sccli_agree(const sccl_bootstrap_t *bootstrap, uint32_t rank, uint32_t ranks, sccl_status_t mine,
                          const struct terms *terms);

/* Collective; only reports the bootstrap's own failure. What comes back for RANK itself is what it sent. What the others
 * sent may hold anything: whoever uses it checks it first. */
sccl_status_t sccli_exchange(const sccl_bootstrap_t *bootstrap, uint32_t rank, const void *mine, void *all, size_t bytes);

#endif
