#ifndef SCCL_CORE_VERIFY_VERIFY_H
#define SCCL_CORE_VERIFY_VERIFY_H

/*
 * Does an algorithm do what it claims? The verifier plays the schedule as docs/reference/formats.md defines it. It
 * shares no code with the encodings and methods that it checks: an error would have to be made twice, in two different
 * ways, to go unnoticed.
 */

#include "core/schedule/algorithm.h"

/* What is wrong with an algorithm. */
enum fault {
	FAULT_NONE,
	FAULT_RANGE,         /* a chunk or node out of range, or fewer than 1 round */
	FAULT_NO_LINK,       /* src and dst are not joined */
	FAULT_OVERLOAD,      /* more sends over some L than b times rounds */
	FAULT_NOT_HELD,      /* src does not hold the chunk before the step */
	FAULT_TWICE,         /* a send listed twice, or two copies of a chunk arriving at one node in one step */
	FAULT_OVERLAP,       /* a contribution added to a value that already contains it */
	FAULT_REDUCES,       /* reduces in a collective that does not combine */
	FAULT_NOT_DELIVERED, /* the postcondition does not hold at the end */
	FAULT_MEMORY,        /* more chunks in transit at a node than extra_memory allows */
	FAULT_COST,          /* C, G, bounds or claims do not fit the schedule */
	FAULT_LIMIT,         /* too large to verify, in full and in compact form: neither right nor wrong */
	FAULTS
};

/* The result of a verification: the first fault, and where it is. */
struct verdict {
	enum fault fault;
	int step, chunk, src, dst; /* where; -1 where it does not apply */
	char why[256];             /* one sentence */
};

extern const char *const fault_names[]; /* [enum fault]: such as "not-held", as --json prints them */

/*
 * Returns the first fault in schedule order, or FAULT_NONE. Claims are checked as far as they can be recomputed: the
 * cost, the stated bounds, optimality by bound against bounds computed anew, and that the refuted candidates suffice
 * for optimality by exhaustion.
 */
struct verdict algorithm_verify(const struct algorithm *a);

/* For an allreduce that verifies: is it a reducescatter followed by an allgather, whichever node gathers each chunk? */
bool algorithm_is_composed(const struct algorithm *a);

#endif
