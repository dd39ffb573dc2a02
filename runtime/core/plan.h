#ifndef SCCL_RUNTIME_CORE_PLAN_H
#define SCCL_RUNTIME_CORE_PLAN_H

/* Internals of a plan. */

#include "runtime/core/comm.h"

#include <stdbool.h>

/* What follows from a call's number of elements alone. To find it takes some 16 divisions, which a call of as many as the one
 * before does not repeat. */
struct plan_sizes {
	bool are_known;
	uint64_t count;
	uint64_t in_bytes, out_bytes; /* of this rank */
	uint64_t slot_bytes;          /* as in sccl_launch_t, like what follows */
	sccl_divided_t blocks_of, parts_of[2];
};

struct sccl_plan {
	struct sccl_comm *comm;
	const sccl_program_t *program;
	const sccl_table_t *table; /* the program's table for the protocol */
	sccl_kernel_t kernel;
	size_t element; /* bytes */
	sccl_dtype_t type;
	sccl_op_t op;
	uint64_t factor; /* of launches; sccl_launch_t */
	uint64_t max_count, number;
	struct plan_sizes sizes; /* of the last call */
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

/* Do peers write into this plan's outputs, which must lie in symmetric memory or be staged? */
static inline bool plan_is_written(const struct sccl_plan *p)
{
	return p->protocol != SCCL_PACKETS && p->protocol != SCCL_LINES && p->protocol != SCCL_PULL;
}

static inline bool plan_has_packets(const struct sccl_plan *p)
{
	return p->protocol == SCCL_PACKETS || p->protocol == SCCL_LINES;
}

/* The arguments of a call. */
struct sccl_call {
	const void *in;
	void *out;
	uint64_t count;
	sccl_stream_t stream;
	bool staged; /* peers write into staging memory, also if the output lies in symmetric memory: for outputs that some ranks
	              * have elsewhere. Equal on all ranks, whose plan must have staging memory */
};

/* Are the buffers such that PLAN's other ranks can read this one's input, if they do: in symmetric memory, and apart from the
 * output? Local; where inputs lie at the same offset everywhere the answer is the same on all ranks. */
bool sccli_can_read_inputs(struct sccl_plan *plan, const struct sccl_call *call);

/* sccl_run with BLOCKS blocks, at most the plan's, equal on all ranks. With packets it must be exactly the plan's
 * number. */
sccl_status_t sccli_run(struct sccl_plan *plan, const struct sccl_call *call, uint32_t blocks);

/* sccl_selector_run with a call. */
sccl_status_t sccli_selector_run(sccl_selector_t *selector, const struct sccl_call *call);

/* Does an operation multiply inputs first? */
bool sccli_multiplies(sccl_dtype_t type, sccl_op_t op);
/* Is the operation supported by the plan's program, protocol and mode? Otherwise fails. */
sccl_status_t sccli_check_factor(const struct sccl_plan *plan);
/* The factor that a new plan has: 1, or that of an average. */
uint64_t sccli_factor(const struct sccl_plan *plan);

/* Collective. Allocates scratch, staging and packets, and uploads what kernels read. */
sccl_status_t sccli_plan_memory(struct sccl_plan *plan, bool staged);
/* Allocates the copy of an input that overlaps the output. Local. */
sccl_status_t sccli_plan_input(struct sccl_plan *plan);
/* Local. Frees what sccli_plan_memory and sccli_plan_input allocated. */
void sccli_plan_memory_free(struct sccl_plan *plan);

/* Whether the plan may run with these buffers of a rank as they are: yes if they do not overlap, or if every input
 * chunk that overlaps the output is already in its final place, and not to be multiplied there. */
bool sccli_may_overlap(const struct sccl_plan *plan, uint32_t rank, uint64_t count, size_t element, const void *in,
                       const void *out);
/* Are all outputs of P sums of all of several ranks? */
bool sccli_sums_all(const sccl_program_t *p);

#endif
