#ifndef SCCL_CORE_VERIFY_VERIFY_H
#define SCCL_CORE_VERIFY_VERIFY_H

/*
 * Does an algorithm do what it says? The judge plays the schedule as docs/reference/formats.md defines it. It shares no code with
 * the encodings and methods that it judges, so that a mistake would have to be made twice, in two ways, to pass.
 */

#include "core/schedule/algorithm.h"

enum fault {
	FAULT_NONE,
	FAULT_RANGE,         /* a chunk or node that is not there, rounds < 1 */
	FAULT_NO_LINK,       /* src and dst are not joined */
	FAULT_OVERLOAD,      /* more sends over some L than b times rounds */
	FAULT_NOT_HELD,      /* src does not hold the chunk before the step */
	FAULT_TWICE,         /* listed twice, or two copies arrive at one place in one step */
	FAULT_OVERLAP,       /* a contribution added to a value that has it already */
	FAULT_REDUCES,       /* reduces in a collective that does not combine */
	FAULT_NOT_DELIVERED, /* the post-condition does not hold at the end */
	FAULT_MEMORY,        /* more chunks on their way at a node than its memory is said to hold */
	FAULT_COST,          /* C, G, bounds or claims do not fit the schedule */
	FAULT_LIMIT,         /* too large in full to be judged, and in no compact form that can be: neither right nor wrong */
	FAULTS
};

struct verdict {
	enum fault fault;
	int step, chunk, src, dst; /* where; -1 where it does not apply */
	char why[256];             /* one sentence */
};

extern const char *const fault_names[]; /* "not-held", as --json prints them */

/* The first fault in the order of the schedule. Checks the claims as far as they can be recomputed: the cost, and that
 * a claim by bound meets bounds computed anew. */
struct verdict algorithm_verify(const struct algorithm *a);

/* Of an allreduce that verifies: is it a reducescatter followed by an allgather, whatever node each chunk is gathered from? */
bool algorithm_is_composed(const struct algorithm *a);

#endif
