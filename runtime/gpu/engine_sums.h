#ifndef SCCL_RUNTIME_GPU_ENGINE_SUMS_H
#define SCCL_RUNTIME_GPU_ENGINE_SUMS_H

/*
 * The reductions of a program on copy engines: each one is a launch of the program's own kernel with that reduction as its
 * only move, in memory of this rank. A copy takes the result to other ranks.
 */

#include "runtime/core/plan.h"

/* Slots for results that this rank itself keeps no copy of, behind the program's scratch slots. They are reused in turn. */
enum { SUM_SLOTS = 8 };

struct local_sums {
	size_t n;          /* reductions of this rank, in the order of its words */
	uint32_t *words;   /* one program for each */
	size_t *begins;    /* [n]: where it begins */
	bool *aside;       /* [n]: its target is one of the slots */
	struct piece there; /* the words, where kernels can read them */
};

/* Local. All zeros, which sccli_sums_free allows, if PLAN reduces nothing. */
sccl_status_t sccli_sums_create(const struct sccl_plan *plan, struct local_sums *s);
void sccli_sums_free(const struct sccl_plan *plan, struct local_sums *s);

/* The number of slots that a plan on copy engines needs, the same on all ranks. */
uint32_t sccli_sums_slots(const sccl_program_t *p);

/* The words of reduction I, beginning with the reduction. */
const uint32_t *sccli_sums_word(const struct local_sums *s, size_t i);

/* Enqueues reduction I of a call, of which LAUNCH is the kernel's description. */
sccl_status_t sccli_sums_run(const struct sccl_plan *plan, const struct local_sums *s, size_t i, const sccl_launch_t *launch,
                             sccl_stream_t stream);

#endif
