#ifndef SCCL_RUNTIME_CORE_PLAN_H
#define SCCL_RUNTIME_CORE_PLAN_H

/* Internals of a plan. */

#include "runtime/core/comm.h"

#include <stdbool.h>

struct sccl_plan {
	struct sccl_comm *comm;
	const sccl_program_t *program;
	const sccl_table_t *table; /* the program's table for the protocol */
	sccl_kernel_t kernel;
	size_t element; /* bytes */
	sccl_dtype_t type;
	sccl_op_t op;
	uint64_t max_count, number;
	uint32_t blocks, resident, overlap; /* resident: maximum number of blocks that run at once */
	sccl_protocol_t protocol;
	sccl_mode_t mode;
	struct piece words, cuts;           /* this rank's, where kernels can read them */
	struct symmetric scratch, staging;  /* staging: all zero if the plan has none */
	struct symmetric packets;           /* all zero with the plain protocol */
	uint64_t packet_bytes;              /* size of a block's part of a slot */
	struct piece turns;                 /* with packets: [blocks], private to this rank */
	struct piece input;                 /* copy of an input that overlaps the output; on the host allocated on first
	                                     * use */
	struct engines *engines;            /* NULL: the plan uses kernels */
	uint32_t *peers;                    /* the ranks that this one exchanges data with */
	size_t n_peers;
	uint32_t share;                     /* of the device, and the next plan that has one (budget.c) */
	struct sccl_plan *next_share;
};

/* The arguments of a call. */
struct sccl_call {
	const void *in;
	void *out;
	uint64_t count;
	sccl_stream_t stream;
};

/* sccl_run with BLOCKS blocks, at most the plan's, equal on all ranks. With packets it must be exactly the plan's
 * number. */
sccl_status_t sccli_run(struct sccl_plan *plan, const struct sccl_call *call, uint32_t blocks);

/* Collective. Allocates scratch, staging and packets, and uploads what kernels read. */
sccl_status_t sccli_plan_memory(struct sccl_plan *plan, bool staged);
/* Allocates the copy of an input that overlaps the output. Local. */
sccl_status_t sccli_plan_input(struct sccl_plan *plan);
/* Local. Frees what sccli_plan_memory and sccli_plan_input allocated. */
void sccli_plan_memory_free(struct sccl_plan *plan);

/* Whether the program may run with these buffers of a rank as they are: yes if they do not overlap, or if every input
 * chunk that overlaps the output is already in its final place. */
bool sccli_may_overlap(const sccl_program_t *p, uint32_t rank, uint64_t count, size_t element, const void *in,
                       const void *out);

#endif
