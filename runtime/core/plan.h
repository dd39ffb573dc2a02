#ifndef SCCL_RUNTIME_CORE_PLAN_H
#define SCCL_RUNTIME_CORE_PLAN_H

/* A plan's inside. */

#include "runtime/core/comm.h"

#include <stdbool.h>

struct sccl_plan {
	struct sccl_comm *comm;
	const sccl_program_t *program;
	const sccl_table_t *table; /* the program's, of the protocol */
	sccl_kernel_t kernel;
	size_t element; /* bytes */
	uint64_t max_count, number;
	uint32_t blocks, resident, overlap; /* resident: blocks that are worked on at once, at most */
	sccl_protocol_t protocol;
	sccl_mode_t mode;
	struct piece words, cuts;           /* this rank's, where kernels can read them */
	struct symmetric scratch, staging;  /* staging: all zero where the plan has none */
	struct symmetric packets;           /* all zero with the plain protocol */
	uint64_t packet_bytes;              /* of a block's share of a slot */
	struct piece turns;                 /* with packets: [blocks], of this rank alone */
	struct piece input;                 /* a copy of an input that its own output overlaps; made when first needed */
	struct engines *engines;            /* NULL: kernels */
	uint32_t *peers;                    /* those that it shares data with */
	size_t n_peers;
};

/* What a call is given. */
struct sccl_call {
	const void *in;
	void *out;
	uint64_t count;
	sccl_stream_t stream;
};

/* sccl_run with so many blocks, at most the plan's; the same on all ranks. With packets exactly the plan's. */
sccl_status_t sccli_run(struct sccl_plan *plan, const struct sccl_call *call, uint32_t blocks);

/* Scratch, staging, packets and what kernels read. Collective. */
sccl_status_t sccli_plan_memory(struct sccl_plan *plan, bool staged);
/* Room for a copy of an input that the output overlaps. */
sccl_status_t sccli_plan_input(struct sccl_plan *plan);
void sccli_plan_memory_free(struct sccl_plan *plan);

/* May the program run with these two of a rank's buffers as they lie? Yes where they do not meet, and where nothing is
 * reduced and each chunk of the input that meets the output is in its final place. */
bool sccli_may_overlap(const sccl_program_t *p, uint32_t rank, uint64_t count, size_t element, const void *in,
                       const void *out);

#endif
