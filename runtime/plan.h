#ifndef SCCL_RUNTIME_PLAN_H
#define SCCL_RUNTIME_PLAN_H

/* A plan's inside. */

#include "runtime/comm.h"

struct sccl_plan {
	struct sccl_comm *comm;
	const sccl_program_t *program;
	sccl_kernel_t kernel;
	size_t element; /* bytes */
	uint64_t max_count, number;
	uint32_t blocks;
	struct symmetric scratch, staging; /* staging: all zero where the plan has none */
	struct piece input;                /* a copy of an input that its own output overlaps; made when first needed */
	uint32_t *peers;                   /* those that it shares data with */
	size_t n_peers;
};

/* May the program run with these two of a rank's buffers as they lie? Yes where they do not meet, and where nothing is
 * reduced and each chunk of the input that meets the output is in its final place. */
bool sccli_may_overlap(const sccl_program_t *p, uint32_t rank, uint64_t count, size_t element, const void *in,
                       const void *out);

#endif
